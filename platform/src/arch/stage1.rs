//! How stage1 starts: vectors, stack, `.bss`. aarch32-rt's start-up sets up six stacks
//! and copies data; here every byte counts and neither is needed.

/// Makes a program the first stage: `early` runs on 32 bytes of SRAM, may not use
/// statics and returns with SDRAM working; `main` runs on a proper stack and gets the
/// one instance of its data; `fault` gets the address of an instruction that caused an
/// exception.
#[macro_export]
macro_rules! stage1_entry {
    (early: $early:path, main: $main:path, fault: $fault:path, data: $data:ty = $init:expr) => {
        extern "C" fn stage1_early() {
            $early();
        }
        extern "C" fn stage1_main() -> ! {
            static mut DATA: $data = $init;
            let data = &raw mut DATA;
            // SAFETY: the start-up code calls this function, once.
            $main(unsafe { &mut *data })
        }
        extern "C" fn stage1_fault(pc: u32) -> ! {
            $fault(pc)
        }
        core::arch::global_asm!(
            r#"
            .section .stage1.vectors, "ax", %progbits
            .arm
            .global _vectors
        _vectors:
            b       _start
            b       _fault          @ undefined instruction
            b       _fault          @ SWI
            b       _fault          @ prefetch abort
            b       _fault          @ data abort
            .word   _image_size     @ no vector; boot ROMs of some SoCs look here
            b       _fault          @ IRQ
            b       _fault          @ FIQ
        _fault:
            sub     r0, lr, #4
            msr     cpsr_c, #0xd3
            ldr     sp, =_stage1_stack
            ldr     r1, ={fault}
            bx      r1
            .pool

            .section .stage1.start, "ax", %progbits
            .arm
        _start:
            msr     cpsr_c, #0xd3   @ SVC mode, IRQ and FIQ masked
            ldr     sp, =_early_stack
            ldr     r0, ={early}
            mov     lr, pc
            bx      r0
            ldr     sp, =_stage1_stack
            ldr     r0, =_bss_start
            ldr     r1, =_bss_end
            mov     r2, #0
        1:  cmp     r0, r1
            strlo   r2, [r0], #4
            blo     1b
            ldr     r0, ={main}
            bx      r0

            .pool

            @ What the compiler calls for copies and fills, a fifth of the size of the
            @ ones it brings: nothing in stage1 copies much.
            .section .text.memcpy, "ax", %progbits
            .thumb
            .global memcpy, __aeabi_memcpy, __aeabi_memcpy4, __aeabi_memcpy8
            .thumb_func
        memcpy:
            .thumb_func
        __aeabi_memcpy:
            .thumb_func
        __aeabi_memcpy4:
            .thumb_func
        __aeabi_memcpy8:
            subs    r2, #1
            blo     1f
            ldrb    r3, [r1, r2]
            strb    r3, [r0, r2]
            b       memcpy
        1:  bx      lr

            .section .text.memset, "ax", %progbits
            .global memset, __aeabi_memclr, __aeabi_memclr4, __aeabi_memclr8
            .thumb_func
        __aeabi_memclr:
            .thumb_func
        __aeabi_memclr4:
            .thumb_func
        __aeabi_memclr8:
            movs    r2, r1
            movs    r1, #0
            .thumb_func
        memset:
            subs    r2, #1
            blo     1f
            strb    r1, [r0, r2]
            b       memset
        1:  bx      lr
            .arm
            "#,
            early = sym stage1_early,
            main = sym stage1_main,
            fault = sym stage1_fault,
        );
    };
}

unsafe extern "C" {
    static _boot_table: [u32; 73];
}

/// The boot table in SRAM, valid while stage1 runs.
#[must_use]
pub fn boot_table() -> &'static [u32; 73] {
    // SAFETY: the linker script sets this much aside; nobody changes it while stage1 runs.
    unsafe { &_boot_table }
}
