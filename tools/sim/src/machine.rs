//! The board in motion: what happens before each instruction and at each access to a register.

use std::collections::BTreeSet;

use crate::board::Board;
use crate::bus::{Access, ByteCycles, Clocks, Peripheral, Ps, Violations};
use crate::console::Console;
use crate::cpu::Registers;
use crate::cpu::condition;
use crate::cpu::cp15::Operation;
use crate::cpu::decode::{Cp15, Data, Decoder, Instruction, Late};
use crate::cpu::exception::Exception;
use crate::cpu::mmu::{Control, Fault, Wanted, control};
use crate::cpu::registers::psr;
use crate::hierarchy::{Hierarchy, Memories};
use crate::kernel;
use crate::membus::BusTiming;
use crate::model;
use crate::observe::Marks;
use crate::options::Options;
use crate::part::Chip;
use crate::report::{Entry, Outcome};
use crate::soc::storage::Storage;
use crate::soc::{Role, Soc};
use crate::time::{NEVER, US};
use crate::trace::{NandAccess, Recorder};

/// How often the terminal is asked whether to stop.
const POLL: Ps = 250 * US;
/// How much of the output is searched for the pattern that ends the run.
const SEARCHED: usize = 4096;
/// Torn pages that are named in the note that they were read.
const TORN_SHOWN: usize = 8;

/// Why the emulator has to leave the guest alone for a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An exception is to be taken.
    Exception(Exception),
    /// An instruction is done for the emulator: this register gets this value.
    Emulate {
        /// Register.
        register: u8,
        /// Value.
        value: u32,
    },
    /// An MRC to register 15 is done for the emulator: the flags get these values.
    Flags(u32),
    /// An instruction is done without the emulator.
    Skip,
    /// The board is reset.
    Reset,
    /// The run is over.
    End(Outcome),
}

/// A data access that has begun, for the abort it may end with.
#[derive(Clone, Copy, Debug, Default)]
struct InFlight {
    address: u32,
    bytes: u32,
    width: u32,
    write: bool,
    user: bool,
}

/// A loop that asks the empty receiver over and over.
#[derive(Clone, Copy, Debug, Default)]
struct Polling {
    pc: u32,
    last: Ps,
    period: Ps,
    turns: u32,
    /// It has looked at the time since.
    timed: bool,
}

/// The board in motion.
pub struct Machine<'a> {
    board: &'static Board,
    options: &'a Options,
    console: &'a mut dyn Console,
    /// The SoC.
    pub soc: Box<dyn Soc>,
    /// Caches and memory.
    pub hierarchy: Hierarchy,
    external: Vec<Storage>,
    /// Modelled time since power-on.
    pub time: Ps,
    clocks: Clocks,
    pc: u32,
    next_pc: u32,
    refill: u32,
    late: Option<Late>,
    decoder: Decoder,
    thumb: bool,
    control_stale: bool,
    interrupt: bool,
    idle: bool,
    sdram_unchecked: bool,
    in_flight: InFlight,
    /// The last access to a register: the number of its instruction, and its address.
    device_access: (u64, u32),
    next_event: Ps,
    next_poll: Ps,
    keep_power_until: Ps,
    activity: Ps,
    polling: Polling,
    stuck_since: Option<Ps>,
    vector_exceptions: u32,
    stop: Option<Stop>,
    /// Up to the kernel's first instruction.
    pub violations: Violations,
    /// From there on.
    pub after_entry: Violations,
    /// Events of the boot.
    pub marks: Marks,
    /// Where the time of page reads goes.
    pub recorder: Recorder,
    /// Registers at the kernel's first instruction.
    pub entry: Option<Entry>,
    /// Kernels of the NAND image that were in memory then, as their headers promise.
    pub loaded: Vec<kernel::Slot>,
    /// The NAND bus as it was set up then.
    pub byte_cycles: Option<ByteCycles>,
    /// What the guest has sent.
    pub output: Vec<u8>,
    searched: usize,
    /// Instructions run.
    pub instructions: u64,
    /// Watchdog resets.
    pub resets: u32,
    notes: BTreeSet<String>,
}

