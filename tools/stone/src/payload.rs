//! What goes into the partitions of a recipe.

use crate::chip::Chip;
use crate::descriptor;
use crate::layout::{Layout, Placed};
use crate::recipe::{Content, Kernel, Sdram, Source};
use crate::uimage::{self, Kind, Spec};
use crate::{Error, Result};
use boot::boot_table::{self, BootTable};
use boot::crc::crc32;
use boot::image::uimage as format;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes that the boot ROM loads.
pub const STAGE1_MAX: usize = 4096;
/// The loader's own memory at the top of SDRAM.
const LOADER: u64 = 2 << 20;
/// What of it the second stage may fill.
const STAGE2_MAX: usize = 0x1e_0000;
/// The tag list is in the first 16 KiB of SDRAM.
const TAGS: u64 = 0x4000;

/// Fills every partition of the layout.
///
/// `raw` puts files into partitions as they are, whatever the recipe says. Returns
/// what each partition got, in bytes.
///
/// # Errors
/// Names the file or the partition that does not fit.
pub fn fill(
    chip: &mut Chip,
    source: &Source,
    layout: &Layout,
    raw: &[(String, PathBuf)],
) -> Result<Vec<Option<usize>>> {
    for (name, _) in raw {
        if !layout.partitions.iter().any(|p| p.name == *name) {
            return Err(Error::new(format!("the recipe has no partition `{name}`")).file(&source.path));
        }
    }
    let mut sizes = Vec::new();
    for partition in &layout.partitions {
        let raw = raw.iter().find(|(name, _)| *name == partition.name).map(|(_, file)| file);
        let data = match (raw, partition.content) {
            (Some(file), _) => Some(load(source, file)?),
            (None, Some(content)) => self::content(source, layout, partition, content)?,
            (None, None) => None,
        };
        sizes.push(data.as_ref().map(Vec::len));
        if let Some(mut data) = data {
            if raw.is_none() && partition.content == Some(Content::Stage1) {
                descriptor::append(&mut data, source, layout, chip.bad())?;
            }
            chip.place(partition, &data)?;
        }
    }
    Ok(sizes)
}

/// What a partition gets, if anything.
fn content(
    source: &Source,
    layout: &Layout,
    partition: &Placed,
    content: Content,
) -> Result<Option<Vec<u8>>> {
    let bytes = match content {
        Content::Stage1 => stage1(source, layout),
        Content::Stage2 => stage2(source),
        Content::Kernel => kernel(source, layout.geometry.page),
        Content::Raw => {
            let file = partition.file.as_ref();
            let missing = || Error::new(format!("partition `{}` names no file", partition.name));
            load(source, file.ok_or_else(missing)?)
        }
        Content::Env | Content::Bbt => return Ok(None),
    };
    bytes.map(Some)
}

/// Reads a file, and says how to make it if it is one of ours.
fn load(source: &Source, path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| {
        let error = Error::io("read it", path, &e);
        if path.components().any(|part| part.as_os_str() == "target") {
            error.hint(format!("build it with: make firmware BOARD={}", source.recipe.board))
        } else {
            error.hint(format!("{} names it", source.path.display()))
        }
    })
}

/// The first stage with the boot table in its place.
fn stage1(source: &Source, layout: &Layout) -> Result<Vec<u8>> {
    let path = &source.recipe.stage1.file;
    let mut image = load(source, path)?;
    if image.len() > STAGE1_MAX {
        return Err(Error::new("the first stage is too large")
            .file(path)
            .expected(format!("at most {STAGE1_MAX} bytes, which the boot ROM loads"))
            .found(format!("{} bytes", image.len())));
    }
    let room = boot_table::OFFSET..boot_table::OFFSET + boot_table::LEN;
    let table = image.get_mut(room).filter(|room| {
        // Empty, or filled by an earlier run.
        room.iter().all(|&byte| byte == room[0]) || BootTable::parse(room, crc32).is_ok()
    });
    let table = table.ok_or_else(|| {
        Error::new("there is no room for the boot table")
            .file(path)
            .offset(boot_table::OFFSET as u64)
            .expected(format!("{} empty bytes", boot_table::LEN))
            .hint("this is no first stage of Steppingstone, or its linker script is wrong")
    })?;
    table.copy_from_slice(&boot_table(source, layout)?);
    Ok(image)
}

