//! The CPU emulator's side: set-up, hooks, and the loop that delivers what Unicorn does not.

use std::cell::RefCell;
use std::rc::Rc;

use unicorn_engine::{Arch, Mode, Unicorn, uc_error};

use crate::board::{self, Board};
use crate::console::Console;
use crate::cpu::core::Core;
use crate::cpu::exception::Exception;
use crate::cpu::registers::{Registers, RegistersMut, psr};
use crate::error::Error;
use crate::machine::{Machine, Stop};
use crate::observe;
use crate::options::Options;
use crate::part::{self, Chip, Faults, NandImage, Part};
use crate::report::{Outcome, PowerLoss, Report};
use crate::time::NEVER;

/// QEMU's exception numbers that reach the interrupt hook.
const EXCP_SWI: u32 = 2;
const EXCP_PREFETCH_ABORT: u32 = 3;
const EXCP_DATA_ABORT: u32 = 4;
/// Where an emulation would end by itself: no 32-bit program gets there.
const NOWHERE: u64 = 1 << 40;

type Shared<'a> = Rc<RefCell<Machine<'a>>>;
type Cpu<'a> = Unicorn<'a, ()>;

fn failed(what: &'static str) -> impl Fn(uc_error) -> Error {
    move |error| Error::Cpu { what, reason: format!("{error:?}") }
}

/// See [`crate::run()`].
pub fn run(options: &Options, nand: &mut NandImage, console: &mut dyn Console) -> Result<Report, Error> {
    let board =
        board::find(&options.board).ok_or_else(|| Error::UnknownBoard { name: options.board.clone() })?;
    let part = find_part(board, options)?;
    let faults = faults(options);
    // What is wrong is found out before the caller's image is taken.
    Chip::new(part, NandImage::default(), faults.clone()).map_err(Error::Part)?;
    if nand.len() > part.geometry.raw_size() {
        let error = part::PartError::ImageTooLong {
            part: part.name,
            len: nand.len(),
            raw_size: part.geometry.raw_size(),
        };
        return Err(Error::Part(error));
    }
    let mut chip = Chip::new(part, std::mem::take(nand), faults).map_err(Error::Part)?;
    if let Some(cut) = options.cut {
        chip.plan_power_cut(cut);
    }
    let machine = Rc::new(RefCell::new(Machine::new(board, options, chip, console)));
    let outcome = emulate(&machine);
    let machine = Rc::into_inner(machine).expect("the CPU and its hooks are gone").into_inner();
    finish(machine, part, options, outcome, nand)
}

fn faults(options: &Options) -> Faults {
    Faults {
        bad_blocks: options.bad_blocks.clone(),
        flips: options.flips.clone(),
        fail_programs: options.fail_programs.clone(),
        fail_erases: options.fail_erases.clone(),
        endurance: options.endurance,
        seed: options.seed,
    }
}

fn find_part(board: &'static Board, options: &Options) -> Result<&'static Part, Error> {
    let name = options.part.as_deref().unwrap_or(board.parts[0]);
    let fitted = board.parts.iter().find(|part| part.eq_ignore_ascii_case(name));
    fitted.and_then(|part| part::find(part)).ok_or_else(|| Error::UnknownPart {
        board: board.name,
        name: name.to_owned(),
        known: board.parts,
    })
}

fn emulate(machine: &Shared<'_>) -> Result<Outcome, Error> {
    let mut cpu = Unicorn::new(Arch::ARM, Mode::ARM).map_err(failed("start"))?;
    let core = machine.borrow().soc.core();
    cpu.ctl_set_cpu_model(core.model as i32).map_err(failed("choose the core"))?;
    map(&mut cpu, machine)?;
    hook(&mut cpu, machine)?;
    reset_core(&mut cpu, core);
    run_loop(&mut cpu, machine)
}

/// RAM where RAM is; everything else goes to [`Machine::device`].
fn map<'a>(cpu: &mut Cpu<'a>, machine: &Shared<'a>) -> Result<(), Error> {
    let machine_now = machine.borrow();
    let memories = &machine_now.hierarchy.memories;
    let aliases = memories.aliases().map(|(at, offset, len)| (at, &memories.sram, offset, len));
    let own = [&memories.sram, &memories.sdram].map(|ram| (ram.base(), ram, 0, ram.len()));
    let mut places: Vec<_> = aliases.chain(own).collect();
    places.sort_by_key(|&(at, ..)| at);
    let mut free: u64 = 0;
    for (at, ram, offset, len) in places {
        map_devices(cpu, machine, free, at.into())?;
        ram.map(cpu, at, offset, len).map_err(failed("map RAM"))?;
        free = u64::from(at) + u64::from(len);
    }
    map_devices(cpu, machine, free, 1 << 32)
}

