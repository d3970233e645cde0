//! Gives the partitions of a recipe their erase blocks.

use crate::part::{self, Geometry};
use crate::recipe::{Content, Partition, Source};
use crate::{Error, Result};
use boot::boot_table::Slot;
use boot::descriptor;
use boot::nand::ecc;
use std::ops::Range;
use std::path::PathBuf;

/// A partition with its place.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its erase blocks, spare ones included.
    pub blocks: Range<u32>,
    /// How many of them make up for bad ones.
    pub spare: u32,
    /// What goes in.
    pub content: Option<Content>,
    /// The file of raw content.
    pub file: Option<PathBuf>,
    /// The layout of its ECC.
    pub ecc: &'static ecc::Layout,
}

impl Placed {
    /// The partition as the boot table has it.
    #[must_use]
    pub fn slot(&self) -> Slot {
        // Geometries stay below 65536 blocks, and partitions inside the chip.
        Slot { start: self.blocks.start as u16, blocks: self.blocks.len() as u16 }
    }
}

/// The whole chip.
#[derive(Debug)]
pub struct Layout {
    /// Its organisation.
    pub geometry: Geometry,
    /// Its partitions in order.
    pub partitions: Vec<Placed>,
}

impl Layout {
    /// Lays out a recipe.
    ///
    /// # Errors
    /// Names the line of the partition that does not work.
    pub fn new(source: &Source) -> Result<Self> {
        let recipe = &source.recipe;
        let name = recipe.part.get_ref();
        let geometry = part::geometry(name).ok_or_else(|| {
            source
                .error(recipe.part.span(), format!("the NAND part `{name}` is unknown"))
                .expected(part::names())
        })?;
        let mut partitions: Vec<Placed> = Vec::new();
        let mut next = 0;
        for (index, spanned) in recipe.partitions.iter().enumerate() {
            let partition = spanned.get_ref();
            let wrong = |what: String| {
                source.error(spanned.span(), format!("partition `{}`: {what}", partition.name))
            };
            let left = geometry.blocks - next;
            let blocks = match wanted(partition, &geometry).map_err(&wrong)? {
                Some(blocks) => blocks,
                None if index + 1 == recipe.partitions.len() => left,
                None => return Err(wrong("it has no size".into()).hint("only the last may leave it out")),
            };
            if blocks == 0 || blocks > left {
                return Err(wrong(format!("{blocks} erase blocks do not fit"))
                    .expected(format!("1 to {left}: what is left of the {} of {name}", geometry.blocks)));
            }
            if partitions.iter().any(|other| other.name == partition.name) {
                return Err(wrong("another one has the same name".into()));
            }
            if (partition.content == Some(Content::Raw)) != partition.file.is_some() {
                return Err(wrong("`file` and `content = \"raw\"` go together".into()));
            }
            if !descriptor::is_name(&partition.name) {
                return Err(wrong("it cannot be called that".into()).expected(format!(
                    "1 to {} printable characters without ()<>,:;@=$&|'\"\\, and no hexadecimal number",
                    descriptor::NAME
                )));
            }
            let ecc = match &partition.ecc {
                Some(name) => chosen(name, partition, &geometry).map_err(wrong)?,
                None => geometry.ecc(),
            };
            partitions.push(Placed {
                name: partition.name.clone(),
                blocks: next..next + blocks,
                spare: partition.spare,
                content: partition.content,
                file: partition.file.clone(),
                ecc,
            });
            next += blocks;
        }
        let layout = Self { geometry, partitions };
        layout.check_stages(source)?;
        Ok(layout)
    }

    /// The partitions with this content, in order.
    pub fn with(&self, content: Content) -> impl Iterator<Item = &Placed> {
        self.partitions.iter().filter(move |p| p.content == Some(content))
    }

    /// The boot ROM knows one place, the boot table two of each kind.
    fn check_stages(&self, source: &Source) -> Result<()> {
        let wrong = |what: &str| Error::new(what).file(&source.path);
        let stage1: Vec<_> = self.with(Content::Stage1).collect();
        if !matches!(stage1[..], [only] if only.blocks.start == 0) {
            return Err(wrong("the first partition, and no other, has `content = \"stage1\"`")
                .hint("the boot ROM reads the first pages of block 0"));
        }
        for (content, name) in [(Content::Stage2, "stage2"), (Content::Kernel, "kernel")] {
            if self.with(content).count() > 2 {
                return Err(wrong(&format!("more than two partitions have `content = \"{name}\"`"))
                    .hint("the boot table has room for two of each kind"));
            }
        }
        Ok(())
    }
}

