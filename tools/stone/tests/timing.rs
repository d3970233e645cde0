//! `stone timing`.

#[allow(dead_code, reason = "no files are wanted here")]
mod common;

use common::{Place, text};
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(&Place::new().good(&format!("timing {line} --json"))).unwrap()
}

fn fields(report: &Value) -> Vec<(&str, u64)> {
    let list = report["fields"].as_array().unwrap();
    list.iter().map(|field| (field["name"].as_str().unwrap(), field["value"].as_u64().unwrap())).collect()
}

#[test]
fn solves_the_boards() {
    let check = |line, values: [u64; 3], cycle_ns: f64, page_us: f64| {
        let report = json(line);
        let [tacls, twrph0, twrph1] = values;
        assert_eq!(fields(&report), [("TACLS", tacls), ("TWRPH0", twrph0), ("TWRPH1", twrph1)], "{line}");
        assert_eq!(report["cycle_ns"], cycle_ns, "{line}");
        let page = report["bus_limit"]["page_us"].as_f64().unwrap();
        assert!((page - page_us).abs() < 0.06, "{line}: {page}");
        report
    };
    let gta02 = check("--board gta02", [0, 3, 1], 45.0, 120.36);
    assert_eq!(gta02["share_of_chip"], 1.0);
    assert!((gta02["limit"]["mb_per_s"].as_f64().unwrap() - 16.2).abs() < 0.05);
    check("--board gta02 --hclk 100", [0, 2, 1], 50.0, 130.95);
    check("--board mini2440", [0, 2, 0], 40.0, 109.76);
    check("--board mini2440 --part k9f2g08u0b", [0, 1, 0], 30.0, 88.57);
    check("--part K9F2G08U0B --hclk 400/3", [0, 2, 1], 37.5, 104.46);
    check("--part K9F1208U0C --soc S3C2410 --hclk 100", [0, 2, 1], 50.0, 41.7);
    let smdk2410 = check("--board smdk2410", [0, 3, 1], 59.171, 46.59);
    assert!((smdk2410["limit"]["mb_per_s"].as_f64().unwrap() - 9.13).abs() < 0.005);
    check("--board smdk2410 --chip K9F1208U0C --hclk 100", [0, 2, 1], 50.0, 41.7);
    check("--part onfi4 --hclk 100", [0, 1, 0], 30.0, 263.57);
}

#[test]
fn tells_the_board_which_clock_would_be_best() {
    let best = |line| {
        let report = json(line);
        let choices = report["choices"].as_array().unwrap().clone();
        let best = choices.iter().find(|choice| choice["shortest_cycle"] == true).unwrap();
        best["hclk_mhz"].as_f64().unwrap().round()
    };
    assert_eq!(best("--board gta02"), 133.0);
    assert_eq!(best("--board mini2440 --part K9F2G08U0B"), 100.0);
    assert_eq!(json("--board gta02 --hclk 100")["choices"], Value::Array(Vec::new()));
}

#[test]
fn prints_a_table() {
    let table = Place::new().good("timing --board gta02");
    for line in [
        "gta02: K5D2G13ACM on S3C2442, bus clock 133.33 MHz (7.50 ns)",
        "  TACLS = 0 (0.0 ns) TWRPH0 = 3 (30.0 ns) TWRPH1 = 1 (15.0 ns)",
        "  tCLS   command, address  to the rise    21.0r    30.0     9.0",
        "  tREA   data out          low            30.0r    30.0     0.0 binds",
        "  tRC    data out          cycle          45.0     45.0     0.0 binds",
        "  bus               120.36   17.016",
        "    133.33      45.0   126.43   16.199  as the firmware sets it  shortest cycle",
    ] {
        assert!(table.lines().any(|found| found == line), "{line}\n{table}");
    }
}

#[test]
fn says_what_cannot_be() {
    let place = Place::new();
    place.fails(
        "timing --part onfi0 --hclk 300 --svg a.svg",
        &[
            "S3C2440 cannot serve ONFI mode 0",
            "tWC needs 22 bus clocks in TWRPH0, which gives 8 at most",
            "300.00 MHz",
        ],
    );
    place.fails("timing --part onfi6 --hclk 100", &["`onfi6` is unknown", "K9F2G08U0B"]);
    place.fails("timing --part K9F2G08U0B", &["the bus clock is unknown", "--hclk"]);
    place.fails("timing --board gta01", &["`gta01` is unknown", "gta02, mini2440, smdk2410"]);
    place.fails("timing --board gta02 --soc s3c6410", &["`s3c6410` is unknown", "S3C2410"]);
    assert!(place.names().is_empty());
    let usage = place.stone("timing --hclk 100");
    assert!(!usage.status.success() && text(&usage.stderr).contains("--board"));
}

#[test]
fn draws_every_parameter() {
    let place = Place::new();
    place.good("timing --board mini2440 --svg a.svg");
    let svg = text(&place.read("a.svg"));
    let report = json("--board mini2440");
    let rules = report["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 13);
    for rule in rules {
        let parameter = rule["parameter"].as_str().unwrap();
        assert!(svg.contains(&format!(">{parameter} ")), "{parameter}");
    }
    for word in ["nCE", "CLE", "ALE", "nWE", "nRE", "command", "address", "data out"] {
        assert!(svg.contains(&format!(">{word}<")), "{word}");
    }
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    // Same input, same drawing.
    place.good("timing --board mini2440 --svg b.svg");
    assert_eq!(place.read("a.svg"), place.read("b.svg"));
}
