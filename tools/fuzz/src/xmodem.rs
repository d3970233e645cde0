//! X-modem.

use crate::line::{pieces, receive};
use boot::transfer::xmodem;
use std::collections::VecDeque;

/// What a sender says, piece by piece.
pub fn check(data: &[u8]) {
    receive(says(data), xmodem::receive);
}

/// Pieces as bytes on the line: blocks with a CRC or a sum that is right, and bytes as they are. The
/// first byte of a block's piece is its number.
pub fn says(data: &[u8]) -> VecDeque<Vec<u8>> {
    pieces(data).map(|(op, bytes)| piece(op, bytes)).collect()
}

fn piece(op: u8, bytes: &[u8]) -> Vec<u8> {
    let (start, len) = if op & 1 == 0 { (0x01, 128) } else { (0x02, 1024) };
    let (Some((number, bytes)), 0..=3) = (bytes.split_first(), op & 7) else { return bytes.to_vec() };
    let mut block = bytes.to_vec();
    // Blocks of 1024 bytes from the few that a piece has, so that inputs stay small.
    block.resize(len, if op & 0x80 == 0 { 0x1a } else { 0 });
    let check = if op & 2 == 0 { crc(&block).to_be_bytes().to_vec() } else { vec![sum(&block)] };
    [&[start, *number, !number], &block[..], &check].concat()
}

fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// CRC-16/XMODEM, bit by bit.
fn crc(bytes: &[u8]) -> u16 {
    let mut crc = 0_u16;
    for byte in bytes {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = crc << 1 ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 };
        }
    }
    crc
}
