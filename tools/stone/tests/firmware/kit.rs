//! Boards, flashes and kernels for the tests, and what is asked of every run.

use crate::common::pattern;
use boot::crc::crc32;
use boot::image::uimage::{self, Header};
use boot::nand::ecc::Layout;
use sim::{Flip, NandImage, Options, Outcome, Report};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use stone::chip::Chip;
use stone::layout::{self, Placed};
use stone::payload;
use stone::recipe::Source;

/// Where the kernels of slots A and B go: apart, so that the entry tells which one runs.
pub const LOAD_A: u32 = 0x3000_8000;
pub const LOAD_B: u32 = 0x3040_8000;
/// Where stage1 puts the tag list.
pub const TAGS: u32 = 0x3000_0100;
/// How stage1's line starts.
pub const STAGE1: &str = "\nS1";
/// What stage2 prints when it waits for a line.
const PROMPT: &[u8] = b"\n=> ";

/// How the pages of a chip lie, and where in their OOB the board's controller has its ECC codes.
#[derive(Clone, Copy, Debug)]
pub struct Nand {
    /// Bytes of data in a page.
    pub page: usize,
    /// Bytes of OOB behind them.
    pub oob: usize,
    /// Pages in an erase block.
    pub block_pages: u32,
    /// Erase blocks in the chip.
    pub blocks: u32,
    /// Bytes of data in an ECC step.
    pub step: usize,
    /// OOB offset of the first code; the others follow it.
    pub codes: usize,
    /// Bytes of a code.
    pub code: usize,
    /// OOB offset of the byte that marks a bad block.
    pub mark: usize,
}

/// Large pages of the S3C24x0.
const LARGE: Nand =
    Nand { page: 2048, oob: 64, block_pages: 64, blocks: 2048, step: 256, codes: 40, code: 3, mark: 0 };
/// Small ones.
const SMALL: Nand =
    Nand { page: 512, oob: 16, block_pages: 32, blocks: 4096, step: 512, codes: 0, code: 3, mark: 5 };

impl Nand {
    /// Bytes of a page with its OOB.
    pub fn raw_page(&self) -> usize {
        self.page + self.oob
    }

    /// Bytes of data in an erase block.
    pub fn block(&self) -> usize {
        self.page * self.block_pages as usize
    }

    /// ECC steps in a page.
    pub fn steps(&self) -> usize {
        self.page / self.step
    }

    /// The pages that so many bytes take.
    pub fn pages(&self, len: usize) -> usize {
        len.div_ceil(self.page)
    }

    /// Bytes of a kernel's data: three erase blocks, the last one not full and the last word neither.
    pub fn kernel(&self) -> usize {
        2 * self.block() + 0x1235
    }

    /// The byte of a raw page where the code of a step begins.
    pub fn code_of(&self, step: usize) -> u32 {
        (self.page + self.codes + step * self.code) as u32
    }

    /// The bytes of a raw page that are neither data nor codes nor mark.
    pub fn unused(&self) -> impl Iterator<Item = u32> + use<> {
        let codes = self.codes..self.codes + self.steps() * self.code;
        let (page, mark) = (self.page, self.mark);
        (0..self.oob).filter(move |at| *at != mark && !codes.contains(at)).map(move |at| (page + at) as u32)
    }
}

/// A board with one of the parts that it is made with.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    pub name: &'static str,
    pub part: &'static str,
    pub nand: Nand,
    pub machine: u32,
    /// First address of the loader's memory, which ends with SDRAM.
    pub loader: u32,
}

pub const GTA02: Board =
    Board { name: "gta02", part: "K5D2G13ACM", nand: LARGE, machine: 1304, loader: 0x37e0_0000 };
pub const MINI2440: Board = Board {
    name: "mini2440",
    part: "K9F1G08U0B",
    nand: Nand { blocks: 1024, ..LARGE },
    machine: 1999,
    loader: 0x33e0_0000,
};
pub const MINI2440_256: Board = Board { part: "K9F2G08U0B", nand: LARGE, ..MINI2440 };
pub const SMDK2410: Board =
    Board { name: "smdk2410", part: "K9F1208U0C", nand: SMALL, machine: 193, loader: 0x33e0_0000 };
