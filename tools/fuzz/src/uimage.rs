//! uImages: header, table of parts, compressed data, and where it all goes.

use crate::images::{self, FREE};
use crate::ram::{Ram, START};
use boot::crc::crc32;
use boot::image::load;
use boot::image::uimage::{self, HEADER, Header, MAGIC};

/// Where the image is.
const AT: u32 = START + 0x18_0000;

/// An image in RAM; magic and CRCs are put right.
pub fn check(data: &[u8]) {
    if let Ok(header) = Header::parse(data, crc32) {
        assert_eq!(header.to_bytes(crc32)[..], data[..HEADER]);
    }
    let Some((head, rest)) = data.split_first_chunk() else { return };
    let header = mended(*head, rest);
    let bytes = header.to_bytes(crc32);
    assert_eq!(Header::parse(&bytes, crc32), Ok(header));
    let mut ram = Ram::new(FREE, 0);
    ram.store(AT, &[&bytes, rest].concat());
    let found = load::header(&ram, AT).expect("the header is sound");
    assert_eq!(found, header);
    for (offset, len) in uimage::parts(rest) {
        assert!(offset + len <= rest.len());
    }
    // As `bootm` does: nothing is used before its CRC has been compared.
    if load::verify(&ram, AT, &header).is_err() {
        return;
    }
    // The answers to these matter only to those who ask.
    let _ = (load::initrd(&ram, AT), load::fdt(&ram, AT));
    if let Ok(bundle) = load::of_uimage(&ram, AT, &header) {
        images::load(&mut ram, &bundle);
    }
}

/// The fields of a header whose magic and CRCs may be wrong.
fn mended(mut head: [u8; HEADER], rest: &[u8]) -> Header {
    head[..4].copy_from_slice(&MAGIC.to_be_bytes());
    head[4..8].fill(0);
    let crc = crc32(&head);
    head[4..8].copy_from_slice(&crc.to_be_bytes());
    let header = Header::parse(&head, crc32).expect("magic and CRC are right");
    let data = rest.get(..header.size as usize).unwrap_or(rest);
    Header { data_crc: crc32(data), ..header }
}