impl<'a> Machine<'a> {
    /// A board at power-on.
    pub fn new(
        board: &'static Board,
        options: &'a Options,
        chip: Chip,
        console: &'a mut dyn Console,
    ) -> Self {
        let soc = board.soc.power_on(chip, options.nand_access_hclk);
        let (core, clocks) = (soc.core(), soc.clocks());
        let memories = Memories::new(soc.sram(), soc.sdram(), options.seed).with_windows(soc.sram_windows());
        let timing = BusTiming { hclk: clocks.hclk, asynchronous: false, sdram: soc.sdram_timing() };
        let mut machine = Self {
            board,
            options,
            console,
            soc,
            hierarchy: Hierarchy::new(core, memories, timing, options.seed),
            external: board.external.iter().map(|external| Storage::new(external.name)).collect(),
            time: 0,
            clocks,
            pc: 0,
            next_pc: 0,
            refill: 0,
            late: None,
            decoder: Decoder::new(core.cycles),
            thumb: false,
            control_stale: true,
            interrupt: false,
            idle: false,
            sdram_unchecked: true,
            in_flight: InFlight::default(),
            device_access: (0, 0),
            next_event: 0,
            next_poll: 0,
            keep_power_until: board.keep_power.as_ref().map_or(NEVER, |keep| keep.within),
            activity: 0,
            polling: Polling::default(),
            stuck_since: None,
            vector_exceptions: 0,
            stop: None,
            violations: Violations::default(),
            after_entry: Violations::default(),
            marks: Marks::default(),
            recorder: Recorder::with_events(options.trace),
            entry: None,
            loaded: Vec::new(),
            byte_cycles: None,
            output: Vec::new(),
            searched: 0,
            instructions: 0,
            resets: 0,
            notes: BTreeSet::new(),
        };
        machine.clocks_changed();
        machine.boot_rom();
        machine
    }

    /// Where the model is lenient or had to assume something.
    pub fn notes(&self) -> Vec<String> {
        let lenient =
            self.soc.lenient().into_iter().map(|name| format!("{name} is modelled as plain storage"));
        let external = self.external.iter().filter(|block| block.touched());
        let external = external.map(|block| format!("{} is modelled as plain storage", block.name));
        self.notes.iter().cloned().chain(lenient).chain(external).chain(self.torn_reads()).collect()
    }

    /// Reading what is left of an operation that ended too early is how one finds out.
    fn torn_reads(&self) -> Option<String> {
        let pages = &self.soc.chip().log().torn_reads;
        let shown: Vec<_> = pages.iter().take(TORN_SHOWN).map(u32::to_string).collect();
        let more = if pages.len() > TORN_SHOWN { " ..." } else { "" };
        (!pages.is_empty()).then(|| {
            let (count, shown) = (pages.len(), shown.join(", "));
            format!(
                "torn pages were read, whose last program or erase ended too early: {count} ({shown}{more})"
            )
        })
    }

    /// What the SoC copies to its SRAM before the core runs.
    fn boot_rom(&mut self) {
        for step in 0.. {
            let bus = self.soc.nand_bus_time();
            let Some(copied) = self.soc.boot(step, self.time, &mut self.violations) else { break };
            self.time = copied.end;
            let bus = self.soc.nand_bus_time() - bus;
            self.recorder.boot_page(bus, copied.end, self.soc.chip());
            let memories = &self.hierarchy.memories;
            let to = memories.home(copied.to);
            assert!(memories.sram.write(to, &copied.data), "the copy fits the SRAM");
        }
        self.marks.boot_rom.get_or_insert(self.time);
    }

    /// A reset by the watchdog, up to the core's first instruction.
    pub fn reset(&mut self) {
        self.resets += 1;
        self.soc.reset(self.time);
        self.hierarchy.reset();
        self.clocks_changed();
        self.sdram_unchecked = true;
        self.control_stale = true;
        (self.refill, self.late, self.idle, self.interrupt) = (0, None, false, false);
        (self.next_pc, self.stuck_since, self.vector_exceptions) = (0, None, 0);
        self.keep_power_until = self.board.keep_power.as_ref().map_or(NEVER, |keep| self.time + keep.within);
        self.boot_rom();
        self.next_event = self.time;
    }

    /// Takes the reason for a stop out.
    pub fn take_stop(&mut self) -> Option<Stop> {
        self.stop.take()
    }

    /// Leaves a reason for a stop.
    pub fn set_stop(&mut self, stop: Stop) {
        self.stop.get_or_insert(stop);
    }

