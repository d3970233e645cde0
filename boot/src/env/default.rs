//! What the environment holds on a board that has stored none: it follows from the board's facts.

use super::Environment;
use crate::console::autoboot::DELAY;
use crate::nand::partitions::{MTDPARTS, Partitions, Source};
use arrayvec::ArrayString;
use core::fmt;
use platform::hal::BoardInfo;

/// Bytes of the longest value.
const LONGEST: usize = MTDPARTS;

/// Where images are loaded to unless an address is given: far from both ends of RAM, where kernels and
/// the loader are.
#[must_use]
pub const fn load_address(board: &BoardInfo) -> u32 {
    board.sdram.0 + board.sdram.1 / 2
}

/// Hands the names and values of a board's default environment to `take`.
pub fn each(board: &BoardInfo, layout: &Partitions, take: &mut dyn FnMut(&str, &str)) {
    let mut set = |name, value: fmt::Arguments<'_>| {
        let mut text = ArrayString::<LONGEST>::new();
        // Names in board data are short, and there is room for every `mtdparts`.
        if fmt::write(&mut text, value).is_ok() {
            take(name, &text);
        }
    };
    set("arch", format_args!("arm"));
    set("baudrate", format_args!("{}", board.baud));
    set("board", format_args!("{}", board.name));
    set("bootcmd", format_args!("boot"));
    set("bootdelay", format_args!("{DELAY}"));
    set("console", format_args!("{},{}", board.console, board.baud));
    set("loadaddr", format_args!("{:x}", load_address(board)));
    if layout.source == Source::Descriptor {
        set("mtdids", format_args!("nand0={}", layout.mtd));
        set("mtdparts", format_args!("{}", layout.mtdparts()));
    }
}

/// The default of a variable.
#[must_use]
pub fn value(board: &BoardInfo, layout: &Partitions, name: &str) -> Option<ArrayString<LONGEST>> {
    let mut result = None;
    each(board, layout, &mut |found, value| {
        if found == name {
            result = ArrayString::from(value).ok();
        }
    });
    result
}

/// Makes these the only variables.
pub fn reset(variables: &mut Environment, board: &BoardInfo, layout: &Partitions) {
    variables.clear();
    each(board, layout, &mut |name, value| {
        // An empty environment has room for them.
        let _ = variables.set(name, value);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::descriptor;
    use crate::mock::Board;
    use std::string::ToString;

    #[test]
    fn follows_from_the_board() {
        let expected = "arch=arm\0baudrate=115200\0board=mock\0bootcmd=boot\0bootdelay=2\0\
                        console=UART0,115200\0loadaddr=30800000\0";
        let mut variables = Environment::new();
        variables.set("x", "1").unwrap();
        let mut board = Board::new();
        let mut layout = Partitions::new();
        reset(&mut variables, &board.machine.info, &layout);
        assert_eq!(variables.as_bytes(), expected.as_bytes());
        board.write_descriptor(&descriptor());
        layout.load(&mut board.nand);
        reset(&mut variables, &board.machine.info, &layout);
        assert_eq!(variables.get("mtdids"), Some("nand0=mock-nand"));
        assert_eq!(variables.get("mtdparts"), Some(layout.mtdparts().to_string().as_str()));
    }
}
