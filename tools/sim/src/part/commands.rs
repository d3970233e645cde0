//! Command sets: what small and large page parts understand, and what a column address means to them.

/// The commands in which parts differ. READ ID, READ STATUS, RESET, 80h-10h and 60h-D0h are common to all.
#[derive(Debug)]
pub struct CommandSet {
    /// The READ commands, 00h first. The latest given also says where the column address of 80h counts from.
    pub areas: &'static [Area],
    /// The second command of a page read. Without one the last address cycle starts it.
    pub read_confirm: Option<u8>,
    /// Whether the column can be changed within a page: 05h-E0h on the way out, 85h on the way in.
    pub random_column: bool,
}

/// The part of a page that a READ command points to.
#[derive(Debug, PartialEq, Eq)]
pub struct Area {
    /// The command.
    pub command: u8,
    /// Byte of the page that column address 0 stands for.
    pub first: u16,
    /// Bits of the column address that count.
    pub mask: u16,
    /// Whether the pointer stays here. If not, it goes back to the first area after one operation.
    pub stays: bool,
}

/// 2 KiB pages: one area, the column address names any byte.
pub static LARGE_PAGE: CommandSet = CommandSet {
    areas: &[Area { command: 0x00, first: 0, mask: 0xFFFF, stays: true }],
    read_confirm: Some(0x30),
    random_column: true,
};

/// 512-byte pages, with one column address cycle: 00h and 01h for the halves of the data, 50h for the
/// spare bytes. That 01h holds for one operation only, and 50h looks at four address bits, is recall of
/// Samsung's pointer operation.
pub static SMALL_PAGE: CommandSet = CommandSet {
    areas: &[
        Area { command: 0x00, first: 0, mask: 0xFF, stays: true },
        Area { command: 0x01, first: 256, mask: 0xFF, stays: false },
        Area { command: 0x50, first: 512, mask: 0x0F, stays: true },
    ],
    read_confirm: None,
    random_column: false,
};

impl CommandSet {
    /// Where the pointer is after power-up and reset.
    #[must_use]
    pub fn first_area(&self) -> &'static Area {
        &self.areas[0]
    }

    /// The area of a READ command.
    #[must_use]
    pub fn area(&self, command: u8) -> Option<&'static Area> {
        self.areas.iter().find(|area| area.command == command)
    }

    /// Command cycles of a page read.
    #[must_use]
    pub fn read_commands(&self) -> u32 {
        1 + u32::from(self.read_confirm.is_some())
    }
}

impl Area {
    /// The byte of the page that a column address stands for.
    #[must_use]
    pub fn column(&self, address: u16) -> usize {
        usize::from(self.first) + usize::from(address & self.mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_column_address_stands_for() {
        let check = |set: &CommandSet, command, address, column| {
            assert_eq!(set.area(command).map(|area| area.column(address)), column, "{command:02X}h");
        };
        check(&LARGE_PAGE, 0x00, 2111, Some(2111));
        check(&LARGE_PAGE, 0x01, 0, None);
        check(&SMALL_PAGE, 0x00, 255, Some(255));
        check(&SMALL_PAGE, 0x01, 255, Some(511));
        check(&SMALL_PAGE, 0x50, 0xF5, Some(517));
    }
}
