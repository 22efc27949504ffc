//! What a store writes, as whoever watches it reads it.

use super::code::Part;

/// The values of one store, still in the registers that they come from.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// For each lane, the byte offset in the memory of what is stored.
    pub(super) addresses: &'a [u32],
    /// Registers from the first of the value, each with its lanes.
    pub(super) registers: &'a [u32],
    /// What of them goes where.
    pub(super) parts: &'a [Part],
}

impl Stored<'_> {
    /// What `lane` writes to these bytes of the memory, no more than four and in one scalar. `None` where it does not write
    /// all of them.
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
            let value = part.leaf.encoded(*self.registers.get(register * lanes + lane)?);
            let mask = if bytes >= 4 { u32::MAX } else { (1 << (8 * bytes)) - 1 };
            Some((value >> (8 * within)) & mask)
        })
    }
}

#[cfg(test)]
impl<'a> Stored<'a> {
    /// What one lane stores in the first word.
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
        let stored = Stored { addresses: &[16, 64], registers: &registers, parts: &parts };
        assert_eq!(stored.bits(0, 16, 4), Some(1));
        assert_eq!(stored.bits(0, 20, 4), Some(0x0403_0201));
        assert_eq!(stored.bits(0, 22, 2), Some(0x0403));
        assert_eq!(stored.bits(0, 24, 2), Some(7), "what is above a scalar's width is none of it");
        assert_eq!(stored.bits(1, 68, 4), Some(20));
        assert_eq!(
            (stored.bits(0, 12, 4), stored.bits(0, 24, 4), stored.bits(0, 28, 4)),
            (None, None, None)
        );
    }
}
