//! Every constant of the time model, with where it comes from.
//!
//! "TRM" is the ARM9TDMI Technical Reference Manual (ARM DDI 0180), chapter 7, instruction cycle
//! summary and interlocks; "UM10 App. 4" the S3C2410A User's Manual, appendix 4 (ARM920T caches and
//! write buffer); "EJ-S TRM" the ARM9EJ-S one (ARM DDI 0222), chapter 8. What none says is marked as
//! an assumption, with the reason for its size; "recall" is knowledge of a manual not read again.

use crate::bus::Ps;
use crate::time::{MS, NS, US};

// ---- Core: cycles per instruction class ------------------------------------------------------

/// Any instruction whose condition fails, and the plain ones. TRM.
pub const CYCLES_PLAIN: u32 = 1;
/// More for a shift by a register. TRM.
pub const CYCLES_REGISTER_SHIFT: u32 = 1;
/// More when the program counter is written other than by a load: the pipeline refills. TRM: B and BL 3.
pub const CYCLES_REFILL: u32 = 2;
/// More when a load writes the program counter. TRM: LDR pc 5, LDM with pc n + 4.
pub const CYCLES_REFILL_LOAD: u32 = 4;
/// MUL and MLA without the multiplier iterations. TRM: 2 + m. EJ-S TRM: 2.
pub const CYCLES_MULTIPLY: u32 = 2;
/// The long multiplications without the iterations. TRM: 3 + m. EJ-S TRM: 3.
pub const CYCLES_MULTIPLY_LONG: u32 = 3;
/// SWP. TRM.
pub const CYCLES_SWAP: u32 = 2;
/// LDM and STM of one register; of n > 1 it is n. TRM.
pub const CYCLES_MULTIPLE_OF_ONE: u32 = 2;
/// MSR that writes more than the flags. TRM.
pub const CYCLES_MSR_CONTROL: u32 = 3;
/// MCR and MRC of CP15. TRM: 1 + b; b = 1 is an assumption.
pub const CYCLES_CP15: u32 = 2;
/// Use of a loaded word in the next instruction. TRM.
pub const INTERLOCK_WORD: u32 = 1;
/// Use of a loaded byte or half-word in the next instruction. TRM.
pub const INTERLOCK_NARROW: u32 = 2;
/// Exception entry. TRM: SWI and undefined 3.
pub const CYCLES_EXCEPTION: u32 = 3;

// ---- Core: what differs between cores --------------------------------------------------------

/// Cycles in which the cores differ. All others are the same in both manuals.
#[derive(Debug)]
pub struct Cycles {
    /// MRS.
    pub mrs: u32,
    /// Multiplications end early, and iterations come on top.
    pub early_termination: bool,
    /// More for a multiplication that sets the flags.
    pub multiply_flags: u32,
    /// Use of the result of a multiplication or of saturated arithmetic in the next instruction.
    pub interlock_result: u32,
    /// More for a load or store whose offset register is shifted.
    pub scaled_offset: u32,
    /// More when a logical operation, or one with a shifted operand, writes the program counter.
    pub refill_shifter: u32,
    /// The multiplications of half-words and the saturated ones are there, CLZ, PLD, LDRD and STRD too.
    pub has_v5te: bool,
}

/// ARM9TDMI. TRM.
pub static ARM9TDMI: Cycles = Cycles {
    mrs: 1,
    early_termination: true,
    multiply_flags: 0,
    interlock_result: 0,
    scaled_offset: 0,
    refill_shifter: 0,
    has_v5te: false,
};

/// ARM9EJ-S, the core of the ARM926EJ-S. EJ-S TRM, table 8.2; MRS and the flags of multiplications
/// by the ARM7EJ-S TRM (ARM DDI 0214), sections 9.7 and 9.9, whose pipeline differs in front of these
/// stages only (assumption).
pub static ARM9EJS: Cycles = Cycles {
    mrs: 2,
    early_termination: false,
    multiply_flags: 2,
    interlock_result: 1,
    scaled_offset: 1,
    refill_shifter: 1,
    has_v5te: true,
};

/// SMULxy, SMLAxy, SMULWy and SMLAWy; also QADD and its kin. EJ-S TRM; GCC's arm926ejs.md agrees.
pub const CYCLES_MULTIPLY_HALVES: u32 = 1;
/// SMLALxy. GCC's arm926ejs.md, from the ARM926EJ-S TRM.
pub const CYCLES_MULTIPLY_HALVES_LONG: u32 = 2;
/// LDRD and STRD. EJ-S TRM.
pub const CYCLES_DOUBLE: u32 = 2;

