use super::*;
use crate::nand::controller::{AT91SAM9, S3C2410, S3C2440, S3C2442};
use crate::nand::part::{self, ONFI, PARTS, SAFE};
use crate::nand::speed::{Bus, PageRead};
use std::format;
use std::vec::Vec;

const HCLK_100: BusClock = BusClock { source: Hz(400_000_000), divider: 4 };
const HCLK_133: BusClock = BusClock { source: Hz(400_000_000), divider: 3 };
/// SMDK2410: 202.8 MHz by two.
const HCLK_101: BusClock = BusClock { source: Hz(202_800_000), divider: 2 };

/// AT91SAM9260-EK: 198.656 MHz by two.
const MCK: BusClock = BusClock { source: Hz(198_656_000), divider: 2 };

/// A static memory controller in the manner of the AT91SAM9's, with small fields: strobes of
/// their own for reading and writing, set-up in every cycle, chip select in each.
const SMC: Controller = {
    const fn strobe(set_up: &'static str, low: &'static str, high: &'static str) -> Strobe {
        Strobe {
            set_up: SetUp::EveryCycle(Field { name: set_up, min: 0, max: 4, bias: 0 }),
            low: Field { name: low, min: 1, max: 7, bias: 0 },
            high: Field { name: high, min: 0, max: 5, bias: 1 },
        }
    }
    Controller {
        soc: "SMC",
        write: strobe("NWE_SETUP", "NWE_PULSE", "NWE_HOLD"),
        read: Some(strobe("NRD_SETUP", "NRD_PULSE", "NRD_HOLD")),
        chip_enable: ChipEnable::EachCycle,
        access_bytes: 4,
    }
};

const CONTROLLERS: [&Controller; 4] = [&S3C2410, &S3C2440, &S3C2442, &SMC];

fn timing(name: &str) -> Timing {
    part::find(name).unwrap().timing
}

fn solve(name: &str, controller: &Controller, clock: BusClock) -> [u32; 3] {
    let setting = Setting::solve(&timing(name), controller, clock).unwrap();
    controller.write.values(setting.write)
}

#[test]
fn clocks_are_exact() {
    let check =
        |clock: BusClock, ns, cycles| assert_eq!(clock.cycles(Ns(ns)), cycles, "{ns} ns of {clock:?}");
    check(HCLK_133, 30, 4);
    check(HCLK_133, 31, 5);
    check(HCLK_133, 15, 2);
    check(HCLK_133, 0, 0);
    check(HCLK_100, 30, 3);
    // 9.86 ns: 30 ns are a little more than three periods.
    check(HCLK_101, 30, 4);
    assert_eq!(BusClock::of(Hz(400_000_000), Hz(133_333_333)), HCLK_133);
    assert_eq!(BusClock::of(Hz(400_000_000), Hz(100_000_000)), HCLK_100);
    assert_eq!(HCLK_133.picoseconds(6), 45_000);
    assert_eq!(HCLK_101.picoseconds(1), 9_861);
}

#[test]
fn known_parts_on_known_boards() {
    let check = |name, controller, clock, fields| {
        assert_eq!(solve(name, controller, clock), fields, "{name} on {}", controller.soc);
    };
    check("K5D2G13ACM", &S3C2442, HCLK_133, [0, 3, 1]);
    check("K5D2G13ACM", &S3C2442, HCLK_100, [0, 2, 1]);
    check("K9F1G08U0B", &S3C2440, HCLK_100, [0, 2, 0]);
    check("K9F2G08U0B", &S3C2440, HCLK_100, [0, 1, 0]);
    check("K9F2G08U0B", &S3C2440, HCLK_133, [0, 2, 1]);
    check("K9F2G08U0C", &S3C2440, HCLK_100, [0, 1, 1]);
    check("K9F2G08R0A", &S3C2440, HCLK_100, [0, 2, 1]);
    check("K9F1208U0C", &S3C2440, HCLK_100, [0, 2, 1]);
    check("MT29F2G08ABAEA", &S3C2440, HCLK_100, [0, 1, 0]);
    check("MT29F2G08AAC", &S3C2440, HCLK_100, [0, 2, 1]);
    // The 2410 counts one more everywhere; 9.86 ns make four periods of 30 ns.
    check("K9F1208U0C", &S3C2410, HCLK_101, [0, 3, 1]);
    let both = part::worst(&["K9F1G08U0B", "K9F2G08U0B"]).unwrap();
    let setting = Setting::solve(&both, &S3C2440, HCLK_100).unwrap();
    assert_eq!(S3C2440.write.values(setting.write), [0, 2, 0]);
}

