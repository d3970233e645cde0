//! `stone pack`: files into a uImage.

use crate::number::hex;
use crate::uimage::{self, Kind, Spec};
use crate::{Error, Result, output};
use boot::image::uimage::{COMP_GZIP, COMP_NONE};
use clap::ValueEnum;
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Pack files into a uImage, byte for byte as `mkimage -A arm -O linux` does
#[derive(clap::Args)]
#[command(after_help = "Examples:
  stone pack zImage -o uImage --load 30008000 --name Linux
  stone pack zImage initrd.gz -o uImage --load 30008000
  stone pack boot.scr.txt -o boot.scr --type script --time 0")]
pub struct Args {
    /// The data; several files make an image of type multi (kernel, then initrd)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The uImage to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Load address, hexadecimal; 0 for a ramdisk or a script
    #[arg(short = 'a', long, value_parser = hex, value_name = "HEX")]
    load: Option<u32>,
    /// Entry point, hexadecimal [default: the load address]
    #[arg(short, long, value_parser = hex, value_name = "HEX")]
    entry: Option<u32>,
    /// Name in the header, at most 32 bytes
    #[arg(short, long, default_value = "")]
    name: String,
    /// What it is [default: kernel, or multi for several files]
    #[arg(short = 'T', long = "type", value_name = "TYPE")]
    kind: Option<Kind>,
    /// Compression; gzip compresses a file that is not gzip yet
    #[arg(short = 'C', long, default_value = "none")]
    comp: Comp,
    /// Seconds since 1970 in the header [default: when the newest file was changed]
    #[arg(long, env = "SOURCE_DATE_EPOCH", value_name = "SECONDS")]
    time: Option<u32>,
}

/// Compression of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Comp {
    None,
    Gzip,
}

/// Packs.
pub fn run(args: &Args) -> Result<bool> {
    let kind = args.kind.unwrap_or(if args.files.len() > 1 { Kind::Multi } else { Kind::Kernel });
    if args.files.len() > 1 && kind != Kind::Multi {
        return Err(Error::new("only an image of type multi holds several files")
            .found(format!("{} files", args.files.len())));
    }
    let load = match (args.load, kind) {
        (Some(load), _) => load,
        (None, Kind::Ramdisk | Kind::Script) => 0,
        (None, _) => {
            return Err(Error::new("the load address is missing").hint("--load 30008000 suits most kernels"));
        }
    };
    let mut parts = Vec::new();
    for file in &args.files {
        let part = fs::read(file).map_err(|e| Error::io("read it", file, &e))?;
        parts.push(compressed(args.comp, part).map_err(|e| Error::io("compress it", file, &e))?);
    }
    let spec = Spec {
        kind,
        comp: if args.comp == Comp::Gzip { COMP_GZIP } else { COMP_NONE },
        name: args.name.clone(),
        load,
        entry: args.entry.unwrap_or(load),
        time: args.time.map_or_else(|| newest(&args.files), Ok)?,
    };
    let image = uimage::build(&spec, &parts)?;
    output::write(&args.output, |out| out.write_all(&image))?;
    output::print(&format!("{}: {} bytes\n", args.output.display(), image.len()))?;
    Ok(true)
}

/// gzip without a name and a time, so that the same data gives the same bytes.
fn compressed(comp: Comp, data: Vec<u8>) -> io::Result<Vec<u8>> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    if comp == Comp::None || data.starts_with(&GZIP) || data.is_empty() {
        return Ok(data);
    }
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(&data)?;
    encoder.finish()
}

/// When the newest of the files was changed, in seconds since 1970.
fn newest(files: &[PathBuf]) -> Result<u32> {
    let changed = |file: &PathBuf| {
        let time = fs::metadata(file).and_then(|data| data.modified());
        time.map_err(|e| Error::io("read its time", file, &e))
    };
    let mut newest = UNIX_EPOCH;
    for file in files {
        newest = newest.max(changed(file)?);
    }
    let seconds = newest.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u32::try_from(seconds).map_err(|_| {
        Error::new("a file is from after the year 2106, which a header cannot say")
            .file(files.first().map_or(Path::new(""), PathBuf::as_path))
            .hint("give --time")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn gzip_is_reproducible_and_done_once() {
        let data = b"steppingstone ".repeat(100);
        let packed = compressed(Comp::Gzip, data.clone()).unwrap();
        assert!(packed.len() < data.len());
        assert_eq!(packed[4..8], [0; 4]); // no time
        assert_eq!(compressed(Comp::Gzip, packed.clone()).unwrap(), packed);
        let mut unpacked = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, data);
        assert_eq!(compressed(Comp::None, data.clone()).unwrap(), data);
    }
}
