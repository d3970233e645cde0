//! `stone inspect`: what is in a file, each check with its verdict.

mod nand;

use crate::dump::Dump;
use crate::layout::Layout;
use crate::payload::STAGE1_MAX;
use crate::recipe::Source;
use crate::verdict::Report;
use crate::{Error, Result, output, part, uimage};
use boot::boot_table::{self, BootTable, BootTableError};
use boot::crc::crc32;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Show what is in a raw NAND image, a uImage or a first stage, and check it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone inspect target/run/gta02.nand
  stone inspect dump.nand --recipe images/mini2440.toml --json
  stone inspect uImage

The exit status is 1 if something is broken.")]
pub struct Args {
    /// The file
    file: PathBuf,
    /// NAND part that a raw image is of [default: that of the flash descriptor, or the
    /// smallest that it fits, with pages like those in it]
    #[arg(long)]
    part: Option<String>,
    /// Recipe with the part and the partitions [default: the flash descriptor of the image, or its boot table]
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Inspects.
pub fn run(args: &Args) -> Result<bool> {
    let report = inspect(args)?;
    if args.json {
        let text = serde_json::to_string_pretty(&report);
        output::print(&format!("{}\n", text.map_err(|e| Error::new(format!("cannot make JSON: {e}")))?))?;
    } else {
        output::print(&report.to_string())?;
    }
    Ok(report.is_good())
}

fn inspect(args: &Args) -> Result<Report> {
    let path = &args.file;
    let mut head = Vec::new();
    let read = |e| Error::io("read it", path, &e);
    let file = File::open(path).map_err(read)?;
    let len = file.metadata().map_err(read)?.len();
    file.take(STAGE1_MAX as u64).read_to_end(&mut head).map_err(read)?;
    if uimage::is_uimage(&head) {
        return uimage_file(path);
    }
    if len <= STAGE1_MAX as u64 && head.len() >= boot_table::OFFSET + boot_table::LEN {
        return Ok(stage1_file(path, &head));
    }
    let layout = match &args.recipe {
        Some(recipe) => Some(Layout::new(&Source::open(recipe, &[])?)?),
        None => None,
    };
    let geometry = match &args.part {
        Some(name) => Some(part::known(name)?),
        None => layout.as_ref().map(|layout| layout.geometry),
    };
    let mut dump = Dump::open(path, geometry)?;
    let mut report = Report::new(path.display().to_string(), "raw NAND image");
    nand::inspect(&mut dump, layout.map(|layout| layout.partitions), &mut report)?;
    Ok(report)
}

fn uimage_file(path: &Path) -> Result<Report> {
    let bytes = fs::read(path).map_err(|e| Error::io("read it", path, &e))?;
    let mut report = Report::new(path.display().to_string(), "uImage");
    let len = uimage::inspect(&bytes, &mut report);
    if len.is_some_and(|len| len < bytes.len()) {
        report.note("behind it", format!("{} more bytes", bytes.len() - len.unwrap_or(0)));
    }
    Ok(report)
}

fn stage1_file(path: &Path, bytes: &[u8]) -> Report {
    let mut report = Report::new(path.display().to_string(), "first stage");
    report.ok("size", format!("{} of {STAGE1_MAX} bytes", bytes.len()));
    let record = &bytes[boot_table::OFFSET..][..boot_table::LEN];
    if record.iter().all(|&byte| byte == record[0]) {
        report.note("boot table", "empty: stone nand fills it in");
        return report;
    }
    match BootTable::parse(record, crc32) {
        Ok(table) => {
            report.ok("boot table", "CRC matches");
            report.note("machine", table.machine.to_string());
            report.note("command line", table.cmdline);
            for (name, slots) in [("kernel", table.kernel), ("stage2", table.stage2)] {
                for (number, slot) in slots.iter().enumerate() {
                    let place = match slot.blocks {
                        0 => "none".into(),
                        _ => format!("{} blocks from block {}", slot.blocks, slot.start),
                    };
                    report.note(format!("{name} {}", number + 1), place);
                }
            }
        }
        Err(error) => report.bad("boot table", table_error(error)),
    }
    report
}

/// What is wrong with a boot table, for people.
fn table_error(error: BootTableError) -> String {
    match error {
        BootTableError::Short => "cut short".into(),
        BootTableError::NotATable => "none: expected the magic SSBT, version 1".into(),
        BootTableError::Crc { stored, computed } => {
            format!("CRC is wrong, expected {computed:#010x}, found {stored:#010x}")
        }
        BootTableError::Cmdline => "the command line is not terminated or not UTF-8".into(),
    }
}
