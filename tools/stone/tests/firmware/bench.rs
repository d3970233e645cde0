//! The benchmark: what must be true of its figures whatever the model's constants are, and
//! where the model stands beside real boards.

use crate::kit::root;
use boot::nand::timing::Phases;
use std::sync::OnceLock;
use stone::bench::case::{self, Case, Ecc, Naive, Reader, Transfer};
use stone::bench::{self, Options, Row};

/// Settings of the readers of others' on the mini2440, the slowest first.
const SETTINGS: [[u32; 3]; 3] = [[30, 80, 80], [30, 70, 30], [0, 30, 20]];
/// The same on the SMDK2410.
const SMDK_SETTINGS: [[u32; 3]; 3] = [[30, 70, 30], [20, 60, 20], [0, 30, 20]];

/// All that runs on the plain builds for the mini2440 with its larger part and for the
/// SMDK2410, on a few pages.
fn rows() -> &'static [(Case, Row)] {
    static ROWS: OnceLock<Vec<(Case, Row)>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let here = |case: &Case| {
            matches!((case.machine.build, case.machine.part), ("mini2440", "K9F2G08U0B") | ("smdk2410", _))
        };
        let cases: Vec<_> = case::all().into_iter().filter(here).collect();
        let options = Options { overheads: vec![0], ..options(64) };
        let rows = bench::run(&cases, &options, |_, _| ()).unwrap();
        cases.into_iter().zip(rows).collect()
    })
}

fn options(pages: u32) -> Options {
    Options { root: root(), pages, overheads: Vec::new() }
}

fn find(board: &str, wanted: impl Fn(&Reader) -> bool) -> &'static Row {
    let found = rows().iter().find(|(case, _)| case.machine.board == board && wanted(&case.reader));
    &found.unwrap().1
}

fn stage1(board: &str) -> &'static Row {
    find(board, |reader| matches!(reader, Reader::Stage1))
}

fn naive(board: &str, transfer: Transfer, ecc: Ecc, asked: [u32; 3]) -> &'static Row {
    let wanted = |naive: &Naive| (naive.transfer, naive.ecc, naive.asked) == (transfer, ecc, asked);
    find(board, |reader| matches!(reader, Reader::Naive(naive) if wanted(naive)))
}

#[track_caller]
fn faster(one: &Row, other: &Row) {
    assert!(one.page_us < other.page_us, "{one:?}\n{other:?}");
}

#[test]
fn nobody_is_above_the_limits() {
    for (case, row) in rows() {
        let (page, core_mhz) = if row.board == "smdk2410" { (512.0, 202.8) } else { (2048.0, 400.0) };
        assert!(row.mb_per_s > 0.0 && row.mb_per_s <= row.limit_mb_per_s, "{case}: {row:?}");
        assert!(row.limit_mb_per_s <= row.bus_limit_mb_per_s, "{case}: {row:?}");
        assert!((row.share - row.mb_per_s / row.limit_mb_per_s).abs() < 1e-3, "{case}: {row:?}");
        assert!((row.mb_per_s - page / row.page_us).abs() < 1e-2, "{case}: {row:?}");
        // All of them, less what goes into polling.
        assert!(f64::from(row.cpu_cycles_per_page) < core_mhz * row.page_us, "{case}: {row:?}");
        assert!(row.work_cycles_per_page < row.cpu_cycles_per_page, "{case}: {row:?}");
    }
}

#[test]
fn each_improvement_of_others_is_one() {
    use {Ecc::*, Transfer::*};
    let on = |transfer, ecc, asked| naive("mini2440", transfer, ecc, asked);
    for asked in SETTINGS {
        for ecc in [Software, Hardware] {
            faster(on(Words, ecc, asked), on(Bytes, ecc, asked));
        }
        for transfer in [Bytes, Words] {
            faster(on(transfer, Hardware, asked), on(transfer, Software, asked));
        }
    }
    for [slower, quicker] in SETTINGS.array_windows() {
        for (transfer, ecc) in [(Bytes, Software), (Words, Software), (Bytes, Hardware), (Words, Hardware)] {
            faster(on(transfer, ecc, *quicker), on(transfer, ecc, *slower));
        }
    }
    for [slower, quicker] in SMDK_SETTINGS.array_windows() {
        let on = |ecc, asked| naive("smdk2410", Bytes, ecc, asked);
        faster(on(Hardware, *quicker), on(Hardware, *slower));
        faster(on(Hardware, *slower), on(Software, *slower));
    }
}

#[test]
fn stage1_is_faster_and_nearer_to_the_limit() {
    for (board, transfer) in [("mini2440", Transfer::Words), ("smdk2410", Transfer::Bytes)] {
        let best = naive(board, transfer, Ecc::Hardware, SETTINGS[2]);
        faster(stage1(board), best);
        assert!(stage1(board).share > best.share, "{:?}", stage1(board));
    }
}

/// What is promised of our reader, ECC and CRC included, as a share of what programmed I/O could
/// reach without READ CACHE.
#[test]
fn stage1_is_as_near_to_the_limit_as_promised() {
    let floors = [
        ("gta02", 0.97),
        ("gta02-100mhz", 0.97),
        ("mini2440", 0.95),
        ("mini2440-K9F2G08U0B", 0.95),
        ("mini2440-MT29F2G08AAC", 1.0),
        ("smdk2410", 0.85),
    ];
    let ours: Vec<_> = case::all().into_iter().filter(|case| matches!(case.reader, Reader::Stage1)).collect();
    let rows = bench::run(&ours, &options(64), |_, _| ()).unwrap();
    for (build, floor) in floors {
        let of_build = ours.iter().zip(&rows).filter(|(case, _)| case.machine.build == build);
        let shares: Vec<_> = of_build.map(|(_, row)| row.share).collect();
        assert!(!shares.is_empty() && shares.iter().all(|&share| share >= floor), "{build}: {shares:?}");
    }
}