fn boot_table(source: &Source, layout: &Layout) -> Result<[u8; boot_table::LEN]> {
    let slots = |content| {
        let mut slots = [boot_table::Slot::default(); 2];
        for (slot, partition) in slots.iter_mut().zip(layout.with(content)) {
            *slot = partition.slot();
        }
        slots
    };
    let cmdline = &source.recipe.kernel.cmdline;
    let table = BootTable {
        machine: source.recipe.machine,
        kernel: slots(Content::Kernel),
        stage2: slots(Content::Stage2),
        cmdline,
    };
    table.to_bytes(crc32).map_err(|_| {
        Error::new("the kernel command line does not fit the boot table")
            .file(&source.path)
            .expected(format!("at most {} bytes, none of them zero", boot_table::CMDLINE_MAX))
            .found(format!("{} bytes: {cmdline}", cmdline.len()))
    })
}

/// The second stage as a uImage.
fn stage2(source: &Source) -> Result<Vec<u8>> {
    let path = &source.recipe.stage2.file;
    let binary = load(source, path)?;
    if binary.len() > STAGE2_MAX {
        return Err(Error::new("the second stage is too large")
            .file(path)
            .expected(format!("at most {STAGE2_MAX} bytes"))
            .found(format!("{} bytes", binary.len())));
    }
    let start = sdram_end(source.recipe.sdram).saturating_sub(LOADER);
    let address = u32::try_from(start).map_err(|_| {
        Error::new("the SDRAM ends above 4 GiB").file(&source.path).hint("see `sdram` in the recipe")
    })?;
    let spec = Spec {
        kind: Kind::Firmware,
        comp: format::COMP_NONE,
        name: "stage2".into(),
        load: address,
        entry: address,
        time: source.recipe.time.unwrap_or(0),
    };
    uimage::build(&spec, &[binary]).map_err(|e| e.file(path))
}

fn sdram_end(sdram: Sdram) -> u64 {
    u64::from(sdram.start).saturating_add(sdram.size)
}

/// The kernel as a uImage: wrapped here, or ready; checked in any case.
fn kernel(source: &Source, page: usize) -> Result<Vec<u8>> {
    let kernel = &source.recipe.kernel;
    let path = &kernel.file;
    let mut image = load(source, path)?;
    if uimage::is_uimage(&image) {
        if kernel.initrd.is_some() {
            return Err(Error::new("a ready uImage cannot take an initrd")
                .file(path)
                .hint("give the bare kernel, or pack both: stone pack --type multi"));
        }
    } else {
        image = wrap(source, kernel, image).map_err(|e| e.file(path))?;
    }
    check(&image, source.recipe.sdram, page).map_err(|e| e.file(path))?;
    Ok(image)
}

fn wrap(source: &Source, kernel: &Kernel, binary: Vec<u8>) -> Result<Vec<u8>> {
    let mut parts = vec![binary];
    if let Some(initrd) = &kernel.initrd {
        parts.push(load(source, initrd)?);
    }
    let spec = Spec {
        kind: if parts.len() > 1 { Kind::Multi } else { Kind::Kernel },
        comp: format::COMP_NONE,
        name: kernel.name.clone(),
        load: kernel.load,
        entry: kernel.entry.unwrap_or(kernel.load),
        time: source.recipe.time.unwrap_or(0),
    };
    uimage::build(&spec, &parts)
}

/// Whether stage1 will take this image on a board with this memory, and NAND with pages of this size.
fn check(image: &[u8], sdram: Sdram, page: usize) -> Result<()> {
    let (header, data) = uimage::verified(image)?;
    let kinds = [format::TYPE_KERNEL, format::TYPE_MULTI];
    if !kinds.contains(&header.kind)
        || (header.arch, header.os) != (format::ARCH_ARM, format::OS_LINUX)
        || header.comp != format::COMP_NONE
    {
        return Err(Error::new("the first stage does not boot this kind of image")
            .offset(0x1c)
            .expected("an uncompressed ARM Linux image of type kernel or multi")
            .found(format!(
                "OS {}, architecture {}, type {}, compression {}",
                header.os, header.arch, header.kind, header.comp
            )));
    }
    // The data of a multi image is placed so that the kernel in it is at its load
    // address: the size table comes below.
    let kernel = if header.kind == format::TYPE_MULTI { first_of_two(data)? } else { 0..data.len() };
    let load = u64::from(header.load);
    let start = load.saturating_sub(kernel.start as u64);
    // Whole pages are loaded, the header in the first one left out.
    let pages = image.len().next_multiple_of(page) - format::HEADER;
    let taken = start..start + pages as u64;
    let room = u64::from(sdram.start) + TAGS..sdram_end(sdram).saturating_sub(LOADER);
    if header.load % 4 != 0 || taken.start < room.start || taken.end > room.end {
        return Err(Error::new("the image would be loaded where it cannot be")
            .offset(0x10)
            .expected(format!("whole words inside {:#x}..{:#x}", room.start, room.end))
            .found(format!("{:#x}..{:#x}", taken.start, taken.end))
            .hint("SDRAM without the tag list at its start and the loader's 2 MiB at its end"));
    }
    let code = load..load + kernel.len() as u64;
    if header.entry % 4 != 0 || !code.contains(&header.entry.into()) {
        return Err(Error::new("the entry point is outside of the kernel")
            .offset(0x14)
            .expected(format!("a word inside {:#x}..{:#x}", code.start, code.end))
            .found(format!("{:#x}", header.entry)));
    }
    Ok(())
}

