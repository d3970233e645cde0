//! The benchmark: what must be true of its figures whatever the model's constants are, and
//! where the model stands beside real boards.

use crate::kit::root;
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
        let options = Options { root: root(), pages: 64, overheads: vec![0] };
        let rows = bench::run(&cases, &options, |_, _| ()).unwrap();
        cases.into_iter().zip(rows).collect()
    })
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
