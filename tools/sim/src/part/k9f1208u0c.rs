//! Samsung K9F1208U0C: 64 MiB, 3.3 V, 512-byte pages, four address cycles. The part of a smdk2410.
//!
//! Reading beyond byte 527 is taken to be a mistake: whether the next page follows by itself
//! (sequential row read), as with older small page parts, is not known. Two programs per page
//! (assumption: one for the data and one for the spare bytes; earlier parts of the series allow three).

use super::Source::{Ambarella as AMB, Assumption, Derived, Recall};
use super::commands::SMALL_PAGE;
use super::{Geometry, Part, Timing};

/// The part.
pub static PART: Part = Part {
    name: "K9F1208U0C",
    id: &[0xEC, 0x76, 0x5A, 0x3F],
    geometry: Geometry {
        page: 512,
        oob: 16,
        pages_per_block: 32,
        blocks: 4096,
        column_cycles: 1,
        row_cycles: 3,
        bad_mark: 5,
    },
    commands: &SMALL_PAGE,
    cache_read: false,
    programs_per_page: 2,
    timing: Timing {
        t_cls_min: AMB.ns(21),
        t_clh_min: AMB.ns(5),
        t_cs_min: AMB.ns(31),
        t_ch_min: AMB.ns(5),
        t_wp_min: AMB.ns(21),
        t_als_min: AMB.ns(21),
        t_alh_min: AMB.ns(5),
        t_ds_min: AMB.ns(20),
        t_dh_min: AMB.ns(5),
        t_wh_min: AMB.ns(15),
        t_wc_min: Recall.ns(42),
        // The tables have none for this part.
        t_adl_min: Assumption.ns(0),
        t_ar_min: AMB.ns(10),
        t_clr_min: AMB.ns(10),
        t_rr_min: AMB.ns(20),
        t_rp_min: AMB.ns(21),
        t_reh_min: AMB.ns(15),
        t_rc_min: Recall.ns(42),
        t_rea_max: AMB.ns(30),
        t_cea_max: Recall.ns(35),
        t_rhz_max: AMB.ns(30),
        // The tables have none. The chip must let go of the bus first: tRHZ.
        t_rhw_min: Derived.ns(30),
        t_whr_min: AMB.ns(60),
        t_wb_max: AMB.ns(100),
        t_r_max: Recall.us(15),
        // Not used: the part has no READ CACHE.
        t_rcbsy: Assumption.us(0),
        t_prog_typ: Recall.us(200),
        t_prog_max: Recall.us(500),
        t_bers_typ: Recall.us(2000),
        t_bers_max: Recall.us(3000),
        t_rst_read_max: Recall.us(5),
        t_rst_prog_max: Recall.us(10),
        t_rst_erase_max: Recall.us(500),
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::bench::{Bench, NS, pulse};
    use crate::part::{Faults, NandImage};

    const NONE: [&str; 0] = [];

    /// Two blocks; byte i of page p is i + p, spare bytes included.
    fn filled() -> Bench {
        let bytes = (0..64 * 528).map(|i| (i % 528 + i / 528) as u8).collect();
        Bench::with(&PART, NandImage::from_bytes(bytes), Faults::default())
    }

    /// A READ command and its address; the part is busy then.
    fn start_read(bench: &mut Bench, command: u8, column: u8, page: u32) {
        bench.command(command);
        bench.address(&[column]);
        bench.address(&page.to_le_bytes()[..3]);
    }

    fn read(bench: &mut Bench, command: u8, column: u8, page: u32, count: usize) -> Vec<u8> {
        start_read(bench, command, column, page);
        bench.wait();
        bench.read(count)
    }

    fn program(bench: &mut Bench, column: u8, page: u32, bytes: &[u8]) {
        bench.command(0x80);
        bench.address(&[column]);
        bench.address(&page.to_le_bytes()[..3]);
        bench.write(bytes);
        bench.command(0x10);
        bench.wait();
    }

    /// The parameters of the complaints about timing.
    fn parameters(bench: &mut Bench) -> Vec<String> {
        let name = |text: &String| text.split(": ").nth(1).expect("a kind comes first").to_owned();
        bench.complaints().iter().map(name).collect()
    }

    #[test]
    fn id() {
        let mut bench = Bench::new(&PART);
        bench.command(0x90);
        bench.address(&[0]);
        assert_eq!(bench.read(6), [0xEC, 0x76, 0x5A, 0x3F, 0, 0]);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn the_last_address_cycle_starts_the_read() {
        let mut bench = filled();
        start_read(&mut bench, 0x00, 0, 33);
        let (fall, rise) = bench.chip.busy_edges();
        assert_eq!(rise - fall, 15_000 * NS);
        assert_eq!(bench.status(), 0x80);
        bench.wait();
        assert_eq!(bench.status(), 0xE0);
        // Back from the status to the data, which goes on into the spare bytes.
        bench.command(0x00);
        let page = bench.read(528);
        assert!(page.iter().zip(0..).all(|(&byte, i)| byte == (i + 33) as u8), "{page:?}");
        assert_eq!(bench.complaints(), NONE);
        let reads = &bench.chip.log().reads;
        assert_eq!(reads.iter().map(|read| (read.page, read.bytes)).collect::<Vec<_>>(), [(33, 528)]);
    }

    #[test]
    fn each_read_command_has_its_area() {
        let check = |command, column, first: u32| {
            let mut bench = filled();
            assert_eq!(read(&mut bench, command, column, 2, 1), [(first + 2) as u8], "{command:02X}h");
            assert_eq!(bench.complaints(), NONE);
        };
        check(0x00, 0, 0);
        check(0x00, 255, 255);
        check(0x01, 0, 256);
        check(0x01, 255, 511);
        check(0x50, 0, 512);
        check(0x50, 15, 527);
        // The upper half of the column does not count among the spare bytes.
        check(0x50, 0xA3, 515);
    }

    #[test]
    fn programs_go_where_the_pointer_is() {
        let mut bench = Bench::new(&PART);
        let places = [(0x00, 0), (0x01, 256), (0x50, 512)];
        for (page, (pointer, first)) in (0..).zip(places) {
            bench.command(pointer);
            program(&mut bench, 7, page, &[0x5A]);
            assert_eq!(bench.status(), 0xE0);
            let bytes = read(&mut bench, 0x00, 0, page, 528);
            let programmed: Vec<_> = (0..528).filter(|&at| bytes[at] != 0xFF).collect();
            assert_eq!(programmed, [first + 7], "{pointer:02X}h");
        }
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn only_01h_holds_for_one_operation() {
        let check = |act: fn(&mut Bench), second: usize| {
            let mut bench = Bench::new(&PART);
            act(&mut bench);
            program(&mut bench, 0, 8, &[0]);
            let bytes = read(&mut bench, 0x00, 0, 8, 528);
            assert_eq!(bytes.iter().position(|&byte| byte == 0), Some(second));
            assert_eq!(bench.complaints(), NONE);
        };
        check(|_| {}, 0);
        check(|bench| drop(read(bench, 0x01, 0, 0, 1)), 0);
        check(|bench| drop(read(bench, 0x50, 0, 0, 1)), 512);
        check(
            |bench| {
                bench.command(0x01);
                program(bench, 0, 4, &[1]);
            },
            0,
        );
        check(
            |bench| {
                bench.command(0x50);
                program(bench, 0, 4, &[1]);
            },
            512,
        );
        check(
            |bench| {
                bench.command(0x50);
                bench.command(0xFF);
                bench.wait();
            },
            0,
        );
    }

    #[test]
    fn a_block_has_32_pages() {
        let mut bench = filled();
        bench.command(0x60);
        bench.address(&[32, 0, 0]);
        bench.command(0xD0);
        bench.wait();
        assert_eq!(bench.status(), 0xE0);
        assert_eq!(read(&mut bench, 0x00, 0, 31, 1), [31]);
        assert_eq!(read(&mut bench, 0x00, 1, 32, 1), [0xFF]);
        assert_eq!(read(&mut bench, 0x00, 1, 63, 1), [0xFF]);
        assert_eq!(bench.complaints(), NONE);
    }

    #[test]
    fn marking_a_block_bad_is_allowed_late() {
        let mut bench = filled();
        bench.command(0x60);
        bench.address(&[0, 0, 0]);
        bench.command(0xD0);
        bench.wait();
        bench.command(0x00);
        program(&mut bench, 0, 3, &[0]);
        bench.command(0x50);
        program(&mut bench, 5, 0, &[0]);
        assert_eq!(bench.complaints(), NONE);
        program(&mut bench, 0, 1, &[0]);
        let text = "nand-program: page 1 of block 0 is programmed after page 3, pages go in order";
        assert_eq!(bench.complaints(), [text]);
    }

    #[test]
    fn a_page_is_programmed_twice_at_most() {
        let mut bench = Bench::new(&PART);
        for byte in 0..2 {
            program(&mut bench, byte, 0, &[0]);
        }
        assert_eq!(bench.complaints(), NONE);
        program(&mut bench, 2, 0, &[0]);
        let text = "nand-program: page 0 is programmed 3 times without an erase, 2 are allowed";
        assert_eq!(bench.complaints(), [text]);
    }

    #[test]
    fn commands_of_large_pages_are_not_known() {
        let check = |byte: u8, begin: fn(&mut Bench), state: &str| {
            let mut bench = filled();
            begin(&mut bench);
            bench.command(byte);
            let expected = format!("nand-protocol: command {byte:02X}h is not expected ({state})");
            assert_eq!(bench.complaints(), [expected]);
        };
        let loaded = |bench: &mut Bench| drop(read(bench, 0x00, 0, 0, 4));
        let idle = "K9F1208U0C waits for a command";
        check(0x05, loaded, idle);
        check(0xE0, loaded, idle);
        check(0x30, loaded, idle);
        check(0x31, loaded, idle);
        let programming = |bench: &mut Bench| {
            bench.command(0x80);
            bench.address(&[0; 4]);
            bench.write(&[0]);
        };
        check(0x85, programming, "Program: K9F1208U0C takes data or 10h");
    }

    #[test]
    fn a_page_ends_with_its_spare_bytes() {
        let mut bench = filled();
        read(&mut bench, 0x50, 14, 0, 2);
        assert_eq!(bench.complaints(), NONE);
        bench.read(1);
        assert_eq!(bench.complaints(), ["nand-protocol: data out beyond byte 527 of the page"]);
        program(&mut bench, 15, 64, &[0xFF, 0xFF]);
        assert_eq!(bench.complaints(), ["nand-protocol: data in beyond byte 528 of the page"]);
        start_read(&mut bench, 0x00, 0, 131_072);
        assert_eq!(bench.complaints(), ["nand-protocol: page 131072: K9F1208U0C has pages 0 to 131071"]);
    }

    #[test]
    fn a_nanosecond_short_is_reported() {
        let latch = |(setup, low, high), expected: &[&str]| {
            let mut bench = filled();
            bench.pulse = pulse(setup, low, high);
            bench.command(0x90);
            assert_eq!(parameters(&mut bench), expected, "{setup}/{low}/{high}");
        };
        latch((0, 27, 15), &[]);
        latch((0, 26, 15), &["tWC"]);
        latch((15, 20, 15), &["tWP"]);
        latch((0, 28, 14), &["tWH"]);
        latch((0, 20, 22), &["tCLS", "tWP"]);
        let data = |(low, high), expected: &[&str]| {
            let mut bench = filled();
            start_read(&mut bench, 0x00, 0, 0);
            bench.wait();
            bench.pulse = pulse(0, low, high);
            let right = bench.read(4) == [0, 1, 2, 3];
            assert_eq!((parameters(&mut bench), right), (to_owned(expected), expected.is_empty()));
        };
        data((30, 15), &[]);
        data((29, 15), &["tREA"]);
        data((30, 14), &["tREH"]);
        data((20, 21), &["tRP", "tRC", "tREA"]);
    }

    fn to_owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn reading_too_soon_is_reported() {
        let mut bench = filled();
        start_read(&mut bench, 0x00, 0, 0);
        assert_eq!(bench.read(1).len(), 1);
        assert_eq!(bench.complaints(), ["nand-timing: busy for another 14850 ns, data out"]);
        let mut bench = filled();
        start_read(&mut bench, 0x00, 0, 0);
        bench.now = bench.chip.busy_edges().1 + 19 * NS;
        bench.read(1);
        assert_eq!(parameters(&mut bench), ["tRR"]);
    }
}
