//! X-modem: Forsberg, "XMODEM/YMODEM protocol reference" (1988), with CRC and blocks of 1 KiB, and
//! the checksum for senders that know nothing else.
//!
//! What X-modem cannot tell, a file's size, nobody knows: the filling of the last block stays
//! part of the file.

use super::{
    BYTE_MS, INTERRUPT, PACKET_MS, Port, QUIET_MS, REST_MS, START_S, Statistics, TRIES, Target, TransferError,
};
use arrayvec::ArrayString;
use crc::{CRC_16_XMODEM, Crc, NoTable};

const SOH: u8 = 0x01;
const STX: u8 = 0x02;
const EOT: u8 = 0x04;
const ACK: u8 = 0x06;
const BACKSPACE: u8 = 0x08;
const NAK: u8 = 0x15;
const CAN: u8 = 0x18;
/// Asks for blocks with CRC.
const WITH_CRC: u8 = b'C';

/// Ends what a sender does. The backspaces wipe it from the line of one that has ended already.
const CANCEL: [u8; 10] = [CAN, CAN, CAN, CAN, CAN, BACKSPACE, BACKSPACE, BACKSPACE, BACKSPACE, BACKSPACE];

/// How long one that may not be there yet is given to begin, each time.
const ASK_MS: u32 = 1000;
const ASKED_MOST: u32 = START_S;
/// Of those times, as many ask for a CRC alone. Later every fourth asks for a checksum: some
/// senders know nothing else, but those that know both take what they are asked for.
const CRC_ONLY: u32 = 10;

const SHORT: usize = 128;
const LONG: usize = 1024;

/// The check of a block. Without a table, a block of 1 KiB takes 0.1 ms.
static CRC: Crc<u16, NoTable> = Crc::<u16, NoTable>::new(&CRC_16_XMODEM);

/// Receives one file.
///
/// # Errors
/// The sender has been told, and is silent.
pub fn receive(port: &mut Port<'_>, target: &mut Target<'_>) -> Result<Statistics, TransferError> {
    let mut receiver = Receiver::new(port);
    let result = target.begin(b"", 1).and_then(|()| {
        receiver.ask();
        receiver.file(target, None)
    });
    receiver.close(result)
}

/// What a sender says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// A block with the right check; [`Receiver::block`] has it.
    Block {
        /// Its number.
        number: u8,
        /// Its bytes.
        len: usize,
    },
    /// The file has ended.
    End,
    Damage,
    Silence,
}

/// The receiving side; Y-modem's as well.
pub(super) struct Receiver<'p, 'a> {
    port: &'p mut Port<'a>,
    block: [u8; LONG],
    with_crc: bool,
    /// There is a sender.
    begun: bool,
    /// It told of the file in a block 0.
    headed: bool,
    /// Failures in a row.
    failures: u32,
    statistics: Statistics,
}

impl<'p, 'a> Receiver<'p, 'a> {
    pub(super) fn new(port: &'p mut Port<'a>) -> Self {
        let statistics = Statistics::default();
        Self { port, block: [0; LONG], with_crc: true, begun: false, headed: false, failures: 0, statistics }
    }

    /// The bytes of the block that was heard last.
    pub(super) fn block(&self, len: usize) -> &[u8] {
        self.block.get(..len).unwrap_or_default()
    }

    /// Asks for the first block of a file.
    pub(super) fn ask(&mut self) {
        if !self.begun {
            self.with_crc = self.failures < CRC_ONLY || self.failures % 4 != 3;
        }
        self.port.send(&[if self.with_crc { WITH_CRC } else { NAK }]);
    }

    pub(super) fn acknowledge(&mut self) {
        self.port.send(&[ACK]);
    }

    /// Answers a block 0, and asks for the file that it tells of.
    pub(super) fn acknowledge_header(&mut self) {
        self.headed = true;
        self.advance();
        self.acknowledge();
        self.ask();
    }

    /// What was heard last brought the transfer further.
    fn advance(&mut self) {
        self.failures = 0;
        self.statistics.packets += 1;
    }

    /// The next block or end, asked for anew as often as it has to be. `first`: of a file of which
    /// nothing has come yet.
    pub(super) fn next(&mut self, first: bool) -> Result<Heard, TransferError> {
        loop {
            let heard = self.listen()?;
            match heard {
                Heard::Block { .. } | Heard::End => {
                    self.begun = true;
                    return Ok(heard);
                }
                Heard::Damage => self.port.quiet(QUIET_MS)?,
                Heard::Silence => {}
            }
            self.fail(if heard == Heard::Silence { TransferError::Silence } else { TransferError::Damage })?;
            if first {
                self.ask();
            } else {
                self.port.send(&[NAK]);
            }
        }
    }

