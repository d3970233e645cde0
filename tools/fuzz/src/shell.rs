//! Command lines and scripts, with every command there is.

use boot::console::keys::Keys;
use boot::console::shell::is_unfinished;
use boot::mock::Board;
use std::collections::VecDeque;

/// Typed when somebody looks for keys: whatever waits or loops ends by it.
const CTRL_C: u8 = 3;

/// Text that is run.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut board = Board::new();
    board.write_boot_table("quiet");
    board.state.env.set("script", "echo in; false; echo out").expect("there is room");
    board.serial.input.extend([CTRL_C; 64]);
    let unfinished = board.with(|ctx| is_unfinished(ctx, &text));
    let output = board.run(&text);
    assert_eq!(board.state.level, 0, "something is left of a script");
    assert_eq!(board.state.scripts.push(b""), Ok(0..0), "something is left of a script");
    if unfinished {
        assert_eq!(output.lines().count(), 1, "half a script was run: {output}");
        assert!(output.contains("syntax error"), "half a script is no mistake: {output}");
    }
    // Whatever was typed has been seen to.
    (board.keys, board.serial.input) = (Keys::new(), VecDeque::new());
    assert_eq!(board.run("echo sound"), "sound\n", "the console is not what it was");
}
