//! `stone run --trace` and `--timeline` of real boots.

use crate::common::Place;
use crate::kit::{Board, Flash, GTA02, KINDS, MINI2440, SMDK2410, flip_every_step};
use serde_json::Value;
use std::collections::BTreeMap;

/// A run with everything written.
struct Run {
    place: Place,
    report: Value,
    events: Vec<Value>,
}

impl Run {
    fn new(flash: &Flash, options: &str) -> Self {
        let place = Place::new();
        let mut image = vec![0; flash.image.len() as usize];
        flash.image.read(0, &mut image);
        place.write("nand", image);
        let files = "--report r.json --trace t.json --timeline t.svg";
        let Board { name, part, .. } = flash.board;
        place.stone(&format!("run nand --board {name} --part {part} {files}{options}"));
        let json = |name| serde_json::from_slice::<Value>(&place.read(name)).unwrap();
        let events = json("t.json")["traceEvents"].as_array().unwrap().clone();
        Self { report: json("r.json"), events, place }
    }

    /// The events of a track.
    fn track(&self, name: &str) -> Vec<&Value> {
        let is_name =
            |event: &&Value| event["name"] == "thread_name" && event["args"]["name"].as_str() == Some(name);
        let tid = &self.events.iter().find(is_name).unwrap_or_else(|| panic!("no track {name}"))["tid"];
        self.events.iter().filter(|event| event["tid"] == *tid && event["ph"] != "M").collect()
    }

    /// The page reads of the kernel.
    fn kernel(&self) -> Vec<&Value> {
        let phases = self.track("phases");
        let read = phases.iter().find(|phase| phase["name"] == "kernel-read").unwrap();
        let mut pages = self.track("pages");
        pages.retain(|page| (start(read)..end(read)).contains(&start(page)));
        pages
    }
}

/// Nanoseconds from microseconds with their fractions.
fn ns(value: &Value) -> u64 {
    (value.as_f64().unwrap() * 1e3) as u64
}

fn start(event: &Value) -> u64 {
    ns(&event["ts"])
}

fn end(event: &Value) -> u64 {
    // A duration has no half nanosecond to keep it from being cut off.
    start(event) + (event["dur"].as_f64().unwrap() * 1e3).round() as u64
}

/// An argument of a page, in nanoseconds.
fn arg(event: &Value, name: &str) -> f64 {
    event["args"][name].as_f64().unwrap_or_else(|| panic!("{name} in {event}"))
}