/// The erase blocks that a partition asks for; `None` is all that are left.
fn wanted(partition: &Partition, geometry: &Geometry) -> std::result::Result<Option<u32>, String> {
    let block = geometry.block() as u64;
    let blocks = match (partition.size, partition.blocks) {
        (Some(_), Some(_)) => return Err("`size` and `blocks` say the same thing: keep one".into()),
        (Some(size), None) if !size.is_multiple_of(block) => {
            return Err(format!("its size is not a multiple of the erase block, {} KiB", block >> 10));
        }
        (Some(size), None) => size / block,
        (None, Some(blocks)) => blocks.into(),
        (None, None) if partition.spare > 0 => return Err("`spare` goes with `size` or `blocks`".into()),
        (None, None) => return Ok(None),
    };
    Ok(Some(u32::try_from(blocks + u64::from(partition.spare)).unwrap_or(u32::MAX)))
}

/// The ECC layout that a partition asks for. What the loader reads has no choice.
fn chosen(
    name: &str,
    partition: &Partition,
    geometry: &Geometry,
) -> std::result::Result<&'static ecc::Layout, String> {
    let Geometry { page, oob, .. } = *geometry;
    let Some(layout) = ecc::Layout::of_pages(page, oob).find(|layout| layout.name == name) else {
        let names: Vec<_> = ecc::Layout::of_pages(page, oob).map(|layout| layout.name).collect();
        return Err(format!(
            "`{name}` is no ECC layout of pages of {page}+{oob} bytes; there are {}",
            names.join(", ")
        ));
    };
    let is_read = !matches!(partition.content, None | Some(Content::Raw));
    if is_read && layout != geometry.ecc() {
        return Err(format!("the loader reads it, and it reads only the ECC layout {}", geometry.ecc().name));
    }
    Ok(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const HEAD: &str = r#"
board = "mini2440"
part = "K9F1G08U0B"
machine = 1999
sdram = { start = 0x30000000, size = "64 MiB" }
stage1.file = "1"
stage2.file = "2"
kernel = { file = "k", load = 0x30008000 }
"#;

    fn layout(partitions: &str) -> Result<Layout> {
        Layout::new(&Source::parse(Path::new("r.toml"), format!("{HEAD}partition = [{partitions}]"), &[])?)
    }

    #[test]
    fn partitions_follow_each_other() {
        let layout = layout(
            r#"{ name = "boot", blocks = 1, content = "stage1" },
               { name = "k", size = "8 MiB", spare = 4, content = "kernel" },
               { name = "rest" }"#,
        )
        .unwrap();
        let places: Vec<_> = layout.partitions.iter().map(|p| p.blocks.clone()).collect();
        assert_eq!(places, [0..1, 1..69, 69..1024]);
        assert_eq!(layout.partitions[1].slot(), Slot { start: 1, blocks: 68 });
    }

    #[test]
    fn partitions_that_the_loader_does_not_read_choose_their_ecc() {
        let layout = layout(
            r#"{ name = "boot", blocks = 1, content = "stage1", ecc = "s3c24xx-hw" },
               { name = "rest", ecc = "sw-hamming" }"#,
        )
        .unwrap();
        let names: Vec<_> = layout.partitions.iter().map(|partition| partition.ecc.name).collect();
        assert_eq!(names, ["s3c24xx-hw", "sw-hamming"]);
    }

    #[test]
    fn says_what_does_not_work() {
        const BOOT: &str = r#"{ name = "boot", blocks = 1, content = "stage1" },"#;
        let check = |partitions: &str, expected: &str| {
            let error = layout(&format!("{BOOT}{partitions}")).unwrap_err().to_string();
            assert!(error.starts_with("r.toml: ") && error.contains(expected), "{error}");
        };
        check(r#"{ name = "p" }, { name = "q" }"#, "line 9: partition `p`: it has no size");
        check(r#"{ name = "p", blocks = 1024 }"#, "1024 erase blocks do not fit");
        check(r#"{ name = "p", blocks = 1023 }, { name = "q" }"#, "0 erase blocks do not fit");
        check(r#"{ name = "p", size = "100 KiB" }"#, "multiple of the erase block, 128 KiB");
        check(r#"{ name = "p", size = "1 MiB", blocks = 8 }"#, "keep one");
        check(r#"{ name = "boot" }"#, "same name");
        // The console would take it for an offset.
        check(r#"{ name = "a" }"#, "no hexadecimal number");
        check(r#"{ name = "p", content = "raw" }"#, "go together");
        check(r#"{ name = "p", ecc = "soft" }"#, "`soft` is no ECC layout of pages of 2048+64");
        check(r#"{ name = "p", ecc = "sw-hamming-small" }"#, "sw-hamming, sw-hamming-smc");
        let kernel = r#"{ name = "p", blocks = 1, content = "kernel", ecc = "sw-hamming" }"#;
        check(kernel, "reads only the ECC layout s3c24xx-hw");
        check(r#"{ name = "p", content = "stage1" }"#, "the first partition, and no other");
        let kernel = |name| format!(r#"{{ name = "{name}", blocks = 1, content = "kernel" }},"#);
        check(&["p", "q", "r"].map(kernel).concat(), "more than two partitions");
    }
}
