//! `editenv`, `env edit`

use super::set;
use crate::cmd::{CmdError, Command, Context};
use crate::console::line::{self, Editor};
use arrayvec::ArrayString;

pub const CMD: Command = Command {
    name: "editenv",
    usage: "name\n    - edit environment variable 'name'; Enter sets it, Ctrl-C leaves it as it was",
    help: "edit environment variable",
    run: |ctx, args| match args {
        [name] if !name.starts_with('.') => edit(ctx, name),
        _ => Err(CmdError::Usage),
    },
};

fn edit(ctx: &mut Context<'_>, name: &str) -> Result<(), CmdError> {
    let mut value = ArrayString::<{ line::MAX }>::new();
    let old = ctx.state.env.get(name).unwrap_or_default();
    // Only what can be typed can be edited.
    if value.try_push_str(old).is_err() || !old.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(CmdError::NotEditable);
    }
    write!(ctx.console, "edit: ");
    let mut editor = Editor::new();
    editor.insert(&mut ctx.console, &value);
    let line = editor.read(ctx)?;
    set::set(ctx, name, line)
}

#[cfg(test)]
mod tests {
    use crate::mock::Board;

    /// Edits a variable with keys; what is shown, and the value after that.
    #[track_caller]
    fn check(value: &str, keys: &str, output: &str, expected: Option<&str>) {
        let mut board = Board::new();
        board.state.env.set("a", value).unwrap();
        board.serial.input.extend(keys.bytes());
        assert_eq!(board.run("editenv a"), output);
        assert_eq!(board.state.env.get("a"), expected);
    }

    #[test]
    fn edits() {
        check("1 2", "3\r", "edit: 1 23\n", Some("1 23"));
        check("", "x\r", "edit: x\n", Some("x"));
        check("x", "\x7f\r", "edit: x\x08 \x08\n", None);
        check("x", "y\x03", "edit: xy<INTERRUPT>\n", Some("x"));
    }

    #[test]
    fn refuses_what_cannot_be_typed() {
        let error =
            "ERROR: the value is too long for a line, or has other than printable characters; use 'setenv'\n";
        check("a\nb", "", error, Some("a\nb"));
        check("\u{e4}", "", error, Some("\u{e4}"));
        let long = "x".repeat(2000);
        check(&long, "", error, Some(&long));
        for line in ["editenv", "editenv a b", "editenv.b a"] {
            assert!(Board::new().run(line).starts_with("editenv - edit environment variable\n"), "{line}");
        }
    }
}