    fn report(&mut self, kind: &'static str, detail: impl Into<String>) {
        let (time, pc) = (self.time, self.pc);
        self.list().report(time, pc, kind, detail);
    }

    fn list(&mut self) -> &mut Violations {
        if self.entry.is_some() { &mut self.after_entry } else { &mut self.violations }
    }

    fn report_findings(&mut self) {
        if self.hierarchy.has_findings() {
            for (kind, detail) in self.hierarchy.take_findings() {
                self.report(kind, detail);
            }
        }
    }

    fn spend(&mut self, cycles: u32) {
        self.time += u64::from(cycles) * self.hierarchy.core;
    }

    // ---- Before each instruction ------------------------------------------------------------------

    /// An instruction of `size` bytes at `pc` is about to run.
    pub fn step(&mut self, pc: u32, size: u32, core: &impl Registers) -> Option<Stop> {
        let jumped = pc != self.next_pc;
        if jumped {
            let refill = std::mem::take(&mut self.refill);
            self.spend(refill);
        }
        if let Some(stop) = self.between_instructions(core) {
            return Some(stop);
        }
        if self.control_stale {
            self.refresh_control(core);
        }
        let (from, repeated) = (self.pc, jumped && pc == self.pc);
        self.pc = pc;
        if repeated {
            if let Some(stop) = self.check_stuck(core) {
                return Some(stop);
            }
        } else {
            self.stuck_since = None;
        }
        if jumped {
            // Only a jump changes between ARM and Thumb state.
            self.thumb = size == 2 || core.cpsr() & psr::T != 0;
            if self.entry.is_none() && from.abs_diff(pc) >= model::ENTRY_DISTANCE {
                self.check_entry(core);
                if self.entry.is_some() && self.options.stop_at_kernel {
                    return Some(Stop::End(Outcome::Kernel));
                }
            }
        }
        self.next_pc = pc.wrapping_add(size);
        self.execute(pc, size, core)
    }

    /// Events that are due, and interrupts.
    fn between_instructions(&mut self, core: &impl Registers) -> Option<Stop> {
        if self.time >= self.next_event {
            self.events();
        }
        if self.idle {
            self.wait_for_interrupt();
        }
        if self.stop.is_some() {
            return self.stop.take();
        }
        if self.interrupt {
            let cpsr = core.cpsr();
            if self.soc.fiq() && cpsr & psr::F == 0 {
                return Some(Stop::Exception(Exception::Fiq));
            }
            if self.soc.irq() && cpsr & psr::I == 0 {
                return Some(Stop::Exception(Exception::Irq));
            }
        }
        None
    }

    fn refresh_control(&mut self, core: &impl Registers) {
        self.control_stale = false;
        self.hierarchy.set_control(Control::of(core));
        self.set_core_clock();
    }

    /// In fast bus mode the core runs at HCLK.
    fn set_core_clock(&mut self) {
        let has_modes = self.soc.core().has_bus_modes;
        let fast_bus = has_modes && self.hierarchy.control.control & control::CLOCKING == 0;
        let core = if fast_bus { self.clocks.hclk } else { self.clocks.fclk };
        if fast_bus && self.clocks.fclk != self.clocks.hclk && self.marks.clocks.is_some() {
            self.notes.insert("the core ran at HCLK for a while: HDIVN was set in fast bus mode".to_owned());
        }
        self.hierarchy.core = core;
        self.hierarchy.timing.asynchronous = core != self.clocks.hclk;
    }

    fn execute(&mut self, pc: u32, size: u32, core: &impl Registers) -> Option<Stop> {
        self.instructions += 1;
        let (physical, cost) = match self.hierarchy.fetch(self.time, pc) {
            Ok(fetched) => fetched,
            Err(_) => return Some(Stop::Exception(Exception::PrefetchAbort)),
        };
        self.time += cost;
        let word = self.hierarchy.memories.word(physical).unwrap_or(0);
        let instruction = match self.thumb {
            true => self.decoder.thumb((word >> (8 * (physical & 2))) as u16, size),
            false => self.decoder.arm(word),
        };
        self.interlock(&instruction);
        self.refill = instruction.refill;
        let has_effects =
            instruction.data.is_some() || instruction.cp15.is_some() || instruction.multiplier.is_some();
        if has_effects
            && instruction.condition < condition::ALWAYS
            && !condition::holds(instruction.condition, core.cpsr())
        {
            self.spend(model::CYCLES_PLAIN);
            self.late = None;
            self.after_memory();
            return None;
        }
        self.spend(instruction.cycles);
        self.late = instruction.late.or(self.late);
        let stop = self.effects(pc, &instruction, core);
        self.after_memory();
        stop
    }

