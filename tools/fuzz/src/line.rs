//! The serial line, with a sender that says whatever it was given.

use crate::ram::{Ram, START};
use boot::image::region::Region;
use boot::transfer::{Port, Target, TransferError};
use platform::hal::{Clock, Serial};
use platform::units::Hz;
use std::collections::VecDeque;

/// Where received files go.
pub const AT: u32 = START + 0x8000;
/// Free RAM.
pub const FREE: u32 = 0x1_0000;

/// Takes the input apart: `op len bytes`, again and again; the last may have fewer bytes.
pub fn pieces(mut data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let [op, len, rest @ ..] = data else { return None };
        let bytes;
        (bytes, data) = rest.split_at_checked((*len).into()).unwrap_or((rest, &[]));
        Some((*op, bytes))
    })
}

/// A sender. It says the next thing when it has heard something, as in these protocols.
struct Sender {
    says: VecDeque<Vec<u8>>,
    coming: VecDeque<u8>,
}

impl Serial for Sender {
    fn put(&mut self, _: u8) {
        if self.coming.is_empty() {
            self.coming.extend(self.says.pop_front().unwrap_or_default());
        }
    }
    fn get(&mut self) -> Option<u8> {
        self.coming.pop_front()
    }
    fn flush(&mut self) {}
}

/// A clock of which a second passes from one look to the next: nobody waits for long.
pub struct Fast(pub u64);

impl Clock for Fast {
    fn ticks(&mut self) -> u64 {
        self.0 += 1000;
        self.0
    }
    fn rate(&self) -> Hz {
        Hz(1000)
    }
}

/// Has a protocol receive what a sender says; panics if any byte of RAM changes that is not in a
/// file, or the files are not one behind the other.
pub fn receive<T>(
    says: VecDeque<Vec<u8>>,
    protocol: fn(&mut Port<'_>, &mut Target<'_>) -> Result<T, TransferError>,
) {
    let mut ram = Ram::new(FREE, 0xa5);
    let mut sender = Sender { says, coming: VecDeque::new() };
    let before = ram.bytes().to_vec();
    let mut target = Target::new(&mut ram, AT);
    // How it ends is up to the sender.
    let _ = protocol(&mut Port::new(&mut sender, &mut Fast(0)), &mut target);
    let files: Vec<Region> = target.files().iter().map(|file| Region::new(file.address, file.len)).collect();
    assert!(files.is_sorted_by(|a, b| a.end() <= b.start.into()), "{files:?}");
    assert!(files.iter().all(|file| file.start >= AT && ram.free().contains(*file)), "{files:?}");
    ram.assert_untouched(&before, files);
}