/// ALE falls as the first cycle that reads begins, so tAR asks for set-up in all of them, which tREH
/// has the benefit of.
#[test]
fn known_parts_behind_a_static_memory_controller() {
    let check = |names: &[&str], write: [u32; 3], read: [u32; 3]| {
        let setting = Setting::solve(&part::worst(names).unwrap(), &AT91SAM9, MCK).unwrap();
        let strobe = AT91SAM9.read.unwrap();
        assert_eq!((AT91SAM9.write.values(setting.write), strobe.values(setting.read)), (write, read));
    };
    check(&["MT29F2G08AAC"], [0, 3, 2], [1, 3, 1]);
    check(&["K9F2G08U0B"], [0, 2, 1], [1, 2, 1]);
    check(&["K9F1G08U0B"], [0, 2, 1], [1, 3, 1]);
    check(&["MT29F2G08AAC", "K9F2G08U0B"], [0, 3, 2], [1, 3, 1]);
}

#[test]
fn the_board_chooses_its_clock_by_its_part() {
    let check = |name, divider| {
        let best = best_divider(&timing(name), &S3C2440, Hz(400_000_000), &[3, 4]).unwrap();
        assert_eq!(best.0.divider, divider, "{name}");
    };
    check("K5D2G13ACM", 3); // 45 ns, or 50
    check("K9F2G08U0B", 4); // 37.5, or 30
    check("K9F1G08U0B", 3); // 37.5, or 40: its tREA is 22 ns, not 20
}

#[test]
fn best_divider_says_what_is_wrong() {
    let fast = Hz(800_000_000);
    let error = best_divider(&SAFE, &S3C2440, fast, &[1, 2]).unwrap_err();
    assert_eq!((error.field, error.parameter), ("TWRPH0", Some(Parameter::Wc)));
    assert_eq!(best_divider(&SAFE, &S3C2440, fast, &[1, 6]).unwrap().0.divider, 6);
    assert_eq!(best_divider(&SAFE, &S3C2440, fast, &[]).unwrap_err().field, "divider");
}

#[test]
fn out_of_range_names_the_field_and_who_asks_for_it() {
    let base = timing("K9F1G08U0B");
    let check = |timing: Timing, controller: &Controller, expected: &str| {
        let error = Setting::solve(&timing, controller, HCLK_100).unwrap_err();
        assert_eq!(format!("{error}"), expected);
    };
    check(
        Timing { t_rea_max: Ns(81), ..base },
        &S3C2440,
        "tREA needs 9 bus clocks in TWRPH0, which gives 8 at most",
    );
    check(
        Timing { t_wh_min: Ns(90), ..base },
        &S3C2440,
        "tWH needs 9 bus clocks in TWRPH1, which gives 8 at most",
    );
    // Three in TACLS; the rest is too much for the low phase.
    check(
        Timing { t_cls_min: Ns(120), ..base },
        &S3C2440,
        "tCLS needs 9 bus clocks in TWRPH0, which gives 8 at most",
    );
    check(
        Timing { t_rc_min: Ns(170), ..base },
        &S3C2440,
        "tRC needs 9 bus clocks in TWRPH0, which gives 8 at most",
    );
    check(
        Timing { t_clr_min: Ns(50), ..base },
        &SMC,
        "tCLR needs 5 bus clocks in NRD_SETUP, which gives 4 at most",
    );
}

