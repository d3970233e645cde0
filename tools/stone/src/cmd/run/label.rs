//! Names of what happens on a board, for traces and drawings.

use sim::trace::{ArrayWork, BusCycles, Doing};

/// Cycles on the NAND bus.
pub fn bus(cycles: &BusCycles) -> String {
    let command = |byte: &Option<u8>| byte.map_or_else(String::new, |byte| format!("{byte:02X}h"));
    match cycles {
        BusCycles::Latches { first, addresses: 0, last: None } => command(first),
        BusCycles::Latches { first, last: Some(last), .. } => format!("{}-{last:02X}h", command(first)),
        BusCycles::Latches { first, addresses, last: None } => format!("{} + {addresses}", command(first)),
        BusCycles::DataOut { column: 0, .. } => "data out".into(),
        BusCycles::DataOut { column, .. } => format!("data out from byte {column}"),
        BusCycles::DataIn { .. } => "data in".into(),
    }
}

/// What the chip does inside.
pub fn array(work: &ArrayWork) -> String {
    match work {
        ArrayWork::Load { page } => format!("load page {page}"),
        ArrayWork::LoadAhead { page } => format!("load page {page} ahead"),
        ArrayWork::Program { page } => format!("program page {page}"),
        ArrayWork::Erase { block } => format!("erase block {block}"),
        ArrayWork::Reset => "reset".into(),
    }
}

/// What the core does.
pub fn core(doing: Doing) -> &'static str {
    match doing {
        Doing::Held => "held by the boot ROM",
        Doing::Working => "executing",
        Doing::WorkingInBusy => "executing in tR",
        Doing::Polling => "polling R/nB",
        Doing::Latching => "commands and addresses",
        Doing::Transferring => "data register",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_named_by_their_commands() {
        let check = |first, addresses, last, expected| {
            assert_eq!(bus(&BusCycles::Latches { first, addresses, last }), expected);
        };
        check(Some(0x00), 5, Some(0x30), "00h-30h");
        check(Some(0x50), 4, None, "50h + 4");
        check(Some(0xFF), 0, None, "FFh");
    }
}
