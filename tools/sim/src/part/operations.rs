//! What the chip does inside: array operations, their busy times, and what comes out of it.

use super::chip::{Ahead, Busy, Chip, Input, Output, Work};
use super::log::{DeliveredFlip, PageRead};
use super::strobes::Pulse;
use crate::bus::{Access, Ps};

impl Chip {
    /// 30h: a page goes to the register.
    pub(super) fn read_page(&mut self, rise: Ps, access: &mut Access<'_>) {
        self.end_cache_read(access);
        let page = self.row_from(self.part.geometry.column_cycles, access);
        let column = self.addressed_column(access);
        self.busy_for(Work::Read, rise, rise, self.part.timing.t_r_max.ps());
        self.deliver(page, self.read_start);
        self.column = column;
        self.let_pointer_go();
    }

    /// An operation has used the pointer of the READ commands: it stays or goes back to the first area.
    fn let_pointer_go(&mut self) {
        if !self.area.stays {
            self.area = self.part.commands.first_area();
        }
    }

    /// 31h or 3Fh: the page read before goes out, and with 31h the next one is loaded behind it.
    pub(super) fn read_cache(&mut self, more: bool, start: Ps, rise: Ps, access: &mut Access<'_>) {
        let timing = &self.part.timing;
        let (page, loaded) = match (self.ahead.take(), self.page) {
            (Some(ahead), _) => (ahead.page, ahead.loaded),
            // The first 31h after 30h: its page is there.
            (None, Some(page)) if more => (page, rise),
            _ => return self.misplaced(if more { 0x31 } else { 0x3F }, access),
        };
        self.busy_for(Work::Read, rise, loaded, timing.t_rcbsy.ps());
        if self.page == Some(page) {
            self.redeliver();
        } else {
            self.deliver(page, start);
        }
        self.column = 0;
        if more && (page + 1).is_multiple_of(self.part.geometry.pages_per_block) {
            let detail = format!("READ CACHE (31h) of page {page}, which is the last of its block");
            access.violation("nand-protocol", detail);
        } else if more {
            self.ahead = Some(Ahead { page: page + 1, loaded: self.busy.rise + timing.t_r_max.ps() });
        }
    }

    /// Something else begins while READ CACHE still loads pages.
    pub(super) fn end_cache_read(&mut self, access: &mut Access<'_>) {
        if self.ahead.take().is_some() {
            access.violation("nand-protocol", "READ CACHE was not ended with 3Fh");
        }
    }

    /// Puts a page into the register and opens its entry in the log.
    fn deliver(&mut self, page: u32, start: Ps) {
        self.array.load(page, &mut self.register);
        if self.array.is_torn(page) {
            self.log.torn_reads.insert(page);
        }
        self.flips.clear();
        self.flips.extend(self.array.flips(page).map(|(byte, bit)| DeliveredFlip { byte, bit }));
        self.page = Some(page);
        let ready = self.busy.rise;
        self.log.reads.push(PageRead {
            page,
            start,
            ready,
            data_start: ready,
            data_end: ready,
            bytes: 0,
            flips: Vec::new(),
        });
        self.show_page();
    }

    /// The page in the register becomes ready once more.
    fn redeliver(&mut self) {
        let ready = self.busy.rise;
        if let Some(read) = self.log.reads.last_mut().filter(|read| read.bytes == 0) {
            (read.ready, read.data_start, read.data_end) = (ready, ready, ready);
        }
        self.show_page();
    }

    fn show_page(&mut self) {
        self.input = Input::Idle;
        self.output = Output::Page;
    }

    /// E0h: output goes on at another column.
    pub(super) fn random_output(&mut self, access: &mut Access<'_>) {
        self.column = self.addressed_column(access);
        self.show_page();
    }

    /// 10h: the register goes to its page.
    pub(super) fn program(&mut self, rise: Ps, access: &mut Access<'_>) {
        self.end_sequence();
        if self.is_protected(access) || self.lacks_power(rise) {
            return;
        }
        self.array.check_program(self.target, &self.register, access);
        self.log.programs += 1;
        self.busy_for(Work::Program(self.target), rise, rise, self.part.timing.t_prog_typ.ps());
        self.plan_cut_of_operation();
    }

