//! Recipes: what goes where in the NAND of a board, as TOML.

mod set;

use crate::{Error, Result, number};
use serde::{Deserialize, Deserializer, de};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A recipe as it is written. [`crate::layout`] gives it places on the chip.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the board, as `stone run --board` takes it.
    pub board: String,
    /// Number of the NAND part.
    pub part: Spanned<String>,
    /// What Linux calls the chip; `nand` if absent.
    #[serde(default = "nand")]
    pub mtd: String,
    /// ATAG machine number.
    pub machine: u32,
    /// Where relative paths start, itself relative to the recipe.
    #[serde(default)]
    pub root: PathBuf,
    /// Creation time in the headers of images made here, seconds since 1970;
    /// `SOURCE_DATE_EPOCH` if absent, and 0 without it.
    pub time: Option<u32>,
    /// The board's memory.
    pub sdram: Sdram,
    /// The first stage.
    pub stage1: Stage,
    /// The second stage.
    pub stage2: Stage,
    /// The kernel and what it is told.
    pub kernel: Kernel,
    /// Partitions in the order of the chip.
    #[serde(rename = "partition")]
    pub partitions: Vec<Spanned<Partition>>,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdram {
    /// First address.
    pub start: u32,
    /// Bytes.
    #[serde(deserialize_with = "size")]
    pub size: u64,
}

/// A stage of the loader.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its flat binary.
    pub file: PathBuf,
}

/// The payload of the kernel partitions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// A flat binary (zImage, Image) to be wrapped, or a ready uImage.
    pub file: PathBuf,
    /// Initial ramdisk; makes the uImage one of type multi.
    pub initrd: Option<PathBuf>,
    /// Name in the header of a wrapped binary.
    #[serde(default)]
    pub name: String,
    /// Load address of a wrapped binary.
    pub load: u32,
    /// Entry point of a wrapped binary; the load address if absent.
    pub entry: Option<u32>,
    /// Command line.
    #[serde(default)]
    pub cmdline: String,
}

/// A run of erase blocks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// Its name.
    pub name: String,
    /// Bytes without the spare blocks; the last partition may leave it out and takes the rest.
    #[serde(default, deserialize_with = "some_size")]
    pub size: Option<u64>,
    /// The same in erase blocks.
    pub blocks: Option<u32>,
    /// Erase blocks on top, for bad ones.
    #[serde(default)]
    pub spare: u32,
    /// What goes in; nothing if absent.
    pub content: Option<Content>,
    /// The file of a partition with content `raw`.
    pub file: Option<PathBuf>,
    /// The layout of its ECC; if absent, that which the loader reads.
    pub ecc: Option<String>,
}

/// What a partition holds.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// The first stage with its boot table.
    Stage1,
    /// A copy of the second stage.
    Stage2,
    /// A copy of the kernel.
    Kernel,
    /// The bytes of `file`.
    Raw,
    /// The environment, which the console writes.
    Env,
    /// The bad block table, which the console and Linux write.
    Bbt,
}

fn nand() -> String {
    "nand".into()
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number of bytes or a text such as \"8 MiB\"")]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    match Size::deserialize(deserializer)? {
        Size::Bytes(bytes) => Ok(bytes),
        Size::Text(text) => number::size(&text).map_err(de::Error::custom),
    }
}

fn some_size<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<u64>, D::Error> {
    size(deserializer).map(Some)
}

/// A recipe and the text it came from, for errors that name a line.
#[derive(Debug)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    text: String,
    /// What it says. Its paths are those of the files: the root is in them.
    pub recipe: Recipe,
}

impl Source {
    /// Reads a recipe and applies `key=value` settings to it.
    ///
    /// # Errors
    /// Names the file and line, or the setting.
    pub fn open(path: &Path, settings: &[String]) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|e| {
            Error::io("read the recipe", path, &e).hint("recipes are in images/, such as images/gta02.toml")
        })?;
        Self::parse(path, text, settings)
    }

    /// The same from text; `path` is for messages and relative paths.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn parse(path: &Path, mut text: String, settings: &[String]) -> Result<Self> {
        let mut recipe = read(path, &text)?;
        if !settings.is_empty() {
            text = set::apply(&text, settings)?;
            recipe = read(path, &text)?;
        }
        let root = root(path, &recipe.root);
        let partitions = recipe.partitions.iter_mut().filter_map(|p| p.get_mut().file.as_mut());
        let files = [&mut recipe.stage1.file, &mut recipe.stage2.file, &mut recipe.kernel.file];
        for file in files.into_iter().chain(&mut recipe.kernel.initrd).chain(partitions) {
            *file = root.join(&*file);
        }
        Ok(Self { path: path.to_owned(), text, recipe })
    }

    /// Starts an error about the text at `span`.
    pub fn error(&self, span: Range<usize>, what: impl Into<String>) -> Error {
        Error::new(what).file(&self.path).line(line(&self.text, span.start))
    }
}

