//! What all boot commands end in: parts to their places, what the kernel is told, the jump.

use super::{CmdError, Context};
use crate::boot_table::BootTable;
use crate::crc::crc32;
use crate::fdt::fixup::{self, Fixups};
use crate::image::load::{Bundle, Compression, ImageError};
use crate::image::place::{Move, Plan};
use crate::image::region::Region;
use crate::nand::slots;
use crate::tags::{self, TAGS_OFFSET, Tags};
use arrayvec::{ArrayString, ArrayVec};

/// Longest command line that Linux keeps (COMMAND_LINE_SIZE), without its zero.
const CMDLINE_MAX: usize = 1023;
/// Words that the longest tag list has, and some more.
const TAG_WORDS: usize = CMDLINE_MAX / 4 + 64;

type Cmdline = ArrayString<CMDLINE_MAX>;

/// How a boot command goes about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Show what goes where and what the kernel is told.
    pub explain: bool,
    /// Do that, and nothing else.
    pub dry: bool,
}

impl Mode {
    /// Takes `--explain` and `--dry` out of the arguments.
    pub fn split<'b>(args: &[&'b str]) -> Result<(Self, ArrayVec<&'b str, 3>), CmdError> {
        let mut mode = Self::default();
        let mut rest = ArrayVec::new();
        for &arg in args {
            match arg {
                "--explain" => mode.explain = true,
                "--dry" => mode = Self { explain: true, dry: true },
                _ => rest.try_push(arg).map_err(|_| CmdError::Usage)?,
            }
        }
        Ok((mode, rest))
    }
}

/// What a kernel is told, in either way.
enum Told<'a> {
    /// By a tag list at this address.
    Tags(u32, &'a [u32]),
    /// By its device tree.
    Tree(Move, Fixups<'a>),
}

/// Boots. Does not return if that works, except in a test or a dry run.
pub fn launch(ctx: &mut Context<'_>, bundle: &Bundle, mode: Mode) -> Result<(), CmdError> {
    let (machine, cmdline) = identity(ctx)?;
    let board = ctx.machine.board();
    let ram = ctx.free_ram();
    let free = Region::between(ram.start, ram.end.into());
    let plan = Plan::new(ctx.memory, free, bundle, fixup::ROOM + cmdline.len() as u32)?;
    let initrd = plan.initrd.map(|moved| moved.to);
    let mut words = [0; TAG_WORDS];
    let told = match plan.fdt {
        Some(tree) => {
            let (start, len) = board.sdram;
            let bootargs = (!cmdline.is_empty()).then_some(&*cmdline);
            Told::Tree(tree, Fixups { bootargs, initrd, memory: Region::new(start, len) })
        }
        None => {
            let list = list(ctx, &cmdline, initrd, &mut words)?;
            Told::Tags(board.sdram.0.saturating_add(TAGS_OFFSET), list)
        }
    };
    if mode.explain {
        explain(ctx, &plan, machine, &told);
    }
    if mode.dry {
        return Ok(());
    }
    show_moves(ctx, bundle, &plan);
    plan.carry_out(ctx.memory)?;
    let told = write(ctx, &told)?;
    writeln!(ctx.console, "\nStarting kernel ...\n");
    ctx.console.flush();
    ctx.machine.enter_kernel(bundle.kernel.entry, machine, told);
    Ok(())
}

/// Machine number and command line: the one of the environment, or else that of the boot table.
fn identity(ctx: &mut Context<'_>) -> Result<(u32, Cmdline), CmdError> {
    let bootargs = bootargs(ctx)?;
    let record = slots::read_record(ctx.nand).map_err(CmdError::from);
    let table =
        record.as_ref().map_err(|&error| error).and_then(|record| Ok(BootTable::parse(record, crc32)?));
    match (table, bootargs) {
        (Ok(table), Some(text)) => Ok((table.machine, text)),
        (Ok(table), None) => Ok((table.machine, text(table.cmdline)?)),
        (Err(error), bootargs) => {
            let machine = ctx.machine.board().machine;
            if bootargs.is_none() {
                writeln!(ctx.console, "WARNING: {error}. The kernel gets no command line");
            }
            Ok((machine, bootargs.unwrap_or_default()))
        }
    }
}

fn text(text: &str) -> Result<Cmdline, CmdError> {
    Cmdline::from(text).map_err(|_| CmdError::Tags)
}

/// The variable `bootargs`.
fn bootargs(ctx: &Context<'_>) -> Result<Option<Cmdline>, CmdError> {
    ctx.state.env.get("bootargs").map(text).transpose()
}

fn list<'w>(
    ctx: &Context<'_>,
    cmdline: &str,
    initrd: Option<Region>,
    words: &'w mut [u32],
) -> Result<&'w [u32], CmdError> {
    let board = ctx.machine.board();
    let mut packed = [0; CMDLINE_MAX / 4 + 1];
    let cmdline = match cmdline {
        "" => &[],
        text => tags::pack(text, &mut packed).ok_or(CmdError::Tags)?,
    };
    let initrd = initrd.map(|Region { start, len }| (start, len));
    let tags = Tags { memory: board.sdram, revision: board.revision, initrd, cmdline };
    let used = tags.write(words).ok_or(CmdError::Tags)?;
    words.get(..used).ok_or(CmdError::Tags)
}

