//! What the chip's driver supplies to Linux's NAND layer, function by function.

/// A NAND controller. As in Linux, every one of these is called through a pointer.
pub trait Controller {
    /// Pulls nCE low or lets it go.
    fn select(&mut self, selected: bool);
    /// A command cycle.
    fn command(&mut self, byte: u8);
    /// An address cycle.
    fn address(&mut self, byte: u8);
    /// Whether R/nB is high.
    fn is_ready(&mut self) -> bool;
    /// Forgets the bytes that the code covers.
    fn start_ecc(&mut self);
    /// The code of the bytes since then.
    fn ecc(&mut self) -> [u8; 3];
    /// Address of the data register.
    fn data(&self) -> usize;
    /// Whether a word can be read there.
    fn has_words(&self) -> bool;
}