/// Where in the data of a multi image of kernel and ramdisk the kernel is.
fn first_of_two(data: &[u8]) -> Result<Range<usize>> {
    let parts: Vec<_> = format::parts(data).collect();
    // Two sizes and the zero that ends them are 12 bytes.
    match parts[..] {
        [(start @ 12, len), _] => Ok(start..start + len),
        _ => Err(Error::new("a multi image for the first stage has two parts")
            .offset(format::HEADER as u64)
            .expected("a kernel and an initial ramdisk")
            .found(format!("{} parts", parts.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SDRAM: Sdram = Sdram { start: 0x3000_0000, size: 64 << 20 };

    fn result(kind: Kind, load: u32, entry: u32, comp: u8) -> String {
        on_pages(2048, if kind == Kind::Multi { 2 } else { 1 }, kind, load, entry, comp)
    }

    fn on_pages(page: usize, parts: usize, kind: Kind, load: u32, entry: u32, comp: u8) -> String {
        let spec = Spec { kind, comp, name: "k".into(), load, entry, time: 0 };
        let image = uimage::build(&spec, &vec![vec![1; 0x1000]; parts]).unwrap();
        check(&image, SDRAM, page).map_or_else(|e| e.to_string(), |()| "good".into())
    }

    #[test]
    fn kernels_stay_clear_of_tags_and_loader() {
        let check = |kind, load: u32, expected: &str| {
            let found = result(kind, load, load, 0);
            assert!(found.contains(expected), "{load:#x}: {found}");
        };
        check(Kind::Kernel, 0x3000_8000, "good");
        check(Kind::Kernel, 0x3000_4000, "good");
        check(Kind::Kernel, 0x3000_3ffc, "cannot be");
        check(Kind::Kernel, 0x3000_8002, "cannot be");
        // 4 KiB and the header take three pages, of which the header is left out.
        check(Kind::Kernel, 0x33df_e840, "good");
        check(Kind::Kernel, 0x33df_e844, "cannot be");
        check(Kind::Kernel, 0xffff_fffc, "cannot be");
        check(Kind::Kernel, 0, "cannot be");
        // 12 bytes of size table below, two parts of 4 KiB above.
        check(Kind::Multi, 0x3000_400c, "good");
        check(Kind::Multi, 0x3000_4008, "cannot be");
        check(Kind::Multi, 0x33df_d84c, "good");
        check(Kind::Multi, 0x33df_d850, "cannot be");
    }

    #[test]
    fn small_pages_leave_less_over() {
        // 4 KiB and the header take nine pages of 512 bytes.
        let at = |load| on_pages(512, 1, Kind::Kernel, load, load, 0);
        assert_eq!(at(0x33df_ee40), "good");
        assert!(at(0x33df_ee44).contains("cannot be"));
    }

    #[test]
    fn the_entry_is_in_the_kernel() {
        let check = |kind, entry, expected: &str| {
            let found = result(kind, 0x3000_8000, entry, 0);
            assert!(found.contains(expected), "{entry:#x}: {found}");
        };
        check(Kind::Kernel, 0x3000_8ffc, "good");
        check(Kind::Kernel, 0x3000_8ffe, "entry point");
        check(Kind::Kernel, 0x3000_9000, "entry point");
        check(Kind::Kernel, 0x3000_7ffc, "entry point");
        check(Kind::Multi, 0x3000_9000, "entry point");
    }

    #[test]
    fn only_kernels_that_stage1_boots() {
        assert!(result(Kind::Ramdisk, 0x3000_8000, 0x3000_8000, 0).contains("does not boot this kind"));
        assert!(result(Kind::Kernel, 0x3000_8000, 0x3000_8000, 1).contains("does not boot this kind"));
        for parts in [1, 3] {
            let found = on_pages(2048, parts, Kind::Multi, 0x3000_8000, 0x3000_8000, 0);
            assert!(found.contains(&format!("{parts} parts")), "{found}");
        }
    }
}
