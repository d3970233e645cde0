//! The ARMv4 MMU as far as the models need it: where an address goes, whether it may be cached,
//! what aborts. ARM Architecture Reference Manual, part B3; ARM920T TRM, chapter 3.
//!
//! Unicorn translates for itself when it executes; this is the same walk for time and checks.

use super::registers::Registers;
use crate::model;

/// CP15 register 1.
pub mod control {
    /// MMU on.
    pub const M: u32 = 1 << 0;
    /// Alignment faults.
    pub const A: u32 = 1 << 1;
    /// D-cache on.
    pub const C: u32 = 1 << 2;
    /// System protection.
    pub const S: u32 = 1 << 8;
    /// ROM protection.
    pub const R: u32 = 1 << 9;
    /// I-cache on.
    pub const I: u32 = 1 << 12;
    /// Exception vectors at FFFF0000.
    pub const V: u32 = 1 << 13;
    /// Round robin replacement.
    pub const RR: u32 = 1 << 14;
    /// Not fast bus mode: nF and iA. Both clear, the core runs at the bus clock.
    pub const CLOCKING: u32 = 3 << 30;
}

/// The registers that steer the MMU and the caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Register 1.
    pub control: u32,
    /// Register 2: first-level table.
    pub table: u32,
    /// Register 3: domain access.
    pub domains: u32,
}

impl Control {
    /// As the core has them now.
    #[must_use]
    pub fn of(registers: &impl Registers) -> Self {
        Self {
            control: registers.cp15(1, 0, 0),
            table: registers.cp15(2, 0, 0) & 0xffff_c000,
            domains: registers.cp15(3, 0, 0),
        }
    }

    /// Whether a bit of register 1 is set.
    #[must_use]
    pub fn has(&self, bit: u32) -> bool {
        self.control & bit != 0
    }
}

/// What an access wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Write.
    pub write: bool,
    /// In user mode, or as if.
    pub user: bool,
}

/// Where an address goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Physical address.
    pub physical: u32,
    /// C of its descriptor.
    pub cacheable: bool,
    /// B of its descriptor.
    pub bufferable: bool,
    /// Descriptors that had to be fetched.
    pub walked: u32,
}

/// Why an access aborts: the status for the fault status register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// FS\[3:0\].
    pub status: u8,
    /// Domain.
    pub domain: u8,
}

impl Fault {
    /// Alignment fault.
    pub const ALIGNMENT: Self = Self { status: 0b0001, domain: 0 };
    /// External abort of a single access.
    pub const EXTERNAL: Self = Self { status: 0b1000, domain: 0 };

    /// As the fault status register shows it.
    #[must_use]
    pub fn register(self) -> u32 {
        u32::from(self.domain) << 4 | u32::from(self.status)
    }

    /// For people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.status {
            0b0001 => "alignment fault",
            0b0101 => "translation fault (section)",
            0b0111 => "translation fault (page)",
            0b1001 => "domain fault (section)",
            0b1011 => "domain fault (page)",
            0b1101 => "permission fault (section)",
            0b1111 => "permission fault (page)",
            0b1000 => "external abort",
            _ => "external abort on translation",
        }
    }
}

/// A translation kept.
#[derive(Clone, Copy, Debug)]
struct Entry {
    virtual_base: u32,
    mask: u32,
    physical_base: u32,
    cacheable: bool,
    bufferable: bool,
    permission: u8,
    domain: u8,
    page: bool,
}

/// Size of the table of recent answers in front of the TLB; it only saves host time.
const RECENT: usize = 256;

/// A TLB with its table walk. The ARM920T has one for instructions and one for data.
#[derive(Debug)]
pub struct Tlb {
    entries: Vec<Entry>,
    next: usize,
    recent: Vec<Option<Entry>>,
}

impl Default for Tlb {
    fn default() -> Self {
        Self { entries: Vec::with_capacity(model::TLB_ENTRIES), next: 0, recent: vec![None; RECENT] }
    }
}

