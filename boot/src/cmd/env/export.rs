//! `env export`

use super::{Form, STORED, config, set};
use crate::cmd::{CmdError, Context, hex};
use crate::crc::crc32;
use crate::env::{SIZE, image, text};

/// Flags of a redundant copy that is in use.
const ACTIVE: u8 = 1;

/// What was asked for.
struct Request<'a> {
    form: Form,
    size: Option<u32>,
    address: u32,
    /// Variables; all if there are none.
    names: &'a [&'a str],
}

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    // U-Boot's wants an address.
    if matches!(args, ["-c"]) {
        return config::run(ctx, &[]);
    }
    let request = parse(args)?;
    let len = write(ctx, &request)?;
    set::hex(ctx, "filesize", len)
}

fn parse<'a>(args: &'a [&'a str]) -> Result<Request<'a>, CmdError> {
    let (mut form, mut size, mut rest) = (None, None, args);
    loop {
        let given = match rest {
            ["-t", ..] => Form::Text,
            ["-b", ..] => Form::Binary,
            ["-c", ..] => Form::Checked,
            ["-s", bytes, tail @ ..] => {
                size = Some(hex(bytes)?);
                rest = tail;
                continue;
            }
            ["-s"] | [] => return Err(CmdError::Usage),
            [address, names @ ..] => {
                let form = form.unwrap_or(Form::Text);
                return Ok(Request { form, size, address: hex(address)?, names });
            }
        };
        if form.replace(given).is_some() {
            return Err(CmdError::Usage);
        }
        rest = rest.get(1..).unwrap_or_default();
    }
}

impl Request<'_> {
    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(&name)
    }

    /// Bytes that may be written.
    fn room(&self, ctx: &mut Context<'_>) -> Result<u32, CmdError> {
        let room = match (self.size, self.form) {
            (Some(size), _) => size,
            (None, Form::Checked) => SIZE as u32,
            (None, Form::Text | Form::Binary) => {
                ctx.check_free(self.address, 1)?;
                ctx.free_ram().end.saturating_sub(self.address)
            }
        };
        ctx.check_free(self.address, room)?;
        Ok(room)
    }
}

/// Writes the variables; returns the bytes of all.
fn write(ctx: &mut Context<'_>, request: &Request<'_>) -> Result<u32, CmdError> {
    let (address, room) = (request.address, request.room(ctx)?);
    let Context { memory, state, .. } = ctx;
    let out = memory.ram_mut(address, room).ok_or(CmdError::NotRam { address, len: room })?;
    if request.size.is_some() {
        out.fill(0);
    }
    let variables = state.env.iter().filter(|(name, _)| request.wants(name));
    let used = match request.form {
        Form::Text => text::write(out, variables),
        Form::Binary => image::write_list(out, variables),
        Form::Checked => {
            let written = image::write(out, STORED, ACTIVE, variables, crc32);
            written.is_ok().then_some(out.len())
        }
    };
    used.map(|used| used as u32).ok_or(CmdError::ExportRoom { address, room })
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};

    fn board() -> Board {
        let mut board = Board::new();
        for (name, value) in [("a", "1 2"), ("b", "x\ny")] {
            board.state.env.set(name, value).unwrap();
        }
        board.memory.store(RAM, &[0xee; 64]);
        board
    }

    #[track_caller]
    fn check(arguments: &str, expected: &[u8], filesize: &str) {
        let mut board = board();
        assert_eq!(board.run(&std::format!("env export {arguments}")), "");
        assert_eq!(board.memory.load(RAM, expected.len() as u32), expected);
        assert_eq!(board.state.env.get("filesize"), Some(filesize));
    }

    #[test]
    fn exports() {
        check("30000000", b"a=1 2\nb=x\\\ny\n\0\xee", "e");
        check("-t 30000000 b", b"b=x\\\ny\n\0\xee", "8");
        check("-t -s 10 30000000 a", b"a=1 2\n\0\0\0\0\0\0\0\0\0\0\xee", "7");
        check("-b 30000000", b"a=1 2\0b=x\ny\0\0\xee", "d");
        check("-s 8 -b 30000000 a none", b"a=1 2\0\0\0\xee", "7");
        check("-c -s 10 30000000 a", b"\x20\xf3\x10\x98\x01a=1 2\0\0\0\0\0\0\xee", "10");
        let mut board = board();
        board.run("env export -c 30000000");
        assert_eq!(board.state.env.get("filesize"), Some("4000"));
        assert_eq!(board.memory.load(RAM + 0x3fff, 1), [0]);
    }

    #[test]
    fn refuses() {
        let mut board = board();
        for line in ["", "-t", "-t -b 30000000", "-c -c 30000000", "-s"] {
            assert!(board.run(&std::format!("env export {line}")).starts_with("env - "), "{line}");
        }
        let mut refuse = |arguments: &str, error: &str| {
            let output = board.run(&std::format!("env export {arguments}"));
            assert!(output.starts_with(&std::format!("ERROR: {error}")), "{output}");
        };
        refuse("30dffff8", "the variables do not fit in the 0x8 bytes at 30dffff8");
        refuse("-s 6 30000000", "the variables do not fit in the 0x6 bytes at 30000000");
        refuse("-c -s 8 30000000", "the variables do not fit in the 0x8 bytes at 30000000");
        refuse("-s 9 30dffff8", "30dffff8, 0x9 bytes, would overwrite the loader");
        refuse("30e00000", "30e00000, 0x1 bytes, would overwrite the loader");
        refuse("-c 30dff000", "30dff000, 0x4000 bytes, would overwrite the loader");
        refuse("0", "00000000, 0x1 bytes, is not all RAM");
        refuse("-x 0", "'-x' is not a hexadecimal number");
        assert_eq!(board.state.env.get("filesize"), None);
    }

    #[test]
    fn without_an_address_a_checked_one_is_the_configuration() {
        let mut board = crate::cmd::env::board();
        let config = board.run("env config");
        assert_eq!(board.run("env export -c"), config);
    }
}
