//! `env load`, which the console does when it starts

use super::{place, say_odd};
use crate::cmd::{CmdError, Context, hex};
use crate::env::store::{self, Loaded};

pub fn run(ctx: &mut Context<'_>, args: &[&str]) -> Result<(), CmdError> {
    if !args.is_empty() {
        return Err(CmdError::Usage);
    }
    if load(ctx)? { Ok(()) } else { Err(CmdError::Status(1)) }
}

/// Loads the newest copy and says what is wrong with the other; without any, all stays as it is. Says
/// so in U-Boot's words.
pub fn load(ctx: &mut Context<'_>) -> Result<bool, CmdError> {
    let place = place(ctx)?;
    write!(ctx.console, "Loading Environment from NAND... ");
    let loaded = match store::load(ctx.nand, &place, &mut ctx.state.env) {
        Ok(loaded) => loaded,
        Err(error) => {
            writeln!(ctx.console, "FAILED!");
            return Err(error.into());
        }
    };
    let Loaded { copies, used, imported } = loaded;
    if used.is_none() {
        writeln!(ctx.console, "*** Warning - bad CRC, using default environment\n");
        return Ok(false);
    }
    writeln!(ctx.console, "OK");
    say_odd(ctx, imported.odd);
    for (number, copy) in copies.iter().enumerate() {
        let n = number + 1;
        if copy.is_damaged() {
            writeln!(
                ctx.console,
                "Copy {n} of the environment is damaged; see 'env copies'. 'saveenv' writes it anew."
            );
        } else if copy.flips > 0 && used == Some(number) {
            let flips = copy.flips;
            writeln!(
                ctx.console,
                "Corrected {flips} bitflips in copy {n} of the environment; 'saveenv' writes it anew."
            );
        }
    }
    if let Some(Ok(address)) = ctx.state.env.get("loadaddr").map(hex) {
        ctx.load_address = address;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use crate::cmd::env::board;
    #[test]
    fn keeps_what_is_there_when_nothing_is_stored() {
        let mut board = board();
        let warning =
            "Loading Environment from NAND... *** Warning - bad CRC, using default environment\n\n1\n1\n";
        assert_eq!(board.run("setenv a 1; env load; echo $?; echo $a"), warning);
        assert!(board.run("env load now").starts_with("env - "));
    }

    #[test]
    fn says_what_is_wrong() {
        const OK: &str = "Loading Environment from NAND... OK\n";
        let mut board = board();
        board.run("setenv a 1; setenv loadaddr 30123000; saveenv; setenv a 2; saveenv");
        board.nand.flip(6 * 64, 40, 0);
        board.run("setenv a; setenv loadaddr 30008000");
        let flips = "Corrected 1 bitflips in copy 2 of the environment; 'saveenv' writes it anew.\n2\n";
        assert_eq!(board.run("env load; echo $a"), std::format!("{OK}{flips}"));
        assert_eq!(
            board.with(|ctx| {
                super::load(ctx).unwrap();
                ctx.load_address
            }),
            0x3012_3000
        );
        board.output();
        board.nand.flip(6 * 64, 41, 0);
        let damaged =
            "Copy 2 of the environment is damaged; see 'env copies'. 'saveenv' writes it anew.\n1\n";
        assert_eq!(board.run("env load; echo $a"), std::format!("{OK}{damaged}"));
    }
}