#[test]
fn says_what_binds() {
    let binding = |name, clock: BusClock| -> Vec<_> {
        let timing = timing(name);
        let setting = Setting::solve(&timing, &S3C2440, clock).unwrap();
        let checks = setting.checks(&timing, &S3C2440, clock);
        checks
            .filter(|check| check.binds)
            .map(|check| (check.rule.parameter.name(), check.slack_ps()))
            .collect()
    };
    let gta02 =
        [("tWP", 5_000), ("tWH", 0), ("tWC", 0), ("tRP", 5_000), ("tREA", 0), ("tREH", 0), ("tRC", 0)];
    assert_eq!(binding("K5D2G13ACM", HCLK_133), gta02);
    // The high phase is as short as it goes: nothing binds it.
    assert_eq!(
        binding("K9F2G08U0B", HCLK_100),
        [
            ("tCLS", 8_000),
            ("tALS", 8_000),
            ("tDS", 8_000),
            ("tWP", 8_000),
            ("tWC", 5_000),
            ("tRP", 8_000),
            ("tREA", 0),
            ("tRC", 5_000)
        ]
    );
}

#[test]
fn published_page_times_are_reproduced() {
    let gta02 = PageRead::of(&part::find("K5D2G13ACM").unwrap().geometry);
    let phases = |set_up, low, high| Setting {
        write: Phases { set_up, low, high },
        read: Phases { set_up, low, high },
    };
    // Page time in ns, rate in kB/s.
    let check = |name, clock, setting, page_ns: u64, kb_per_s: u64| {
        let bus = Bus { controller: &S3C2440, clock, setting };
        let page = gta02.bus_ps(&timing(name), &bus);
        assert!(page.abs_diff(page_ns * 1000) <= 5_000, "{setting:?}: {page} ps");
        assert!(gta02.bytes_per_s(page).abs_diff(kb_per_s * 1000) <= 1_000, "{setting:?}: {page} ps");
    };
    check("K5D2G13ACM", HCLK_100, phases(3, 8, 8), 364_250, 5_623); // old U-Boot
    check("K5D2G13ACM", HCLK_100, phases(3, 7, 3), 237_110, 8_637); // old Linux
    check("K5D2G13ACM", HCLK_100, phases(0, 3, 2), 130_950, 15_639);
    check("K5D2G13ACM", HCLK_133, phases(0, 4, 2), 120_355, 17_016);
    check("K9F2G08U0B", HCLK_100, phases(0, 2, 1), 88_570, 23_123);
    check("K9F2G08U0B", HCLK_100, phases(0, 3, 1), 109_760, 18_659);
    check("K9F2G08U0B", HCLK_133, phases(0, 3, 2), 104_460, 19_605);

    // The chips' own limits, tRC all along.
    assert_eq!(gta02.chip_ps(&timing("K5D2G13ACM")), 120_355_000);
    let own = gta02.chip_ps(&timing("K9F2G08U0B"));
    assert_eq!((own, gta02.bytes_per_s(own) / 10_000), (77_975_000, 2_626));

    let bus = Bus { controller: &S3C2442, clock: HCLK_133, setting: phases(0, 4, 2) };
    // About 98 us, 20.9 MB/s, with READ CACHE.
    let cached = gta02.cached_ps(Ns(3_000), &bus);
    assert_eq!((cached, gta02.bytes_per_s(cached) / 100_000), (98_040_000, 208));
    // About 127 us by programmed I/O, 95 % of the bus limit.
    let pio = gta02.pio_ps(&timing("K5D2G13ACM"), &bus, 2);
    assert_eq!(pio, 7 * 60_000 + 25_000_000 + 518 * 195_000);
    assert_eq!(gta02.bus_ps(&timing("K5D2G13ACM"), &bus) * 100 / pio, 95);
    // Byte by byte on the S3C2410, with three bytes of ECC.
    let small = PageRead::of(&part::find("K9F1208U0C").unwrap().geometry);
    let bus = Bus { controller: &S3C2410, clock: HCLK_100, setting: phases(1, 3, 2) };
    assert_eq!(small.pio_ps(&timing("K9F1208U0C"), &bus, 2), 5 * 80_000 + 15_000_000 + 515 * 70_000);
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(limit)) >> 32) as u32
    }

    fn clock(&mut self) -> BusClock {
        BusClock { source: Hz(12_000_000 + self.below(600_000_000)), divider: 1 + self.below(8) }
    }

    /// Often a real part with a few other values, seldom one of no rhyme or reason.
    fn timing(&mut self) -> Timing {
        let mut timing = match self.below(3) {
            0 => PARTS[self.below(PARTS.len() as u32) as usize].timing,
            1 => ONFI[self.below(6) as usize],
            _ => SAFE,
        };
        let fields: [&mut Ns; 18] = [
            &mut timing.t_cls_min,
            &mut timing.t_clh_min,
            &mut timing.t_als_min,
            &mut timing.t_alh_min,
            &mut timing.t_cs_min,
            &mut timing.t_ch_min,
            &mut timing.t_ds_min,
            &mut timing.t_dh_min,
            &mut timing.t_wp_min,
            &mut timing.t_wh_min,
            &mut timing.t_wc_min,
            &mut timing.t_rp_min,
            &mut timing.t_reh_min,
            &mut timing.t_rc_min,
            &mut timing.t_rea_max,
            &mut timing.t_cea_max,
            &mut timing.t_ar_min,
            &mut timing.t_clr_min,
        ];
        for field in fields {
            if self.below(4) == 0 {
                *field = Ns(self.below(120));
            }
        }
        timing
    }
}

