//! `source`

use super::{CmdError, Command, Context, hex};
use crate::console::shell;
use crate::image::load::{self, ImageError};
use crate::image::uimage::{self, TYPE_SCRIPT};

pub const CMD: Command = Command {
    name: "source",
    usage: "[addr]\n    - run script starting at addr, or at 'loadaddr'; a valid image header must be present",
    help: "run script from memory",
    run: |ctx, args| match args {
        [] => source(ctx, ctx.load_address),
        [address] => source(ctx, hex(address)?),
        _ => Err(CmdError::Usage),
    },
};

fn source(ctx: &mut Context<'_>, address: u32) -> Result<(), CmdError> {
    writeln!(ctx.console, "## Executing script at {address:08x}");
    let header = load::header(ctx.memory, address)?;
    if header.kind != TYPE_SCRIPT {
        return Err(CmdError::NotScript(header.kind));
    }
    let data = load::verify(ctx.memory, address, &header)?;
    // A script is a multi-image of one part.
    let (start, len) = uimage::parts(data).next().ok_or(ImageError::Empty)?;
    let text = data.get(start..start + len).unwrap_or_default();
    let script = ctx.state.scripts.push(text)?;
    shell::run(ctx, script)
}

#[cfg(test)]
mod tests {
    use crate::image::uimage::{TYPE_KERNEL, TYPE_SCRIPT};
    use crate::mock::{Board, image};

    const AT: u32 = 0x3080_0000;

    /// Runs a script image after a change; what it prints below the first line, and its status.
    fn run(text: &[u8], kind: u8, change: impl FnOnce(&mut std::vec::Vec<u8>)) -> (std::string::String, u8) {
        let mut board = Board::new();
        let data = [&(text.len() as u32).to_be_bytes()[..], &[0; 4], text].concat();
        let mut image = image(&data, |header| header.kind = kind);
        change(&mut image);
        board.memory.store(AT, &image);
        let output = board.run("source");
        let rest = output.strip_prefix("## Executing script at 30800000\n").unwrap();
        (rest.into(), board.state.status)
    }

    #[test]
    fn runs_a_script() {
        let text = b"# a script\r\nif true; then\r\n\techo yes\r\nfi\r\n\r\nfalse\r\n";
        assert_eq!(run(text, TYPE_SCRIPT, |_| ()), ("yes\n".into(), 1));
        assert_eq!(run(b"echo a; exit 0; echo b", TYPE_SCRIPT, |_| ()), ("a\n".into(), 0));
        // The script may write over its own image.
        let text = b"mw 30800000 0 40; echo here";
        assert_eq!(run(text, TYPE_SCRIPT, |_| ()), ("here\n".into(), 0));
    }

    #[test]
    fn refuses_what_is_no_script() {
        let check = |output: (std::string::String, u8), error: &str| {
            assert!(output.0.starts_with(&std::format!("ERROR: {error}")), "{}", output.0);
            assert_eq!(output.1, 1);
        };
        check(run(b"echo", TYPE_KERNEL, |_| ()), "Bad image type 0x2: no script; pack it with -T script");
        check(run(b"echo", TYPE_SCRIPT, |image| image[70] ^= 1), "Bad Data CRC");
        check(run(b"echo", TYPE_SCRIPT, |image| image[20] ^= 1), "Bad Header Checksum");
        check(run(b"echo", TYPE_SCRIPT, |image| image[0] ^= 1), "Bad Magic Number");
        check(run(b"", TYPE_SCRIPT, |_| ()), "the image holds no data");
        check(run(b"echo a\nif", TYPE_SCRIPT, |_| ()), "syntax error in line 2, column 3");
        check(run(&[b'#'; 40_000], TYPE_SCRIPT, |_| ()), "no room for a script of 40000 bytes");
        check(run(b"\xff", TYPE_SCRIPT, |_| ()), "a word is not UTF-8");
        assert!(Board::new().run("source 10").contains("ERROR: no RAM at 00000010 for 0x40 bytes"));
        assert!(Board::new().run("source 1 2").starts_with("source - run script from memory\n"));
    }
}