/// Writes it; returns its address, r2.
fn write(ctx: &mut Context<'_>, told: &Told<'_>) -> Result<u32, CmdError> {
    match told {
        Told::Tags(address, words) => {
            let bytes = ctx.memory.ram_mut(*address, size_of_val(*words) as u32).ok_or(CmdError::Tags)?;
            for (bytes, word) in bytes.chunks_exact_mut(4).zip(*words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            Ok(*address)
        }
        Told::Tree(Move { from, to }, fixups) => {
            let Region { start: address, len } = *to;
            let bytes = ctx.memory.ram_mut(address, len).ok_or(CmdError::NotRam { address, len })?;
            let error = |error| ImageError::Fdt { address: from.start, error };
            fixups.apply(bytes).map_err(error)?;
            Ok(address)
        }
    }
}

fn show_moves(ctx: &mut Context<'_>, bundle: &Bundle, plan: &Plan) {
    let out = &mut ctx.console;
    match bundle.kernel.comp {
        Compression::None if plan.to == bundle.kernel.data => writeln!(out, "   XIP Kernel Image"),
        Compression::None => writeln!(out, "   Loading Kernel Image"),
        _ => writeln!(out, "   Uncompressing Kernel Image"),
    }
    for (name, moved) in [("Ramdisk", plan.initrd), ("Device Tree", plan.fdt)] {
        match moved {
            Some(Move { to, .. }) if moved.is_some_and(|moved| moved.stays()) => {
                writeln!(out, "   Using {name} in place at {:08x}, end {:08x}", to.start, to.end());
            }
            Some(Move { to, .. }) => {
                writeln!(out, "   Loading {name} to {:08x}, end {:08x}", to.start, to.end());
            }
            None => {}
        }
    }
}

fn explain(ctx: &mut Context<'_>, plan: &Plan, machine: u32, told: &Told<'_>) {
    let out = &mut ctx.console;
    write!(out, "{plan}");
    let (r2, what) = match told {
        Told::Tags(address, _) => (*address, "tag list"),
        Told::Tree(tree, _) => (tree.to.start, "device tree"),
    };
    writeln!(out, "   r0 = 00000000\n   r1 = {machine:08x}, machine {machine}\n   r2 = {r2:08x}, {what}");
    match told {
        Told::Tags(address, words) => write!(out, "{}", tags::Shown { address: *address, words }),
        Told::Tree(_, fixups) => write!(out, "{fixups}"),
    }
}