/// Every inequality written out once more, for fields as they stand in the registers.
struct Board<'a> {
    timing: &'a Timing,
    clock: BusClock,
}

impl Board<'_> {
    /// So many bus clocks last at least as long as each of these.
    fn long(&self, cycles: u32, wanted: &[Ns]) -> bool {
        let BusClock { source, divider } = self.clock;
        let given = u128::from(cycles) * u128::from(divider) * 1_000_000_000;
        wanted.iter().all(|ns| given >= u128::from(ns.0) * u128::from(source.0))
    }

    fn s3c24x0(&self, set_up: u32, low: u32, high: u32) -> bool {
        let t = self.timing;
        self.long(set_up + low, &[t.t_cls_min, t.t_als_min])
            && self.long(low, &[t.t_wp_min, t.t_ds_min, t.t_rp_min, t.t_rea_max])
            && self.long(high, &[t.t_wh_min, t.t_reh_min, t.t_clh_min, t.t_alh_min, t.t_dh_min])
            && self.long(low + high, &[t.t_wc_min, t.t_rc_min])
    }

    fn smc_write(&self, set_up: u32, low: u32, high: u32) -> bool {
        let t = self.timing;
        self.long(set_up + low, &[t.t_cls_min, t.t_als_min, t.t_cs_min, t.t_ds_min])
            && self.long(low, &[t.t_wp_min])
            && self.long(high, &[t.t_clh_min, t.t_alh_min, t.t_ch_min, t.t_dh_min])
            && self.long(high + set_up, &[t.t_wh_min])
            && self.long(set_up + low + high, &[t.t_wc_min])
    }

    fn smc_read(&self, set_up: u32, low: u32, high: u32) -> bool {
        let t = self.timing;
        self.long(set_up, &[t.t_ar_min, t.t_clr_min])
            && self.long(low, &[t.t_rp_min, t.t_rea_max])
            && self.long(set_up + low, &[t.t_cea_max])
            && self.long(high + set_up, &[t.t_reh_min])
            && self.long(set_up + low + high, &[t.t_rc_min])
    }

    fn holds(&self, controller: &Controller, strobe: &Strobe, phases: Phases) -> bool {
        let Phases { set_up, low, high } = phases;
        if controller.read.is_none() {
            self.s3c24x0(set_up, low, high)
        } else if *strobe == controller.write {
            self.smc_write(set_up, low, high)
        } else {
            self.smc_read(set_up, low, high)
        }
    }
}

/// What is made short first, and what then.
fn cost(strobe: &Strobe, phases: Phases) -> (u32, u32) {
    match strobe.set_up {
        SetUp::LatchOnly(_) => (phases.low + phases.high, phases.set_up),
        SetUp::EveryCycle(_) => (phases.span(Span::Whole), 0),
    }
}