// ---- Core: caches, MMU, write buffer -----------------------------------------------------------

/// Bytes of a cache line. UM10 App. 4.
pub const LINE: u32 = 32;
/// Segments of each cache. UM10 App. 4: 16 KiB, 64 ways.
pub const SEGMENTS: u32 = 8;
/// Ways of each segment. UM10 App. 4.
pub const WAYS: u32 = 64;
/// Entries of each TLB. ARM920T TRM (ARM DDI 0151), chapter 3.
pub const TLB_ENTRIES: usize = 64;
/// Words in the write buffer. UM10 App. 4.
pub const WRITE_BUFFER_WORDS: u32 = 16;
/// Addresses in the write buffer. UM10 App. 4.
pub const WRITE_BUFFER_ADDRESSES: usize = 4;
/// Core cycles of a CP15 operation on one cache line besides the write-back. Assumption: pipeline latency.
pub const CYCLES_LINE_OPERATION: u32 = 2;

/// Segments of each cache of an AT91SAM9260: 8 KiB in four ways. Its data sheet (recall).
pub const SAM9260_SEGMENTS: u32 = 64;
/// Ways of each segment. ARM926EJ-S TRM (ARM DDI 0198), chapter 4: four.
pub const ARM926_WAYS: u32 = 4;

// ---- Buses ---------------------------------------------------------------------------------------

/// HCLK periods to take a request from the core's clock to the bus clock when the two differ.
/// Assumption: one, the mean of none and two; in fast bus mode it is none.
pub const SYNC_HCLK: u64 = 1;
/// HCLK periods of an access to a register on the AHB, synchronisation included. Assumption, the
/// same figure as `a` of the NAND controller.
pub const AHB_REGISTER_HCLK: u64 = 2;
/// PCLK periods of an access to a register on the APB, besides the AHB's part. AMBA 2: set-up and enable.
pub const APB_REGISTER_PCLK: u64 = 2;
/// HCLK periods of the first word from the boot SRAM, synchronisation not included. Assumption:
/// address and data phase without wait states.
pub const SRAM_FIRST_HCLK: u64 = 1;
/// HCLK periods of each further word in a burst from the boot SRAM. Assumption: no wait states.
pub const SRAM_NEXT_HCLK: u64 = 1;

// ---- SDRAM -----------------------------------------------------------------------------------------

/// HCLK periods the controller takes before the first SDRAM command of an access and to return
/// data. Assumption: one each.
pub const SDRAM_CONTROLLER_HCLK: u64 = 2;
/// Internal banks of an SDRAM device. All parts of the boards.
pub const SDRAM_BANKS: usize = 4;
/// Whether a row stays open behind an access. Assumption: yes, until another row of the bank or a refresh.
pub const SDRAM_OPEN_ROWS: bool = true;
/// Rows that must be refreshed within [`SDRAM_RETENTION`]. All parts of the boards (256 Mbit and 512 Mbit).
pub const SDRAM_ROWS: u64 = 8192;
/// Retention time. All parts of the boards.
pub const SDRAM_RETENTION: Ps = 64 * MS;
/// How far the refresh period may be above the exact one, in per cent: the counter is in whole clocks.
pub const SDRAM_REFRESH_SLACK_PERCENT: u64 = 2;
/// Row to column delay. Assumption: PC133 class parts (-75).
pub const SDRAM_T_RCD_MIN: Ps = 20 * NS;
/// Precharge time. Assumption: as above.
pub const SDRAM_T_RP_MIN: Ps = 20 * NS;
/// Row cycle time. Assumption: as above.
pub const SDRAM_T_RC_MIN: Ps = 65 * NS;
/// Row active time. Assumption: as above.
pub const SDRAM_T_RAS_MIN: Ps = 45 * NS;
/// Write recovery. Assumption: as above.
pub const SDRAM_T_WR_MIN: Ps = 15 * NS;
/// Self refresh exit. Assumption: as above.
pub const SDRAM_T_XSR_MIN: Ps = 75 * NS;
/// Shortest clock at CAS latency 2. Assumption: as above (CL2 up to 100 MHz).
pub const SDRAM_T_CK_CL2_MIN: Ps = 10 * NS;
/// Refreshes between the mode register and the first use. JEDEC start-up sequence: at least two.
pub const SDRAM_REFRESHES_BEFORE_USE: u64 = 2;
/// Stable power and clock before the first command. JEDEC start-up sequence: 100 us.
pub const SDRAM_POWER_UP: Ps = 100 * US;

