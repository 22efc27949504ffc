//! The values that a store writes, as observers read them.

use super::code::Part;

/// The values of one store, still in their source registers.
#[derive(Clone, Copy, Debug)]
pub struct StoredValues<'a> {
    /// For each lane, the byte offset in the memory of the stored value.
    pub(super) addresses: &'a [u32],
    /// The value's registers, in order; each has one word per lane.
    pub(super) registers: &'a [u32],
    /// Which part of the registers is stored at which offset.
    pub(super) parts: &'a [Part],
}

impl StoredValues<'_> {
    /// Returns the bits that `lane` writes to these bytes of the memory. `bytes` is at most four, and the
    /// range is within one scalar. Returns `None` if the lane does not write all of them.
    pub fn bits(&self, lane: u32, first: u32, bytes: u32) -> Option<u32> {
        let (lane, lanes) = (lane as usize, self.addresses.len());
        let address = *self.addresses.get(lane)?;
        self.parts.iter().find_map(|part| {
            let own = part.leaf.bytes();
            let begin = first.checked_sub(address.checked_add(part.offset)?)?;
            let (scalar, within) = (begin / own, begin % own);
            if scalar >= part.leaf.registers() || within + bytes > own {
                return None;
            }
            let register = (part.register + scalar) as usize;
            let value = part.leaf.encode(*self.registers.get(register * lanes + lane)?);
            let mask = if bytes >= 4 { u32::MAX } else { (1 << (8 * bytes)) - 1 };
            Some((value >> (8 * within)) & mask)
        })
    }
}

#[cfg(test)]
impl<'a> StoredValues<'a> {
    /// Creates a store of one word at offset 0 by a single lane.
    pub(crate) fn of_a_word(value: &'a [u32; 1]) -> Self {
        const WORD: &[Part] = &[Part { offset: 0, register: 0, leaf: super::code::Leaf::Words(1) }];
        Self { addresses: &[0], registers: value, parts: WORD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::code::Leaf;

    #[test]
    fn bytes_are_those_of_the_scalar_that_holds_them_or_none() {
        let parts = [
            Part { offset: 0, register: 0, leaf: Leaf::Words(2) },
            Part { offset: 8, register: 2, leaf: Leaf::U16 },
        ];
        let registers = [1, 2, 0x0403_0201, 20, 0xffff_0007, 8];
        let stored = StoredValues { addresses: &[16, 64], registers: &registers, parts: &parts };
        assert_eq!(stored.bits(0, 16, 4), Some(1));
        assert_eq!(stored.bits(0, 20, 4), Some(0x0403_0201));
        assert_eq!(stored.bits(0, 22, 2), Some(0x0403));
        assert_eq!(stored.bits(0, 24, 2), Some(7), "bits above a scalar's width are ignored");
        assert_eq!(stored.bits(1, 68, 4), Some(20));
        assert_eq!(
            (stored.bits(0, 12, 4), stored.bits(0, 24, 4), stored.bits(0, 28, 4)),
            (None, None, None)
        );
    }
}
