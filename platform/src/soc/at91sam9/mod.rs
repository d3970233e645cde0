//! Atmel AT91SAM9260. Sources: at91bootstrap 3 (register names and sequences), U-Boot and Linux
//! 6.1 (atmel_nand.c, atmel-smc.c, clk/at91), the data sheets of AT91SAM9263 (ECC) and SAM9G20 (boot
//! ROM), cited in each file.

pub mod board;
pub mod clock;
pub mod gpio;
pub mod nand;
pub mod sdram;
pub mod timer;
pub mod uart;
pub mod wdt;

/// The memory map: U-Boot, arch/arm/mach-at91/include/mach/at91sam9260.h.
mod map {
    crate::register_blocks! {
        /// Start of SDRAM, for its initialisation.
        sdram_window: super::sdram::Window = 0x2000_0000;
        /// The NAND chip on chip select 3.
        nand_window: super::nand::Window = 0x4000_0000;
        /// ECC unit.
        ecc: super::nand::EccRegs = 0xffff_e800;
        /// SDRAM controller.
        sdram: super::sdram::Regs = 0xffff_ea00;
        /// Static memory controller, chip select 3.
        smc: super::nand::SmcRegs = 0xffff_ec30;
        /// External bus interface: what the chip selects are for.
        ebi_csa: super::sdram::EbiCsa = 0xffff_ef1c;
        /// Debug unit: a UART.
        dbgu: super::uart::Regs = 0xffff_f200;
        /// Port B.
        pio_b: super::gpio::Regs = 0xffff_f600;
        /// Port C.
        pio_c: super::gpio::Regs = 0xffff_f800;
        /// Power management.
        pmc: super::clock::Regs = 0xffff_fc00;
        /// Resets.
        rstc: super::wdt::RstcRegs = 0xffff_fd00;
        /// Periodic interval timer.
        pit: super::timer::Regs = 0xffff_fd30;
        /// Watchdog.
        wdt: super::wdt::Regs = 0xffff_fd40;
    }
}