fn map_devices<'a>(cpu: &mut Cpu<'a>, machine: &Shared<'a>, start: u64, end: u64) -> Result<(), Error> {
    if start == end {
        return Ok(());
    }
    let (reader, writer) = (Rc::clone(machine), Rc::clone(machine));
    let read = move |_: &mut Unicorn<'_, ()>, offset: u64, size: usize| {
        u64::from(reader.borrow_mut().device((start + offset) as u32, size as u8, None))
    };
    let write = move |_: &mut Unicorn<'_, ()>, offset: u64, size: usize, value: u64| {
        writer.borrow_mut().device((start + offset) as u32, size as u8, Some(value as u32));
    };
    cpu.mmio_map(start, end - start, Some(read), Some(write)).map_err(failed("map registers"))
}

fn hook<'a>(cpu: &mut Cpu<'a>, machine: &Shared<'a>) -> Result<(), Error> {
    let stepped = Rc::clone(machine);
    let step = move |cpu: &mut Unicorn<'_, ()>, address: u64, size: u32| {
        let mut machine = stepped.borrow_mut();
        if let Some(stop) = machine.step(address as u32, size, cpu) {
            machine.set_stop(stop);
            stop_emulator(cpu);
        }
    };
    // An empty range (begin above end) means everywhere.
    cpu.add_code_hook(1, 0, step).map_err(failed("watch instructions"))?;
    let interrupted = Rc::clone(machine);
    let interrupt = move |cpu: &mut Unicorn<'_, ()>, number: u32| {
        let mut machine = interrupted.borrow_mut();
        let exception = match number {
            EXCP_SWI => Exception::Software,
            EXCP_PREFETCH_ABORT => Exception::PrefetchAbort,
            EXCP_DATA_ABORT => machine.data_abort(cpu.cpsr()),
            _ => Exception::Undefined,
        };
        machine.set_stop(Stop::Exception(exception));
        stop_emulator(cpu);
    };
    cpu.add_intr_hook(interrupt).map_err(failed("watch exceptions"))?;
    Ok(())
}

fn stop_emulator(cpu: &mut Unicorn<'_, ()>) {
    cpu.emu_stop().expect("a running emulator can be stopped");
}

/// The core as a reset leaves it: supervisor mode, interrupts masked, MMU and caches off.
fn reset_core(cpu: &mut Cpu<'_>, core: &Core) {
    cpu.set_cp15(0, 0, 0, core.main_id);
    cpu.set_cp15(1, 0, 0, core.control_reset);
    cpu.set_cpsr(psr::SVC | psr::I | psr::F);
}

fn run_loop(cpu: &mut Cpu<'_>, machine: &Shared<'_>) -> Result<Outcome, Error> {
    let mut begin = 0;
    loop {
        let thumb = u64::from(cpu.cpsr() & psr::T != 0);
        let result = cpu.emu_start(u64::from(begin) | thumb, NOWHERE, 0, 0);
        let pc = cpu.get(15);
        let mut machine = machine.borrow_mut();
        let stop = match (machine.take_stop(), result) {
            (Some(stop), _) => stop,
            (None, Err(uc_error::INSN_INVALID)) => Stop::Exception(Exception::Undefined),
            (None, Err(uc_error::FETCH_UNMAPPED | uc_error::FETCH_PROT)) => {
                Stop::Exception(Exception::PrefetchAbort)
            }
            (None, other) => {
                let reason = format!("{other:?} at {pc:#010x}");
                return Err(Error::Cpu { what: "run", reason });
            }
        };
        begin = match stop {
            Stop::End(outcome) => return Ok(outcome),
            Stop::Exception(exception) => {
                let vector = exception.enter(pc, cpu);
                machine.note_exception(exception, pc, vector);
                vector
            }
            Stop::Emulate { register, value } => {
                cpu.set(register, value);
                skip(pc, &mut machine)
            }
            Stop::Flags(flags) => {
                cpu.set_cpsr(cpu.cpsr() & !psr::FLAGS | flags);
                skip(pc, &mut machine)
            }
            Stop::Skip => skip(pc, &mut machine),
            Stop::Reset => {
                machine.reset();
                cpu.ctl_flush_tb().and_then(|()| cpu.ctl_flush_tlb()).map_err(failed("reset"))?;
                reset_core(cpu, machine.soc.core());
                0
            }
        };
    }
}

