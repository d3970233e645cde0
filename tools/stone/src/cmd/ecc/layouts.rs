//! `stone ecc layouts`

use crate::Result;
use crate::output;
use boot::nand::ecc::{LAYOUTS, Layout};
use serde::Serialize;
use std::fmt::Write;

/// List the ECC layouts that are known
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    writer: &'static str,
    page: usize,
    oob: usize,
    step: usize,
    code_bytes: usize,
    positions: Vec<u8>,
    bad_mark: u8,
}

/// Lists.
pub fn run(args: &Args) -> Result<bool> {
    let row = |layout: &Layout| Row {
        name: layout.name,
        writer: layout.writer,
        page: layout.page,
        oob: layout.oob,
        step: layout.codec.step(),
        code_bytes: layout.codec.bytes(),
        positions: layout.positions.to_vec(),
        bad_mark: layout.bad_mark,
    };
    let rows: Vec<Row> = LAYOUTS.iter().map(row).collect();
    if args.json {
        super::print_json(&rows)?;
        return Ok(true);
    }
    let mut text =
        "name                 page     step/code  codes in OOB  bad mark  written by\n".to_string();
    for Row { name, writer, page, oob, step, code_bytes, positions, bad_mark } in rows {
        let (page, code) = (format!("{page}+{oob}"), format!("{step}/{code_bytes}"));
        let positions = runs(&positions);
        let _ = writeln!(text, "{name:<20} {page:<8} {code:<10} {positions:<13} {bad_mark:<9} {writer}");
    }
    output::print(&text)?;
    Ok(true)
}

/// Rising numbers, those in a row as a range.
fn runs(numbers: &[u8]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let shown = runs.map(|run| match run {
        [only] => only.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_ranges() {
        assert_eq!(runs(&[0, 1, 2, 3, 6, 7]), "0-3,6-7");
        assert_eq!(runs(&[5]), "5");
        assert_eq!(runs(&[1, 3]), "1,3");
    }
}