/// Every board with every part.
pub const BOARDS: [Board; 4] = [GTA02, MINI2440, MINI2440_256, SMDK2410];
/// One of each kind of controller and pages, where to try all would tell nothing more.
pub const KINDS: [Board; 2] = [GTA02, SMDK2410];

/// The top of the tree.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Board {
    /// A file that tools/firmware.sh makes.
    pub fn firmware(&self, file: &str) -> PathBuf {
        let path = root().join("target").join(self.name).join(file);
        assert!(path.exists(), "{} is missing: `make test` builds it before it runs this", path.display());
        path
    }

    pub fn recipe_path(&self) -> PathBuf {
        root().join(format!("images/{}.toml", self.name))
    }

    /// The board's own recipe.
    pub fn recipe(&self) -> Source {
        let mut source = Source::open(&self.recipe_path(), &[]).unwrap();
        *source.recipe.part.get_mut() = self.part.into();
        source
    }

    /// A flash by the board's recipe with these images, sound or not, in the kernel slots.
    pub fn flash(&self, bad: &[u32], a: &[u8], b: &[u8]) -> stone::Result<Flash> {
        self.pack(&mut self.recipe(), bad, a, b)
    }

    /// A flash with two good kernels.
    pub fn good_flash(&self) -> Flash {
        self.good_flash_around(&[]).unwrap()
    }

    /// The same on a chip with these bad blocks.
    pub fn good_flash_around(&self, bad: &[u32]) -> stone::Result<Flash> {
        self.flash(bad, &self.kernel(LOAD_A), &self.kernel(LOAD_B))
    }

    /// A good kernel.
    pub fn kernel(&self, load: u32) -> Vec<u8> {
        uimage(&payload_of(self.nand.kernel(), load), |header| (header.load, header.entry) = (load, load))
    }

    /// A flash by a recipe, but with these images, sound or not, in the kernel slots.
    pub fn pack(&self, source: &mut Source, bad: &[u32], a: &[u8], b: &[u8]) -> stone::Result<Flash> {
        // `stone` refuses kernels that do not boot, so these go in afterwards, over one that does.
        let small = tempfile::NamedTempFile::new().unwrap();
        fs::write(small.path(), uimage(&[0; 4], |_| ())).unwrap();
        source.recipe.kernel.file = small.path().into();
        let layout = layout::Layout::new(source)?;
        let mut chip = Chip::new(layout.geometry, bad.iter().copied().collect())?;
        payload::fill(&mut chip, source, &layout, &[])?;
        for (name, image) in [("kernel-a", a), ("kernel-b", b)] {
            chip.place(find(&layout.partitions, name), image)?;
        }
        let mut raw = Vec::new();
        chip.write(&mut raw, true).unwrap();
        let partitions = layout.partitions;
        Ok(Flash { board: *self, partitions, bad: bad.to_vec(), image: NandImage::from_bytes(raw) })
    }
}

fn find<'a>(partitions: &'a [Placed], name: &str) -> &'a Placed {
    partitions.iter().find(|partition| partition.name == name).unwrap()
}

/// A NAND chip, and where what is on it.
#[derive(Clone)]
pub struct Flash {
    pub board: Board,
    pub image: NandImage,
    pub bad: Vec<u32>,
    partitions: Vec<Placed>,
}

impl Flash {
    /// The same flash with other contents.
    pub fn with(&self, image: NandImage) -> Self {
        Self { image, ..self.clone() }
    }

    /// The erase blocks of a partition.
    pub fn blocks(&self, partition: &str) -> Range<u32> {
        find(&self.partitions, partition).blocks.clone()
    }