    /// D0h: a block is erased.
    pub(super) fn erase(&mut self, rise: Ps, access: &mut Access<'_>) {
        let block = self.row_from(0, access) / self.part.geometry.pages_per_block;
        self.end_sequence();
        if self.is_protected(access) || self.lacks_power(rise) {
            return;
        }
        self.log.erases += 1;
        self.busy_for(Work::Erase(block), rise, rise, self.part.timing.t_bers_typ.ps());
        self.plan_cut_of_operation();
    }

    fn end_sequence(&mut self) {
        self.let_pointer_go();
        self.input = Input::Idle;
        self.output = Output::Nothing;
        self.page = None;
        self.failed = false;
    }

    fn is_protected(&self, access: &mut Access<'_>) -> bool {
        if self.protected {
            access.violation("nand-program", "WP is low: nothing is programmed or erased");
        }
        self.protected
    }

    /// FFh: whatever is under way is broken off.
    pub(super) fn reset(&mut self, rise: Ps) {
        let timing = &self.part.timing;
        let broken_off = (!self.settled).then_some(self.busy);
        self.break_off(rise);
        self.end_sequence();
        self.area = self.part.commands.first_area();
        self.ahead = None;
        let time = match broken_off.map(|busy| busy.work) {
            None | Some(Work::Read | Work::Reset) => timing.t_rst_read_max,
            Some(Work::Program(_)) => timing.t_rst_prog_max,
            Some(Work::Erase(_)) => timing.t_rst_erase_max,
        };
        self.busy_for(Work::Reset, rise, rise, time.ps());
        if let Some(old) = broken_off {
            // R/nB stays low from the first operation on.
            self.log.busy -= old.rise - self.busy.fall.min(old.rise);
            (self.busy.from, self.busy.fall) = (old.from, old.fall);
        }
    }

    /// R/nB falls tWB after `rise`, and rises `time` after the later of that and `not_before`.
    fn busy_for(&mut self, work: Work, rise: Ps, not_before: Ps, time: Ps) {
        let fall = rise + self.part.timing.t_wb_max.ps();
        let end = fall.max(not_before) + time;
        self.busy = Busy { work, from: rise, fall, rise: end };
        self.settled = false;
        self.log.busy += end - fall;
        self.strobes.will_be_ready(end);
    }

    /// Lets an operation that has ended by now take effect.
    pub(super) fn settle(&mut self, now: Ps) {
        if self.settled || now.min(self.power.off) < self.busy.rise {
            return;
        }
        self.settled = true;
        match self.busy.work {
            Work::Read | Work::Reset => {}
            Work::Program(page) => self.failed = !self.array.program(page, &self.register),
            Work::Erase(block) => self.failed = !self.array.erase(block),
        }
    }

    /// The status register: 7 not write protected, 6 ready, 5 array ready, 0 failed.
    pub(super) fn status(&self, now: Ps) -> u8 {
        let ready = self.is_ready(now);
        let array_ready = ready && self.ahead.is_none_or(|ahead| now >= ahead.loaded);
        u8::from(!self.protected) << 7
            | u8::from(ready) << 6
            | u8::from(array_ready) << 5
            | u8::from(self.failed)
    }

    /// The next bytes of the id. Only address 00h has one: these parts do not answer "ONFI" at 20h.
    pub(super) fn id_bytes(&mut self, address: u8, index: usize, count: u32) -> u32 {
        self.output = Output::Id(address, index + count as usize);
        let id = if address == 0 { self.part.id } else { &[] };
        u32::from_le_bytes(std::array::from_fn(|byte| id.get(index + byte).copied().unwrap_or(0)))
    }

    /// The next bytes of the register.
    pub(super) fn page_bytes(&mut self, count: u32, start: Ps, pulse: Pulse, access: &mut Access<'_>) -> u32 {
        let (from, to) = (self.column, self.column + count as usize);
        let Some(source) = self.register.get(from..to) else {
            let detail = format!("data out beyond byte {} of the page", self.register.len() - 1);
            access.violation("nand-protocol", detail);
            return u32::MAX;
        };
        let mut bytes = [0; 4];
        bytes[..source.len()].copy_from_slice(source);
        self.column = to;
        self.log.bytes += u64::from(count);
        if let Some(read) = self.log.reads.last_mut() {
            if read.bytes == 0 {
                read.data_start = start;
            }
            read.bytes += count;
            read.data_end = start + Ps::from(count) * pulse.data_cycle();
            self.flips.retain(|flip| {
                let here = (from..to).contains(&(flip.byte as usize));
                if here {
                    read.flips.push(*flip);
                }
                !here
            });
        }
        u32::from_le_bytes(bytes)
    }
}
