//! The boot table, in both of its readers.

use boot::boot_table::{BootTable, LEN, Words};
use boot::crc::crc32;

/// A record; its magic, version and CRC are put right.
pub fn check(data: &[u8]) {
    compare(data);
    let Some(record) = data.first_chunk::<LEN>() else { return };
    let mut record = *record;
    record[..8].copy_from_slice(b"SSBT\x01\0\x24\x01");
    let crc = crc32(&record[..LEN - 4]);
    record[LEN - 4..].copy_from_slice(&crc.to_le_bytes());
    compare(&record);
}

fn compare(data: &[u8]) {
    let Ok(table) = BootTable::parse(data, crc32) else { return };
    let bytes = table.to_bytes(crc32).expect("what was read can be written");
    assert_eq!(BootTable::parse(&bytes, crc32), Ok(table));
    // stage1's reader sees the same.
    let (words, _) = data.as_chunks();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let words = words.first_chunk().expect("a table has been read");
    let bytes = |words: &[u32]| crc32(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    let found = Words::check(words, bytes).expect("both readers agree");
    assert_eq!(found.machine(), table.machine);
    let [a, b] = table.kernel;
    let [first, second] = table.stage2;
    assert_eq!([0, 1, 2, 3].map(|slot| found.slot(slot)), [a, b, first, second]);
    let cmdline: Vec<u8> = found.cmdline().iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(cmdline.starts_with(table.cmdline.as_bytes()) && cmdline[table.cmdline.len()] == 0);
}
