//! A serial line that damages what it carries.

use crate::kit::Random;

/// Of how many bytes one is dropped, doubled, and has a bit flipped; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    pub drop: u32,
    pub double: u32,
    pub flip: u32,
}

impl Noise {
    /// What comes out where this goes in.
    pub fn pass(self, random: &mut Random, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for &byte in bytes {
            let mut hit = |one_in| one_in > 0 && random.below(one_in) == 0;
            let (drop, double, flip) = (hit(self.drop), hit(self.double), hit(self.flip));
            let byte = if flip { byte ^ 1 << random.below(8) } else { byte };
            let copies = if drop { 0 } else { 1 + usize::from(double) };
            out.extend(std::iter::repeat_n(byte, copies));
        }
        out
    }
}

/// Both ways of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noises {
    /// To the board.
    pub there: Noise,
    /// From the board.
    pub back: Noise,
    pub seed: u32,
}