#[track_caller]
fn about(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn no_two_events_of_a_track_overlap() {
    let run = Run::new(&GTA02.good_flash(), "");
    let mut ends: BTreeMap<u64, u64> = BTreeMap::new();
    for event in &run.events {
        match event["ph"].as_str().unwrap() {
            "X" => {
                let last = ends.insert(event["tid"].as_u64().unwrap(), end(event)).unwrap_or(0);
                assert!(last <= start(event), "{event} begins before {last}");
                assert!(end(event) <= run.report["time_ns"].as_u64().unwrap(), "{event}");
            }
            "i" => assert_eq!(event["s"], "t", "{event}"),
            other => assert_eq!(other, "M", "{event}"),
        }
    }
    // Phases, pages, bus, array, core.
    assert_eq!(ends.len(), 5, "{ends:?}");
}

#[test]
fn phases_and_console_are_those_of_the_report() {
    let run = Run::new(&GTA02.good_flash(), "");
    let phases = run.track("phases");
    let told = run.report["phases"].as_array().unwrap();
    let told: Vec<_> =
        told.iter().filter(|phase| phase["end_ns"].as_u64() > phase["start_ns"].as_u64()).collect();
    assert_eq!(phases.len(), told.len());
    for (phase, told) in phases.iter().zip(told) {
        let times = (start(phase), end(phase));
        assert_eq!(phase["name"], told["name"]);
        assert_eq!(times, (told["start_ns"].as_u64().unwrap(), told["end_ns"].as_u64().unwrap()));
    }
    let uart = run.report["uart"].as_str().unwrap().replace('\r', "");
    let said: Vec<_> = uart.lines().filter(|line| !line.is_empty()).collect();
    let lines = run.track("console output");
    assert_eq!(lines.iter().map(|line| line["name"].as_str().unwrap()).collect::<Vec<_>>(), said);
    assert!(said[0].starts_with("S1"), "{said:?}");
}

#[test]
fn the_time_of_every_page_is_accounted_for() {
    for board in [GTA02, MINI2440, SMDK2410] {
        let run = Run::new(&board.good_flash(), "");
        let pages = run.track("pages");
        assert_eq!(pages.len() as u64, run.report["nand"]["page_reads"].as_u64().unwrap());
        for page in pages {
            let parts = ["bus_ns", "access_ns", "tr_ns", "cpu_exposed_ns"].map(|name| arg(page, name));
            about((end(page) - start(page)) as f64, parts.iter().sum(), 1.0);
            about(arg(page, "tr_ns"), arg(page, "cpu_hidden_ns") + arg(page, "polling_ns"), 0.01);
        }
    }
}

#[test]
fn the_report_sums_up_the_pages_of_the_kernel() {
    let check = |board: &Board, bus_ns: f64, tr_ns: f64| {
        let flash = board.good_flash();
        let run = Run::new(&flash, "");
        let (mean, read) = (&run.report["pages"], &run.report["kernel_read"]);
        let pages = run.kernel();
        let count = mean["pages"].as_u64().unwrap();
        let times = |name: &str| mean[name].as_f64().unwrap() * count as f64;
        assert_eq!(count, flash.kernel_pages("kernel-a").len() as u64);
        assert_eq!(count + mean["other_reads"].as_u64().unwrap(), pages.len() as u64);
        about(times("page_ns"), read["time_ns"].as_f64().unwrap(), 1.0);
        for name in ["bus_ns", "tr_ns", "cpu_hidden_ns", "polling_ns"] {
            about(times(name), pages.iter().map(|page| arg(page, name)).sum(), 1.0);
        }
        // While the header is looked at no page is being read, and the access that begins the next one
        // may belong to none: two periods of HCLK.
        about(times("access_ns"), pages.iter().map(|page| arg(page, "access_ns")).sum(), 20.0);
        about(mean["bus_ns"].as_f64().unwrap(), bus_ns, 80.0);
        // And tWB; for each page and, where a block begins, for its mark.
        let reads = pages.len() as f64;
        about(times("tr_ns"), (tr_ns + 85.0) * reads, 20.0 * reads);
    };
    // 2048 bytes of data, 24 of ECC codes, 7 + 4 latch cycles and the marks, at 45 ns each.
    check(&GTA02, 2083.0 * 45.0, 25_000.0);
    // 512 bytes of data and 4 with the ECC code at 6 periods of 101.4 MHz, 5 latch cycles at 7.
    check(&SMDK2410, 1e3 * (516.0 * 6.0 + 5.0 * 7.0) / 101.4, 15_000.0);
}

#[test]
fn the_array_is_busy_as_the_chip_says() {
    let run = Run::new(&GTA02.good_flash(), "");
    let array = run.track("NAND array");
    // The array starts with the command, R/nB follows tWB (100 ns) later.
    let low: u64 = array.iter().map(|event| end(event) - start(event) - 100).sum();
    about(low as f64, run.report["nand"]["busy_ns"].as_f64().unwrap(), array.len() as f64);
}

#[test]
fn corrected_bits_are_marked_where_they_were_read() {
    for board in KINDS {
        corrected_bits_are_marked(&board);
    }
}

fn corrected_bits_are_marked(board: &Board) {
    let flash = board.good_flash();
    let pages = flash.pages("kernel-a", 2 * board.nand.page);
    let flips = flip_every_step(board, &pages, 7);
    let specs: String = flips.iter().map(|f| format!(" --flip {}:{}:{}", f.page, f.byte, f.bit)).collect();
    let run = Run::new(&flash, &specs);
    assert_eq!(run.report["nand"]["corrected_bits"], flips.len());
    let marked = run.track("flipped bits");
    let mut of_last: Vec<_> = marked.iter().filter(|mark| mark["args"]["page"] == pages[1]).collect();
    let mark = of_last.pop().unwrap();
    let flips = board.nand.steps() as u64;
    assert_eq!((of_last.len(), mark["args"]["flips"].as_u64()), (0, Some(flips)), "{marked:?}");
    let page = run.kernel().into_iter().rfind(|page| page["args"]["page"] == pages[1]).unwrap();
    assert!((start(page)..end(page)).contains(&start(mark)), "{mark} {page}");
}

#[test]
fn the_drawing_is_xml_and_has_what_a_reader_looks_for() {
    let run = Run::new(&GTA02.good_flash(), "");
    let svg = String::from_utf8(run.place.read("t.svg")).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let texts: Vec<_> = document.descendants().filter_map(|node| node.text()).collect();
    for wanted in [
        "boot-rom",
        "kernel-read",
        "NAND bus",
        "NAND array",
        "core",
        "work hidden in tR",
        "work exposed",
        "mark",
        "From one page to the next",
        "CPU hidden",
        "PIO limit",
    ] {
        assert!(texts.iter().any(|text| text.contains(wanted)), "{wanted}: {texts:?}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("<script"));
    // The stretch of pages is the one where the kernel's second block begins.
    let block = u64::from(GTA02.nand.block_pages);
    let second = (run.kernel()[0]["args"]["page"].as_u64().unwrap() / block + 1) * block;
    assert!(texts.contains(&second.to_string().as_str()), "{second}: {texts:?}");
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let flash = GTA02.good_flash();
    let (one, two) = (Run::new(&flash, ""), Run::new(&flash, ""));
    for file in ["t.json", "t.svg", "r.json"] {
        assert!(one.place.read(file) == two.place.read(file), "{file} differs");
    }
}

#[test]
fn a_run_without_a_kernel_is_drawn_as_well() {
    let flash = GTA02.flash(&[], b"no kernel", b"no kernel").unwrap();
    let run = Run::new(&flash, " --until =>");
    assert_eq!(run.report["outcome"], "console");
    assert_eq!(run.report["pages"], Value::Null);
    assert!(!run.track("pages").is_empty());
    let svg = String::from_utf8(run.place.read("t.svg")).unwrap();
    assert!(roxmltree::Document::parse(&svg).is_ok() && svg.contains("A few pages"));
}

#[test]
fn nothing_is_recorded_unless_it_is_asked_for() {
    let flash = GTA02.good_flash();
    assert!(flash.boot().trace.is_none());
    let options = sim::Options { trace: true, ..flash.options() };
    let trace = flash.run(&options, "").trace.unwrap();
    let pages = flash.kernel_pages("kernel-a").len();
    assert!(trace.pages.len() > pages && trace.core.len() > trace.pages.len());
}
