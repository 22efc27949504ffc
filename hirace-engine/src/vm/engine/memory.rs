//! Loads, stores and atomic operations on memory that invocations share.

use super::fragment::{Fragment, all_lanes, lanes};
use super::{Atomic, Context, DirectHandler, INVALID_ADDRESS, Load, Store};
use crate::vm::atomic::Update;
use crate::vm::code::{AccessEvent, Leaf, MemoryRef, Register};
use crate::vm::observer::{Accesses, StoredValues, Watcher};
use half::f16;
use std::sync::atomic::{AtomicU32, Ordering};

impl<W: Watcher + ?Sized> Context<'_, '_, DirectHandler<'_, W>> {
    /// Shows the observer an access and counts it.
    #[inline]
    fn show<const N: usize>(
        &mut self,
        f: &Fragment<N>,
        event: &AccessEvent,
        memory: MemoryRef,
        stored: Option<StoredValues<'_>>,
    ) {
        self.tally.record_execution(event.site.0 as usize, self.workgroup, f.first, f.mask);
        let offsets = &f.registers[event.address as usize];
        let mut mask = f.mask;
        let may_miss = self.setup.drops
            || matches!(memory, MemoryRef::Buffer(buffer)
                if self.setup.buffers[buffer as usize].may_miss);
        if may_miss {
            for lane in lanes(mask).filter(|lane| offsets[*lane] == INVALID_ADDRESS) {
                mask &= !(1 << lane);
            }
            if mask == 0 {
                return;
            }
        }
        let id = match memory {
            MemoryRef::Buffer(buffer) => self.setup.code.buffers[buffer as usize].memory,
            MemoryRef::Workgroup(variable) => self.handler.shared[variable as usize].id,
        };
        self.handler.watcher.access(&Accesses {
            site: event.site,
            action: event.action,
            commutes: event.commutes,
            space: event.space,
            memory: id,
            subgroup: f.subgroup,
            first_invocation: f.first,
            mask,
            offsets,
            extent: &event.extent,
            stored,
            pairing: event.pairing,
        });
    }

    pub(super) fn load_now<const N: usize>(
        &mut self,
        f: &mut Fragment<N>,
        Load { to, address, access }: Load,
    ) {
        let access = &self.setup.code.accesses[access as usize];
        let addresses = f.registers[address as usize];
        let pattern = AddressPattern::of(&addresses);
        for part in &access.parts {
            let out = &mut f.registers[(to + part.register) as usize..];
            match access.memory {
                MemoryRef::Buffer(buffer) => {
                    let words = self.setup.buffers[buffer as usize].words;
                    load_part(out, &addresses, pattern, part.offset, part.leaf, words);
                }
                MemoryRef::Workgroup(variable) => {
                    let words = &self.handler.shared[variable as usize].words[..];
                    load_part(out, &addresses, pattern, part.offset, part.leaf, words);
                }
            }
        }
        // The access is shown after the load, so that the loaded words are fetched while the watcher looks
        // up their shadow words.
        if let Some(event) = &access.event {
            self.show(f, event, access.memory, None);
        }
    }

    pub(super) fn store_now<const N: usize>(
        &mut self,
        f: &Fragment<N>,
        Store { address, from, access: index }: Store,
    ) {
        let access = &self.setup.code.accesses[index as usize];
        if let Some(event) = &access.event {
            let stored = self.setup.shows_values.then(|| StoredValues {
                addresses: &f.registers[address as usize],
                registers: f.registers[from as usize..].as_flattened(),
                parts: &access.parts,
            });
            self.show(f, event, access.memory, stored);
        }
        // While a loop is checked for spinning, a store counts as a change only if it changes the value.
        let changes =
            f.snapshot.is_none() || self.would_change(f, Store { address, from, access: index });
        self.tally.changes += u64::from(changes);
        let addresses = &f.registers[address as usize];
        for part in &access.parts {
            let values = &f.registers[(from + part.register) as usize..];
            let (offset, leaf) = (part.offset, part.leaf);
            match access.memory {
                MemoryRef::Buffer(buffer) => {
                    let words = self.setup.buffers[buffer as usize].words;
                    store_part(values, addresses, offset, leaf, f.mask, |index, value, mask| {
                        if let Some(word) = words.get(index) {
                            set_bits(word, value, mask);
                        }
                    });
                }
                MemoryRef::Workgroup(variable) => {
                    let words = &mut self.handler.shared[variable as usize].words[..];
                    store_part(values, addresses, offset, leaf, f.mask, |index, value, mask| {
                        if let Some(word) = words.get_mut(index) {
                            *word = *word & !mask | value & mask;
                        }
                    });
                }
            }
        }
    }

    /// Returns whether a store would change the stored value.
    #[cold]
    fn would_change<const N: usize>(
        &self,
        f: &Fragment<N>,
        Store { address, from, access }: Store,
    ) -> bool {
        let access = &self.setup.code.accesses[access as usize];
        let addresses = &f.registers[address as usize];
        let mut differs = false;
        for part in &access.parts {
            let values = &f.registers[(from + part.register) as usize..];
            let current_word = |index: usize| match access.memory {
                MemoryRef::Buffer(buffer) => {
                    let words = self.setup.buffers[buffer as usize].words;
                    words.get(index).map(|word| word.load(Ordering::Relaxed))
                }
                MemoryRef::Workgroup(variable) => {
                    self.handler.shared[variable as usize].words.get(index).copied()
                }
            };
            store_part(values, addresses, part.offset, part.leaf, f.mask, |index, value, mask| {
                differs |= current_word(index).is_some_and(|word| (word ^ value) & mask != 0);
            });
        }
        differs
    }

    // A separate function, so that it does not use up the registers of the instruction loop.
    #[inline(never)]
    pub(super) fn atomic_now<const N: usize>(
        &mut self,
        f: &mut Fragment<N>,
        Atomic { to, address, operation }: Atomic,
    ) {
        let operation = &self.setup.code.atomics[operation as usize];
        let access = &self.setup.code.accesses[operation.access as usize];
        if let Some(event) = &access.event {
            self.show(f, event, access.memory, None);
        }
        let wide = operation.scalar.width == 8;
        let addresses = f.registers[address as usize];
        let offset = access.parts.first().map_or(0, |part| part.offset);
        for lane in lanes(f.mask) {
            if addresses[lane] == INVALID_ADDRESS {
                // The result is unused or 0. It must be written, because the registers of a new result may hold
                // anything.
                if let Some(to) = to {
                    write_result(
                        &mut f.registers,
                        to,
                        lane,
                        wide,
                        0,
                        operation.compare.map(|_| false),
                    );
                }
                continue;
            }
            let index = (addresses[lane].wrapping_add(offset) / 4) as usize;
            let value = read_value(&f.registers, operation.value, lane, wide);
            let compare =
                operation.compare.map(|register| read_value(&f.registers, register, lane, wide));
            let update =
                Update { function: operation.function, scalar: operation.scalar, value, compare };
            let old = match access.memory {
                MemoryRef::Buffer(buffer) => {
                    update.on_buffer(self.setup.buffers[buffer as usize].words, index)
                }
                MemoryRef::Workgroup(variable) => {
                    update.on_words(&mut self.handler.shared[variable as usize].words, index)
                }
            };
            self.tally.changes += u64::from(update.changes(old));
            if let Some(to) = to {
                let exchanged = compare.map(|compare| compare == old);
                write_result(&mut f.registers, to, lane, wide, old, exchanged);
            }
        }
    }
}

