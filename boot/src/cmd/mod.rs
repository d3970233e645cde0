//! The commands, one file each. A new one is a file, a `mod` line and a row of
//! [`TABLE`].

mod bdinfo;
mod boot;
mod bootm;
mod crc32;
mod go;
mod help;
mod iminfo;
mod md;
mod mw;
mod nand;
mod reset;
pub(crate) mod version;

use crate::boot_table::BootTableError;
use crate::console::Console;
use crate::console::line;
use crate::image::load::ImageError;
use crate::nand::NandError;
use arrayvec::ArrayString;
use core::fmt;
use core::ops::Range;
use platform::hal::{Clock, Machine, Memory, Nand};

/// A command of the console.
pub struct Command {
    /// Its first word.
    pub name: &'static str,
    /// What may follow the name.
    pub usage: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Runs it with the words behind its name; a suffix like `.b` of the name comes first.
    pub run: fn(&mut Context<'_>, &[&str]) -> Result<(), CmdError>,
}

impl Command {
    /// Shows the help as U-Boot's console does.
    pub fn show_usage(&self, console: &mut Console<'_>) {
        writeln!(console, "{} - {}\n\nUsage:", self.name, self.help);
        for usage in self.usage.split('\n') {
            // A line that goes on is indented.
            match usage.bytes().next() {
                None => writeln!(console, "{}", self.name),
                Some(b' ') => writeln!(console, "{usage}"),
                Some(_) => writeln!(console, "{} {usage}", self.name),
            }
        }
    }
}

/// All commands, by name.
pub const TABLE: &[Command] = &[
    bdinfo::CMD,
    boot::CMD,
    bootm::CMD,
    crc32::CMD,
    go::CMD,
    help::CMD,
    iminfo::CMD,
    md::CMD,
    mw::CMD,
    nand::CMD,
    reset::CMD,
    version::CMD,
];

/// The command of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Command> {
    TABLE.iter().find(|command| command.name == name)
}

/// What commands work with.
pub struct Context<'a> {
    /// The console.
    pub console: Console<'a>,
    /// The NAND chip.
    pub nand: &'a mut dyn Nand,
    /// Memory.
    pub memory: &'a mut dyn Memory,
    /// The board.
    pub machine: &'a mut dyn Machine,
    /// The time.
    pub clock: &'a mut dyn Clock,
    /// Where images are looked for when no address is given: where the last one was read to.
    pub load_address: u32,
    /// The command line that goes on where the last command ended.
    pub again: ArrayString<{ line::MAX }>,
}

impl<'a> Context<'a> {
    /// A context without a past.
    pub fn new(
        console: Console<'a>,
        nand: &'a mut dyn Nand,
        memory: &'a mut dyn Memory,
        machine: &'a mut dyn Machine,
        clock: &'a mut dyn Clock,
    ) -> Self {
        // Far from both ends, where kernels and the loader are.
        let (start, len) = machine.board().sdram;
        let load_address = start + len / 2;
        Self { console, nand, memory, machine, clock, load_address, again: ArrayString::new() }
    }

    /// Has an empty line go on with this.
    fn go_on_with(&mut self, line: fmt::Arguments<'_>) {
        self.again.clear();
        if fmt::write(&mut self.again, line).is_err() {
            self.again.clear();
        }
    }

    /// Ends a command whose user pressed Ctrl-C.
    fn check_interrupt(&mut self) -> Result<(), CmdError> {
        if self.console.interrupted() { Err(CmdError::Interrupted) } else { Ok(()) }
    }

    /// May these bytes of RAM be written?
    fn check_free(&mut self, address: u32, len: u32) -> Result<(), CmdError> {
        if self.memory.ram_mut(address, len).is_some() {
            return Ok(());
        }
        // RAM that may be read but not written is the loader's.
        match self.memory.ram(address, len) {
            Some(_) => Err(CmdError::Loader { address, len }),
            None => Err(CmdError::NotRam { address, len }),
        }
    }

    /// The RAM that does not belong to the loader.
    fn free_ram(&self) -> Range<u32> {
        let board = self.machine.board();
        board.sdram.0..board.loader.0
    }
}

/// Why a command failed. The text says what, where, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CmdError {
    /// The arguments are not those of the usage.
    Usage,
    /// Ctrl-C.
    Interrupted,
    /// A word, cut off where it gets long, that is no hexadecimal number of 32 bits.
    NotHex(ArrayString<16>),
    /// There is nothing to access, or the address is not a multiple of the width.
    Access {
        /// The address.
        address: u32,
        /// Bytes to be accessed.
        width: u8,
    },
    /// A range that is not in RAM.
    NotRam {
        /// Its start.
        address: u32,
        /// Its bytes.
        len: u32,
    },
    /// A range to be written that the loader occupies.
    Loader {
        /// Its start.
        address: u32,
        /// Its bytes.
        len: u32,
    },
    /// An offset or a size beyond the chip.
    BeyondChip {
        /// The offset.
        offset: u32,
        /// Bytes of the chip.
        chip: u32,
    },
    /// The chip.
    Nand(NandError),
    /// The boot table.
    BootTable(BootTableError),
    /// The boot table lists no such slot.
    NoSlot(&'static str),
    /// An image.
    Image(ImageError),
    /// An image that says it has more bytes than its slot, or than RAM.
    Size {
        /// Bytes, header included.
        len: u64,
        /// Bytes there are for it.
        room: u32,
    },
    /// No kernel slot could be booted.
    NothingBoots,
    /// The kernel's tag list does not fit.
    Tags,
}

