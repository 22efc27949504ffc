//! Inserts keys into a hash table with open addressing.

/// A table of keys; 0 is an empty slot.
#[hirace::monitor]
pub mod hash_table {
    use hirace::prelude::*;

    const EMPTY: u32 = 0;

    fn hash(key: u32) -> u32 {
        let mut h = key;
        h ^= h >> 16;
        h = h.wrapping_mul(0x85eb_ca6b);
        h ^= h >> 13;
        h = h.wrapping_mul(0xc2b2_ae35);
        h ^ h >> 16
    }

    /// Takes an empty slot with a compare-exchange, which returns the key that another invocation stored first.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        keys: &[u32],
        slots: &[Atomic<u32>],
        places: &mut [u32],
    ) {
        let key = keys[id.x];
        let mut place = hash(key) % slots.len();
        places[id.x] = loop {
            match slots[place].compare_exchange_weak(EMPTY, key) {
                Ok(_) => break place,
                // A weak exchange may fail spuriously.
                Err(EMPTY) => {}
                Err(other) if other == key => break place,
                Err(_) => place = (place + 1) % slots.len(),
            }
        };
    }

    /// Tests a slot with an atomic load and then takes it with an atomic store; two invocations may take the same
    /// slot. That is a lost key, not a data race; the race is on the payload that both write.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        keys: &[u32],
        slots: &[Atomic<u32>],
        payloads: &mut [u32],
    ) {
        let key = keys[id.x];
        let mut place = hash(key) % slots.len();
        loop {
            let found = slots[place].load();
            if found == EMPTY || found == key {
                slots[place].store(key);
                payloads[place] = id.x;
//              ^^^^^^^^^^^^^^^ race: write/write on payloads[..]
                break;
            }
            place = (place + 1) % slots.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hash_table;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    const SLOTS: usize = 128;

    fn keys() -> Vec<u32> {
        below(60, 96, 25).into_iter().map(|key| key + 1).collect()
    }

    #[test]
    fn every_key_has_one_slot() {
        let keys = keys();
        let launch = Launch::new()
            .workgroups(3)
            .buffer("keys", &keys)
            .buffer("slots", &[0u32; SLOTS])
            .buffer("places", &[0u32; 96]);
        let run = clean(&hash_table::clean::kernel(), launch);
        let slots = run.read::<u32>("slots");
        for (key, place) in keys.iter().zip(run.read::<u32>("places")) {
            assert_eq!(slots[place as usize], *key);
        }
        let filled: Vec<&u32> = slots.iter().filter(|slot| **slot != 0).collect();
        let different: std::collections::BTreeSet<&u32> = keys.iter().collect();
        assert_eq!(filled.len(), different.len());
    }

    #[test]
    fn looking_and_storing_apart_lets_two_in() {
        let launch = Launch::new()
            .workgroups(3)
            .buffer("keys", &keys())
            .buffer("slots", &[0u32; SLOTS])
            .buffer("payloads", &[0u32; SLOTS]);
        racy(&hash_table::racy::kernel(), launch, include_str!("hash_table.rs"));
    }
}
