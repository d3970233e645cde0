//! The console: a UART of the S3C24x0 family that the loader has set up
//! (S3C2440A user's manual, chapter 11).

use core::{fmt, ptr};

const UART0: usize = 0x5000_0000;
const UART2: usize = 0x5000_8000;
const UTRSTAT: usize = 0x10;
/// UTRSTAT: the transmit buffer (or FIFO) is empty.
const TX_EMPTY: u32 = 1 << 1;
const UTXH: usize = 0x20;
/// Polls of UTRSTAT that outlast any character at 115200 baud (87 us).
const PATIENCE: u32 = 100_000;

/// One UART.
pub struct Uart {
    base: usize,
}

impl Uart {
    /// The UART that is the console of a machine: the first, but the GTA02's is the third.
    pub fn of_machine(number: u32) -> Self {
        Self { base: if number == 1304 { UART2 } else { UART0 } }
    }

    fn put(&mut self, byte: u8) {
        let status = ptr::with_exposed_provenance::<u32>(self.base + UTRSTAT);
        let data = ptr::with_exposed_provenance_mut::<u8>(self.base + UTXH);
        for _ in 0..PATIENCE {
            // SAFETY: a register of the UART; reading it changes nothing.
            if unsafe { status.read_volatile() } & TX_EMPTY != 0 {
                break;
            }
        }
        // SAFETY: the transmit register of the UART, a byte wide.
        unsafe { data.write_volatile(byte) };
    }
}

impl fmt::Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if byte == b'\n' {
                self.put(b'\r');
            }
            self.put(byte);
        }
        Ok(())
    }
}