/// The settings that the stages were built with, for builds that serve a single part: as they
/// are nothing is reported, and with any one field a clock shorter something is. But for the part
/// that may take 150 ns to pull R/nB down: the readers wait for 100, as Linux does.
#[test]
fn every_field_of_a_solved_setting_is_needed() {
    let mut tried = 0;
    for case in case::all() {
        let alone = case.machine.suits == [case.machine.part];
        let (Reader::Stage1, true) = (case.reader, alone && case.machine.part != "MT29F2G08AAC") else {
            continue;
        };
        let bus = case.bus().unwrap();
        let Phases { set_up, low, high } = bus.setting.write;
        let solved = [set_up, low, high];
        assert_eq!(read_at(&case, solved).map(drop), Ok(()), "{case}");
        for (index, field) in bus.controller.write.fields().into_iter().enumerate() {
            let mut shorter = solved;
            if solved[index] > field.shortest() {
                shorter[index] -= 1;
                let error = read_at(&case, shorter).unwrap_err();
                assert!(error.contains("nand-timing"), "{case}, {} shorter: {error}", field.name);
                tried += 1;
            }
        }
    }
    // Two fields on each of four builds, but for TWRPH1 where it is a single clock already.
    assert_eq!(tried, 7);
}

/// Reads a few pages with another reader at so many bus clocks.
fn read_at(case: &Case, clocks: [u32; 3]) -> Result<Vec<Row>, String> {
    let clock = case.machine.clock().unwrap();
    let asked = clocks.map(|clocks| (clock.picoseconds(clocks) / 1000) as u32);
    let transfer = if case.machine.board == "smdk2410" { Transfer::Bytes } else { Transfer::Words };
    let reader = Reader::Naive(Naive { transfer, ecc: Ecc::Hardware, asked });
    bench::run(&[Case { reader, ..*case }], &options(4), |_, _| ()).map_err(|error| format!("{error:#?}"))
}

/// GTA02 took 310.7 us a page with software ECC and 222.7 with hardware ECC, all else being the
/// same, the system above too. The mini2440 has the same core and clocks.
#[test]
fn software_ecc_costs_what_it_did_on_a_board() {
    let [software, hardware] = [Ecc::Software, Ecc::Hardware]
        .map(|ecc| naive("mini2440", Transfer::Words, ecc, SETTINGS[2]).page_us);
    let published = 2048.0 / 6.592 - 2048.0 / 9.197;
    let modelled = software - hardware;
    assert!((modelled / published - 1.0).abs() < 0.06, "{modelled:.1} of {published:.1} us");
}

/// eCos read 46 % faster with hardware ECC on an S3C2410X, at a setting that is not known.
#[test]
fn hardware_ecc_gains_what_it_did_for_ecos() {
    let gain = |asked| {
        let page_us = |ecc| naive("smdk2410", Transfer::Bytes, ecc, asked).page_us;
        page_us(Ecc::Software) / page_us(Ecc::Hardware) - 1.0
    };
    let [slowest, _, fastest] = SMDK_SETTINGS.map(gain);
    assert!(slowest < 0.46 && 0.46 < fastest, "{slowest:.2} to {fastest:.2}");
}

#[test]
fn an_access_that_costs_nothing_is_faster() {
    for stage1 in ["mini2440", "smdk2410"].map(stage1) {
        let [free, assumed] = &stage1.sensitivity[..] else { panic!("{stage1:?}") };
        assert_eq!((free.access_hclk, assumed.access_hclk), (0, bench::OVERHEAD));
        assert!(free.mb_per_s > assumed.mb_per_s && free.limit_mb_per_s > assumed.limit_mb_per_s);
        assert_eq!(assumed.mb_per_s, stage1.mb_per_s);
    }
}

#[test]
fn writes_what_was_promised() {
    let rows: Vec<_> = rows().iter().map(|(_, row)| row.clone()).collect();
    let json: serde_json::Value = serde_json::from_str(&bench::json(&rows).unwrap()).unwrap();
    for name in [
        "board",
        "part",
        "hclk_mhz",
        "reader",
        "page_us",
        "mb_per_s",
        "limit_mb_per_s",
        "bus_limit_mb_per_s",
        "share",
        "cpu_cycles_per_page",
        "published_mb_per_s",
    ] {
        assert!(json.as_array().unwrap().iter().all(|row| row.get(name).is_some()), "{name}");
    }
    assert_eq!((&json[0]["board"], &json[0]["reader"]), (&"mini2440".into(), &"stage1".into()));
    let table = bench::table::text(&rows);
    let lines = |board| table.lines().filter(|line| line.starts_with(board)).count();
    // Each row, and stage1's once more with its sensitivity.
    assert_eq!(lines("mini2440") + lines("smdk2410"), rows.len() + 2);
    let chart = bench::chart::draw(&rows);
    assert_eq!(chart.matches("% of PIO").count(), rows.len());
}