    /// Waits for a register that the instruction before loads.
    fn interlock(&mut self, instruction: &Instruction) {
        if let Some(late) = self.late.take() {
            if instruction.sources & late.register != 0 {
                self.spend(late.wait);
            } else if late.wait > 1 {
                self.late = Some(Late { wait: late.wait - 1, ..late });
            }
        }
    }

    fn after_memory(&mut self) {
        if self.sdram_unchecked && self.hierarchy.sdram_used {
            self.check_sdram();
        }
        self.report_findings();
    }

    fn effects(&mut self, pc: u32, instruction: &Instruction, core: &impl Registers) -> Option<Stop> {
        if let Some(data) = instruction.data {
            return self.data(pc, data, core);
        }
        if let Some(multiplier) = instruction.multiplier {
            self.spend(multiplier.iterations(core.get(multiplier.register)));
        }
        instruction.cp15.and_then(|transfer| self.cp15(transfer, core))
    }

    fn data(&mut self, pc: u32, data: Data, core: &impl Registers) -> Option<Stop> {
        let address = data.address(pc, core);
        let (width, bytes) = (u32::from(data.width), u32::from(data.width) * u32::from(data.count));
        self.in_flight = InFlight { address, bytes, width, write: data.write, user: data.user };
        let align = u32::from(data.align);
        if !address.is_multiple_of(align) {
            self.report("unaligned", format!("{align}-byte access to {address:#010x}"));
            if self.hierarchy.control.has(control::A) {
                // The emulator would not: it rotates what it loads.
                return Some(Stop::Exception(self.data_abort(core.cpsr())));
            }
        }
        let wanted = Wanted { write: data.write, user: data.user };
        // An abort is the emulator's to find: it will ask what it was.
        let moved = self.hierarchy.data(self.time, address & !(width - 1), bytes, wanted, data.read).ok()?;
        self.time += moved.cost;
        let outside = moved.outside?;
        if self.has_device(outside) {
            return None;
        }
        self.unmapped(outside)
    }

    fn has_device(&self, physical: u32) -> bool {
        self.soc.role(physical).is_some() || self.external_at(physical).is_some()
    }

    fn external_at(&self, physical: u32) -> Option<usize> {
        self.board.external.iter().position(|external| physical.wrapping_sub(external.base) < external.len)
    }

    /// The loader must not touch what is not there. A kernel probes, and reads zero.
    fn unmapped(&mut self, physical: u32) -> Option<Stop> {
        self.report("unmapped", format!("access to {physical:#010x}, where nothing is"));
        let abort = Exception::DataAbort { address: self.in_flight.address, fault: Fault::EXTERNAL };
        self.entry.is_none().then_some(Stop::Exception(abort))
    }

    fn cp15(&mut self, transfer: Cp15, core: &impl Registers) -> Option<Stop> {
        if transfer.read {
            return self.cp15_read(transfer);
        }
        let soc_core = self.soc.core();
        if !soc_core.has_operation(transfer) {
            let Cp15 { crn, crm, opcode2, .. } = transfer;
            let name = soc_core.name;
            self.report("cp15", format!("the {name} has no operation c{crn}, c{crm}, {opcode2}"));
        }
        let operation = (soc_core.operation)(transfer);
        match operation {
            Operation::Control => self.control_stale = true,
            Operation::WaitForInterrupt => {
                self.idle = true;
                return Some(Stop::Skip);
            }
            Operation::LockDown => {
                self.notes.insert("cache lock-down is not modelled".to_owned());
            }
            _ => self.time += self.hierarchy.operate(self.time, operation, core.get(transfer.register)),
        }
        None
    }

