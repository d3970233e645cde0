//! The other end of the line, for the tests: a sender behind a line with noise.

use super::{Port, Statistics, Target, TransferError};
use crate::mock::{Board, RAM};
use platform::hal::Serial;
use std::collections::VecDeque;
use std::vec::Vec;

/// Repeatable numbers: xorshift32 (Marsaglia 2003).
pub struct Random(u32);

impl Random {
    pub fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) | 1)
    }

    pub fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % end
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.below(256) as u8).collect()
    }
}

/// Of how many bytes one is dropped, doubled, and has a bit flipped; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    pub drop: u32,
    pub double: u32,
    pub flip: u32,
}

impl Noise {
    fn pass(self, random: &mut Random, byte: u8) -> Vec<u8> {
        let mut hit = |one_in| one_in > 0 && random.below(one_in) == 0;
        let (drop, double, flip) = (hit(self.drop), hit(self.double), hit(self.flip));
        let byte = if flip { byte ^ 1 << random.below(8) } else { byte };
        std::vec![byte; if drop { 0 } else if double { 2 } else { 1 }]
    }
}

/// A program that sends.
pub trait Sender {
    /// What it says to a byte.
    fn hear(&mut self, byte: u8) -> Vec<u8>;
}

/// A sender on a line.
pub struct Peer<S> {
    pub sender: S,
    /// What is on its way to the board.
    pub coming: VecDeque<u8>,
    /// What the board has sent.
    pub heard: Vec<u8>,
    pub there: Noise,
    pub back: Noise,
    random: Random,
}

impl<S: Sender> Peer<S> {
    pub fn new(sender: S) -> Self {
        let (there, back) = (Noise::default(), Noise::default());
        let (coming, heard) = (VecDeque::new(), Vec::new());
        Self { sender, coming, heard, there, back, random: Random::new(0) }
    }

    /// Noise both ways. An answer is not doubled: to a sender of X-modem that is two answers, and
    /// it would be one block ahead from there on.
    pub fn noisy(sender: S, seed: u32) -> Self {
        Self {
            there: Noise { drop: 16_000, double: 16_000, flip: 8000 },
            back: Noise { drop: 50, double: 0, flip: 50 },
            random: Random::new(seed),
            ..Self::new(sender)
        }
    }

    /// Lets a protocol receive into the RAM of a board.
    pub fn receive(&mut self, protocol: Protocol) -> (Board, Outcome) {
        let mut board = Board::new();
        let mut target = Target::new(&mut board.memory, RAM);
        let result = protocol(&mut Port::new(self, &mut board.clock), &mut target);
        let files = target.files().iter().map(|file| (file.name.as_str().into(), file.len)).collect();
        (board, Outcome { result, files })
    }
}

/// A `receive` of this module.
type Protocol = fn(&mut Port<'_>, &mut Target<'_>) -> Result<Statistics, TransferError>;

/// How a transfer ended.
#[derive(Debug)]
pub struct Outcome {
    pub result: Result<Statistics, TransferError>,
    /// Names and sizes.
    pub files: Vec<(std::string::String, u32)>,
}

impl<S: Sender> Serial for Peer<S> {
    fn put(&mut self, byte: u8) {
        self.heard.push(byte);
        for byte in self.back.pass(&mut self.random, byte) {
            for byte in self.sender.hear(byte) {
                self.coming.extend(self.there.pass(&mut self.random, byte));
            }
        }
    }
    fn get(&mut self) -> Option<u8> {
        self.coming.pop_front()
    }
    fn flush(&mut self) {}
}

/// One that never says anything.
pub struct Nobody;

impl Sender for Nobody {
    fn hear(&mut self, _: u8) -> Vec<u8> {
        Vec::new()
    }
}