/// Returns the value of a lane: one register, or two if it is wide, the low half first.
pub fn read_value<const N: usize>(
    registers: &[[u32; N]],
    at: Register,
    lane: usize,
    wide: bool,
) -> u64 {
    let low = u64::from(registers[at as usize][lane]);
    if wide { low | u64::from(registers[at as usize + 1][lane]) << 32 } else { low }
}

/// Writes the result of an atomic operation of a lane: the old value, and, for a compare-and-exchange, whether
/// it exchanged the value.
pub fn write_result<const N: usize>(
    registers: &mut [[u32; N]],
    to: Register,
    lane: usize,
    wide: bool,
    old: u64,
    exchanged: Option<bool>,
) {
    let mut to = to as usize;
    registers[to][lane] = old as u32;
    to += 1;
    if wide {
        registers[to][lane] = (old >> 32) as u32;
        to += 1;
    }
    if let Some(exchanged) = exchanged {
        registers[to][lane] = exchanged.into();
    }
}

/// Returns the register value of a scalar whose bits were read; higher bits may be set.
#[inline(always)]
pub fn decode(leaf: Leaf, bits: u32) -> u32 {
    match leaf {
        Leaf::Words(_) => bits,
        Leaf::I16 => bits as i16 as u32,
        Leaf::U16 => bits & 0xffff,
        Leaf::F16 => f16::from_bits(bits as u16).to_f32().to_bits(),
        Leaf::Bool => u32::from(bits & 0xff != 0),
    }
}

/// A word of memory.
trait Word {
    fn read(&self) -> u32;
}

impl Word for u32 {
    #[inline(always)]
    fn read(&self) -> u32 {
        *self
    }
}

impl Word for AtomicU32 {
    #[inline(always)]
    fn read(&self) -> u32 {
        self.load(Ordering::Relaxed)
    }
}

/// Common patterns of addresses, which avoid handling each lane by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressPattern {
    /// All lanes have the same address.
    Same,
    /// The addresses are those of consecutive words.
    Words,
    /// The addresses have no such pattern.
    Other,
}

impl AddressPattern {
    #[inline(always)]
    fn of<const N: usize>(addresses: &[u32; N]) -> Self {
        let first = addresses[0];
        // The last address rules out most irregular patterns; only if it fits are all addresses checked.
        let last = addresses[N - 1].wrapping_sub(first);
        let (pattern, step) = match last {
            0 => (Self::Same, 0),
            _ if last == 4 * (N as u32 - 1) => (Self::Words, 4),
            _ => return Self::Other,
        };
        let mut differs = 0;
        for (lane, address) in (0u32..).zip(addresses) {
            differs |= *address ^ first.wrapping_add(step * lane);
        }
        if differs == 0 { pattern } else { Self::Other }
    }
}