    /// The pages that hold the first `len` bytes of a partition.
    pub fn pages(&self, partition: &str, len: usize) -> Vec<u32> {
        let good = self.blocks(partition).filter(|block| !self.bad.contains(block));
        let in_block = self.board.nand.block_pages;
        let pages = good.flat_map(|block| block * in_block..(block + 1) * in_block);
        pages.take(self.board.nand.pages(len)).collect()
    }

    /// The pages of a good kernel.
    pub fn kernel_pages(&self, partition: &str) -> Vec<u32> {
        self.pages(partition, uimage::HEADER + self.board.nand.kernel())
    }

    /// The data of an erase block.
    pub fn data(&self, block: u32) -> Vec<u8> {
        let nand = self.board.nand;
        let mut raw = vec![0; nand.raw_page() * nand.block_pages as usize];
        self.image.read(self.offset(block * nand.block_pages), &mut raw);
        raw.chunks(nand.raw_page()).flat_map(|page| page[..nand.page].to_vec()).collect()
    }

    /// Inverts a bit in the chip.
    pub fn flip(&mut self, page: u32, byte: u64, bit: u8) {
        let mut found = [0];
        self.image.read(self.offset(page) + byte, &mut found);
        self.image.write(self.offset(page) + byte, &[found[0] ^ 1 << bit]);
    }

    /// Changes the data of a page and gives it the ECC codes that belong to it.
    pub fn rewrite(&mut self, page: u32, change: impl FnOnce(&mut [u8])) {
        let nand = self.board.nand;
        let mut raw = vec![0; nand.raw_page()];
        self.image.read(self.offset(page), &mut raw);
        let (data, oob) = raw.split_at_mut(nand.page);
        change(data);
        Layout::native(nand.page, nand.oob).unwrap().encode(data, oob);
        self.image.write(self.offset(page), &raw);
    }

    /// Sets the OOB byte of a page where bad marks are.
    pub fn mark(&mut self, page: u32, mark: u8) {
        let nand = self.board.nand;
        self.image.write(self.offset(page) + (nand.page + nand.mark) as u64, &[mark]);
    }

    /// Where a page is in the image.
    pub fn offset(&self, page: u32) -> u64 {
        u64::from(page) * self.board.nand.raw_page() as u64
    }

    /// How this flash is run, unless a test wants it otherwise.
    pub fn options(&self) -> Options {
        Options {
            part: Some(self.board.part.into()),
            bad_blocks: self.bad.clone(),
            // None of these runs takes longer, and a loader that hangs shall not hold up the tests.
            max_time_ns: 5_000_000_000,
            idle_ns: Some(200_000_000),
            ..Options::new(self.board.name)
        }
    }

    /// Runs until a kernel is entered or a prompt waits in vain.
    pub fn boot(&self) -> Report {
        self.run(&self.options(), "")
    }

    /// The same with bits that read inverted.
    pub fn boot_with(&self, flips: Vec<Flip>) -> Report {
        self.run(&Options { flips, ..self.options() }, "")
    }

    /// The same, and keeps what was written to the chip.
    pub fn run_and_keep(&mut self, options: &Options, keys: &str) -> Report {
        sim::run(options, &mut self.image, &mut Typist::new(keys)).unwrap()
    }

    /// Runs, typing the lines; the first key is there when the UART is.
    pub fn run(&self, options: &Options, keys: &str) -> Report {
        sim::run(options, &mut self.image.clone(), &mut Typist::new(keys)).unwrap()
    }
}

/// A user who types ahead, and leaves when every line has been answered by a prompt.
pub struct Typist {
    keys: Vec<u8>,
    typed: usize,
    seen: Vec<u8>,
}

impl Typist {
    pub fn new(keys: &str) -> Self {
        Self { keys: keys.into(), typed: 0, seen: Vec::new() }
    }
}

impl sim::Console for Typist {
    fn output(&mut self, bytes: &[u8]) {
        self.seen.extend(bytes);
    }

    fn input(&mut self) -> Option<u8> {
        let key = self.keys.get(self.typed).copied();
        self.typed += usize::from(key.is_some());
        key
    }

