//! Kermit.

use crate::line::{pieces, receive};
use boot::transfer::kermit;

/// What a sender says: packets with a check that is right, and bytes as they are. The first two
/// bytes of a packet's piece are its number and its type.
pub fn check(data: &[u8]) {
    receive(pieces(data).map(|(op, bytes)| piece(op, bytes)).collect(), kermit::receive);
}

const SPACE: u8 = b' ';

fn piece(op: u8, bytes: &[u8]) -> Vec<u8> {
    let (check, long) = (usize::from(op & 3), op & 4 != 0);
    let ([number, kind, data @ ..], 1..) = (bytes, check) else { return bytes.to_vec() };
    let head = [number % 64 + SPACE, *kind];
    let len = data.len() + check;
    let covered = if long {
        let mut head = vec![SPACE, head[0], head[1], (len / 95) as u8 + SPACE, (len % 95) as u8 + SPACE];
        head.push(six(&head) + SPACE);
        [&head, data].concat()
    } else {
        let data = &data[..data.len().min(90 - check)];
        [&[(data.len() + 2 + check) as u8 + SPACE], &head[..], data].concat()
    };
    let crc = crc(&covered);
    let sum = sum(&covered);
    let check = match check {
        1 => vec![six(&covered)],
        2 => vec![(sum >> 6 & 0x3f) as u8, (sum & 0x3f) as u8],
        _ => vec![(crc >> 12) as u8, (crc >> 6 & 0x3f) as u8, (crc & 0x3f) as u8],
    };
    let check: Vec<u8> = check.iter().map(|value| value + SPACE).collect();
    [&[1], &covered[..], &check, b"\r"].concat()
}

fn sum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add((*byte).into()))
}

fn six(bytes: &[u8]) -> u8 {
    let sum = sum(bytes);
    ((sum + (sum >> 6 & 3)) & 0x3f) as u8
}

/// CRC-16/KERMIT, bit by bit.
fn crc(bytes: &[u8]) -> u16 {
    let mut crc = 0_u16;
    for byte in bytes {
        crc ^= u16::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 0 { 0 } else { 0x8408 };
        }
    }
    crc
}
