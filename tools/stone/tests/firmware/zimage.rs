//! A kernel that unpacks itself as Linux's zImage does, and is as hard on what lies around it.

/// Offset of the packed kernel.
const PACKED: usize = 0x100;
/// Bytes of the kernel's .bss.
const BSS: u32 = 0x1_0000;
/// Offset of the words that the code reads: bytes packed, bytes of all, destination, and where the
/// extractor moves to from there.
const WORDS: usize = 0x5c;
/// Offset of the code.
const CODE: usize = 0x70;

/// Moves the whole of itself behind where the kernel and its .bss go, unpacks the kernel from there,
/// clears the .bss, writes over 64 KiB behind itself, as the extractor's heap does, and enters the kernel
/// with r0 to r2 as they were.
const EXTRACTOR: &[u32] = &[
    0xe24f_4078, // sub r4, pc, #120
    0xe51f_501c, // ldr r5, [pc, #-28]
    0xe51f_601c, // ldr r6, [pc, #-28]
    0xe51f_701c, // ldr r7, [pc, #-28]
    0xe086_7007, // add r7, r6, r7
    0xe084_8005, // add r8, r4, r5
    0xe087_9005, // add r9, r7, r5
    0xe938_1c08, // ldmdb r8!, {r3, sl, fp, ip}
    0xe929_1c08, // stmdb r9!, {r3, sl, fp, ip}
    0xe158_0004, // cmp r8, r4
    0x8aff_fffb, // bhi 8c
    0xe3a0_3000, // mov r3, #0
    0xee07_3f15, // mcr 15, 0, r3, cr7, cr5, {0}
    0xe287_f0a8, // add pc, r7, #168
    0xe287_8c01, // add r8, r7, #256
    0xe51f_5058, // ldr r5, [pc, #-88]
    0xe086_5005, // add r5, r6, r5
    0xe1a0_9006, // mov r9, r6
    0xe8b8_1c08, // ldm r8!, {r3, sl, fp, ip}
    0xe8a9_1c08, // stmia r9!, {r3, sl, fp, ip}
    0xe159_0005, // cmp r9, r5
    0x3aff_fffb, // bcc b8
    0xe3a0_3000, // mov r3, #0
    0xe159_0007, // cmp r9, r7
    0x3489_3004, // strcc r3, [r9], #4
    0x3aff_fffc, // bcc cc
    0xe51f_5080, // ldr r5, [pc, #-128]
    0xe087_8005, // add r8, r7, r5
    0xe288_9801, // add r9, r8, #65536
    0xe488_7004, // str r7, [r8], #4
    0xe158_0009, // cmp r8, r9
    0x3aff_fffc, // bcc e4
    0xee07_3f15, // mcr 15, 0, r3, cr7, cr5, {0}
    0xe1a0_f006, // mov pc, r6
];

/// The zImage of a kernel for 0x30008000 of whole 16 bytes, with the table of Linux 4.15 and later or without.
pub fn zimage(kernel: &[u8], table: bool) -> Vec<u8> {
    assert!(kernel.len().is_multiple_of(16));
    let len = kernel.len() as u32;
    let total = PACKED as u32 + len;
    let mut image = vec![0; PACKED];
    let mut put = |at: usize, words: &[u32]| {
        for (place, word) in image[at..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    };
    // mov r0, r0, and a branch to the code.
    put(0, &[0xe1a0_0000; 8]);
    put(0x20, &[0xea00_0012, 0x016f_2818, 0, total, 0x0403_0201]);
    if table {
        put(0x34, &[0x4545_4545, 0x40]);
        put(0x40, &[6, 0x5a53_4c4b, WORDS as u32, BSS]);
    }
    put(WORDS, &[len, total, 0x3000_8000, len + BSS]);
    put(CODE, EXTRACTOR);
    image.extend(kernel);
    image
}
