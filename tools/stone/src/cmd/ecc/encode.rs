//! `stone ecc encode`

use super::find;
use crate::{Error, Result, output};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Give pages the ECC codes of a layout
///
/// Takes data and writes pages with OOB, the last one filled up with FF. Pages that are all FF
/// stay erased.
#[derive(clap::Args)]
pub struct Args {
    /// The data
    file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The ECC layout, see stone ecc layouts
    #[arg(long, value_name = "NAME")]
    layout: String,
    /// The file has OOB already, whose other bytes are kept
    #[arg(long)]
    oob: bool,
}

/// Encodes.
pub fn run(args: &Args) -> Result<bool> {
    let layout = find(&args.layout, None)?;
    let input = fs::read(&args.file).map_err(|e| Error::io("read it", &args.file, &e))?;
    let raw = layout.page + layout.oob;
    let size = if args.oob { raw } else { layout.page };
    if args.oob && !input.len().is_multiple_of(raw) {
        return Err(Error::new("these are no pages with OOB")
            .file(&args.file)
            .expected(format!("a multiple of {raw} bytes"))
            .found(format!("{} bytes", input.len())));
    }
    output::write(&args.output, |out| {
        for bytes in input.chunks(size) {
            let mut page = vec![0xff; raw];
            page[..bytes.len()].copy_from_slice(bytes);
            let (data, oob) = page.split_at_mut(layout.page);
            if data.iter().any(|&byte| byte != 0xff) {
                layout.encode(data, oob);
            }
            out.write_all(&page)?;
        }
        Ok(())
    })?;
    let pages = input.len().div_ceil(size);
    output::print(&format!("{}: {pages} pages, {}\n", args.output.display(), layout.name))?;
    Ok(true)
}