/// Where the relative paths of a recipe start.
fn root(recipe: &Path, root: &Path) -> PathBuf {
    let directory = recipe.parent().unwrap_or(Path::new(""));
    // `images/..` is nothing a person wants to read in a message.
    match (root.strip_prefix(".."), directory.parent()) {
        (Ok(rest), Some(above)) if !directory.ends_with("..") => above.join(rest),
        _ => directory.join(root),
    }
}

fn line(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

fn read(path: &Path, text: &str) -> Result<Recipe> {
    toml::from_str(text).map_err(|e| {
        let error = Error::new(e.message()).file(path);
        match e.span() {
            // A missing key has no place of its own: its table has.
            Some(span) => error.line(line(text, span.start)),
            None => error,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
board = "gta02"
part = "K5D2G13ACM"
machine = 1304
root = ".."
sdram = { start = 0x30000000, size = "128 MiB" }
stage1.file = "target/stage1.bin"
stage2.file = "target/stage2.bin"
kernel = { file = "/abs/demo.bin", load = 0x30008000 }

[[partition]]
name = "boot"
blocks = 1
content = "stage1"

[[partition]]
name = "rootfs"
"#;

    fn parse(text: &str, settings: &[&str]) -> Result<Source> {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Source::parse(Path::new("images/gta02.toml"), text.to_string(), &settings)
    }

    #[test]
    fn reads_a_recipe() {
        let source = parse(GOOD, &[]).unwrap();
        assert_eq!(source.recipe.sdram.size, 128 << 20);
        assert_eq!(source.recipe.partitions[0].get_ref().content, Some(Content::Stage1));
        assert_eq!(source.recipe.stage1.file, Path::new("target/stage1.bin"));
        assert_eq!(source.recipe.kernel.file, Path::new("/abs/demo.bin"));
    }

    #[test]
    fn paths_start_at_the_root() {
        let check = |recipe: &str, up: &str, expected: &str| {
            assert_eq!(root(Path::new(recipe), Path::new(up)).join("x"), Path::new(expected));
        };
        check("images/a.toml", "..", "x");
        check("/r/images/a.toml", "..", "/r/x");
        check("/r/images/a.toml", "../y", "/r/y/x");
        check("../images/a.toml", "..", "../x");
        check("../a.toml", "..", "../../x");
        check("a.toml", "", "x");
        check("a.toml", "..", "../x");
    }

    #[test]
    fn errors_name_the_line() {
        let check = |from: &str, to: &str, expected: &str| {
            let error = parse(&GOOD.replace(from, to), &[]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check("machine = 1304", "machine = ", "images/gta02.toml: line 4: ");
        check("blocks = 1", "block = 1", "images/gta02.toml: line 13: unknown field `block`");
        check("\"128 MiB\"", "\"128 MB\"", "images/gta02.toml: line 6: `128 MB` is not a size");
        check("\"stage1\"", "\"stage3\"", "images/gta02.toml: line 14: unknown variant `stage3`");
    }

    #[test]
    fn settings_replace_values() {
        let source =
            parse(GOOD, &["kernel.cmdline=console=ttySAC0 quiet", "machine=0x7cf", "partition.boot.spare=2"])
                .unwrap();
        assert_eq!(source.recipe.kernel.cmdline, "console=ttySAC0 quiet");
        assert_eq!(source.recipe.machine, 1999);
        assert_eq!(source.recipe.partitions[0].get_ref().spare, 2);
    }

    #[test]
    fn settings_are_checked_too() {
        let check = |setting: &str, expected: &str| {
            let error = parse(GOOD, &[setting]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("machine", "key=value");
        check("kernel.colour=red", "unknown field `colour`");
        check("partition.home.spare=1", "no partition `home`");
        check("machine.number=1", "`machine` is not a table");
        check("machine=many", "invalid type");
    }
}
