//! Tiny ARM programs, encoded by hand, and a board that runs them from its boot SRAM.

#![allow(dead_code)] // Each test file uses its part.

use sim::{Capture, NandImage, Options, Report};

pub const WTCON: u32 = 0x5300_0000;
pub const CLKPWR: u32 = 0x4c00_0000;
pub const MEMCTL: u32 = 0x4800_0000;
pub const UART0: u32 = 0x5000_0000;
pub const GPH: u32 = 0x5600_0070;
pub const TIMERS: u32 = 0x5100_0000;
pub const INTC: u32 = 0x4a00_0000;
pub const SDRAM: u32 = 0x3000_0000;

/// A program under construction. Registers are numbers; r10 to r12 are the builder's own.
#[derive(Clone, Default)]
pub struct Program {
    words: Vec<u32>,
}

impl Program {
    /// Starts with the watchdog off.
    pub fn new() -> Self {
        Self::default().store(WTCON, 0)
    }

    pub fn word(mut self, word: u32) -> Self {
        self.words.push(word);
        self
    }

    pub fn words(mut self, words: &[u32]) -> Self {
        self.words.extend(words);
        self
    }

    /// `rd` = `value`: MOV and three ORRs, a byte each.
    pub fn load(self, rd: u32, value: u32) -> Self {
        let byte = |n: u32| value >> (8 * n) & 0xff;
        self.word(0xe3a0_0000 | rd << 12 | byte(0))
            .word(0xe380_0c00 | rd << 16 | rd << 12 | byte(1))
            .word(0xe380_0800 | rd << 16 | rd << 12 | byte(2))
            .word(0xe380_0400 | rd << 16 | rd << 12 | byte(3))
    }

    /// Stores a word at an absolute address.
    pub fn store(self, address: u32, value: u32) -> Self {
        self.load(11, address).load(12, value).word(0xe58b_c000)
    }

    /// `rd` = the word at an absolute address.
    pub fn read(self, rd: u32, address: u32) -> Self {
        self.load(11, address).word(0xe59b_0000 | rd << 12)
    }

    /// Sends a byte on UART0 when there is room.
    pub fn send(self, byte: u8) -> Self {
        self.load(11, UART0)
            .word(0xe59b_c018) // ldr r12, [r11, #0x18]   UFSTAT
            .word(0xe31c_0901) // tst r12, #0x4000        TX full
            .word(0x1aff_fffc) // bne back to the ldr
            .load(12, byte.into())
            .word(0xe5cb_c020) // strb r12, [r11, #0x20]
    }

    /// Sends the low byte of a register on UART0.
    pub fn send_register(self, rd: u32) -> Self {
        self.load(11, UART0).word(0xe5cb_0020 | rd << 12)
    }

    /// 400/100/50 MHz in asynchronous bus mode, UART0 at 115200 8N1.
    pub fn set_up(self) -> Self {
        self.words(&[0xee11_1f10, 0xe381_1103, 0xee01_1f10]) // mrc r1; orr r1, #0xc0000000; mcr
            .store(CLKPWR + 0x14, 5)
            .store(CLKPWR, 0x0fff_0fff)
            .store(CLKPWR + 4, 0x0005_c011)
            .store(GPH, 0x0016_aaaa)
            .store(UART0, 3)
            .store(UART0 + 4, 0x245)
            .store(UART0 + 8, 1)
            .store(UART0 + 0x28, 26)
    }

    /// The mini2440's SDRAM, and the wait after it.
    pub fn set_up_sdram(self) -> Self {
        self.store(MEMCTL, 0x0200_0000)
            .store(MEMCTL + 0x1c, 0x0001_8001)
            .store(MEMCTL + 0x24, 0x0084_04f5)
            .store(MEMCTL + 0x28, 0xb1)
            .store(MEMCTL + 0x2c, 0x20)
            .load(0, 3000)
            .word(0xe250_0001) // subs r0, r0, #1
            .word(0x1aff_fffd) // bne back to it
    }

    /// Branch to itself: the run ends with `fault` 20 ms later.
    pub fn hang(self) -> Self {
        self.word(0xeaff_fffe)
    }

    /// Replaces the word at an address.
    pub fn patch(mut self, address: u32, word: u32) -> Self {
        self.words[address as usize / 4] = word;
        self
    }

    /// How many words there are: the address of the next is four times that.
    pub fn len(&self) -> u32 {
        self.words.len() as u32
    }

    /// Pads with no-operations up to an address.
    pub fn up_to(mut self, address: u32) -> Self {
        assert!(self.len() * 4 <= address, "the program is {:#x} bytes long already", self.len() * 4);
        self.words.resize(address as usize / 4, 0xe1a0_0000);
        self
    }

    /// Pages 0 and 1 of a NAND.
    pub fn image(&self) -> NandImage {
        self.image_of(2048, 64)
    }

    /// The first pages of a NAND with pages of this many data and spare bytes.
    pub fn image_of(&self, page: usize, oob: usize) -> NandImage {
        let mut code: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(code.len() <= 4096, "{} bytes do not fit the boot SRAM", code.len());
        code.resize(4096, 0xff);
        let mut bytes = Vec::new();
        for data in code.chunks(page) {
            bytes.extend(data);
            bytes.extend(vec![0xff; oob]);
        }
        NandImage::from_bytes(bytes)
    }

    pub fn run(&self) -> Report {
        self.run_with(&Options::new("mini2440"))
    }

    pub fn run_with(&self, options: &Options) -> Report {
        self.run_typing(options, "")
    }

    pub fn run_typing(&self, options: &Options, script: &str) -> Report {
        sim::run(options, &mut self.image(), &mut Capture::typing(script)).expect("runs")
    }
}

/// A branch at one address to another.
pub fn branch(from: u32, to: u32) -> u32 {
    0xea00_0000 | to.wrapping_sub(from + 8) >> 2 & 0x00ff_ffff
}

/// The kinds of the violations of a run.
pub fn kinds(report: &Report) -> Vec<&'static str> {
    report.violations.iter().map(|violation| violation.kind).collect()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 != 0 { 0xedb8_8320 } else { 0 })
    };
    !bytes.iter().fold(!0, step)
}

/// A uImage: Linux, ARM, kernel, not compressed, entered where it is loaded.
pub fn uimage(load: u32, data: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 64];
    let mut put = |at: usize, value: u32| header[at..at + 4].copy_from_slice(&value.to_be_bytes());
    put(0, 0x2705_1956);
    put(12, data.len() as u32);
    put(16, load);
    put(20, load);
    put(24, crc32(data));
    put(28, 0x0502_0200);
    let crc = crc32(&header);
    header[4..8].copy_from_slice(&crc.to_be_bytes());
    header.extend(data);
    header
}
