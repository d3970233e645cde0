//! The commands, one file each. A new one is a file, a `mod` line and a row of
//! [`TABLE`].

mod base;
mod bdinfo;
mod boot;
mod bootd;
mod bootm;
mod bootz;
mod cmp;
pub(crate) mod confirm;
mod cp;
mod crc32;
mod download;
mod echo;
pub(crate) mod env;
mod exit;
mod false_;
mod flash;
mod go;
mod help;
mod history;
mod iminfo;
mod itest;
mod launch;
mod loadb;
mod loads;
mod loadx;
mod loady;
mod log;
mod md;
mod mm;
mod mtdparts;
mod mtest;
mod mw;
pub(crate) mod nand;
mod nm;
mod reset;
mod run;
mod setexpr;
mod sleep;
mod source;
mod test;
mod true_;
mod value;
pub(crate) mod version;

use crate::boot_table::BootTableError;
use crate::console::Console;
use crate::console::line;
use crate::console::shell::{BYTES, LEVELS, SCRIPT_BYTES, SyntaxError, WORDS};
use crate::console::state::State;
use crate::env::SetError;
use crate::env::default::load_address;
use crate::env::store::StoreError;
use crate::image::load::ImageError;
use crate::nand::NandError;
use crate::transfer::TransferError;
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
    test::BRACKET,
    base::CMD,
    bdinfo::CMD,
    boot::CMD,
    bootd::CMD,
    bootm::CMD,
    bootz::CMD,
    cmp::CMD,
    cp::CMD,
    crc32::CMD,
    echo::CMD,
    env::EDITENV,
    env::CMD,
    exit::CMD,
    false_::CMD,
    flash::CMD,
    go::CMD,
    help::CMD,
    history::CMD,
    iminfo::CMD,
    itest::CMD,
    loadb::CMD,
    loads::CMD,
    loadx::CMD,
    loady::CMD,
    log::CMD,
    md::CMD,
    mm::CMD,
    mtdparts::CMD,
    mtest::CMD,
    mw::CMD,
    nand::CMD,
    nm::CMD,
    env::print::CMD,
    reset::CMD,
    run::CMD,
    env::save::CMD,
    env::set::CMD,
    setexpr::CMD,
    sleep::CMD,
    source::CMD,
    test::CMD,
    true_::CMD,
    version::CMD,
];

/// What a name stands for.
pub enum Found {
    /// A command, by its name or by so much of it that no other starts with that.
    One(&'static Command),
    /// Several start with it.
    Many,
    /// No command.
    None,
}

/// The command that a name, or an abbreviation, stands for.
#[must_use]
pub fn find(name: &str) -> Found {
    if let Some(command) = TABLE.iter().find(|command| command.name == name) {
        return Found::One(command);
    }
    let mut all = starting_with(name);
    match (all.next().filter(|_| !name.is_empty()), all.next()) {
        (Some(command), None) => Found::One(command),
        (Some(_), Some(_)) => Found::Many,
        (None, _) => Found::None,
    }
}

/// The commands whose names start with this.
pub fn starting_with(start: &str) -> impl Iterator<Item = &'static Command> {
    TABLE.iter().filter(move |command| command.name.starts_with(start))
}

