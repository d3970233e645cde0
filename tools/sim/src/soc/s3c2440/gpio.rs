//! I/O ports and what shares their block (MISCCR, external interrupts, GSTATUS): S3C2440A User's
//! Manual, chapter 9. What differs in the family is in [`GpioData`].

use crate::bus::{Access, Peripheral};
use crate::soc::no_such_register;

/// Miscellaneous control.
pub const MISCCR: u32 = 0x80;
const EINTMASK: u32 = 0xa4;
const EINTPEND: u32 = 0xa8;
const GSTATUS0: u32 = 0xac;
const GSTATUS1: u32 = 0xb0;
const GSTATUS2: u32 = 0xb4;
const GSTATUS3: u32 = 0xb8;
const GSTATUS4: u32 = 0xbc;
const PORT_J: u32 = 0xd0;

/// Bits of GSTATUS2: why the SoC was reset.
pub mod reset_cause {
    /// Power-on.
    pub const POWER_ON: u32 = 1 << 0;
    /// Watchdog.
    pub const WATCHDOG: u32 = 1 << 2;
}

/// A port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // All there are, whether a board's wiring names a pin of it or not.
pub enum Port {
    /// Chip selects, address lines, NAND: one bit per pin in GPACON.
    A,
    /// Port B.
    B,
    /// Port C.
    C,
    /// Port D.
    D,
    /// Port E.
    E,
    /// Port F.
    F,
    /// Port G.
    G,
    /// UART pins.
    H,
    /// Camera pins.
    J,
}

/// How many there are.
pub const PORTS: usize = 9;
const NAMES: [&str; PORTS] = ["A", "B", "C", "D", "E", "F", "G", "H", "J"];

/// What makes the block of a chip.
#[derive(Debug)]
pub struct GpioData {
    /// Pins of each port. A port without any does not exist.
    pub pins: [u32; PORTS],
    /// GPACON after reset.
    pub gpacon: u32,
    /// GPGUP after reset.
    pub gpgup: u32,
    /// MISCCR after reset.
    pub misccr: u32,
    /// Registers that only keep what is written.
    pub stored: &'static [u32],
}

/// S3C2440A and S3C2442B. Stored: DCLKCON, EXTINT0..2, EINTFLT0..3, DSC0, DSC1.
pub const S3C2440: GpioData = GpioData {
    pins: [25, 11, 16, 16, 16, 8, 16, 11, 13],
    gpacon: 0x00ff_ffff,
    gpgup: 0xfc00,
    misccr: 0x0001_0020,
    stored: &[0x84, 0x88, 0x8c, 0x90, 0x94, 0x98, 0x9c, 0xa0, 0xc4, 0xc8],
};

/// The block.
#[derive(Clone, Debug)]
pub struct Gpio {
    data: &'static GpioData,
    con: [u32; PORTS],
    dat: [u32; PORTS],
    up: [u32; PORTS],
    misccr: u32,
    eintmask: u32,
    eintpend: u32,
    chip_id: u32,
    gstatus2: u32,
    gstatus: [u32; 2],
    stored: Vec<u32>,
}

impl Gpio {
    /// The block after a reset of this cause.
    #[must_use]
    pub fn new(data: &'static GpioData, chip_id: u32, reset_cause: u32) -> Self {
        let mut con = [0; PORTS];
        con[Port::A as usize] = data.gpacon;
        let mut up = [0; PORTS];
        up[Port::D as usize] = 0xf000;
        up[Port::G as usize] = data.gpgup;
        Self {
            data,
            con,
            dat: [0; PORTS],
            up,
            misccr: data.misccr,
            eintmask: 0x00ff_fff0,
            eintpend: 0,
            chip_id,
            gstatus2: reset_cause,
            gstatus: [0; 2],
            stored: vec![0; data.stored.len()],
        }
    }

    /// Function of a pin: 0 input, 1 output, 2 and 3 as the manual's table says; on port A 0 output, 1 function.
    #[must_use]
    pub fn function(&self, port: Port, pin: u32) -> u32 {
        match port {
            Port::A => self.con[0] >> pin & 1,
            _ => self.con[port as usize] >> (2 * pin) & 3,
        }
    }

    /// Whether a pin is an output and high.
    #[must_use]
    pub fn drives_high(&self, port: Port, pin: u32) -> bool {
        let output = u32::from(port != Port::A);
        self.function(port, pin) == output && self.dat[port as usize] >> pin & 1 != 0
    }

    /// MISCCR\[19:17\]: nEN_SCKE, nEN_SCLK1, nEN_SCLK0.
    #[must_use]
    pub fn sclk_off(&self) -> u32 {
        self.misccr >> 17 & 7
    }

    /// External interrupts 4..23 that ask: for source 4 (EINT4_7) and source 5 (EINT8_23).
    #[must_use]
    pub fn interrupts(&self) -> (bool, bool) {
        let pending = self.eintpend & !self.eintmask;
        (pending & 0xf0 != 0, pending & 0x00ff_ff00 != 0)
    }

    /// Level of the pins: what outputs drive, ones elsewhere (pull-ups, keys released).
    fn pins(&self, port: usize) -> u32 {
        let outputs = (0..self.data.pins[port]).fold(0, |mask, pin| {
            let output =
                if port == 0 { self.con[0] >> pin & 1 == 0 } else { self.con[port] >> (2 * pin) & 3 == 1 };
            mask | u32::from(output) << pin
        });
        let all = (1u32 << self.data.pins[port]) - 1;
        self.dat[port] & outputs | all & !outputs
    }
}

