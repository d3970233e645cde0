//! How stage2 starts on aarch32-rt, and what becomes of its exceptions.
//!
//! aarch32-rt's own handlers hand the address of the instruction to a function that
//! may return; here every register is wanted and nobody returns, so the vectors go to
//! handlers of our own.

use crate::hal::{Fault, FaultKind};
use core::arch::asm;
use core::cell::{Cell, UnsafeCell};

/// Makes a program the second stage: `main` runs in SYS mode, with `.bss` zeroed, MMU
/// and caches as they were. At an exception, `capture` takes the state, in SYS mode on a stack of its own, so
/// that the interrupted one is as it was; then `fault` goes on with a fresh stack. All get what is `$kept`,
/// which outlives exceptions.
#[macro_export]
macro_rules! stage2_entry {
    ($main:path, $capture:path, $fault:path, $kept:ty = $new:expr) => {
        static STAGE2_KEPT: $crate::arch::fault::Kept<$kept> = $crate::arch::fault::Kept::new($new);

        extern "C" fn stage2_main() -> ! {
            // SAFETY: called once, at start.
            $main(unsafe { STAGE2_KEPT.lend() })
        }
        extern "C" fn stage2_capture(frame: &$crate::arch::fault::Frame) {
            // SAFETY: whoever had it before does not run any more: nothing goes back to there.
            $capture(unsafe { STAGE2_KEPT.lend() }, frame.fault());
        }
        extern "C" fn stage2_fault() -> ! {
            // SAFETY: as before; `stage2_capture` has returned, and the stack that the first reference was
            // on begins anew.
            $fault(unsafe { STAGE2_KEPT.lend() })
        }
        core::arch::global_asm!(
            r#"
            .section .text.stage2_entry, "ax", %progbits
            .arm
            .global kmain
        kmain:
            // BX, because what the compiler makes may be Thumb.
            ldr     r0, ={main}
            bx      r0

            // The frame is laid out as struct Frame says.
            .macro  handler name, kind
            .global \name
        \name:
            sub     sp, sp, #72
            stmia   sp, {{r0-r12}}
            mov     r0, #\kind
            b       stage2_save
            .endm

            handler _asm_undefined_handler, 0
            handler _asm_svc_handler, 1
            handler _asm_prefetch_abort_handler, 2
            handler _asm_data_abort_handler, 3
            handler _asm_irq_handler, 4
            handler _asm_fiq_handler, 5
            // The vector that ARMv4 reserves: nothing takes it.
            handler _asm_hvc_handler, 0

        stage2_save:
            str     r0, [sp, #68]
            str     lr, [sp, #60]
            mrs     r1, spsr
            str     r1, [sp, #64]
            // The frame is read before this mode can be entered again.
            mov     r0, sp
            add     sp, sp, #72
            // Into the mode that was interrupted, for its sp and lr. User mode could not
            // be left again, but shares its registers with system mode.
            and     r2, r1, #0x1f
            cmp     r2, #0x10
            moveq   r2, #0x1f
            orr     r2, r2, #0xc0
            msr     cpsr_c, r2
            str     sp, [r0, #52]
            str     lr, [r0, #56]
            msr     cpsr_c, #0xdf   // SYS mode, IRQ and FIQ masked
            ldr     sp, =_fault_stack_high_end
            ldr     r1, ={capture}
            mov     lr, pc
            bx      r1
            ldr     sp, =_sys_stack_high_end
            ldr     r1, ={fault}
            bx      r1
            .pool
            "#,
            main = sym stage2_main,
            capture = sym stage2_capture,
            fault = sym stage2_fault,
        );
    };
}

/// A value that is lent to one user after another.
pub struct Kept<T>(UnsafeCell<T>);

// SAFETY: there is one core, and `lend` says when the value may be used.
unsafe impl<T> Sync for Kept<T> {}

impl<T> Kept<T> {
    /// A value to be lent.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Lends the value.
    ///
    /// # Safety
    /// Nobody to whom it was lent before uses it any more.
    #[expect(clippy::mut_from_ref, reason = "the caller vouches for there being no other reference")]
    pub unsafe fn lend(&self) -> &mut T {
        // SAFETY: by the contract of this function.
        unsafe { &mut *self.0.get() }
    }
}

/// What the handlers save.
#[repr(C)]
pub struct Frame {
    /// r0 to r12, and sp and lr of the mode that was interrupted.
    r: [u32; 15],
    /// lr of the exception's mode.
    link: u32,
    spsr: u32,
    kind: u32,
}

impl Frame {
    /// The state that was saved, and what the MMU recorded.
    #[must_use]
    pub fn fault(&self) -> Fault {
        const THUMB: u32 = 1 << 5;
        let instruction = if self.spsr & THUMB == 0 { 4 } else { 2 };
        // How far lr is ahead: ARM Architecture Reference Manual, A2.6.
        let (kind, ahead) = match self.kind {
            0 => (FaultKind::Undefined, instruction),
            1 => (FaultKind::SoftwareInterrupt, instruction),
            2 => (FaultKind::PrefetchAbort, 4),
            3 => (FaultKind::DataAbort, 8),
            4 => (FaultKind::Irq, 4),
            _ => (FaultKind::Fiq, 4),
        };
        let mut r = [0; 16];
        let (saved, pc) = r.split_at_mut(15);
        saved.copy_from_slice(&self.r);
        pc.fill(self.link.wrapping_sub(ahead));
        let (dfsr, far) = status();
        Fault { kind, r, psr: self.spsr, dfsr, far }
    }
}

/// The data fault status and fault address registers.
#[cfg_attr(target_arch = "arm", instruction_set(arm::a32))]
#[inline(never)]
fn status() -> (u32, u32) {
    let (dfsr, far);
    // SAFETY: reads two registers.
    unsafe {
        asm!(
            "mrc p15, 0, {}, c5, c0, 0",
            "mrc p15, 0, {}, c6, c0, 0",
            out(reg) dfsr,
            out(reg) far,
            options(nomem, nostack)
        );
    }
    (dfsr, far)
}

/// Puts the vectors of this program where the CPU looks for them: at address 0, which
/// is the SRAM on a board that boots from NAND.
pub fn install_vectors() {
    unsafe extern "C" {
        static _vector_table: [u32; 16];
    }
    // SAFETY: the linker script makes the table exactly this long.
    let table = unsafe { &_vector_table };
    for (address, word) in (0u32..).step_by(4).zip(table) {
        // SAFETY: stores into the first 64 bytes of SRAM: the vectors of stage1, which
        // has run. Assembly, because address 0 is no place for a Rust pointer.
        unsafe { asm!("str {}, [{}]", in(reg) *word, in(reg) address, options(nostack)) };
    }
    super::cp15::sync_code();
}

struct Handling(Cell<bool>);

// SAFETY: there is one core, and exceptions do not interrupt each other's handling
// except by causing one, which is what this flag is about.
unsafe impl Sync for Handling {}

static HANDLING: Handling = Handling(Cell::new(false));

/// Notes whether a fault is being handled; returns what was noted before.
pub fn set_handling(handling: bool) -> bool {
    HANDLING.0.replace(handling)
}
