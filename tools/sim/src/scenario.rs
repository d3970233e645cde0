//! A run repeated with the power cut at every point of it.

use crate::console::Console;
use crate::cut::PowerCut;
use crate::error::Error;
use crate::options::Options;
use crate::part::NandImage;
use crate::report::Report;

/// Plays a run once as it is, and then again for every point at which the power can be cut: before,
/// inside and after each program and erase. `console` makes the terminal of each run, which has to
/// do the same each time.
///
/// This is how a test shows that what it has typed leaves either the old or the new state, whole:
///
/// ```no_run
/// # use sim::{Capture, NandImage, Options, Outcome};
/// # let (options, nand) = (Options::new("gta02"), NandImage::open("gta02.nand")?);
/// let cuts = sim::every_cut(&options, &nand, || Capture::typing("\rset a 2; saveenv\r"))?;
/// assert!(cuts.uncut.uart.contains("done"), "{}", cuts.uncut.uart);
/// println!("{} points", cuts.len());
/// for run in cuts {
///     let mut run = run?;
///     assert_eq!((run.report.outcome, run.report.violations_total), (Outcome::Powercut, 0), "{}", run.cut);
///     // The board is switched on again, with the chip as the cut has left it.
///     let after = sim::run(&options, &mut run.nand, &mut Capture::typing("\rprintenv a\r"))?;
///     assert!(after.uart.contains("a=1") || after.uart.contains("a=2"), "{}: {}", run.cut, after.uart);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A run is played when the iterator comes to it; `skip` and `step_by` do not play those that they
/// leave out, for where all would take too long. `uncut` is the report of the first run, `nand` the
/// image after it. How far a torn operation has got depends on [`Options::seed`]: other seeds show
/// other remains of the same operation.
///
/// # Errors
/// When the first run cannot start.
pub fn every_cut<C: Console, F: FnMut() -> C>(
    options: &Options,
    nand: &NandImage,
    mut console: F,
) -> Result<EveryCut<F>, Error> {
    let mut after = nand.clone();
    let uncut = crate::run(&Options { cut: None, ..options.clone() }, &mut after, &mut console())?;
    let points = PowerCut::points(uncut.nand.operations()).collect::<Vec<_>>().into_iter();
    Ok(EveryCut { uncut, nand: after, options: options.clone(), before: nand.clone(), console, points })
}

/// The runs of [`every_cut`].
pub struct EveryCut<F> {
    /// The run without a cut.
    pub uncut: Report,
    /// The image after it.
    pub nand: NandImage,
    options: Options,
    before: NandImage,
    console: F,
    points: std::vec::IntoIter<PowerCut>,
}

/// A run that ended with a cut of the power.
#[derive(Debug)]
pub struct CutRun {
    /// Where the power was cut.
    pub cut: PowerCut,
    /// What came out of the run.
    pub report: Report,
    /// The image that it has left, torn pages and all.
    pub nand: NandImage,
}

impl<C: Console, F: FnMut() -> C> EveryCut<F> {
    fn play(&mut self, cut: PowerCut) -> Result<CutRun, Error> {
        let options = Options { cut: Some(cut), ..self.options.clone() };
        let mut nand = self.before.clone();
        let report = crate::run(&options, &mut nand, &mut (self.console)())?;
        Ok(CutRun { cut, report, nand })
    }
}

impl<C: Console, F: FnMut() -> C> Iterator for EveryCut<F> {
    type Item = Result<CutRun, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        let cut = self.points.nth(n)?;
        Some(self.play(cut))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.points.size_hint()
    }
}

impl<C: Console, F: FnMut() -> C> ExactSizeIterator for EveryCut<F> {}