fn every_setting(strobe: &Strobe) -> Vec<Phases> {
    let [set_up, low, high] = strobe.fields();
    let mut all = Vec::new();
    for s in set_up.min..=set_up.max {
        for l in low.min..=low.max {
            for h in high.min..=high.max {
                all.push(Phases { set_up: s + set_up.bias, low: l + low.bias, high: h + high.bias });
            }
        }
    }
    all
}

/// The same with one field one less, for each that can be.
fn one_step_shorter(strobe: &Strobe, phases: Phases) -> Vec<Phases> {
    let Phases { set_up, low, high } = phases;
    let mut shorter = Vec::new();
    if set_up > strobe.set_up.field().shortest() {
        shorter.push(Phases { set_up: set_up - 1, ..phases });
    }
    if low > strobe.low.shortest() {
        shorter.push(Phases { low: low - 1, ..phases });
    }
    if high > strobe.high.shortest() {
        shorter.push(Phases { high: high - 1, ..phases });
    }
    shorter
}

/// Each strobe of a controller with its phases of a setting.
fn strobes(controller: &Controller, setting: Option<Setting>) -> Vec<(&Strobe, Option<Phases>)> {
    let mut all = Vec::from([(&controller.write, setting.map(|setting| setting.write))]);
    all.extend(controller.read.as_ref().map(|read| (read, setting.map(|setting| setting.read))));
    all
}

#[test]
fn no_faster_setting_exists() {
    let (mut solved, mut refused) = (0, 0);
    let random = &mut Random(0x5eed_0f71_3117_6000);
    for round in 0..4_000 {
        let controller = CONTROLLERS[round % CONTROLLERS.len()];
        let (timing, clock) = (&random.timing(), random.clock());
        let board = Board { timing, clock };
        let solution = Setting::solve(timing, controller, clock);
        let mut possible = true;
        for (strobe, phases) in strobes(controller, solution.ok()) {
            let all = every_setting(strobe);
            let good = all.iter().filter(|&&phases| board.holds(controller, strobe, phases));
            let best = good.map(|&phases| cost(strobe, phases)).min();
            possible &= best.is_some();
            if let Some(phases) = phases {
                let context = format!("{phases:?} {timing:?} {clock:?} {}", controller.soc);
                assert!(all.contains(&phases), "cannot be expressed: {context}");
                assert!(board.holds(controller, strobe, phases), "too fast: {context}");
                assert_eq!(Some(cost(strobe, phases)), best, "too slow: {context}");
                for shorter in one_step_shorter(strobe, phases) {
                    assert!(!board.holds(controller, strobe, shorter), "{shorter:?} would do: {context}");
                }
            }
        }
        assert_eq!(solution.is_ok(), possible, "{timing:?} {clock:?} {}", controller.soc);
        match solution {
            Ok(setting) => {
                assert!(setting.checks(timing, controller, clock).all(|check| check.holds));
                solved += 1;
            }
            Err(error) => {
                assert!(error.needed > error.longest);
                refused += 1;
            }
        }
    }
    // Both ways are taken often.
    assert!(solved > 1_000 && refused > 500, "{solved} solved, {refused} refused");
}

#[test]
fn one_step_shorter_breaks_a_rule_of_every_part() {
    let mut tried = 0;
    for controller in [&S3C2410, &S3C2440, &S3C2442] {
        for clock in [HCLK_100, HCLK_133, HCLK_101] {
            for timing in PARTS.iter().map(|part| part.timing).chain(ONFI) {
                let setting = Setting::solve(&timing, controller, clock).unwrap();
                assert!(setting.checks(&timing, controller, clock).all(|check| check.holds));
                for shorter in one_step_shorter(&controller.write, setting.write) {
                    let shorter = Setting { write: shorter, read: shorter };
                    let mut broken = shorter.checks(&timing, controller, clock).filter(|check| !check.holds);
                    assert!(broken.next().is_some_and(|check| check.slack_ps() < 0), "{shorter:?}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 3 * 3 * 15, "{tried}");
}
