//! When to cut the power, as `--cut` takes it.

use crate::number::number;
use sim::{Moment, PowerCut};

/// Parses `N`, `N:before`, `N:inside` or `N:after`.
///
/// # Errors
/// Says what is wrong with it, for clap to print.
pub fn operation(text: &str) -> Result<PowerCut, String> {
    let wrong = |what: &str| {
        format!("{what}; a cut is N[:before|inside|after], N the number of a program or erase from 1 on")
    };
    let (count, moment) = text.split_once(':').unwrap_or((text, "inside"));
    let moment = match moment {
        "before" => Moment::Before,
        "inside" => Moment::Inside,
        "after" => Moment::After,
        _ => return Err(wrong(&format!("`{moment}` is no moment of an operation"))),
    };
    match number(count) {
        Ok(0) => Err(wrong("there is no operation 0")),
        Ok(number) => Ok(PowerCut::Operation { number, moment }),
        Err(e) => Err(wrong(&e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_and_a_moment() {
        let check = |text, expected| {
            assert_eq!(operation(text).map(|cut| cut.to_string()), Ok(String::from(expected)))
        };
        check("3", "inside operation 3");
        check("0x10:before", "before operation 16");
        check("1:inside", "inside operation 1");
        check("2:after", "after operation 2");
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |text, part| {
            let error = operation(text).unwrap_err();
            assert!(error.contains(part) && error.contains("N[:before|inside|after]"), "{error}");
        };
        check("0", "no operation 0");
        check("x", "`x` is not a number");
        check("3:during", "`during` is no moment");
        check("", "`` is not a number");
    }
}
