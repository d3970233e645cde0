//! `nm`

use super::{Command, mm};

pub const CMD: Command = Command {
    name: "nm",
    usage: "[.b, .w, .l] address\n    a number sets the object, Enter reads it again, anything else ends it",
    help: "memory modify (constant address)",
    run: |ctx, args| mm::modify(ctx, args, false),
};

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    #[test]
    fn stays_where_it_is() {
        let mut board = Board::new();
        board.serial.input.extend(*b"1\r\r-\r2\rx\r");
        let expected =
            "30000000: 00 ? 1\n30000000: 01 ? \n30000000: 01 ? -\n30000000: 01 ? 2\n30000000: 02 ? x\n";
        assert_eq!(board.run("nm.b 30000000"), expected);
        assert_eq!(board.memory.load(RAM, 2), [2, 0]);
        assert!(board.run("nm").starts_with("nm - memory modify (constant address)\n"));
    }
}
