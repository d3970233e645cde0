//! GPIO and MISCCR. S3C2440A User's Manual, chapter 9.

use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::register_structs;
use tock_registers::registers::{ReadOnly, ReadWrite};

register_structs! {
    /// One port.
    pub Port {
        (0x00 => con: ReadWrite<u32>),
        (0x04 => dat: ReadWrite<u32>),
        (0x08 => up: ReadWrite<u32>),
        (0x0c => _reserved),
        (0x10 => @END),
    }
}

register_structs! {
    /// The block. Ports A to H stand together, J behind the interrupt registers.
    pub Regs {
        (0x00 => ports: [Port; 8]),
        (0x80 => misccr: ReadWrite<u32>),
        (0x84 => _reserved0),
        (0xb4 => gstatus2: ReadOnly<u32>),
        (0xb8 => _reserved1),
        (0xd0 => port_j: Port),
        (0xe0 => @END),
    }
}

/// MISCCR: nEN_SCKE, nEN_SCLK1, nEN_SCLK0 hold the SDRAM's clocks off during sleep.
const SDRAM_OFF: u32 = 0b111 << 17;

/// GSTATUS2: the last reset was the watchdog's.
const WDTRST: u32 = 1 << 2;

/// Was the last reset the watchdog's? SDRAM keeps its contents over that.
#[must_use]
pub fn reset_by_watchdog() -> bool {
    super::map::gpio().gstatus2.get() & WDTRST != 0
}

/// Sets the levels of port A's output pins, then which pins have their bus function (1) and
/// which are outputs (0).
pub fn set_port_a(con: u32, dat: u32) {
    let [a, ..] = &super::map::gpio().ports;
    a.dat.set(dat);
    a.con.set(con);
}

/// Sets the pin functions of port H, two bits a pin: the UARTs.
pub fn set_port_h(con: u32) {
    let [.., h] = &super::map::gpio().ports;
    h.con.set(con);
}

/// Makes pin `pin` of port J an output and drives it high.
pub fn drive_j_high(pin: u32) {
    let j = &super::map::gpio().port_j;
    j.dat.set(j.dat.get() | 1 << pin);
    j.con.set(j.con.get() & !(0b11 << (2 * pin)) | 0b01 << (2 * pin));
}

/// Lets the SDRAM's clocks run, which sleep mode switches off.
pub fn enable_sdram_clocks() {
    let misccr = &super::map::gpio().misccr;
    misccr.set(misccr.get() & !SDRAM_OFF);
}