// ---- SoC ---------------------------------------------------------------------------------------------

/// Highest FCLK. S3C2440A User's Manual, chapter 1 (nominal voltages), with 0.2 % for the PLL's steps.
pub const FCLK_MAX_HZ: u64 = 400_800_000;
/// Highest HCLK. S3C2440A User's Manual, chapter 1.
pub const HCLK_MAX_HZ: u64 = 136_000_000;
/// Highest PCLK. S3C2440A User's Manual, chapter 1.
pub const PCLK_MAX_HZ: u64 = 68_000_000;
/// Highest FCLK of an S3C2410X. Assumption: its 200 MHz grade, which boards run at 202.8 MHz.
pub const S3C2410_FCLK_MAX_HZ: u64 = 203_000_000;
/// Highest HCLK of an S3C2410X. Assumption: half of the 266 MHz that Linux's table ends with, with 0.2 %
/// for the PLL's steps.
pub const S3C2410_HCLK_MAX_HZ: u64 = 133_300_000;
/// Highest PCLK of an S3C2410X. Assumption: half of that.
pub const S3C2410_PCLK_MAX_HZ: u64 = 66_650_000;
/// PLL lock time that LOCKTIME must allow for. Linux (clk-pll.c) waits as long after a change.
pub const PLL_LOCK_MIN: Ps = 300 * US;
/// AT91SAM9260: highest master clock. Linux (clk/at91/at91sam9260.c).
pub const SAM9260_MCK_MAX_HZ: u64 = 105_000_000;
/// Highest processor clock. Assumption: the boards' 198.656 MHz, rounded up; Linux has no limit.
pub const SAM9260_PCK_MAX_HZ: u64 = 200_000_000;
/// Slow clocks that a PLL's COUNT must allow for. Assumption: the 63 that every boot loader sets; the
/// time depends on a filter of the board's.
pub const SAM9_PLL_COUNT_MIN: u32 = 63;
/// Periods of the slower of two clocks that the switch between them takes. Assumption.
pub const SAM9_SWITCH_PERIODS: u64 = 4;
/// MCK periods of each further word that one LDM or STM moves through the static memory controller.
/// Assumption: uncached words are single transfers (ARM926EJ-S TRM, table 6-1), with an address phase each.
pub const SAM9_NEXT_WORD_HCLK: u64 = 1;
/// MCK periods of set-up, strobe and hold with which the boot ROM reads NAND. Assumption: those that
/// at91bootstrap sets later; the ROM's MCK is the crystal.
pub const SAM9_ROM_CYCLE: [u64; 3] = [1, 3, 1];
/// From the configuration of the SDRAM controller to its first command. at91bootstrap, from the manual.
pub const SAM9_SDRAM_PAUSE: Ps = 200 * US;
/// Refreshes before the mode register. As above.
pub const SAM9_SDRAM_REFRESHES: u32 = 8;
/// How far the baud rate may be off, in per cent: 8N1 is sampled in the middle of the tenth bit.
pub const BAUD_TOLERANCE_PERCENT: u64 = 3;

// ---- Boards ------------------------------------------------------------------------------------------

/// GTA02: time from power-on in which KEEPACT must rise before the PMU cuts the power. Assumption.
pub const GTA02_KEEPACT_MAX: Ps = 100 * MS;

// ---- Ends of a run -----------------------------------------------------------------------------------

/// How long an endless loop of one instruction, with nothing that could end it, is looked at.
pub const STUCK_AFTER: Ps = 20 * MS;
/// Longest time between two looks at the empty receiver of a guest that waits for input.
pub const POLLING_GAP: Ps = 10 * MS;
/// Turns of a loop that only asks the empty receiver, all of about the same length, after which it is
/// taken to be idle. More than any count of tries for a byte that a loader makes.
pub const POLLING_TURNS: u32 = 20_000;
/// The same of a loop that looks at the time as well: it counts no tries.
pub const POLLING_TURNS_TIMED: u32 = 8;
/// Exceptions inside the vector page, without an instruction outside it between them, that count as stuck.
pub const STUCK_EXCEPTIONS: u32 = 8;
/// Watchdog resets after which a run ends.
pub const RESETS_MAX: u32 = 3;
/// Shortest distance of a jump that counts as leaving the code that jumps. Larger than any loader's code.
pub const ENTRY_DISTANCE: u32 = 1 << 20;