    fn stop(&mut self) -> bool {
        let prompts = self.seen.windows(PROMPT.len()).filter(|text| *text == PROMPT).count();
        let lines = self.keys.iter().filter(|&&key| key == b'\r').count();
        self.typed == self.keys.len() && prompts > lines && self.seen.ends_with(PROMPT)
    }
}

/// The data of a kernel: a branch to itself, then bytes without a pattern.
pub fn payload_of(len: usize, seed: u32) -> Vec<u8> {
    [&0xeaff_fffe_u32.to_le_bytes()[..], &pattern(len - 4, seed)].concat()
}

/// A kernel image whose header has been changed, its CRC computed after that.
pub fn uimage(data: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let mut header = Header {
        time: 0x4a00_0000,
        size: data.len() as u32,
        load: LOAD_A,
        entry: LOAD_A,
        data_crc: crc32(data),
        os: uimage::OS_LINUX,
        arch: uimage::ARCH_ARM,
        kind: uimage::TYPE_KERNEL,
        comp: uimage::COMP_NONE,
        name: [0; uimage::NAME],
    };
    header.name[..6].copy_from_slice(b"kernel");
    change(&mut header);
    [&header.to_bytes(crc32)[..], data].concat()
}

/// Which bits to flip, repeatably: xorshift32 (Marsaglia 2003).
pub struct Random(u32);

impl Random {
    pub fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % end
    }

    /// `n` different flips in the data of an ECC step, counted around where there are fewer.
    pub fn flips(&mut self, board: &Board, page: u32, step: usize, n: usize) -> Vec<Flip> {
        let (size, steps) = (board.nand.step, board.nand.steps());
        let mut flips: Vec<Flip> = Vec::new();
        while flips.len() < n {
            let byte = (step % steps * size) as u32 + self.below(size as u32);
            let flip = Flip { page, byte, bit: self.below(8) as u8 };
            if !flips.contains(&flip) {
                flips.push(flip);
            }
        }
        flips
    }
}

/// One flip in every step of the pages.
pub fn flip_every_step(board: &Board, pages: &[u32], seed: u32) -> Vec<Flip> {
    let mut random = Random::new(seed);
    let mut flips = Vec::new();
    for &page in pages {
        for step in 0..board.nand.steps() {
            flips.extend(random.flips(board, page, step, 1));
        }
    }
    flips
}

/// Asserts that a kernel was entered by the boot contract, with its data intact.
#[track_caller]
pub fn booted(board: &Board, report: &Report, entry: u32) {
    let expected = sim::Entry { pc: entry, r0: 0, r1: board.machine, r2: TAGS };
    assert_eq!((report.outcome, report.entry), (Outcome::Kernel, Some(expected)), "{}", report.to_json());
    assert!(report.kernel_crc_ok, "{}", report.to_json());
    lawful(report);
}

/// Asserts that stage2 waits for a line, and no kernel has been entered.
#[track_caller]
pub fn at_prompt(report: &Report) {
    assert_eq!((report.outcome, report.entry), (Outcome::Console, None), "{}", report.to_json());
    assert!(report.uart.as_bytes().ends_with(PROMPT), "{}", report.uart);
    lawful(report);
}

/// Asserts that nothing was done that the board does not let pass.
#[track_caller]
pub fn lawful(report: &Report) {
    assert_eq!(report.violations_total, 0, "{}", report.to_json());
}

/// The line of stage1, its words one space apart, without its name.
pub fn stage1(report: &Report) -> String {
    let line = report.uart.split(STAGE1).nth(1).and_then(|rest| rest.lines().next());
    let line = line.unwrap_or_else(|| panic!("stage1 said nothing: {}", report.uart));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asserts that the UART said this.
#[track_caller]
pub fn said(report: &Report, text: &str) {
    assert!(report.uart.contains(text), "expected: {text:?}\nsaid: {}", report.uart);
}