    /// Counts a failure; the last one is `error`.
    pub(super) fn fail(&mut self, error: TransferError) -> Result<(), TransferError> {
        self.failures += 1;
        self.statistics.retries += u32::from(self.begun);
        match self.begun {
            false if self.failures >= ASKED_MOST => Err(TransferError::NoSender),
            true if self.failures >= TRIES => Err(error),
            _ => Ok(()),
        }
    }

    fn listen(&mut self) -> Result<Heard, TransferError> {
        let Some(byte) = self.port.byte(if self.begun { PACKET_MS } else { ASK_MS }) else {
            return Ok(Heard::Silence);
        };
        match byte {
            SOH => Ok(self.take(SHORT).unwrap_or(Heard::Damage)),
            STX => Ok(self.take(LONG).unwrap_or(Heard::Damage)),
            EOT => Ok(Heard::End),
            // Once is noise.
            CAN if self.follows(CAN) => Err(TransferError::Cancelled(ArrayString::new())),
            INTERRUPT if !self.begun || self.follows(INTERRUPT) => Err(TransferError::Interrupted),
            _ => Ok(Heard::Damage),
        }
    }

    fn follows(&mut self, byte: u8) -> bool {
        self.port.byte(BYTE_MS) == Some(byte)
    }

    /// Takes what is behind the first byte of a block.
    fn take(&mut self, len: usize) -> Option<Heard> {
        let [number, complement] = [self.port.byte(BYTE_MS)?, self.port.byte(BYTE_MS)?];
        let block = self.block.get_mut(..len)?;
        for byte in &mut *block {
            *byte = self.port.byte(BYTE_MS)?;
        }
        let right = if self.with_crc {
            let check = [self.port.byte(BYTE_MS)?, self.port.byte(BYTE_MS)?];
            u16::from_be_bytes(check) == CRC.checksum(block)
        } else {
            self.port.byte(BYTE_MS)? == block.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte))
        };
        (right && complement == !number).then_some(Heard::Block { number, len })
    }

    /// Takes a file that has been asked for; of the size that Y-modem has told, if it has.
    pub(super) fn file(&mut self, target: &mut Target<'_>, size: Option<u32>) -> Result<(), TransferError> {
        let (mut first, mut ending) = (true, false);
        let (mut expected, mut left) = (1_u8, size);
        loop {
            match self.next(first)? {
                Heard::Block { number, len } if number == expected => {
                    let len = left.map_or(len, |left| len.min(left as usize));
                    target.append(self.block(len))?;
                    left = left.map(|left| left.saturating_sub(len as u32));
                    expected = expected.wrapping_add(1);
                    (first, ending) = (false, false);
                    self.advance();
                    self.acknowledge();
                }
                // The answer to the block before was lost: the first one's is Y-modem's block 0.
                Heard::Block { number, .. }
                    if number == expected.wrapping_sub(1) && (!first || self.headed) =>
                {
                    self.fail(TransferError::Damage)?;
                    self.acknowledge();
                    if first {
                        self.ask();
                    }
                }
                Heard::Block { number, .. } => {
                    return Err(TransferError::Sequence { expected, found: number });
                }
                // A block may have been damaged into an end: senders say it again, as often as asked.
                _ if !ending => {
                    ending = true;
                    self.port.send(&[NAK]);
                }
                _ => break,
            }
        }
        self.failures = 0;
        match (size, left) {
            (Some(expected), Some(left @ 1..)) => {
                Err(TransferError::Short { expected, found: expected - left })
            }
            _ => {
                self.acknowledge();
                Ok(())
            }
        }
    }

    /// Tells the sender if it has to know, and waits until it is done.
    pub(super) fn close(self, result: Result<(), TransferError>) -> Result<Statistics, TransferError> {
        if !matches!(result, Ok(()) | Err(TransferError::Cancelled(_))) {
            self.port.send(&CANCEL);
        }
        self.port.rest(REST_MS);
        result.map(|()| self.statistics)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mock::{Board, LOADER, RAM};
    use crate::transfer::peer::{Nobody, Peer, Random, Sender};
    use std::vec::Vec;

    /// What a sender says, until it is acknowledged.
    #[derive(Clone)]
    pub enum Word {
        Block(u8, Vec<u8>),
        /// The same, with nothing behind it until that is asked for.
        Header(Vec<u8>),
        End,
    }

    /// A sender of X-modem, and of Y-modem: what it has to say, in order.
    pub struct Scripted {
        words: Vec<Word>,
        at: usize,
        with_crc: Option<bool>,
        pub cancelled: bool,
    }

    impl Scripted {
        pub fn new(words: Vec<Word>) -> Self {
            Self { words, at: 0, with_crc: None, cancelled: false }
        }

        /// The words for a file, in blocks of this many bytes.
        pub fn file(bytes: &[u8], block: usize) -> Vec<Word> {
            let mut words: Vec<_> = bytes.chunks(block).map(|chunk| filled(chunk, block)).collect();
            let numbers = 1..=words.len();
            let blocks = numbers.zip(words.drain(..));
            blocks.map(|(number, bytes)| Word::Block(number as u8, bytes)).chain([Word::End]).collect()
        }

        pub fn is_done(&self) -> bool {
            self.at == self.words.len()
        }

        fn say(&self) -> Vec<u8> {
            match self.words.get(self.at) {
                None => Vec::new(),
                Some(Word::End) => std::vec![EOT],
                Some(Word::Block(number, bytes)) => self.packet(*number, bytes),
                Some(Word::Header(bytes)) => self.packet(0, bytes),
            }
        }

        fn packet(&self, number: u8, bytes: &[u8]) -> Vec<u8> {
            let start = [if bytes.len() == LONG { STX } else { SOH }, number, !number];
            let check = match self.with_crc {
                Some(true) => CRC.checksum(bytes).to_be_bytes().to_vec(),
                _ => std::vec![bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte))],
            };
            [&start[..], bytes, &check].concat()
        }
    }

    /// Filled up to a block.
    pub fn filled(bytes: &[u8], block: usize) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes.resize(block, 0x1a);
        bytes
    }

    impl Sender for Scripted {
        fn hear(&mut self, byte: u8) -> Vec<u8> {
            match byte {
                ACK => {
                    let waits = !matches!(self.words.get(self.at), Some(Word::Block(..)));
                    self.at += usize::from(!self.is_done());
                    if waits { Vec::new() } else { self.say() }
                }
                WITH_CRC | NAK => {
                    self.with_crc.get_or_insert(byte == WITH_CRC);
                    self.say()
                }
                CAN => {
                    self.cancelled = true;
                    Vec::new()
                }
                _ => Vec::new(),
            }
        }
    }

    fn file(len: usize, block: usize) -> (Vec<u8>, Peer<Scripted>) {
        let bytes = Random::new(len as u32).bytes(len);
        let peer = Peer::new(Scripted::new(Scripted::file(&bytes, block)));
        (bytes, peer)
    }

    #[test]
    fn the_check_is_the_published_one() {
        assert_eq!(CRC.checksum(b"123456789"), 0x31c3);
    }

    #[test]
    fn takes_files_of_all_sizes() {
        for len in [1, 127, 128, 129, 1024, 5000, 300 * 128] {
            for block in [SHORT, LONG] {
                let (bytes, mut peer) = file(len, block);
                let (board, outcome) = peer.receive(receive);
                let padded = filled(&bytes, len.next_multiple_of(block));
                let packets = (padded.len() / block) as u32;
                assert_eq!(outcome.result, Ok(Statistics { packets, retries: 0 }));
                assert_eq!(outcome.files, [(std::string::String::new(), padded.len() as u32)]);
                assert_eq!(board.memory.load(RAM, padded.len() as u32), padded);
                assert!(peer.sender.is_done() && !peer.sender.cancelled);
            }
        }
    }

    #[test]
    fn falls_back_to_the_checksum() {
        /// Does not know what a C is.
        struct Old(Scripted);
        impl Sender for Old {
            fn hear(&mut self, byte: u8) -> Vec<u8> {
                if byte == WITH_CRC { Vec::new() } else { self.0.hear(byte) }
            }
        }
        let (bytes, peer) = file(1000, SHORT);
        let mut peer = Peer::new(Old(peer.sender));
        let (board, outcome) = peer.receive(receive);
        assert_eq!(outcome.result, Ok(Statistics { packets: 8, retries: 0 }));
        assert_eq!(board.memory.load(RAM, 1000), bytes);
        assert!(peer.heard.starts_with(b"CCCCCCCCCCC\x15"));
    }

    #[test]
    fn survives_noise() {
        let mut retries = 0;
        for seed in 0..100 {
            let block = if seed % 2 == 0 { SHORT } else { LONG };
            let (bytes, quiet) = file(20_000, block);
            let mut peer = Peer::noisy(quiet.sender, seed);
            let (board, outcome) = peer.receive(receive);
            retries += outcome.result.unwrap_or_else(|error| panic!("seed {seed}: {error}")).retries;
            assert!(board.memory.load(RAM, 20_000) == bytes, "seed {seed}");
        }
        assert!(retries > 500, "{retries}");
    }

    #[test]
    fn a_block_that_comes_again_counts_once() {
        let [a, b] = [1, 2].map(|number| Word::Block(number, std::vec![number; SHORT]));
        let words = std::vec![a.clone(), a, b.clone(), b, Word::End];
        let (board, outcome) = Peer::new(Scripted::new(words)).receive(receive);
        assert_eq!(outcome.result, Ok(Statistics { packets: 2, retries: 2 + 1 - 1 }));
        assert_eq!(board.memory.load(RAM, 256), [[1; SHORT], [2; SHORT]].concat());
    }

    /// A transfer that fails, and whether the sender is told.
    fn fails(words: Vec<Word>, expected: TransferError) {
        let mut peer = Peer::new(Scripted::new(words));
        let (board, outcome) = peer.receive(receive);
        assert_eq!(outcome.result, Err(expected));
        assert!(peer.sender.cancelled && peer.heard.ends_with(&CANCEL));
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
    }

    #[test]
    fn blocks_come_in_order() {
        let block = |number| Word::Block(number, std::vec![7; SHORT]);
        fails(std::vec![block(2)], TransferError::Sequence { expected: 1, found: 2 });
        fails(std::vec![block(0)], TransferError::Sequence { expected: 1, found: 0 });
        fails(std::vec![block(1), block(3)], TransferError::Sequence { expected: 2, found: 3 });
        fails(std::vec![block(1); 12], TransferError::Damage);
    }

    #[test]
    fn stops_below_the_loader() {
        let (bytes, mut peer) = file(4 * LONG, LONG);
        let mut board = Board::new();
        let mut target = Target::new(&mut board.memory, LOADER - 2 * LONG as u32 - 1);
        let result = receive(&mut Port::new(&mut peer, &mut board.clock), &mut target);
        let refused = crate::transfer::Refused { address: LOADER - 1, len: LONG as u32 };
        assert_eq!(result, Err(TransferError::Refused(refused)));
        assert!(peer.sender.cancelled);
        assert_eq!(board.memory.load(LOADER - 2049, 2049), [&bytes[..2 * LONG], &[0]].concat());
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
    }

    /// What ends a transfer, said at its start or behind the first block.
    fn ends(say: &[u8], behind: bool, expected: TransferError) {
        let words = std::vec![Word::Block(1, std::vec![0; SHORT])];
        let mut peer = Peer::new(Scripted::new(words));
        let block = if behind {
            peer.sender.with_crc = Some(true);
            peer.sender.say()
        } else {
            Vec::new()
        };
        peer.sender.at = 1;
        peer.coming.extend([&block[..], say].concat());
        assert_eq!(peer.receive(receive).1.result, Err(expected));
        assert!(peer.coming.is_empty());
    }

    #[test]
    fn both_sides_can_cancel() {
        let cancelled = TransferError::Cancelled(ArrayString::new());
        for behind in [false, true] {
            ends(&CANCEL, behind, cancelled);
            ends(&[INTERRUPT; 2], behind, TransferError::Interrupted);
        }
        ends(&[INTERRUPT], false, TransferError::Interrupted);
        // One of them may be noise.
        ends(&[INTERRUPT], true, TransferError::Silence);
        ends(&[CAN], true, TransferError::Silence);
        ends(&[CAN], false, TransferError::NoSender);
    }

    #[test]
    fn nobody_is_not_waited_for_endlessly() {
        let mut peer = Peer::new(Nobody);
        assert_eq!(peer.receive(receive).1.result, Err(TransferError::NoSender));
        let asked = peer.heard.len() - CANCEL.len();
        assert_eq!(asked, ASKED_MOST as usize);
    }
}
