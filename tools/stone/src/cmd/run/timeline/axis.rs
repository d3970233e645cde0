//! A linear axis of time.

use crate::svg::{Anchor, Drawing, GRID, QUIET};

/// Times from `from` to `to` drawn from `left` to `right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub from: f64,
    pub to: f64,
    pub left: f64,
    pub right: f64,
}

impl Axis {
    /// Where a time is.
    pub fn x(&self, time: f64) -> f64 {
        self.left + (time - self.from) * (self.right - self.left) / (self.to - self.from)
    }

    /// Draws ticks with lines up to `top`, counted from `zero`.
    pub fn ticks(&self, out: &mut Drawing, (top, bottom): (f64, f64), zero: f64, unit: &str) {
        let step = step((self.to - self.from) / 9.0);
        let first = ((self.from - zero) / step - 1e-9).ceil() as i64;
        let last = ((self.to - zero) / step + 1e-9).floor() as i64;
        for tick in first..=last {
            let value = tick as f64 * step;
            let x = self.x(zero + value);
            out.line((x, top), (x, bottom + 4.0), GRID);
            let unit = if tick == last { format!(" {unit}") } else { String::new() };
            out.text((x, bottom + 15.0), Anchor::Middle, QUIET, &format!("{value}{unit}"));
        }
    }
}

/// The next of 1, 2, 5, 10, 20 ... that is not smaller.
fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| round * power >= least * (1.0 - 1e-9));
    round.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        let check =
            |least, expected: f64| assert!((step(least) - expected).abs() < expected * 1e-9, "{least}");
        check(1.0, 1.0);
        check(30.5, 50.0);
        check(0.13, 0.2);
        check(6.0, 10.0);
    }

    #[test]
    fn a_time_has_its_place() {
        let axis = Axis { from: 10.0, to: 20.0, left: 100.0, right: 200.0 };
        assert_eq!([axis.x(10.0), axis.x(15.0), axis.x(20.0)], [100.0, 150.0, 200.0]);
    }
}