/// Port and register (0 CON, 1 DAT, 2 UP) at an offset.
fn port_register(offset: u32, data: &GpioData) -> Option<(usize, u32)> {
    let (port, register) = match offset {
        0..0x80 => ((offset / 0x10) as usize, offset % 0x10),
        PORT_J..=0xdf => (Port::J as usize, offset - PORT_J),
        _ => return None,
    };
    let exists = register.is_multiple_of(4) && register < if port == 0 { 8 } else { 12 };
    (exists && data.pins[port] != 0).then_some((port, register / 4))
}

impl Peripheral for Gpio {
    fn read(&mut self, offset: u32, width: u8, access: &mut Access<'_>) -> u32 {
        if width != 4 {
            return no_such_register("GPIO", offset, width, false, access);
        }
        if let Some((port, register)) = port_register(offset, self.data) {
            return match register {
                0 => self.con[port],
                1 => self.pins(port),
                _ => self.up[port],
            };
        }
        match offset {
            MISCCR => self.misccr,
            EINTMASK => self.eintmask,
            EINTPEND => self.eintpend,
            // nWAIT, NCON, RnB and nBATT_FLT pins, all high.
            GSTATUS0 => 0xf,
            GSTATUS1 => self.chip_id,
            GSTATUS2 => self.gstatus2,
            GSTATUS3 | GSTATUS4 => self.gstatus[((offset - GSTATUS3) / 4) as usize],
            _ => match self.data.stored.iter().position(|&at| at == offset) {
                Some(index) => self.stored[index],
                None => no_such_register("GPIO", offset, width, false, access),
            },
        }
    }

    fn write(&mut self, offset: u32, width: u8, value: u32, access: &mut Access<'_>) {
        if width != 4 {
            no_such_register("GPIO", offset, width, true, access);
            return;
        }
        if let Some((port, register)) = port_register(offset, self.data) {
            let target = match register {
                0 => &mut self.con[port],
                1 => &mut self.dat[port],
                _ => &mut self.up[port],
            };
            *target = value;
            return;
        }
        match offset {
            MISCCR => self.misccr = value & 0x000f_3f7b,
            EINTMASK => self.eintmask = value & 0x00ff_fff0,
            EINTPEND => self.eintpend &= !value,
            GSTATUS2 => self.gstatus2 &= !value,
            GSTATUS3 | GSTATUS4 => self.gstatus[((offset - GSTATUS3) / 4) as usize] = value,
            GSTATUS0 | GSTATUS1 => access.violation("register", "GSTATUS0 and GSTATUS1 are read only"),
            _ => match self.data.stored.iter().position(|&at| at == offset) {
                Some(index) => self.stored[index] = value,
                None => {
                    no_such_register("GPIO", offset, width, true, access);
                }
            },
        }
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(NAMES[*self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Clocks, Violations};

    fn with(writes: &[(u32, u32)]) -> (Gpio, Violations) {
        let mut gpio = Gpio::new(&S3C2440, 0x3244_0001, reset_cause::POWER_ON);
        let mut violations = Violations::default();
        for &(offset, value) in writes {
            let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
            gpio.write(
                offset,
                4,
                value,
                &mut Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations },
            );
        }
        (gpio, violations)
    }

    fn read(gpio: &mut Gpio, offset: u32) -> u32 {
        let mut violations = Violations::default();
        let clocks = Clocks { fclk: 1, hclk: 1, pclk: 1 };
        gpio.read(offset, 4, &mut Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations })
    }

    #[test]
    fn outputs_show_what_is_written_and_inputs_are_high() {
        let (mut gpio, _) = with(&[(0xd0, 1 << 16), (0xd4, 1 << 8)]);
        assert!(gpio.drives_high(Port::J, 8));
        assert!(!gpio.drives_high(Port::J, 7));
        assert_eq!(read(&mut gpio, 0xd4), 0x1fff);
        let (mut gpio, _) = with(&[(0x10, 0x5), (0x14, 0x2)]);
        assert_eq!(read(&mut gpio, 0x14), 0x7fe);
        assert!(!gpio.drives_high(Port::B, 0) && gpio.drives_high(Port::B, 1));
    }

    #[test]
    fn port_a_has_one_bit_per_pin() {
        let (gpio, _) = with(&[(0x00, 0x007e_5fff), (0x04, 1 << 16)]);
        assert!(gpio.drives_high(Port::A, 16));
        let (gpio, _) = with(&[]);
        assert!(!gpio.drives_high(Port::A, 16));
    }

    #[test]
    fn status_registers() {
        let (mut gpio, violations) = with(&[(GSTATUS2, 1), (GSTATUS4, 7), (GSTATUS1, 0)]);
        assert_eq!(read(&mut gpio, GSTATUS1), 0x3244_0001);
        assert_eq!((read(&mut gpio, GSTATUS2), read(&mut gpio, GSTATUS4)), (0, 7));
        assert_eq!(violations.total(), 1);
    }

    #[test]
    fn holes_are_reported() {
        assert_eq!(with(&[(0x0c, 0), (0x1c, 0), (0xdc, 0), (0xe0, 0)]).1.total(), 4);
    }
}
