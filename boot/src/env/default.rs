//! What the environment holds on a board that has stored none: it follows from the board's facts.

use super::Environment;
use arrayvec::ArrayString;
use core::fmt;
use platform::hal::BoardInfo;

/// Bytes of the longest value.
const LONGEST: usize = 32;

/// Where images are loaded to unless an address is given: far from both ends of RAM, where kernels and
/// the loader are.
#[must_use]
pub const fn load_address(board: &BoardInfo) -> u32 {
    board.sdram.0 + board.sdram.1 / 2
}

/// Hands the names and values of a board's default environment to `take`.
pub fn each(board: &BoardInfo, take: &mut dyn FnMut(&str, &str)) {
    let mut set = |name, value: fmt::Arguments<'_>| {
        let mut text = ArrayString::<LONGEST>::new();
        // Names in board data are short.
        if fmt::write(&mut text, value).is_ok() {
            take(name, &text);
        }
    };
    set("arch", format_args!("arm"));
    set("baudrate", format_args!("{}", board.baud));
    set("board", format_args!("{}", board.name));
    set("bootcmd", format_args!("boot"));
    set("console", format_args!("{},{}", board.console, board.baud));
    set("loadaddr", format_args!("{:x}", load_address(board)));
}

/// Makes these the only variables.
pub fn reset(variables: &mut Environment, board: &BoardInfo) {
    variables.clear();
    each(board, &mut |name, value| {
        // An empty environment has room for them.
        let _ = variables.set(name, value);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Board;

    #[test]
    fn follows_from_the_board() {
        let expected = "arch=arm\0baudrate=115200\0board=mock\0bootcmd=boot\0console=UART0,115200\0\
                        loadaddr=30800000\0";
        let mut variables = Environment::new();
        variables.set("x", "1").unwrap();
        reset(&mut variables, &Board::new().machine.info);
        assert_eq!(variables.as_bytes(), expected.as_bytes());
    }
}