    fn cp15_read(&mut self, transfer: Cp15) -> Option<Stop> {
        let core = self.soc.core();
        if (transfer.crn, transfer.crm, transfer.opcode2) == (0, 0, 1) {
            return Some(Stop::Emulate { register: transfer.register, value: core.cache_type });
        }
        let Operation::TestAndClean { invalidate } = (core.operation)(transfer) else { return None };
        let (dirty, cost) = self.hierarchy.test_and_clean(self.time, invalidate);
        self.time += cost;
        // Z says that nothing was dirty.
        let flags = if dirty { 0 } else { psr::Z };
        Some(match transfer.register {
            15 => Stop::Flags(flags),
            register => Stop::Emulate { register, value: flags },
        })
    }

    // ---- Exceptions -----------------------------------------------------------------------------------

    /// The abort that the data access under way ends with.
    pub fn data_abort(&mut self, cpsr: u32) -> Exception {
        let InFlight { address, bytes, width, write, user } = self.in_flight;
        if self.hierarchy.control.has(control::A) && !address.is_multiple_of(width.max(1)) {
            return Exception::DataAbort { address, fault: Fault::ALIGNMENT };
        }
        let wanted = Wanted { write, user: user || cpsr & psr::MODE == psr::USER };
        let mut at = address;
        while at.wrapping_sub(address) < bytes {
            if let Err(fault) = self.hierarchy.place(self.time, at, wanted) {
                return Exception::DataAbort { address: at, fault };
            }
            at = at.wrapping_add(4);
        }
        Exception::DataAbort { address, fault: Fault::EXTERNAL }
    }

    /// An exception is taken at `pc`; the core goes on at `vector`.
    pub fn note_exception(&mut self, exception: Exception, pc: u32, vector: u32) {
        self.pc = pc;
        // A kernel lives on page faults.
        if exception.is_fault() && self.entry.is_none() {
            self.report("exception", exception.describe());
        }
        let in_vectors = pc & !0x1c == vector & !0x1c;
        self.vector_exceptions =
            if in_vectors && exception.is_fault() { self.vector_exceptions + 1 } else { 0 };
        if self.vector_exceptions >= model::STUCK_EXCEPTIONS {
            self.set_stop(Stop::End(Outcome::Fault));
        }
        self.spend(model::CYCLES_EXCEPTION);
        (self.next_pc, self.thumb, self.late) = (vector, false, None);
    }

    /// The emulator's registers have been set up for a jump of ours.
    pub fn continue_at(&mut self, pc: u32) {
        self.next_pc = pc;
    }

    // ---- Time passes ------------------------------------------------------------------------------------

    fn events(&mut self) {
        self.soc.tick(self.time);
        if self.time >= self.soc.chip().power_off_at() {
            self.set_stop(Stop::End(Outcome::Powercut));
        }
        self.serve_console();
        if self.time >= self.keep_power_until {
            self.keep_power_until = NEVER;
            if let Some(keep) = &self.board.keep_power {
                let limit = keep.within / (1000 * US);
                self.report("keep-power", format!("{} is not high {limit} ms after the reset", keep.name));
            }
        }
        if self.time >= self.next_poll {
            self.next_poll = self.time + POLL;
            if self.console.stop() {
                self.set_stop(Stop::End(Outcome::Console));
            }
        }
        if self.soc.take_reset_request() {
            let stop = if self.resets < model::RESETS_MAX { Stop::Reset } else { Stop::End(Outcome::Fault) };
            self.set_stop(stop);
        }
        if self.time >= self.max_time() {
            self.set_stop(Stop::End(Outcome::Timeout));
        }
        self.plan();
    }

    fn max_time(&self) -> Ps {
        self.options.max_time_ns.saturating_mul(1000)
    }

    /// Looks up when something happens by itself next, and whether an interrupt line is active.
    fn plan(&mut self) {
        let fixed = self.next_poll.min(self.keep_power_until).min(self.max_time());
        let power_off = self.soc.chip().power_off_at();
        self.next_event = self.soc.next_event(self.time).min(fixed).min(power_off);
        self.interrupt = self.soc.irq() || self.soc.fiq();
    }

    /// Skips the time until an interrupt, masked in the core or not, or until the run ends.
    fn wait_for_interrupt(&mut self) {
        let asleep = self.time;
        while !self.interrupt && self.stop.is_none() {
            self.time = self.time.max(self.next_event);
            self.events();
        }
        self.recorder.slept(asleep, self.time);
        self.idle = false;
    }