impl fmt::Display for CmdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Usage => write!(f, "wrong arguments"),
            Self::Interrupted => write!(f, "interrupted"),
            Self::NotHex(ref word) => {
                write!(f, "'{word}' is not a hexadecimal number of up to 8 digits, like 30008000")
            }
            Self::Access { address, width } => write!(
                f,
                "no access to {address:08x} by {width} bytes: nothing is mapped, \
                 it belongs to the loader, or it is unaligned"
            ),
            Self::NotRam { address, len } => {
                write!(f, "{address:08x}, {len:#x} bytes, is not all RAM; see 'bdinfo' for where RAM is")
            }
            Self::Loader { address, len } => write!(
                f,
                "{address:08x}, {len:#x} bytes, would overwrite the loader; \
                 use an address below 'relocaddr' of 'bdinfo'"
            ),
            Self::BeyondChip { offset, chip } => {
                write!(f, "offset {offset:#x} is beyond the chip, which ends at {chip:#x}")
            }
            Self::Nand(error) => write!(f, "{error}"),
            Self::BootTable(error) => {
                let what = match error {
                    BootTableError::NotATable => "there is no boot table in block 0",
                    BootTableError::Crc { .. } => "the boot table in block 0 is damaged (CRC)",
                    BootTableError::Short | BootTableError::Cmdline => {
                        "the boot table in block 0 makes no sense"
                    }
                };
                write!(f, "{what}; write stage1 anew")
            }
            Self::NoSlot(name) => write!(f, "the boot table has no slot {name}; see 'nand info'"),
            Self::Image(error) => write!(f, "{error}"),
            Self::Size { len, room } => {
                write!(
                    f,
                    "the image says it has {len:#x} bytes, and there is room for {room:#x}; write it anew"
                )
            }
            Self::NothingBoots => write!(f, "no kernel slot boots; write a kernel to one, or try 'bootm'"),
            Self::Tags => write!(f, "the tag list for the kernel does not fit; use a shorter command line"),
        }
    }
}

impl From<NandError> for CmdError {
    fn from(error: NandError) -> Self {
        Self::Nand(error)
    }
}

impl From<ImageError> for CmdError {
    fn from(error: ImageError) -> Self {
        Self::Image(error)
    }
}

impl From<BootTableError> for CmdError {
    fn from(error: BootTableError) -> Self {
        Self::BootTable(error)
    }
}

/// A number as users type it: hexadecimal, with or without 0x.
fn hex(word: &str) -> Result<u32, CmdError> {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
    // from_str_radix would take a sign.
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u32::from_str_radix(digits, 16) {
        Ok(number) if plain => Ok(number),
        _ => {
            let mut shown = ArrayString::new();
            // Too long a word is shown as far as it fits.
            let _ = word.chars().try_for_each(|c| shown.try_push(c));
            Err(CmdError::NotHex(shown))
        }
    }
}

/// The width in bytes that a suffix of `md` and its kind stands for.
fn split_width<'a, 'b>(args: &'a [&'b str]) -> Result<(u8, &'a [&'b str]), CmdError> {
    match args {
        [".b", rest @ ..] => Ok((1, rest)),
        [".w", rest @ ..] => Ok((2, rest)),
        [".l", rest @ ..] => Ok((4, rest)),
        [first, ..] if first.starts_with('.') => Err(CmdError::Usage),
        _ => Ok((4, args)),
    }
}

/// A size as U-Boot writes it: bytes, or KiB and MiB with at most one decimal.
pub(crate) struct Size(pub u32);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0x10_0000.. => (0x10_0000, "MiB"),
            0x400.. => (0x400, "KiB"),
            _ => return write!(f, "{} Bytes", self.0),
        };
        let tenths = (u64::from(self.0) * 10 + unit / 2) / unit;
        match tenths % 10 {
            0 => write!(f, "{} {name}", tenths / 10),
            tenth => write!(f, "{}.{tenth} {name}", tenths / 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;
    use std::string::ToString;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
        for command in TABLE {
            assert!(!command.help.is_empty() && command.name.bytes().all(|b| b.is_ascii_alphanumeric()));
            assert_eq!(find(command.name).unwrap().help, command.help);
        }
        assert!(find("").is_none());
    }

    #[test]
    fn numbers_are_hexadecimal() {
        assert_eq!(hex("30008000"), Ok(0x3000_8000));
        assert_eq!(hex("0xffffffff"), Ok(u32::MAX));
        assert_eq!(hex("0XaB"), Ok(0xab));
        for word in ["", "0x", "100000000", "-1", "+1", "12g", "kernel", "0x0x1", "1_0"] {
            assert_eq!(hex(word), Err(CmdError::NotHex(ArrayString::from(word).unwrap())));
        }
        let long = hex("0123456789abcdef0123456789").unwrap_err();
        assert_eq!(long, CmdError::NotHex(ArrayString::from("0123456789abcdef").unwrap()));
    }

    #[test]
    fn sizes_read_as_u_boot_writes_them() {
        let check = |size, text: &str| assert_eq!(Size(size).to_string(), text);
        check(0, "0 Bytes");
        check(1023, "1023 Bytes");
        check(1024, "1 KiB");
        check(1536, "1.5 KiB");
        check(3_089_664, "2.9 MiB");
        check(0x0800_0000, "128 MiB");
        check(u32::MAX, "4096 MiB");
    }

    #[test]
    fn wrong_arguments_show_the_usage() {
        let mut board = Board::new();
        let expected = "crc32 - checksum calculation\n\nUsage:\ncrc32 address count\n";
        for line in ["crc32", "crc32 1", "crc32 1 2 3", "crc32.b 1 2"] {
            assert_eq!(board.run(line), expected);
        }
        let bad = "ERROR: '3g' is not a hexadecimal number of up to 8 digits, like 30008000\n";
        assert_eq!(board.run("crc32 3g 0"), bad);
    }
}
