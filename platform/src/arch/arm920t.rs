//! What is the ARM920T's own. ARM920T Technical Reference Manual (DDI 0151), chapters 2 to 4.

/// c1: nF and iA, asynchronous clocking. Without it the core runs at HCLK once HCLK is
/// divided down (S3C2440A manual, chapter 7).
pub const CLOCKING: u32 = 0b11 << 30;

/// Assembly that writes all of the D-cache back to memory. The register it works with has to be
/// zero before. Eight segments of 64 lines: index in bits 31:26, segment in 7:5 (TRM 2.3.8).
macro_rules! clean_dcache {
    ($line:literal) => {
        concat!(
            "1: mcr p15, 0, ",
            $line,
            ", c7, c10, 2\n",
            "adds ",
            $line,
            ", #0x04000000\n",
            "bcc 1b\n",
            "add ",
            $line,
            ", #0x20\n",
            "cmp ",
            $line,
            ", #0x100\n",
            "bne 1b\n",
            "mcr p15, 0, ",
            $line,
            ", c7, c10, 4" // drain the write buffer
        )
    };
}
pub(super) use clean_dcache;
