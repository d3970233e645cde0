//! `stone nand`: a recipe into a raw NAND image.

use crate::chip::Chip;
use crate::layout::Layout;
use crate::recipe::Source;
use crate::{Result, bad, output, payload};
use boot::image::uimage::NAME;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Make a raw NAND image, OOB and ECC included, from a recipe
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone nand images/gta02.toml -o gta02.nand
  stone nand images/mini2440.toml -o m.nand --kernel zImage --initrd initrd.gz \\
        --cmdline 'console=ttySAC0,115200 rdinit=/init'
  stone nand images/gta02.toml -o gta02.nand --bad 16,20-22 --trim
  stone nand images/gta02.toml -o gta02.nand --set kernel.load=0x32000000 --raw rootfs=root.jffs2

The same input gives the same bytes.")]
pub struct Args {
    /// The recipe
    recipe: PathBuf,
    /// The image to write: pages as the part has them, each with its OOB
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Factory-bad erase blocks, marked and skipped: 3,5-7
    #[arg(long, value_parser = bad::parse, value_name = "LIST", default_value = "", hide_default_value = true)]
    bad: BTreeSet<u32>,
    /// NAND part in place of the recipe's
    #[arg(long)]
    part: Option<String>,
    /// Kernel in place of the recipe's: a bare binary or a ready uImage
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,
    /// Initial ramdisk, packed with the kernel
    #[arg(long, value_name = "FILE")]
    initrd: Option<PathBuf>,
    /// Kernel command line in place of the recipe's
    #[arg(long, value_name = "TEXT")]
    cmdline: Option<String>,
    /// Put a file into a partition as it is, unchecked
    #[arg(long, value_parser = name_and_file, value_name = "PARTITION=FILE")]
    raw: Vec<(String, PathBuf)>,
    /// Change a value of the recipe: kernel.load=0x32000000, partition.rootfs.blocks=8
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Stop after the last block that is not erased, in place of writing the whole chip
    #[arg(long)]
    trim: bool,
    /// Time in the headers of images made here, if the recipe has none
    #[arg(long, env = "SOURCE_DATE_EPOCH", value_name = "SECONDS", default_value_t = 0)]
    time: u32,
}

fn name_and_file(text: &str) -> std::result::Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("this is PARTITION=FILE, such as rootfs=root.jffs2")?;
    Ok((name.into(), file.into()))
}

/// A name for the header: that of the file, as far as it fits.
fn image_name(file: &Path) -> String {
    let mut name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    while name.len() > NAME {
        name.pop();
    }
    name
}

/// Makes the image.
pub fn run(args: Args) -> Result<bool> {
    let mut source = Source::open(&args.recipe, &args.set)?;
    let recipe = &mut source.recipe;
    recipe.time.get_or_insert(args.time);
    if let Some(part) = args.part {
        *recipe.part.get_mut() = part;
    }
    if let Some(kernel) = args.kernel {
        recipe.kernel.name = image_name(&kernel);
        recipe.kernel.file = kernel;
    }
    if let Some(cmdline) = args.cmdline {
        recipe.kernel.cmdline = cmdline;
    }
    recipe.kernel.initrd = args.initrd.or(recipe.kernel.initrd.take());

    let layout = Layout::new(&source)?;
    let mut chip = Chip::new(layout.geometry, args.bad)?;
    let sizes = payload::fill(&mut chip, &source, &layout, &args.raw)?;
    output::write(&args.output, |out| chip.write(out, args.trim))?;

    let mut text = format!("{}: {}\n", args.output.display(), source.recipe.part.get_ref());
    for (partition, size) in layout.partitions.iter().zip(sizes) {
        let start = u64::from(partition.blocks.start) * layout.geometry.block() as u64;
        let blocks = partition.blocks.len();
        let size = size.map_or("erased".into(), |size| format!("{size} bytes"));
        let _ = writeln!(text, "  {start:#010x}  {blocks:>4} blocks  {:<10} {size}", partition.name);
    }
    output::print(&text)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_header() {
        let check = |file: &str, name: &str| assert_eq!(image_name(Path::new(file)), name);
        check("target/linux/zImage", "zImage");
        check(&"k".repeat(40), &"k".repeat(32));
        // 31 bytes, and a letter of two that does not fit any more.
        check(&format!("{}\u{fc}", "k".repeat(31)), &"k".repeat(31));
        check("..", "");
    }
}
