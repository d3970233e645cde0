//! Kermit: da Cruz, "Kermit, A File Transfer Protocol" (1987), the receiving side, with long
//! packets, attributes, all three block checks, and the quoting of control and 8-bit characters and
//! of repetitions.

use super::{
    BYTE_MS, INTERRUPT, NAME, PACKET_MS, Port, QUIET_MS, REST_MS, START_S, Statistics, TRIES, Target,
    TransferError,
};
use arrayvec::{ArrayString, ArrayVec};
use crc::{CRC_16_KERMIT, Crc, NoTable};

/// Starts a packet, and is nowhere inside one.
const MARK: u8 = 0x01;
/// A space: numbers are this much more.
const SPACE: u8 = b' ';
/// What a packet's second byte can count.
const SHORT: u8 = 94;
/// Data and check of the longest packet we ask for.
const LONG: u16 = 1024;
/// Bytes of a long packet in front of these.
const LONG_HEAD: usize = 6;
/// How long one who may not be there yet is given to begin, each time.
const ASK_MS: u32 = 1000;
/// Bytes between packets after which they are noise: more than any program says by itself.
const BETWEEN: u32 = 4096;
/// Packets that begin inside one another.
const BEGINNINGS: u32 = 100;
/// How many seconds we want to be waited for.
const PATIENCE_S: u8 = 10;

static CRC: Crc<u16, NoTable> = Crc::<u16, NoTable>::new(&CRC_16_KERMIT);

/// Receives files until the sender has no more.
///
/// # Errors
/// The sender has been told, and is silent.
pub fn receive(port: &mut Port<'_>, target: &mut Target<'_>) -> Result<Statistics, TransferError> {
    let mut receiver = Receiver::new(port);
    let result = receiver.run(target);
    if let Err(error) = result.as_ref() {
        receiver.refuse(error);
    }
    receiver.port.rest(REST_MS);
    result.map(|()| receiver.statistics)
}

const fn to_char(number: u8) -> u8 {
    number.wrapping_add(SPACE)
}

fn from_char(character: u8) -> Option<u8> {
    character.checked_sub(SPACE).filter(|number| *number <= SHORT)
}

/// Block checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// Six bits of the sum.
    Six = 1,
    /// Twelve bits of it.
    Twelve,
    /// A CRC of 16 bits.
    Crc,
}

impl Check {
    const fn len(self) -> usize {
        self as usize
    }

    /// The characters of a check.
    fn of(self, bytes: &[u8]) -> ArrayVec<u8, 3> {
        let sum = bytes.iter().fold(0, |sum: u16, byte| sum.wrapping_add((*byte).into()));
        let value = match self {
            Self::Six => sum.wrapping_add(sum >> 6 & 3),
            Self::Twelve => sum,
            Self::Crc => CRC.checksum(bytes),
        };
        let shifts = [12, 6, 0].into_iter().skip(3 - self.len());
        shifts.map(|shift| to_char((value >> shift & 0x3f) as u8)).collect()
    }
}

/// How the data of packets is quoted.
#[derive(Clone, Copy, Debug)]
struct Quoting {
    control: u8,
    high: Option<u8>,
    repeat: Option<u8>,
}

impl Quoting {
    /// Undoes it. `None` when the data ends inside of a sequence.
    fn decode(
        self,
        data: &[u8],
        mut put: impl FnMut(&[u8]) -> Result<(), TransferError>,
    ) -> Option<Result<(), TransferError>> {
        let mut out = ArrayVec::<u8, 256>::new();
        let mut rest = data.iter().copied();
        while let Some(mut byte) = rest.next() {
            let mut count = 1;
            if self.repeat == Some(byte) {
                count = from_char(rest.next()?)?;
                byte = rest.next()?;
            }
            let high = self.high == Some(byte);
            if high {
                byte = rest.next()?;
            }
            if byte == self.control {
                byte = rest.next()?;
                // Letters stand for control characters; what else is quoted stands for itself.
                if matches!(byte & 0x7f, 0x3f..=0x5f) {
                    byte ^= 0x40;
                }
            }
            if high {
                byte |= 0x80;
            }
            if out.remaining_capacity() < count.into() {
                if let Err(error) = put(&out) {
                    return Some(Err(error));
                }
                out.clear();
            }
            out.extend(core::iter::repeat_n(byte, count.into()));
        }
        Some(put(&out))
    }
}