impl Tlb {
    /// Forgets all.
    pub fn invalidate(&mut self) {
        self.entries.clear();
        self.next = 0;
        self.recent.fill(None);
    }

    /// Forgets what covers an address.
    pub fn invalidate_entry(&mut self, address: u32) {
        self.entries.retain(|entry| address & entry.mask != entry.virtual_base);
        self.next = 0;
        self.recent.fill(None);
    }

    /// Where `address` goes; `fetch` reads a word of physical memory for the walk.
    ///
    /// # Errors
    /// The abort the access ends with.
    pub fn translate(
        &mut self,
        address: u32,
        wanted: Wanted,
        control: &Control,
        fetch: impl Fn(u32) -> Option<u32>,
    ) -> Result<Place, Fault> {
        let slot = (address >> 12) as usize % RECENT;
        let (entry, walked) = match self.recent[slot].filter(|entry| entry.covers(address)) {
            Some(entry) => (entry, 0),
            None => {
                let found = self.find(address, control, fetch)?;
                self.recent[slot] = Some(found.0);
                found
            }
        };
        entry.check(wanted, control)?;
        Ok(Place {
            physical: entry.physical_base | address & !entry.mask,
            cacheable: entry.cacheable,
            bufferable: entry.bufferable,
            walked,
        })
    }

    fn find(
        &mut self,
        address: u32,
        control: &Control,
        fetch: impl Fn(u32) -> Option<u32>,
    ) -> Result<(Entry, u32), Fault> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.covers(address)) {
            return Ok((*entry, 0));
        }
        let (entry, walked) = walk(address, control, fetch)?;
        if self.entries.len() < model::TLB_ENTRIES {
            self.entries.push(entry);
        } else {
            self.entries[self.next] = entry;
            self.next = (self.next + 1) % model::TLB_ENTRIES;
        }
        Ok((entry, walked))
    }
}

/// Reads the descriptors of an address.
fn walk(address: u32, control: &Control, fetch: impl Fn(u32) -> Option<u32>) -> Result<(Entry, u32), Fault> {
    let first = fetch(control.table | address >> 20 << 2).ok_or(Fault { status: 0b1100, domain: 0 })?;
    let domain = (first >> 5 & 0xf) as u8;
    let entry = |descriptor: u32, mask: u32, permission: u32, page| Entry {
        virtual_base: address & mask,
        mask,
        physical_base: descriptor & mask,
        cacheable: descriptor & 8 != 0,
        bufferable: descriptor & 4 != 0,
        permission: (permission & 3) as u8,
        domain,
        page,
    };
    let table = match first & 3 {
        2 => return Ok((entry(first, 0xfff0_0000, first >> 10, false), 1)),
        1 => first & 0xffff_fc00 | address >> 10 & 0x3fc,
        3 => first & 0xffff_f000 | address >> 8 & 0xffc,
        _ => return Err(Fault { status: 0b0101, domain: 0 }),
    };
    let second = fetch(table).ok_or(Fault { status: 0b1110, domain })?;
    let entry = match second & 3 {
        1 => entry(second, 0xffff_0000, second >> (4 + 2 * (address >> 14 & 3)), true),
        2 => entry(second, 0xffff_f000, second >> (4 + 2 * (address >> 10 & 3)), true),
        3 => entry(second, 0xffff_fc00, second >> 4, true),
        _ => return Err(Fault { status: 0b0111, domain }),
    };
    // Sub-pages differ in permission: keep only what is the same all over.
    let mask = match second & 3 {
        1 => 0xffff_c000,
        _ => 0xffff_fc00,
    };
    Ok((
        Entry {
            virtual_base: address & mask,
            physical_base: entry.physical_base | address & mask & !entry.mask,
            mask,
            ..entry
        },
        2,
    ))
}

impl Entry {
    fn covers(&self, address: u32) -> bool {
        address & self.mask == self.virtual_base
    }