/// Reads one part of a value in all lanes. The address of an inactive lane may be invalid or that of an
/// unused value.
#[inline(always)]
fn load_part<const N: usize, W: Word>(
    out: &mut [[u32; N]],
    addresses: &[u32; N],
    pattern: AddressPattern,
    offset: u32,
    leaf: Leaf,
    words: &[W],
) {
    let read = |index: usize| words.get(index).map_or(0, Word::read);
    if let Leaf::Words(count) = leaf {
        for (out, word) in out.iter_mut().take(count as usize).zip(offset as usize / 4..) {
            let first = (addresses[0] / 4) as usize + word;
            match pattern {
                AddressPattern::Same => *out = [read(first); N],
                AddressPattern::Words if let Some(words) = words.get(first..first + N) => {
                    for (out, word) in out.iter_mut().zip(words) {
                        *out = word.read();
                    }
                }
                _ => {
                    // Computes all indices before it reads, so that many reads are in flight at once.
                    let mut indices = [0; N];
                    for (index, address) in indices.iter_mut().zip(addresses) {
                        *index = (*address / 4) as usize + word;
                    }
                    for (out, indices) in out.chunks_mut(8).zip(indices.chunks(8)) {
                        for (out, index) in out.iter_mut().zip(indices) {
                            *out = read(*index);
                        }
                    }
                }
            }
        }
        return;
    }
    let Some(out) = out.first_mut() else { return };
    for (out, address) in out.iter_mut().zip(addresses) {
        let address = address.saturating_add(offset);
        let bits = read((address / 4) as usize) >> (8 * (address % 4));
        *out = decode(leaf, bits);
    }
}

/// Writes one part of a value: calls `write` with the index of each word, its value, and the mask of the bits
/// to be written.
#[inline(always)]
fn store_part<const N: usize>(
    values: &[[u32; N]],
    addresses: &[u32; N],
    offset: u32,
    leaf: Leaf,
    mask: u64,
    mut write: impl FnMut(usize, u32, u32),
) {
    if let Leaf::Words(count) = leaf {
        for (values, word) in values.iter().take(count as usize).zip(offset as usize / 4..) {
            if mask == all_lanes::<N>() {
                for (value, address) in values.iter().zip(addresses) {
                    write((*address / 4) as usize + word, *value, u32::MAX);
                }
            } else {
                for lane in lanes(mask) {
                    write((addresses[lane] / 4) as usize + word, values[lane], u32::MAX);
                }
            }
        }
        return;
    }
    let Some(values) = values.first() else { return };
    for lane in lanes(mask) {
        let address = addresses[lane].saturating_add(offset);
        let (bits, width) = (leaf.encode(values[lane]), leaf.mask());
        let shift = 8 * (address % 4);
        write((address / 4) as usize, bits << shift, width << shift);
    }
}

/// Sets the bits of `mask` and does not modify the others.
#[inline(always)]
fn set_bits(word: &AtomicU32, value: u32, mask: u32) {
    if mask == u32::MAX {
        return word.store(value, Ordering::Relaxed);
    }
    let update = |old| Some(old & !mask | value & mask);
    // The closure always returns a value, so this never fails.
    let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array::from_fn;

    #[test]
    fn a_pattern_must_hold_for_all_addresses() {
        let words: [u32; 8] = from_fn(|lane| 20 + 4 * lane as u32);
        assert_eq!(AddressPattern::of(&words), AddressPattern::Words);
        assert_eq!(AddressPattern::of(&[20; 8]), AddressPattern::Same);
        assert_eq!(AddressPattern::of(&[INVALID_ADDRESS; 8]), AddressPattern::Same);
        assert_eq!(AddressPattern::of(&[20]), AddressPattern::Same);
        for lane in 0..8 {
            for pattern in [words, [20; 8]] {
                let one_differs = from_fn(|other| pattern[other] + 4 * u32::from(other == lane));
                assert_eq!(AddressPattern::of::<8>(&one_differs), AddressPattern::Other, "{lane}");
            }
        }
    }

    #[test]
    fn words_past_the_end_read_as_zero_for_every_pattern() {
        let words: Vec<u32> = (1..=10).collect();
        for first in [0, 4, 12, 36, 40, INVALID_ADDRESS - 3] {
            for step in [0u32, 4, 8] {
                let addresses: [u32; 8] =
                    from_fn(|lane| first.wrapping_add(step.wrapping_mul(lane as u32)));
                let mut out = [[u32::MAX; 8]];
                let (pattern, leaf) = (AddressPattern::of(&addresses), Leaf::Words(1));
                load_part(&mut out, &addresses, pattern, 0, leaf, &words);
                let each = addresses.map(|at| words.get(at as usize / 4).copied().unwrap_or(0));
                assert_eq!(out[0], each, "{first} {step}");
            }
        }
    }
}