/// What a sender says.
enum Heard {
    Packet(Packet),
    Damage,
    Silence,
}

/// A packet with the right check.
#[derive(Clone, Copy)]
struct Packet {
    sequence: u8,
    kind: u8,
    /// Where its data starts and ends.
    data: (usize, usize),
}

/// What becomes of a packet that was read.
enum Read {
    Good(Packet),
    Bad,
    /// Another one has begun.
    Again,
}

struct Receiver<'p, 'a> {
    port: &'p mut Port<'a>,
    /// A packet, from behind its mark on.
    packet: [u8; LONG_HEAD + LONG as usize],
    /// The last answer, in case it was lost.
    reply: ArrayVec<u8, { SHORT as usize + 3 }>,
    /// The number that comes next.
    expected: u8,
    check: Check,
    quoting: Quoting,
    /// What ends packets to the sender.
    end: u8,
    begun: bool,
    in_file: bool,
    failures: u32,
    statistics: Statistics,
}

impl<'p, 'a> Receiver<'p, 'a> {
    fn new(port: &'p mut Port<'a>) -> Self {
        Self {
            port,
            packet: [0; _],
            reply: ArrayVec::new(),
            expected: 0,
            check: Check::Six,
            quoting: Quoting { control: b'#', high: None, repeat: None },
            end: b'\r',
            begun: false,
            in_file: false,
            failures: 0,
            statistics: Statistics::default(),
        }
    }

    fn run(&mut self, target: &mut Target<'_>) -> Result<(), TransferError> {
        loop {
            let packet = match self.listen()? {
                Heard::Packet(packet) => packet,
                Heard::Silence => {
                    self.fail(TransferError::Silence)?;
                    self.ask();
                    continue;
                }
                Heard::Damage => {
                    self.port.quiet(QUIET_MS)?;
                    self.fail(TransferError::Damage)?;
                    self.ask();
                    continue;
                }
            };
            match packet.kind {
                b'E' => return Err(TransferError::Cancelled(text(self.data(packet)))),
                // Our own words, from a line that echoes.
                b'Y' | b'N' => self.fail(TransferError::Damage)?,
                _ if !self.begun || packet.sequence == self.expected => {
                    if self.take(packet, target)? {
                        return Ok(());
                    }
                }
                // The answer was lost.
                _ if packet.sequence == self.expected.wrapping_sub(1) & 0x3f => {
                    self.fail(TransferError::Damage)?;
                    self.port.send(&self.reply);
                }
                _ => {
                    let (expected, found) = (self.expected, packet.sequence);
                    self.fail(TransferError::Sequence { expected, found })?;
                    self.ask();
                }
            }
        }
    }

    /// Counts a failure; the last one is `error`.
    fn fail(&mut self, error: TransferError) -> Result<(), TransferError> {
        self.failures += 1;
        self.statistics.retries += u32::from(self.begun);
        match self.begun {
            false if self.failures >= START_S => Err(TransferError::NoSender),
            true if self.failures >= TRIES => Err(error),
            _ => Ok(()),
        }
    }

    // ---- Packets that come -------------------------------------------------------------------

    fn data(&self, packet: Packet) -> &[u8] {
        self.packet.get(packet.data.0..packet.data.1).unwrap_or_default()
    }

    fn listen(&mut self) -> Result<Heard, TransferError> {
        for _ in 0..BETWEEN {
            match self.port.byte(if self.begun { PACKET_MS } else { ASK_MS }) {
                None => return Ok(Heard::Silence),
                Some(MARK) => return Ok(self.read_packet()),
                // Once a sender is there, once may be noise.
                Some(INTERRUPT) if !self.begun || self.port.byte(BYTE_MS) == Some(INTERRUPT) => {
                    return Err(TransferError::Interrupted);
                }
                // What ends packets, and what people see of programs.
                Some(_) => {}
            }
        }
        Ok(Heard::Damage)
    }