/// Goes on behind the ARM instruction at `pc`.
fn skip(pc: u32, machine: &mut Machine<'_>) -> u32 {
    let next = pc.wrapping_add(4);
    machine.continue_at(next);
    next
}

fn finish(
    mut machine: Machine<'_>,
    part: &'static Part,
    options: &Options,
    outcome: Result<Outcome, Error>,
    nand: &mut NandImage,
) -> Result<Report, Error> {
    let cut = matches!(outcome, Ok(Outcome::Powercut));
    if !cut {
        machine.finish();
    }
    let report = outcome.map(|outcome| report(&mut machine, part, options, outcome));
    let chip = machine.soc.into_chip();
    let off = chip.power_off_at();
    *nand = if cut { chip.cut_power(off) } else { chip.into_image() };
    report
}

fn report(machine: &mut Machine<'_>, part: &'static Part, options: &Options, outcome: Outcome) -> Report {
    let entered = machine.marks.entry.unwrap_or(NEVER);
    let log = machine.soc.chip().log();
    let spans = machine.loaded.iter().filter_map(|slot| observe::span(&log.reads, slot, entered));
    // Of two slots with the same kernel it is the one read last that was booted.
    let kernel = spans.max_by_key(|span| span.end);
    let boot_rom_end = machine.marks.boot_rom.unwrap_or(0);
    let oob = part.geometry.page_total() - part.geometry.page;
    let mean = |from, to| machine.recorder.summary(log, observe::between(&log.reads, from, to), oob);
    let pages = kernel.and_then(|span| mean(span.start, span.end));
    let pages_past_kernel = mean(entered, NEVER);
    let trace = machine.recorder.trace(machine.time, log);
    let chip = machine.soc.chip();
    let (outcome, end) = match (outcome, machine.marks.entry) {
        (Outcome::Powercut, _) => (outcome, chip.power_off_at()),
        // Once the kernel runs, the loader has done its work: how the run ends is the kernel's affair.
        (_, Some(entered)) => (Outcome::Kernel, entered),
        (_, None) => (outcome, machine.time),
    };
    Report {
        board: options.board.clone(),
        part: part.name.to_owned(),
        outcome,
        time_ns: end / 1000,
        entry: machine.entry,
        kernel_crc_ok: !machine.loaded.is_empty(),
        nand: observe::counters(log, machine.soc.ecc_layout(), machine.soc.nand_bus_time(), boot_rom_end),
        kernel_read: kernel
            .zip(machine.byte_cycles)
            .map(|(span, cycles)| observe::kernel_read(span, part, machine.soc.ecc_layout(), cycles)),
        pages,
        pages_past_kernel,
        phases: observe::phases(&machine.marks, kernel, end),
        power_loss: (outcome == Outcome::Powercut).then(|| power_loss(chip)),
        violations: machine.violations.list().to_vec(),
        violations_total: machine.violations.total(),
        after_entry: machine.after_entry.list().to_vec(),
        uart: String::from_utf8_lossy(&machine.output).into_owned(),
        instructions: machine.instructions,
        resets: machine.resets,
        notes: machine.notes(),
        trace,
    }
}

fn power_loss(chip: &Chip) -> PowerLoss {
    let torn = chip.torn_at(chip.power_off_at());
    PowerLoss {
        operations: chip.operations(),
        torn: torn.map(|(torn, _)| torn),
        progress: torn.map(|(_, progress)| progress),
    }
}