/// Objects that commands access between two looks for Ctrl-C and for keys typed ahead: a fraction of the
/// time in which a FIFO of 16 bytes fills at 115200 baud.
const STRIDE: u32 = 0x400;

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
    /// What is remembered from command to command.
    pub state: &'a mut State,
    /// Where images are looked for when no address is given: where the last one was read to.
    pub load_address: u32,
    /// What commands that look at memory add to addresses.
    pub base: u32,
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
        state: &'a mut State,
    ) -> Self {
        let load_address = load_address(machine.board());
        Self {
            console,
            nand,
            memory,
            machine,
            clock,
            state,
            load_address,
            base: 0,
            again: ArrayString::new(),
        }
    }

    /// The address that a word stands for in a command that looks at memory.
    fn address(&self, word: &str) -> Result<u32, CmdError> {
        Ok(hex(word)?.wrapping_add(self.base))
    }

    /// Has an empty line go on with this.
    fn go_on_with(&mut self, line: fmt::Arguments<'_>) {
        self.again.clear();
        if fmt::write(&mut self.again, line).is_err() {
            self.again.clear();
        }
    }

    /// Ends a command whose user pressed Ctrl-C.
    pub(crate) fn check_interrupt(&mut self) -> Result<(), CmdError> {
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
    /// It failed, and has said why, or there is nothing to be said; not 0.
    Status(u8),
    /// The script is to end with this status.
    Exit(u8),
    /// A script is none.
    Syntax(SyntaxError),
    /// Too many scripts, loops and conditions in one another.
    Levels,
    /// No room for a script beside those that run.
    ScriptRoom {
        /// Its bytes.
        len: usize,
    },
    /// The words of a command are too long together.
    TooLong,
    /// A command has too many words.
    TooManyWords,
    /// A word is not UTF-8.
    NotText,
    /// A variable cannot be set.
    Set(SetError),
    /// A word, cut off where it gets long, that is no hexadecimal number of 32 bits.
    NotHex(ArrayString<16>),
    /// A word that is no number, where decimal ones may be as well.
    NotNumber(ArrayString<16>),
    /// In an expression.
    DivisionByZero,
    /// An image that is no script: `ih_type`.
    NotScript(u8),
    /// A value that the line editor cannot hold.
    NotEditable,
    /// The variables do not fit.
    ExportRoom {
        /// Where they should go.
        address: u32,
        /// Bytes there are.
        room: u32,
    },
    /// There is no partition for the environment.
    NoEnv,
    /// The environment is not saved.
    Store(StoreError),
    /// There is no NUL in memory where variables should end.
    NoEnd {
        /// Where they start.
        address: u32,
        /// Bytes looked through.
        len: u32,
    },
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
    /// There is no partition of this name, cut off where it gets long.
    NoPartition(ArrayString<16>),
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
    /// A partition that other commands write.
    NotFlashed(ArrayString<16>),
    /// An image that is to go where stage2 is.
    NotStage2,
    /// It is not known how many bytes are to be written.
    NothingReceived,
    /// Less has been received than an image says that it has.
    Truncated {
        /// Bytes received.
        received: u32,
        /// Bytes of the image.
        needed: u32,
    },
    /// A transfer over the serial line.
    Transfer(TransferError),
    /// A rate that the console cannot have.
    Baud {
        /// The rate.
        baud: u32,
    },
    /// A rate that the terminal was not set to.
    NotSwitched {
        /// The rate.
        baud: u32,
    },
}