    fn read_packet(&mut self) -> Heard {
        for _ in 0..BEGINNINGS {
            match self.read() {
                Read::Good(packet) => return Heard::Packet(packet),
                Read::Bad => break,
                Read::Again => {}
            }
        }
        Heard::Damage
    }

    /// Reads what is behind a mark.
    fn read(&mut self) -> Read {
        match self.try_read() {
            Ok(packet) => packet.map_or(Read::Bad, Read::Good),
            Err(read) => read,
        }
    }

    fn try_read(&mut self) -> Result<Option<Packet>, Read> {
        let mut len = 3;
        self.fill(0, len)?;
        let [count, sequence, kind] = [self.number(0)?, self.number(1)?, self.at(2)];
        let mut left = usize::from(count).saturating_sub(2);
        if count == 0 {
            self.fill(3, LONG_HEAD)?;
            let head = self.packet.get(..LONG_HEAD - 1).unwrap_or_default();
            if Check::Six.of(head).first() != Some(&self.at(LONG_HEAD - 1)) {
                return Err(Read::Bad);
            }
            left = usize::from(self.number(3)?) * 95 + usize::from(self.number(4)?);
            len = LONG_HEAD;
        }
        // Where checks are agreed on, and what tells that they were not, comes with the plain one.
        let check = if kind == b'S' { Check::Six } else { self.check };
        let end = (len + left).checked_sub(check.len()).filter(|end| *end >= len).ok_or(Read::Bad)?;
        self.fill(len, len + left)?;
        let covered = self.packet.get(..end).unwrap_or_default();
        let right = self.packet.get(end..len + left) == Some(check.of(covered).as_slice());
        Ok(right.then_some(Packet { sequence, kind, data: (len, end) }))
    }

    fn fill(&mut self, from: usize, to: usize) -> Result<(), Read> {
        for place in self.packet.get_mut(from..to).ok_or(Read::Bad)? {
            *place = match self.port.byte(BYTE_MS) {
                Some(MARK) => return Err(Read::Again),
                Some(byte) => byte,
                None => return Err(Read::Bad),
            };
        }
        Ok(())
    }

    fn at(&self, place: usize) -> u8 {
        self.packet.get(place).copied().unwrap_or_default()
    }

    fn number(&self, place: usize) -> Result<u8, Read> {
        from_char(self.at(place)).ok_or(Read::Bad)
    }

    // ---- What they mean ----------------------------------------------------------------------------

    /// Does what a packet says, and answers it. True when it was the last one.
    fn take(&mut self, packet: Packet, target: &mut Target<'_>) -> Result<bool, TransferError> {
        let mut answer = ArrayVec::<u8, 16>::new();
        let mut check = self.check;
        match packet.kind {
            b'S' if !self.in_file => (answer, check) = self.negotiate(packet),
            b'F' if self.begun && !self.in_file => {
                let name = self.name(packet);
                target.begin(&name, 1)?;
                self.in_file = true;
            }
            b'A' if self.in_file => target.check(announced(self.data(packet)))?,
            b'D' if self.in_file => {
                let data = self.packet.get(packet.data.0..packet.data.1).unwrap_or_default();
                let decoded = self.quoting.decode(data, |bytes| target.append(bytes));
                decoded.unwrap_or(Err(TransferError::Damage))?;
            }
            // The sender may have stopped in the middle of it.
            b'Z' if self.in_file && self.data(packet) == b"D" => {
                return Err(TransferError::Cancelled(ArrayString::new()));
            }
            b'Z' if self.in_file => self.in_file = false,
            b'B' if self.begun && !self.in_file => {}
            kind => return Err(TransferError::Type(kind)),
        }
        self.begun = true;
        self.failures = 0;
        self.statistics.packets += 1;
        self.expected = (packet.sequence + 1) & 0x3f;
        self.say(b'Y', packet.sequence, &answer);
        self.check = check;
        Ok(packet.kind == b'B')
    }

