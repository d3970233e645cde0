//! Boards, flashes and kernels for the tests, and what is asked of every run.

use crate::common::pattern;
use boot::crc::crc32;
use boot::image::uimage::{self, Header};
use boot::nand::{ecc, hamming};
use sim::{Flip, NandImage, Options, Outcome, Report};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use stone::chip::Chip;
use stone::layout::{Layout, Placed};
use stone::payload;
use stone::recipe::Source;

/// Bytes of data in a page, of a page with its OOB, and pages in an erase block.
pub const PAGE: usize = 2048;
pub const RAW_PAGE: u64 = 2112;
pub const BLOCK_PAGES: u32 = 64;
/// Bytes of data in an erase block.
pub const BLOCK: usize = PAGE * BLOCK_PAGES as usize;

/// Where the kernels of slots A and B go: apart, so that the entry tells which one runs.
pub const LOAD_A: u32 = 0x3000_8000;
pub const LOAD_B: u32 = 0x3040_8000;
/// Bytes of their data: three erase blocks, the last one not full and the last word neither.
pub const KERNEL: usize = 2 * BLOCK + 0x1235;
/// Where stage1 puts the tag list.
pub const TAGS: u32 = 0x3000_0100;
/// How stage1's line starts.
pub const STAGE1: &str = "\nS1";
/// What stage2 prints when it waits for a line.
const PROMPT: &[u8] = b"\n=> ";

/// A board with one of the parts that it is made with.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    pub name: &'static str,
    pub part: &'static str,
    pub machine: u32,
    /// First address of the loader's memory, which ends with SDRAM.
    pub loader: u32,
}

pub const GTA02: Board = Board { name: "gta02", part: "K5D2G13ACM", machine: 1304, loader: 0x37e0_0000 };
pub const MINI2440: Board =
    Board { name: "mini2440", part: "K9F1G08U0B", machine: 1999, loader: 0x33e0_0000 };
pub const MINI2440_256: Board = Board { part: "K9F2G08U0B", ..MINI2440 };
pub const BOARDS: [Board; 3] = [GTA02, MINI2440, MINI2440_256];

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
        self.flash(&[], &kernel(LOAD_A), &kernel(LOAD_B)).unwrap()
    }

    /// A flash by a recipe, but with these images, sound or not, in the kernel slots.
    pub fn pack(&self, source: &mut Source, bad: &[u32], a: &[u8], b: &[u8]) -> stone::Result<Flash> {
        // `stone` refuses kernels that do not boot, so these go in afterwards, over one that does.
        let small = tempfile::NamedTempFile::new().unwrap();
        fs::write(small.path(), uimage(&[0; 4], |_| ())).unwrap();
        source.recipe.kernel.file = small.path().into();
        let layout = Layout::new(source)?;
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
    /// The erase blocks of a partition.
    pub fn blocks(&self, partition: &str) -> Range<u32> {
        find(&self.partitions, partition).blocks.clone()
    }

    /// The pages that hold the first `len` bytes of a partition.
    pub fn pages(&self, partition: &str, len: usize) -> Vec<u32> {
        let good = self.blocks(partition).filter(|block| !self.bad.contains(block));
        let pages = good.flat_map(|block| block * BLOCK_PAGES..(block + 1) * BLOCK_PAGES);
        pages.take(len.div_ceil(PAGE)).collect()
    }

    /// Changes the data of a page and gives it the ECC codes that belong to it.
    pub fn rewrite(&mut self, page: u32, change: impl FnOnce(&mut [u8])) {
        let mut raw = [0; RAW_PAGE as usize];
        self.image.read(u64::from(page) * RAW_PAGE, &mut raw);
        let (data, oob) = raw.split_at_mut(PAGE);
        change(data);
        let (steps, _) = data.as_chunks::<{ ecc::STEP }>();
        for (code, step) in oob[ecc::OOB_OFFSET..].chunks_exact_mut(3).zip(steps) {
            code.copy_from_slice(&hamming::encode(step));
        }
        self.image.write(u64::from(page) * RAW_PAGE, &raw);
    }

    /// Sets the first OOB byte of a page, where bad marks are.
    pub fn mark(&mut self, page: u32, mark: u8) {
        self.image.write(u64::from(page) * RAW_PAGE + PAGE as u64, &[mark]);
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

    /// Runs, typing the lines; the first key is there when the UART is.
    pub fn run(&self, options: &Options, keys: &str) -> Report {
        sim::run(options, &mut self.image.clone(), &mut Typist::new(keys)).unwrap()
    }
}

/// A user who types ahead, and leaves when every line has been answered by a prompt.
struct Typist {
    keys: Vec<u8>,
    typed: usize,
    seen: Vec<u8>,
}

impl Typist {
    fn new(keys: &str) -> Self {
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

/// A good kernel.
pub fn kernel(load: u32) -> Vec<u8> {
    uimage(&payload_of(KERNEL, load), |header| (header.load, header.entry) = (load, load))
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

    /// `n` different flips in the data of an ECC step.
    pub fn flips(&mut self, page: u32, step: usize, n: usize) -> Vec<Flip> {
        let mut flips: Vec<Flip> = Vec::new();
        while flips.len() < n {
            let byte = (step * ecc::STEP) as u32 + self.below(ecc::STEP as u32);
            let flip = Flip { page, byte, bit: self.below(8) as u8 };
            if !flips.contains(&flip) {
                flips.push(flip);
            }
        }
        flips
    }
}

/// ECC steps in a page.
pub const STEPS: usize = PAGE / ecc::STEP;

/// One flip in every step of the pages.
pub fn flip_every_step(pages: &[u32], seed: u32) -> Vec<Flip> {
    let mut random = Random::new(seed);
    let mut flips = Vec::new();
    for &page in pages {
        for step in 0..STEPS {
            flips.extend(random.flips(page, step, 1));
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
