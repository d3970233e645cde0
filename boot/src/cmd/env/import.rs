//! `env import`

use super::{Form, STORED, say_odd};
use crate::cmd::{CmdError, Context, hex};
use crate::console::state::State;
use crate::crc::crc32;
use crate::env::image::{self, Image, ImageError};
use crate::env::{Imported, SIZE, SetError, text};

/// What was asked for.
struct Request<'a> {
    form: Option<Form>,
    delete: bool,
    crlf: bool,
    address: u32,
    size: Option<u32>,
    /// Variables; all if there are none.
    names: &'a [&'a str],
}

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    let request = parse(args)?;
    if request.form.is_none() {
        writeln!(ctx.console, "## Warning: defaulting to text format");
    }
    let len = match (request.size, request.form) {
        (Some(size), _) => size,
        (None, Some(Form::Checked)) => {
            writeln!(ctx.console, "## Error: external checksum format must pass size");
            return Err(CmdError::Status(1));
        }
        (None, form) => measure(ctx, request.address, form == Some(Form::Binary))?,
    };
    let imported = read(ctx, &request, len)?;
    say_odd(ctx, imported.odd);
    Ok(())
}

fn parse<'a>(args: &'a [&'a str]) -> Result<Request<'a>, CmdError> {
    let (mut form, mut delete, mut crlf, mut rest) = (None, false, false, args);
    while let [option, tail @ ..] = rest {
        let given = match *option {
            "-d" => {
                delete = true;
                None
            }
            "-r" => {
                crlf = true;
                None
            }
            "-t" => Some(Form::Text),
            "-b" => Some(Form::Binary),
            "-c" => Some(Form::Checked),
            _ => break,
        };
        if given.is_some() && (form.is_some() || core::mem::replace(&mut form, given).is_some()) {
            return Err(CmdError::Usage);
        }
        rest = tail;
    }
    let (address, size, names) = match rest {
        [address] => (address, None, &[][..]),
        [address, "-", names @ ..] => (address, None, names),
        [address, size, names @ ..] => (address, Some(hex(size)?), names),
        [] => return Err(CmdError::Usage),
    };
    Ok(Request { form, delete, crlf, address: hex(address)?, size, names })
}

/// The bytes of what is at an address up to its end: a NUL, or two in binary data.
fn measure(ctx: &mut Context<'_>, address: u32, binary: bool) -> Result<u32, CmdError> {
    ctx.memory.ram(address, 1).ok_or(CmdError::NotRam { address, len: 1 })?;
    let room = ctx.free_ram().end.saturating_sub(address).min(4 * SIZE as u32);
    let bytes = ctx.memory.ram(address, room).ok_or(CmdError::NotRam { address, len: 1 })?;
    let end = if binary {
        bytes.windows(2).position(|two| two == [0, 0]).map(|at| at + 2)
    } else {
        bytes.iter().position(|&byte| byte == 0).map(|at| at + 1)
    };
    let len = end.ok_or(CmdError::NoEnd { address, len: room })? as u32;
    writeln!(ctx.console, "## Info: input data size = {len} = {len:#X}");
    Ok(len)
}

fn read(ctx: &mut Context<'_>, request: &Request<'_>, len: u32) -> Result<Imported, CmdError> {
    let address = request.address;
    let Context { memory, state, console, .. } = ctx;
    let State { env, locals, .. } = &mut **state;
    let bytes = memory.ram(address, len).ok_or(CmdError::NotRam { address, len })?;
    let data = match request.form {
        Some(Form::Checked) => match Image::parse(bytes, STORED, crc32) {
            Ok(image) => image.data,
            Err(ImageError::Short | ImageError::Crc { .. }) => {
                writeln!(console, "## Error: bad CRC, import failed");
                return Err(CmdError::Status(1));
            }
        },
        _ => bytes,
    };
    if request.delete {
        env.clear();
    }
    let mut imported = Imported::default();
    let mut take = |name: &[u8], value: &[u8]| -> Result<(), SetError> {
        if request.names.is_empty() || request.names.iter().any(|wanted| wanted.as_bytes() == name) {
            env.take(name, value, &mut imported)?;
            core::str::from_utf8(name).map(|name| locals.remove(name)).unwrap_or_default();
        }
        Ok(())
    };
    match request.form {
        Some(Form::Binary | Form::Checked) => {
            image::entries(data).try_for_each(|(name, value)| take(name, value))?;
        }
        Some(Form::Text) | None => text::read(data, request.crlf, take)?,
    }
    if let Some(address) = env.get("loadaddr").and_then(|value| hex(value).ok()) {
        ctx.load_address = address;
    }
    Ok(imported)
}

#[cfg(test)]
mod tests {
    use crate::mock::{Board, RAM};
    use std::format;

    /// Imports `bytes` into an environment with `old=1`; what that prints, and the environment.
    #[track_caller]
    fn check(bytes: &[u8], arguments: &str, output: &str, expected: &[u8]) {
        let mut board = Board::new();
        board.memory.store(RAM, bytes);
        board.state.env.set("old", "1").unwrap();
        assert_eq!(board.run(&format!("env import {arguments}")), output);
        assert_eq!(board.state.env.as_bytes(), expected);
    }

    #[test]
    fn imports_text() {
        let info = "## Info: input data size = 9 = 0x9\n";
        check(b"a=1\nb=2\n\0", "-t 30000000", info, b"a=1\0b=2\0old=1\0");
        check(b"a=1\nb=2\n\0", "-d -t 30000000", info, b"a=1\0b=2\0");
        check(b"a=1\nb=2\n\0", "-t 30000000 - b c", info, b"b=2\0old=1\0");
        let warning = "## Warning: defaulting to text format\n";
        check(b"a=1\nb=2\n", "30000000 6", warning, b"a=1\0old=1\0");
        check(b"a=1\r\n", "-t -r 30000000 5", "", b"a=1\0old=1\0");
        check(b"a=1\r\n", "-t 30000000 5", "", b"a=1\r\0old=1\0");
        check(b"old=\n", "-t 30000000 5", "", b"");
    }

    #[test]
    fn imports_binary() {
        let info = "## Info: input data size = 9 = 0x9\n";
        check(b"a=1\0b=2\0\0c=3\0\0", "-b 30000000", info, b"a=1\0b=2\0old=1\0");
        check(b"a=1\0b=2\0\0", "-b 30000000 4", "", b"a=1\0old=1\0");
        let odd = "## Warning: passed over 2 entries without a name, or not UTF-8\n";
        check(b"a=1\0=2\0b=\xff\0\0", "-b 30000000 c", odd, b"a=1\0old=1\0");
    }

    #[test]
    fn imports_what_it_exports() {
        for form in ["-t", "-b", "-c"] {
            let mut board = Board::new();
            board.state.env.set("a", "x\n\\y z").unwrap();
            board.state.env.set("b", "2").unwrap();
            board.run(&format!("env export {form} 30000000; setenv b; setenv c 3; setenv a"));
            let size = board.run("echo -n $filesize");
            board.run(&format!("env import -d {form} 30000000 {size}"));
            assert_eq!(board.state.env.as_bytes(), b"a=x\n\\y z\0b=2\0", "{form}");
        }
    }

    #[test]
    fn sets_the_load_address() {
        let mut board = Board::new();
        board.memory.store(RAM, b"loadaddr=30000040\n");
        board.run("env import -t 30000000 12");
        assert_eq!(board.state.env.get("loadaddr"), Some("30000040"));
    }

    #[test]
    fn refuses() {
        let old = b"old=1\0";
        let bad = "## Error: bad CRC, import failed\n";
        check(&[0; 16], "-d -c 30000000 10", bad, old);
        check(&[0; 16], "-c 30000000 3", bad, old);
        check(b"", "-c 30000000", "## Error: external checksum format must pass size\n", old);
        let end = "ERROR: no NUL ends the variables in the 0x10000 bytes from 30000000 on; give their size\n";
        check(&[b'x'; 0x10000], "-t 30000000", end, old);
        check(
            b"",
            "-t 31000000 1",
            "ERROR: 31000000, 0x1 bytes, is not all RAM; see 'bdinfo' for where RAM is\n",
            old,
        );
        check(
            b"",
            "-t 31000000",
            "ERROR: 31000000, 0x1 bytes, is not all RAM; see 'bdinfo' for where RAM is\n",
            old,
        );
        let full =
            "ERROR: no room: the variable takes 16379 bytes, 16372 are free; delete others, see 'printenv'\n";
        let text = [&b"a="[..], &[b'x'; 20_000][..], b"\n\0"].concat();
        check(&text, "-t 30000000 4e23", full, old);
        for line in ["", "-t", "-t -b 30000000", "-t -t 30000000"] {
            assert!(Board::new().run(&format!("env import {line}")).starts_with("env - "), "{line}");
        }
    }
}