    fn name(&self, packet: Packet) -> ArrayVec<u8, NAME> {
        let mut name = ArrayVec::new();
        // It is for people: as far as it fits and makes sense.
        let _ = self.quoting.decode(self.data(packet), |bytes| {
            name.extend(bytes.iter().copied().take(name.remaining_capacity()));
            Ok(())
        });
        name
    }

    /// Agrees to what the sender wants; the answer, and the check from then on.
    fn negotiate(&mut self, packet: Packet) -> (ArrayVec<u8, 16>, Check) {
        let data = self.data(packet);
        let field = |place: usize, default: u8| data.get(place).copied().unwrap_or(default);
        let quote = |byte: u8| Some(byte).filter(|byte| matches!(byte, 33..=62 | 96..=126));
        let (end, control) = (field(4, to_char(b'\r')), field(5, b'#'));
        let (high, repeat) = (quote(field(6, b'N')), quote(field(8, SPACE)));
        let (digit, check) = match field(7, b'1') {
            b'2' => (b'2', Check::Twelve),
            b'3' => (b'3', Check::Crc),
            _ => (b'1', Check::Six),
        };
        self.end = from_char(end).unwrap_or(b'\r');
        self.quoting = Quoting { control: quote(control).unwrap_or(b'#'), high, repeat };
        let answer = [
            to_char(SHORT),
            to_char(PATIENCE_S),
            // No padding, its character, and what ends packets.
            to_char(0),
            b'@',
            to_char(b'\r'),
            b'#',
            if high.is_some() { b'Y' } else { b'N' },
            digit,
            repeat.unwrap_or(SPACE),
            // Attributes and long packets, one at a time, and how long.
            to_char(8 | 2),
            to_char(1),
            to_char((LONG / 95) as u8),
            to_char((LONG % 95) as u8),
        ];
        (answer.into_iter().collect(), check)
    }

    // ---- What is answered ----------------------------------------------------------------------------

    /// Asks for the packet that comes next.
    fn ask(&mut self) {
        if self.begun {
            let kept = self.reply.clone();
            self.say(b'N', self.expected, &[]);
            self.reply = kept;
        }
    }

    fn say(&mut self, kind: u8, sequence: u8, data: &[u8]) {
        let count = data.len() + 2 + self.check.len();
        self.reply.clear();
        self.reply.extend([MARK, to_char(count as u8), to_char(sequence), kind]);
        let room = self.reply.remaining_capacity().saturating_sub(4);
        self.reply.extend(data.iter().copied().take(room));
        let check = self.check.of(self.reply.get(1..).unwrap_or_default());
        self.reply.extend(check);
        self.reply.push(self.end);
        self.port.send(&self.reply);
    }

    /// Tells the sender, if there is one, that this is the end.
    fn refuse(&mut self, error: &TransferError) {
        let text: &[u8] = match error {
            TransferError::Cancelled(_) | TransferError::NoSender => return,
            TransferError::Interrupted => b"interrupted on the board",
            TransferError::Refused(_) => b"no room in the board's RAM",
            _ => b"failed, the board's console says why",
        };
        self.say(b'E', self.expected, text);
    }
}

/// The size in an attribute packet, rounded up to KiB where that is all it has; 0 without one.
fn announced(attributes: &[u8]) -> u32 {
    let (mut rest, mut size) = (attributes, 0);
    while let [attribute, len, more @ ..] = rest {
        let Some((value, next)) = from_char(*len).and_then(|len| more.split_at_checked(len.into())) else {
            break;
        };
        let digits = core::str::from_utf8(value).unwrap_or_default();
        match attribute {
            b'1' => return digits.parse().unwrap_or(u32::MAX),
            b'!' => size = digits.parse().unwrap_or(u32::MAX).saturating_sub(1).saturating_mul(1024),
            _ => {}
        }
        rest = next;
    }
    size
}

