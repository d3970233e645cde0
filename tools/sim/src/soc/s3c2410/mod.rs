//! S3C2410X: an S3C2440 with other clocks, another NAND controller, smaller FIFOs and no camera.
//!
//! What is not in this folder is the S3C2440's: memory controller, timers, watchdog, interrupts and
//! the rest of the ports.

pub mod clock;
pub mod ecc;
pub mod nand;

use crate::soc::s3c2440::SocData;
use crate::soc::s3c2440::gpio::GpioData;
use crate::soc::s3c2440::uart::UartData;
use nand::NandController;

/// The chip of the SMDK2410.
pub static S3C2410X: SocData = SocData {
    // GSTATUS1, as Linux (mach-s3c/s3c24xx.c) knows it.
    chip_id: 0x3241_0000,
    clock: clock::S3C2410,
    gpio: GPIO,
    uart: UART,
    // UARTs, touch screen and ADC.
    sub_sources: 0x7ff,
    wdt_is_sub_source: false,
    has_iiclc: false,
    lenient: &[],
    nand: NandController::boxed,
};

/// No port J and no DSC; 23 pins on port A.
const GPIO: GpioData = GpioData {
    pins: [23, 11, 16, 16, 16, 8, 16, 11, 0],
    gpacon: 0x007f_ffff,
    gpgup: 0xf800,
    misccr: 0x0001_0330,
    stored: &[0x84, 0x88, 0x8c, 0x90, 0x94, 0x98, 0x9c, 0xa0],
};

/// FIFOs of 16 bytes. The trigger levels are an assumption: quarters, as on the S3C2440.
const UART: UartData = UartData {
    fifo: 16,
    tx_triggers: [0, 4, 8, 12],
    full: [1 << 8, 1 << 9],
    tx_count: 4,
    ucon: 0x7ff,
    ignored: &[],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::{Access, Peripheral, Violations};
    use crate::part::{Chip, Faults, NandImage, k9f1208u0c};
    use crate::soc::s3c2440::memctl::SdramFit;
    use crate::soc::s3c2440::{S3c24xx, Wiring};
    use crate::soc::{Role, Soc};

    static WIRING: Wiring = Wiring {
        soc: &S3C2410X,
        crystal: 12_000_000,
        sdram: SdramFit {
            base: 0x3000_0000,
            len: 64 << 20,
            banks: 1,
            columns: 9,
            bk76map: &[1, 2],
            needs_sclk_enabled: false,
        },
        console: 0,
        keep_power: None,
        nand_write_protect: None,
    };

    fn soc() -> S3c24xx {
        let chip = Chip::new(&k9f1208u0c::PART, NandImage::default(), Faults::default()).expect("fits");
        S3c24xx::new(&WIRING, chip, 2)
    }

    /// Writes these words and reads from an address; what it holds, and the kinds of the violations.
    fn read_after(writes: &[(u32, u32)], address: u32) -> (Option<u32>, Vec<&'static str>) {
        let (mut soc, mut violations) = (soc(), Violations::default());
        let clocks = soc.clocks();
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        for &(at, value) in writes {
            soc.access(at, 4, Some(value), &mut access);
        }
        let value = soc.access(address, 4, None, &mut access);
        (value, violations.list().iter().map(|violation| violation.kind).collect())
    }

    #[test]
    fn reset_values() {
        let check =
            |address, value| assert_eq!(read_after(&[], address), (Some(value), vec![]), "{address:x}");
        check(0x4c00_0000, 0x00ff_ffff);
        check(0x4c00_0004, 0x0005_c080);
        check(0x4c00_0008, 0x0002_8080);
        check(0x4c00_000c, 0x0007_fff0);
        check(0x4a00_001c, 0x7ff);
        check(0x5600_0000, 0x007f_ffff);
        check(0x5600_0068, 0xf800);
        check(0x5600_0080, 0x0001_0330);
        check(0x5600_00b0, 0x3241_0000);
        check(0x4800_0024, 0x00ac_0000);
    }

    #[test]
    fn what_the_s3c2440_has_on_top_is_not_there() {
        // CAMDIVN, GPJCON, DSC0, IICLC, the UART's fractional divider.
        for address in [0x4c00_0018, 0x5600_00d0, 0x5600_00c4, 0x5400_0010, 0x5000_002c] {
            assert_eq!(read_after(&[], address).1, ["register"], "{address:x}");
        }
        // Camera and AC97.
        for address in [0x4f00_0000, 0x5b00_0000] {
            assert_eq!(read_after(&[], address).0, None, "{address:x}");
        }
    }

    #[test]
    fn the_uart_counts_to_sixteen() {
        let pins = [(0x5600_0070, 0x002a_faaa)];
        let uart = [(0x5000_0000, 3), (0x5000_0004, 0x245), (0x5000_0008, 1), (0x5000_0028, 6)];
        let check = |sent, ufstat| {
            let bytes = vec![(0x5000_0020, 0x55); sent];
            let writes: Vec<_> = pins.into_iter().chain(uart).chain(bytes).collect();
            assert_eq!(read_after(&writes, 0x5000_0018).0, Some(ufstat), "{sent} bytes");
        };
        // The first goes to the shifter.
        check(1, 0);
        check(4, 3 << 4);
        check(17, 1 << 9);
    }

    #[test]
    fn the_boot_copy_is_eight_small_pages() {
        let bytes = (0..9 * 528).map(|i| (i / 528 + 16 * (i % 528 / 512)) as u8).collect();
        let image = NandImage::from_bytes(bytes);
        let chip = Chip::new(&k9f1208u0c::PART, image, Faults::default()).expect("fits");
        let mut soc = S3c24xx::new(&WIRING, chip, 2);
        let (mut now, mut violations) = (0, Violations::default());
        for page in 0..8 {
            let copied = soc.boot(page, now, &mut violations).expect("eight pages");
            assert_eq!((copied.to, copied.data), (page * 512, vec![page as u8; 512]));
            now = copied.end;
        }
        assert!(soc.boot(8, now, &mut violations).is_none());
        assert_eq!(violations.total(), 0, "{:?}", violations.list());
        // 4096 bytes of 166.7 ns, and for each page five latch cycles of 250 ns and tR.
        assert!((812..818).contains(&(now / 1_000_000)), "{now}");
    }

    #[test]
    fn the_data_register_is_a_byte_wide() {
        let soc = soc();
        let cycles = soc.byte_cycles();
        assert_eq!((cycles.width, cycles.latch, cycles.data), (1, 3 * 83_333, 2 * 83_333));
        assert_eq!(soc.ecc_layout().code_bytes(), 3);
        assert_eq!(soc.role(0x4e00_000c), Some(Role::Nand));
        // No pin matters to the SDRAM of a board that does not say so.
        assert_eq!(soc.role(0x5600_0080), Some(Role::Pins));
    }

    #[test]
    fn blocks_are_peripherals_of_their_own() {
        let chip = Chip::new(&k9f1208u0c::PART, NandImage::default(), Faults::default()).expect("fits");
        let mut nand = (S3C2410X.nand)(chip);
        let mut violations = Violations::default();
        let clocks = soc().clocks();
        let mut access = Access { now: 0, pc: 0, clocks, hold: 0, violations: &mut violations };
        let port: &mut dyn Peripheral = &mut *nand;
        assert_eq!(port.read(0x10, 4, &mut access), 1);
    }
}
