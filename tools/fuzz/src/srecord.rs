//! S-records.

use crate::line::{AT, FREE, Fast, pieces};
use crate::ram::{Ram, START};
use boot::image::region::Region;
use boot::mock::MockSerial;
use boot::transfer::{Port, Target, srecord};

/// Lines: records with a count and a checksum that are right, and bytes as they are.
pub fn check(data: &[u8]) {
    let mut serial = MockSerial::default();
    serial.input.extend(pieces(data).flat_map(|(op, bytes)| line(op, bytes)));
    let mut ram = Ram::new(FREE, 0xa5);
    let before = ram.bytes().to_vec();
    let mut target = Target::new(&mut ram, AT);
    let loaded = srecord::receive(&mut Port::new(&mut serial, &mut Fast(0)), &mut target, 0);
    let written = match loaded {
        Ok(loaded) => loaded.range.map(|(low, high)| Region::between(low, u64::from(high) + 1)),
        // Of a file that ends in an error, some was stored.
        Err(_) => Some(ram.free()),
    };
    let written = written.unwrap_or(Region::new(START, 0));
    assert!(ram.free().contains(written), "{written}");
    ram.assert_untouched(&before, [written]);
}

fn line(op: u8, bytes: &[u8]) -> Vec<u8> {
    let kind @ 0..=9 = op & 15 else { return bytes.to_vec() };
    let count = bytes.len() as u8;
    let record: Vec<u8> = [count.wrapping_add(1)].into_iter().chain(bytes.iter().copied()).collect();
    let sum = record.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let digits: String = record.iter().chain([&!sum]).map(|byte| format!("{byte:02X}")).collect();
    format!("S{kind}{digits}\n").into_bytes()
}