    /// An instruction has jumped to itself: only an interrupt or the watchdog can end that.
    fn check_stuck(&mut self, core: &impl Registers) -> Option<Stop> {
        let since = *self.stuck_since.get_or_insert(self.time);
        let masked = psr::I | psr::F;
        let hopeless = core.cpsr() & masked == masked && !self.soc.will_reset();
        if hopeless && self.time - since > model::STUCK_AFTER {
            return Some(Stop::End(Outcome::Fault));
        }
        self.time = self.time.max(self.next_event);
        None
    }

    fn serve_console(&mut self) {
        let time = self.time;
        let sent = self.soc.console().take_sent();
        if !sent.is_empty() {
            self.said(&sent);
        }
        let line = self.soc.console();
        line.set_waits(self.console.waits());
        if line.wants_byte(time) {
            let byte = self.console.input();
            self.soc.console().offer(time, byte);
            if byte.is_some() && self.console.garbled() {
                self.soc.console().garble();
            }
        }
        for _ in 0..self.soc.console().take_lost() {
            self.report("uart-overrun", "a received byte is lost: the receiver is full");
        }
    }

    fn said(&mut self, bytes: &[u8]) {
        self.activity = self.time;
        self.recorder.said(self.time, bytes);
        self.console.output(bytes);
        self.output.extend_from_slice(bytes);
        if let Some(until) = &self.options.until {
            let from = self.searched.max(self.output.len().saturating_sub(SEARCHED));
            if until.is_match(&self.output[from..]) {
                self.set_stop(Stop::End(Outcome::Console));
            }
        }
    }

    /// The run is over: what is still in the transmitter counts as said.
    pub fn finish(&mut self) {
        let rest = self.soc.console().flush();
        if !rest.is_empty() {
            self.said(&rest);
        }
    }

    // ---- Registers ------------------------------------------------------------------------------------------

    /// An access to a physical address outside RAM.
    pub fn device(&mut self, address: u32, width: u8, value: Option<u32>) -> u32 {
        if let Some(index) = self.external_at(address) {
            return self.external_access(index, address, width, value);
        }
        let Some(role) = self.soc.role(address) else {
            // Reported before the instruction ran; here only a kernel's accesses arrive.
            return 0;
        };
        if matches!(role, Role::Uart { .. }) {
            self.soc.tick(self.time);
            self.serve_console();
        }
        if matches!(role, Role::Nand | Role::Uart { data: true }) {
            self.activity = self.time;
        }
        let started = self.time;
        let now = started + self.hierarchy.bus.drain(started) + self.address_time(address);
        let (pc, clocks) = (self.pc, self.clocks);
        let violations = if self.entry.is_some() { &mut self.after_entry } else { &mut self.violations };
        let mut access = Access { now, pc, clocks, hold: 0, violations };
        let result = self.soc.access(address, width, value, &mut access);
        let end = now + access.hold;
        if role == Role::Nand {
            let (instructions, core) = (self.instructions, self.hierarchy.core);
            let access = NandAccess { pc, instructions, start: started, now, end, core };
            self.recorder.access(access, self.soc.chip());
        }
        // The instruction's own cycle is the one the access takes place in.
        self.time = end.saturating_sub(self.hierarchy.core).max(started);
        self.hierarchy.bus.hold(end);
        self.hierarchy.bus.hold_sdram(self.soc.sdram_bus_free());
        if result.is_none() {
            self.report("unmapped", format!("access to {address:#010x}, where no register is"));
        }
        self.after_device(role, value.is_some());
        result.unwrap_or(0)
    }

    /// Of an LDM or STM, only the first word has the whole way to go.
    fn address_time(&mut self, address: u32) -> Ps {
        let behind = self.device_access == (self.instructions, address.wrapping_sub(4));
        self.device_access = (self.instructions, address);
        if behind { self.soc.next_address_time(address) } else { self.soc.address_time(address) }
    }

    fn external_access(&mut self, index: usize, address: u32, width: u8, value: Option<u32>) -> u32 {
        let (now, pc, clocks) = (self.time, self.pc, self.clocks);
        let violations = if self.entry.is_some() { &mut self.after_entry } else { &mut self.violations };
        let mut access = Access { now, pc, clocks, hold: 0, violations };
        let offset = address - self.board.external[index].base;
        match value {
            None => self.external[index].read(offset, width, &mut access),
            Some(value) => {
                self.external[index].write(offset, width, value, &mut access);
                0
            }
        }
    }