    fn check(&self, wanted: Wanted, control: &Control) -> Result<(), Fault> {
        let fault = |status: u8| Fault { status: status | u8::from(self.page) << 1, domain: self.domain };
        match control.domains >> (2 * self.domain) & 3 {
            1 => {}
            3 => return Ok(()),
            _ => return Err(fault(0b1001)),
        }
        let allowed = match self.permission {
            0 => match (control.has(control::S), control.has(control::R)) {
                (true, false) => !wanted.user && !wanted.write,
                (false, true) => !wanted.write,
                _ => false,
            },
            1 => !wanted.user,
            2 => !wanted.user || !wanted.write,
            _ => true,
        };
        if allowed { Ok(()) } else { Err(fault(0b1101)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Wanted = Wanted { write: false, user: false };
    const WRITE: Wanted = Wanted { write: true, user: false };
    const USER_WRITE: Wanted = Wanted { write: true, user: true };

    fn control(domains: u32) -> Control {
        Control { control: control::M, table: 0x4000, domains }
    }

    /// First-level table at 4000, second-level table at 8000.
    fn memory(address: u32) -> Option<u32> {
        match address {
            0x4000 => Some(0x3000_0c0e),             // section, full access, CB
            0x4004 => Some(0x5000_0402),             // section, privileged, no CB
            0x4008 => Some(0x8001),                  // coarse table
            0x8000 => Some(0x3010_0aae | 0x30 << 4), // small page, sub-pages differ
            0x8004 => Some(0),
            0x400c => Some(0x3000_0c2e), // section in domain 1
            _ => Some(0),
        }
    }

    #[test]
    fn sections_and_their_attributes() {
        let mut tlb = Tlb::default();
        let place = tlb.translate(0x0001_2345, WRITE, &control(1), memory).unwrap();
        assert_eq!(place, Place { physical: 0x3001_2345, cacheable: true, bufferable: true, walked: 1 });
        assert_eq!(tlb.translate(0x0001_2345, WRITE, &control(1), memory).unwrap().walked, 0);
        let place = tlb.translate(0x0010_0000, READ, &control(1), memory).unwrap();
        assert_eq!((place.physical, place.cacheable, place.bufferable), (0x5000_0000, false, false));
    }

    #[test]
    fn faults() {
        let check = |address, wanted, domains, status| {
            let fault = Tlb::default().translate(address, wanted, &control(domains), memory).unwrap_err();
            assert_eq!(fault.status, status, "{address:08x}: {}", fault.name());
        };
        check(0x0040_0000, READ, 1, 0b0101);
        check(0x0020_1000, READ, 1, 0b0111);
        check(0x0010_0000, USER_WRITE, 1, 0b1101);
        check(0x0000_0000, READ, 0, 0b1001);
        check(0x0030_0000, READ, 1, 0b1001);
    }

    #[test]
    fn managers_are_not_checked() {
        assert!(Tlb::default().translate(0x0010_0000, USER_WRITE, &control(3), memory).is_ok());
    }

    #[test]
    fn small_pages() {
        let mut tlb = Tlb::default();
        let place = tlb.translate(0x0020_0404, READ, &control(1), memory).unwrap();
        assert_eq!((place.physical, place.walked), (0x3010_0404, 2));
        assert_eq!(tlb.translate(0x0020_0404, USER_WRITE, &control(1), memory).unwrap_err().status, 0b1111);
        assert!(tlb.translate(0x0020_0804, USER_WRITE, &control(1), memory).is_ok());
    }

    #[test]
    fn invalidating_walks_again() {
        let mut tlb = Tlb::default();
        tlb.translate(0, READ, &control(1), memory).unwrap();
        tlb.invalidate_entry(0x000f_0000);
        assert_eq!(tlb.translate(0, READ, &control(1), memory).unwrap().walked, 1);
        tlb.invalidate();
        assert_eq!(tlb.translate(0, READ, &control(1), memory).unwrap().walked, 1);
    }
}