/// What a sender says to people.
fn text(data: &[u8]) -> ArrayString<64> {
    let mut text = ArrayString::new();
    let printable = data.iter().filter(|byte| matches!(byte, b' '..=b'~'));
    let _ = printable.copied().try_for_each(|byte| text.try_push(char::from(byte)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{LOADER, RAM};
    use crate::transfer::Refused;
    use crate::transfer::peer::{Nobody, Peer, Random, Sender};
    use std::vec::Vec;

    /// How a sender wants it.
    #[derive(Clone, Copy)]
    struct Wish {
        check: Check,
        high: u8,
        repeat: u8,
        /// Bytes of data in a packet; beyond 80 it is a long one.
        len: usize,
    }

    const PLAIN: Wish = Wish { check: Check::Six, high: b'Y', repeat: b' ', len: 80 };

    /// A sender, its packets encoded beforehand.
    struct Scripted {
        packets: Vec<Vec<u8>>,
        at: usize,
        heard: Vec<u8>,
        check: Check,
    }

    fn packet(kind: u8, sequence: usize, data: &[u8], check: Check) -> Vec<u8> {
        let (len, sequence) = (data.len() + check.len(), to_char(sequence as u8 & 0x3f));
        let mut packet = if len <= 92 {
            std::vec![to_char(len as u8 + 2), sequence, kind]
        } else {
            let mut head =
                std::vec![SPACE, sequence, kind, to_char((len / 95) as u8), to_char((len % 95) as u8)];
            head.extend(Check::Six.of(&head));
            head
        };
        packet.extend(data);
        packet.extend(check.of(&packet));
        [&[MARK], &packet[..], b"\r"].concat()
    }

    fn quoted(wish: Wish, byte: u8) -> Vec<u8> {
        let mut out = Vec::new();
        let mut byte = byte;
        if wish.high == b'&' && byte & 0x80 != 0 {
            out.push(b'&');
            byte &= 0x7f;
        }
        let prefixes = [b'#', wish.high, wish.repeat];
        if matches!(byte & 0x7f, 0..=31 | 127) {
            out.extend([b'#', byte ^ 0x40]);
        } else if prefixes.contains(&byte) && !matches!(byte, b' ' | b'N' | b'Y') {
            out.extend([b'#', byte]);
        } else {
            out.push(byte);
        }
        out
    }

    /// Bytes as the data of packets.
    fn encoded(wish: Wish, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut packets = std::vec![Vec::new()];
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let run = rest.iter().take(94).take_while(|other| **other == byte).count();
            let mut piece = quoted(wish, byte);
            let mut taken = 1;
            if wish.repeat != b' ' && run > 3 {
                piece = [&[wish.repeat, to_char(run as u8)], &piece[..]].concat();
                taken = run;
            }
            if packets.last().unwrap().len() + piece.len() > wish.len {
                packets.push(Vec::new());
            }
            packets.last_mut().unwrap().extend(piece);
            rest = &rest[taken..];
        }
        packets
    }

    impl Scripted {
        fn new(wish: Wish, files: &[(&str, &[u8])]) -> Self {
            let mut said: Vec<(u8, Vec<u8>)> = Vec::new();
            for (name, bytes) in files {
                said.push((b'F', name.as_bytes().to_vec()));
                let size = std::format!("{}", bytes.len());
                let size = std::format!("#,861119 13:171{}{size}", char::from(to_char(size.len() as u8)));
                said.push((b'A', size.into_bytes()));
                said.extend(encoded(wish, bytes).into_iter().map(|data| (b'D', data)));
                said.push((b'Z', Vec::new()));
            }
            said.push((b'B', Vec::new()));
            Self::saying(wish, said)
        }

        fn saying(wish: Wish, said: Vec<(u8, Vec<u8>)>) -> Self {
            let digit = b'0' + wish.check as u8;
            let init = [b'~', b'*', b' ', b'@', b'-', b'#', wish.high, digit, wish.repeat, b'*', b' ', b'*'];
            let mut packets = std::vec![packet(b'S', 0, &init, Check::Six)];
            for (number, (kind, data)) in said.into_iter().enumerate() {
                packets.push(packet(kind, number + 1, &data, wish.check));
            }
            Self { packets, at: 0, heard: Vec::new(), check: wish.check }
        }

        fn peer(self) -> Peer<Self> {
            let first = self.packets[0].clone();
            let mut peer = Peer::new(self);
            peer.coming.extend(first);
            peer
        }

        fn is_done(&self) -> bool {
            self.at == self.packets.len()
        }
    }

    impl Sender for Scripted {
        fn hear(&mut self, byte: u8) -> Vec<u8> {
            self.heard.push(byte);
            if byte != b'\r' {
                return Vec::new();
            }
            let heard = std::mem::take(&mut self.heard);
            let check = if self.at == 0 { Check::Six } else { self.check };
            let start = heard.iter().rposition(|&byte| byte == MARK).map_or(0, |at| at + 1);
            let body = &heard[start..heard.len() - 1];
            let Some((covered, found)) = body.split_at_checked(body.len().saturating_sub(check.len())) else {
                return Vec::new();
            };
            if covered.len() < 3 || check.of(covered).as_slice() != found {
                // As after a time-out.
                return self.packets.get(self.at).cloned().unwrap_or_default();
            }
            let now = to_char((self.at & 0x3f) as u8);
            match (covered[2], covered[1]) {
                (b'Y', sequence) if sequence == now => self.at += 1,
                // The next one is asked for: this one has arrived.
                (b'N', sequence) if sequence == to_char(((self.at + 1) & 0x3f) as u8) => self.at += 1,
                (b'N', _) => {}
                _ => return Vec::new(),
            }
            self.packets.get(self.at).cloned().unwrap_or_default()
        }
    }

    #[test]
    fn the_checks_are_the_published_ones() {
        assert_eq!(CRC.checksum(b"123456789"), 0x2189);
        // 5 * 0x5f is 0x1db: 7 and 0x1b, and with the 3 above them 0x1e.
        assert_eq!(Check::Six.of(b"_____").as_slice(), [to_char(0x1e)]);
        assert_eq!(Check::Twelve.of(b"_____").as_slice(), [to_char(7), to_char(0x1b)]);
        assert_eq!(Check::Crc.of(b"123456789").as_slice(), [to_char(2), to_char(6), to_char(9)]);
    }

    /// Every byte, runs, and quoting characters.
    fn sample() -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..=255).collect();
        bytes.extend([0; 200]);
        bytes.extend(b"##&&~~YYNN  ##########&&&&&&&&~~~~~~~~");
        bytes.extend([0xa3; 95]);
        bytes.extend(Random::new(1).bytes(3000));
        bytes
    }

    #[test]
    fn takes_all_ways_of_encoding() {
        let bytes = sample();
        for check in [Check::Six, Check::Twelve, Check::Crc] {
            for (high, repeat) in [(b'Y', b' '), (b'Y', b'~'), (b'&', b' '), (b'&', b'~'), (b'N', b'~')] {
                for len in [20, 80, 1000] {
                    let wish = Wish { check, high, repeat, len };
                    let mut peer = Scripted::new(wish, &[("a.bin", &bytes), ("empty", &[])]).peer();
                    let (board, outcome) = peer.receive(receive);
                    let statistics = outcome.result.unwrap();
                    assert_eq!(statistics.retries, 0);
                    assert_eq!(statistics.packets as usize, peer.sender.packets.len());
                    assert_eq!(outcome.files, [("a.bin".into(), bytes.len() as u32), ("empty".into(), 0)]);
                    assert!(board.memory.load(RAM, bytes.len() as u32) == bytes);
                    assert!(peer.sender.is_done());
                }
            }
        }
    }

    #[test]
    fn survives_noise() {
        let bytes = Random::new(4).bytes(10_000);
        let mut retries = 0;
        for seed in 0..100 {
            let wish = Wish { check: Check::Crc, len: if seed % 2 == 0 { 80 } else { 1000 }, ..PLAIN };
            let sender = Scripted::new(wish, &[("one", &bytes), ("two", &bytes)]);
            let mut peer = Peer::noisy(sender, seed);
            peer.coming.extend(peer.sender.packets[0].clone());
            let (board, outcome) = peer.receive(receive);
            assert!(outcome.result.is_ok(), "seed {seed}: {outcome:?}");
            retries += outcome.result.map_or(0, |statistics| statistics.retries);
            assert_eq!(outcome.files, [("one".into(), 10_000), ("two".into(), 10_000)], "seed {seed}");
            assert!(board.memory.load(RAM, 10_000) == bytes, "seed {seed}");
        }
        assert!(retries > 500, "{retries}");
    }

    /// What a sender says after it has begun, and how that ends.
    fn ends(said: &[(u8, &[u8])], expected: TransferError, told: bool) {
        let said = said.iter().map(|(kind, data)| (*kind, data.to_vec())).collect();
        let mut peer = Scripted::saying(PLAIN, said).peer();
        let (board, outcome) = peer.receive(receive);
        assert_eq!(outcome.result, Err(expected));
        assert_eq!(peer.heard.windows(4).any(|window| window[0] == MARK && window[3] == b'E'), told);
        assert!(board.memory.loader().iter().all(|&byte| byte == 0));
    }

    #[test]
    fn failures_are_told() {
        let text = ArrayString::from("disk on fire").unwrap();
        ends(&[(b'E', b"disk on fire")], TransferError::Cancelled(text), false);
        ends(&[(b'F', b"a"), (b'Z', b"D")], TransferError::Cancelled(ArrayString::new()), false);
        for kind in [b'D', b'A', b'Z', b'X'] {
            ends(&[(kind, b"")], TransferError::Type(kind), true);
        }
        ends(&[(b'F', b"a"), (b'B', b"")], TransferError::Type(b'B'), true);
        ends(&[(b'F', b"a"), (b'D', b"ab#")], TransferError::Damage, true);
        let len = LOADER - RAM + 1;
        let attribute = std::format!("1){len:09}");
        let refused = TransferError::Refused(Refused { address: RAM, len });
        ends(&[(b'F', b"a"), (b'A', &attribute.into_bytes())], refused, true);
    }

    #[test]
    fn attributes_tell_the_size() {
        assert_eq!(announced(b""), 0);
        assert_eq!(announced(b"#,861119 13:17!\"241#234"), 234);
        assert_eq!(announced(b"!\"24"), 23 * 1024);
        assert_eq!(announced(b"1+99999999999"), u32::MAX);
        assert_eq!(announced(b"1$12"), 0);
        assert_eq!(announced(b"!\"241"), 23 * 1024);
    }

    #[test]
    fn silence_and_ctrl_c_end_it() {
        let mut peer = Peer::new(Nobody);
        assert_eq!(peer.receive(receive).1.result, Err(TransferError::NoSender));
        assert_eq!(peer.heard, b"");
        peer.coming.push_back(INTERRUPT);
        assert_eq!(peer.receive(receive).1.result, Err(TransferError::Interrupted));
        let begun = packet(b'S', 0, b"~* @-#N1", Check::Six);
        for (end, expected) in
            [(&[INTERRUPT; 2][..], TransferError::Interrupted), (&[INTERRUPT], TransferError::Silence)]
        {
            let mut peer = Peer::new(Nobody);
            peer.coming.extend([&begun[..], end].concat());
            assert_eq!(peer.receive(receive).1.result, Err(expected));
        }
    }

    #[test]
    fn lines_full_of_marks_or_noise_are_given_up() {
        for byte in [MARK, b'x'] {
            let mut peer = Peer::new(Nobody);
            peer.coming.extend(std::iter::repeat_n(byte, 3_000_000));
            assert!(peer.receive(receive).1.result.is_err());
        }
    }
}
