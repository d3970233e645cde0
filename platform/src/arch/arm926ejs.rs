//! What is the ARM926EJ-S's own. ARM926EJ-S Technical Reference Manual (DDI 0198), chapters 2
//! and 9.

/// c1 says nothing of clocks.
pub const CLOCKING: u32 = 0;

/// Assembly that writes all of the D-cache back to memory. The register it works with has to be
/// zero before. "Test and clean" cleans a dirty line, if there is one, and says in Z whether
/// there was none left (TRM 2.3.8): the size of the cache does not matter.
macro_rules! clean_dcache {
    ($zero:literal) => {
        concat!(
            "1: mrc p15, 0, apsr_nzcv, c7, c10, 3\n",
            "bne 1b\n",
            "mcr p15, 0, ",
            $zero,
            ", c7, c10, 4" // drain the write buffer
        )
    };
}
pub(super) use clean_dcache;