impl fmt::Display for CmdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Usage => write!(f, "wrong arguments"),
            Self::Interrupted => write!(f, "interrupted"),
            Self::Status(status) | Self::Exit(status) => write!(f, "status {status}"),
            Self::Syntax(error) => write!(f, "{error}"),
            Self::Levels => write!(
                f,
                "more than {LEVELS} scripts, loops and conditions in one another; does a script run itself?"
            ),
            Self::ScriptRoom { len } => {
                write!(
                    f,
                    "no room for a script of {len} bytes: those that run may have {SCRIPT_BYTES} together"
                )
            }
            Self::TooLong => write!(f, "the words of a command may have {BYTES} bytes together; use fewer"),
            Self::TooManyWords => write!(f, "a command may have {WORDS} words; use fewer, or quotes"),
            Self::NotText => write!(f, "a word is not UTF-8; write it anew"),
            Self::Set(SetError::Name) => {
                write!(f, "a variable cannot be called that: a name is not empty and has no '=' in it")
            }
            Self::Set(SetError::Value) => write!(f, "there is a NUL in the value; write it anew"),
            Self::Set(SetError::Full { needed, free }) => write!(
                f,
                "no room: the variable takes {needed} bytes, {free} are free; delete others, see 'printenv'"
            ),
            Self::NotHex(ref word) => {
                write!(f, "'{word}' is not a hexadecimal number of up to 8 digits, like 30008000")
            }
            Self::NotNumber(ref word) => write!(f, "'{word}' is not a number, like 10 or 0xa"),
            Self::DivisionByZero => write!(f, "division by 0"),
            Self::NotScript(kind) => {
                write!(f, "Bad image type {kind:#x}: no script; pack it with -T script")
            }
            Self::NotEditable => write!(
                f,
                "the value is too long for a line, or has other than printable characters; use 'setenv'"
            ),
            Self::ExportRoom { address, room } => {
                write!(f, "the variables do not fit in the {room:#x} bytes at {address:08x}; give them more")
            }
            Self::NoEnv => write!(
                f,
                "there is no partition 'env' of two erase blocks or more; add one to the recipe of the image"
            ),
            Self::Store(error) => write!(f, "{error}"),
            Self::NoEnd { address, len } => write!(
                f,
                "no NUL ends the variables in the {len:#x} bytes from {address:08x} on; give their size"
            ),
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
            Self::NoPartition(ref name) => {
                write!(f, "'{name}' is neither an offset nor a partition; see 'mtdparts' for those there are")
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
            Self::NotFlashed(ref name) => write!(
                f,
                "{name} is not for 'flash': the environment is written by 'saveenv', \
                 stage1 by 'nand erase' and 'nand write'"
            ),
            Self::NotStage2 => write!(f, "this is no stage2: a uImage for ARM, not compressed, of firmware"),
            Self::NothingReceived => write!(f, "how many bytes? Receive something first, or give a size"),
            Self::Truncated { received, needed } => {
                write!(f, "{received:#x} bytes are there, and the image has {needed:#x}; send it again")
            }
            Self::Transfer(error) => write!(f, "{error}"),
            Self::Baud { baud } => write!(f, "the console cannot have {baud} baud"),
            Self::NotSwitched { baud } => {
                write!(f, "no key came at {baud} baud; set the terminal to it when you are asked to")
            }
            Self::Tags => write!(f, "the tag list for the kernel does not fit; use a shorter command line"),
        }
    }
}

impl CmdError {
    /// Does it end the scripts that run, or the innermost, instead of being one command's failure?
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Interrupted | Self::Exit(_) | Self::Levels)
    }
}

impl From<TransferError> for CmdError {
    fn from(error: TransferError) -> Self {
        match error {
            TransferError::Interrupted => Self::Interrupted,
            error => Self::Transfer(error),
        }
    }
}

impl From<StoreError> for CmdError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SetError> for CmdError {
    fn from(error: SetError) -> Self {
        Self::Set(error)
    }
}

impl From<NandError> for CmdError {
    fn from(error: NandError) -> Self {
        match error {
            NandError::Interrupted => Self::Interrupted,
            error => Self::Nand(error),
        }
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
        _ => Err(CmdError::NotHex(shown(word))),
    }
}

/// A word for an error message: too long a one as far as it fits.
fn shown(word: &str) -> ArrayString<16> {
    let mut shown = ArrayString::new();
    let _ = word.chars().try_for_each(|c| shown.try_push(c));
    shown
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
            assert!(!command.help.is_empty() && command.name.bytes().all(|b| b.is_ascii_graphic()));
            assert!(matches!(find(command.name), Found::One(found) if found.help == command.help));
        }
        assert!(matches!(find(""), Found::None));
    }

    #[test]
    fn abbreviations_are_unique_or_said_to_be_not() {
        let mut board = Board::new();
        assert_eq!(board.run("vers"), board.run("version"));
        let many = board.run("m");
        assert!(many.starts_with("Ambiguous command 'm': md mm "), "{many}");
        assert_eq!(board.run("mdx"), "Unknown command 'mdx' - try 'help'\n");
        assert_eq!(board.run("''"), "Unknown command '' - try 'help'\n");
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
