//! Register blocks at fixed physical addresses.

/// Declares functions that return the register block of a controller.
///
/// One table a SoC, so that addresses stand together as in the manual's memory map.
#[macro_export]
macro_rules! register_blocks {
    ($($(#[$doc:meta])* $name:ident: $regs:ty = $address:literal;)*) => {$(
        $(#[$doc])*
        #[must_use]
        #[inline(always)]
        pub fn $name() -> &'static $regs {
            const ADDRESS: *const $regs = core::ptr::without_provenance($address);
            // SAFETY: the manual's memory map has this block at this address, always
            // present and identity-mapped as device memory; its fields are cells that
            // are accessed volatile, and register_structs! checks their offsets.
            unsafe { &*ADDRESS }
        }
    )*};
}
