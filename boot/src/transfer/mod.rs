//! Files over the serial line: X-modem, Y-modem, Kermit and S-records, the receiving side.
//!
//! The protocols know a [`Port`] and where to put what comes ([`Target`]), and nothing of the
//! console. All wait with limits, and take bytes from the port wherever they wait: at 115200
//! one comes every 87 us, and a receiver holds 64 (S3C2440) or 16 of them (S3C2410).

pub mod kermit;
#[cfg(test)]
mod peer;
mod port;
pub mod srecord;
mod target;
pub mod xmodem;
pub mod ymodem;

pub use port::Port;
pub use target::{FILES, File, NAME, Refused, Target};

use arrayvec::ArrayString;
use core::fmt;

/// Ctrl-C; X-modem calls it ETX.
const INTERRUPT: u8 = 0x03;

/// How long a sender is waited for. Whoever types the command has to find the file yet.
const START_S: u32 = 120;
/// The longest pause inside a packet. Forsberg's X-modem says one second.
const BYTE_MS: u32 = 1000;
/// How long the line is quiet before damage is answered. A sender that still sends would not
/// hear it; USB adapters pause for up to 16 ms.
const QUIET_MS: u32 = 100;
/// How long a sender is waited for that has gone on before. Shorter than the ten seconds after
/// which senders ask themselves, so that an answer that was lost costs less.
const PACKET_MS: u32 = 3000;
/// Failures in a row after which a transfer is given up.
const TRIES: u32 = 10;
/// How long the line is quiet before the console takes it back: what a sender says in the end, and
/// the rest of what was refused, are no commands.
const REST_MS: u32 = 500;

/// Why a transfer failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferError {
    /// No sender has begun.
    NoSender,
    /// The sender has begun, and fell silent.
    Silence,
    /// Nothing but damage, or the same over and over, in so many tries.
    Damage,
    /// Ctrl-C.
    Interrupted,
    /// The sender has given up, with this text if it had one.
    Cancelled(ArrayString<64>),
    /// A packet that does not come next, or not in this protocol.
    Sequence {
        /// The number that comes next.
        expected: u8,
        /// The number that came.
        found: u8,
    },
    /// A packet of a type that has no meaning here.
    Type(u8),
    /// A file ended before it had the bytes that were announced.
    Short {
        /// Bytes announced.
        expected: u32,
        /// Bytes that came.
        found: u32,
    },
    /// The bytes cannot go where they should.
    Refused(Refused),
    /// More files than are kept account of.
    TooMany,
    /// A line that is no S-record.
    Record {
        /// Its number, from 1 on.
        line: u32,
        /// What is wrong.
        problem: srecord::Problem,
    },
}

impl From<Refused> for TransferError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSender => write!(f, "nothing came for {START_S} s; start the sender within this time"),
            Self::Silence => write!(f, "the sender fell silent; start over"),
            Self::Damage => {
                write!(f, "{TRIES} failures in a row; check the line, or use a lower baud rate")
            }
            Self::Interrupted => write!(f, "interrupted"),
            Self::Cancelled(ref text) if text.is_empty() => write!(f, "the sender gave up; start over"),
            Self::Cancelled(ref text) => write!(f, "the sender gave up: {text}"),
            Self::Sequence { expected: 1, found: 0 } => {
                write!(f, "the sender speaks Y-modem; use 'loady', or send by X-modem")
            }
            Self::Sequence { expected: 0, found: 1 } => {
                write!(f, "the sender speaks X-modem; use 'loadx', or send by Y-modem")
            }
            Self::Sequence { expected, found } => {
                write!(f, "packet {found} came where {expected} was due; start over")
            }
            Self::Type(kind) => write!(
                f,
                "the sender sent a packet '{}', which has no place here; have it send files",
                kind.escape_ascii()
            ),
            Self::Short { expected, found } => {
                write!(f, "{found:#x} bytes came of {expected:#x} that were announced; start over")
            }
            Self::Refused(Refused { address, len }) => {
                write!(f, "{len:#x} bytes cannot go to {address:08x}; see 'bdinfo' for where they can")
            }
            Self::TooMany => write!(f, "more than {FILES} files; send fewer at a time"),
            Self::Record { line, problem } => write!(f, "line {line}: {problem}; send the file again"),
        }
    }
}

/// What is told of a transfer beyond its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Packets taken.
    pub packets: u32,
    /// Packets damaged, missed or sent twice.
    pub retries: u32,
}