    fn after_device(&mut self, role: Role, written: bool) {
        if matches!(role, Role::Uart { .. }) {
            self.serve_console();
            self.check_console_idle();
        } else if role == Role::Time && !written {
            self.polling.timed = true;
        } else {
            self.polling = Polling::default();
        }
        match role {
            Role::Clock if written => {
                self.clocks_changed();
                self.idle = self.soc.is_idle();
            }
            Role::Sdram if written => self.sdram_changed(),
            Role::Pins if written && self.soc.keeps_power() => self.keep_power_until = NEVER,
            _ => {}
        }
        self.plan();
    }

    fn clocks_changed(&mut self) {
        self.clocks = self.soc.clocks();
        self.hierarchy.timing.hclk = self.clocks.hclk;
        self.hierarchy.timing.sdram = self.soc.sdram_timing();
        if self.soc.uses_pll() {
            self.marks.clocks.get_or_insert(self.time);
        }
        self.set_core_clock();
        self.sdram_unchecked = true;
        self.hierarchy.sdram_used = false;
    }

    fn sdram_changed(&mut self) {
        self.hierarchy.timing.sdram = self.soc.sdram_timing();
        if let Some(since) = self.soc.sdram_ready_since() {
            self.marks.sdram.get_or_insert(since);
        }
        self.sdram_unchecked = true;
        self.hierarchy.sdram_used = false;
    }

    /// SDRAM is used for the first time since something changed that it depends on.
    fn check_sdram(&mut self) {
        for (kind, detail) in self.soc.use_sdram(self.time, self.in_flight.write) {
            self.report(kind, detail);
        }
        self.sdram_unchecked = self.soc.counts_sdram_accesses();
        self.hierarchy.sdram_used = false;
    }

    fn check_console_idle(&mut self) {
        if !self.soc.console().take_polled_empty() {
            self.polling = Polling::default();
            return;
        }
        if self.time - self.polling.last > model::POLLING_GAP || self.polling.timed {
            // It was busy with something else until now, has just been reset, or waits for a time to pass.
            self.activity = self.time;
        }
        self.skip_polling();
        let Some(idle) = self.options.idle_ns.filter(|_| self.entry.is_none()) else { return };
        if self.time - self.activity > idle.saturating_mul(1000) {
            self.set_stop(Stop::End(Outcome::Console));
        }
    }

    /// A loop that has done nothing but ask the empty receiver many times, no turn taking twice as
    /// long as another (some wait for an SDRAM refresh), will go on so until the next event: whole
    /// turns up to there are skipped.
    fn skip_polling(&mut self) {
        let Polling { pc, last, period, turns, timed } = self.polling;
        let elapsed = self.time - last;
        let same = pc == self.pc && elapsed < 2 * period;
        self.polling = Polling {
            pc: self.pc,
            last: self.time,
            period: if same { period.min(elapsed) } else { elapsed },
            turns: if same { turns + 1 } else { 0 },
            timed: false,
        };
        let turns = if timed { model::POLLING_TURNS_TIMED } else { model::POLLING_TURNS };
        if self.polling.turns > turns {
            let turns = self.next_event.saturating_sub(self.time) / elapsed.max(1);
            let skipped = turns.saturating_sub(1) * elapsed;
            self.time += skipped;
            self.hierarchy.bus.skip(skipped);
            self.polling.last = self.time;
            self.console.idle(skipped / 1000);
        }
    }

    // ---- The kernel ----------------------------------------------------------------------------------------------

    fn check_entry(&mut self, core: &impl Registers) {
        let Some(entry) = kernel::entry(self.pc, self.board.machine, core, &self.hierarchy.memories) else {
            return;
        };
        for breach in kernel::contract_breaches(&entry, core, &self.hierarchy) {
            self.report("boot-contract", breach);
        }
        let chip = self.soc.chip();
        let slots = kernel::slots(chip.image(), &chip.part().geometry, &self.options.bad_blocks);
        let entered = slots.into_iter().filter(|slot| slot.entry == entry.pc);
        self.loaded = entered.filter(|slot| slot.is_loaded(&self.hierarchy.memories)).collect();
        self.byte_cycles = Some(self.soc.byte_cycles());
        self.marks.entry = Some(self.time);
        self.entry = Some(entry);
    }
}
