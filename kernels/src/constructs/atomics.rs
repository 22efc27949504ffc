//! Every atomic operation on both types, as methods and under WGSL's names, mixed with plain accesses.

/// All invocations apply all operations to the same words; the results do not depend on the order.
#[hirace::monitor]
pub mod atomics {
    use hirace::prelude::*;

    /// One word for each kind of operation.
    pub struct Words {
        /// Sum, by addition.
        pub sum: Atomic<u32>,
        /// Difference, by subtraction.
        pub difference: Atomic<i32>,
        /// Minimum.
        pub least: Atomic<i32>,
        /// Maximum.
        pub most: Atomic<u32>,
        /// Bits that all numbers have, and bits that any number has.
        pub bits: [Atomic<u32>; 2],
        /// Bits that an odd number of numbers have.
        pub parity: Atomic<i32>,
    }

    /// Uses the methods of `Atomic`.
    #[kernel(workgroup_size(16))]
    pub fn methods(#[builtin(global_invocation_id)] id: UVec3, words: &Words) {
        let value = id.x * 7 + 3;
        words.sum.fetch_add(value);
        words.difference.fetch_sub(value as i32);
        words.least.fetch_min(10 - value as i32);
        words.most.fetch_max(value);
        words.bits[0].fetch_and(!(1 << id.x % 4));
        words.bits[1].fetch_or(1 << id.x % 4);
        words.parity.fetch_xor(value as i32);
    }

    /// Uses WGSL's functions on words that are plain in Rust.
    #[kernel(workgroup_size(16))]
    pub fn functions(#[builtin(global_invocation_id)] id: UVec3, plain: &mut [u32; 7]) {
        let value = id.x * 7 + 3;
        atomic_add(&mut plain[0], value);
        atomic_sub(&mut plain[1], value);
        atomic_min(&mut plain[2], value);
        atomic_max(&mut plain[3], value);
        atomic_and(&mut plain[4], !(1 << id.x % 4));
        atomic_or(&mut plain[5], 1 << id.x % 4);
        atomic_xor(&mut plain[6], value);
    }

    /// Uses the rest of WGSL's functions.
    #[kernel(workgroup_size(16))]
    pub fn more_functions(
        #[builtin(global_invocation_id)] id: UVec3,
        cells: &mut [u32; 3],
        seen: &mut [u32],
    ) {
        let mut old = atomic_load(&mut cells[0]);
        while let Err(other) = atomic_compare_exchange_weak(&mut cells[0], old, old + id.x) {
            old = other;
        }
        let before = atomic_exchange(&mut cells[1], id.x + 1);
        seen[before] = 1;
        atomic_store(&mut cells[2], array_length(seen));
    }

    /// Sets a word to `value` if it was 0, and returns whether it was.
    fn claim(word: &Atomic<i32>, value: i32) -> bool {
        word.compare_exchange(0, value).is_ok()
    }

    /// Adds to a word, with retries, and returns whether the first try succeeded.
    fn add_at_once(word: &Atomic<u32>, by: u32) -> bool {
        let old = word.load();
        let Err(mut seen) = word.compare_exchange(old, old + by) else {
            return true;
        };
        loop {
            let Err(other) = word.compare_exchange(seen, seen + by) else { break };
            seen = other;
        }
        false
    }

    /// Sums by compare-exchange, and counts the invocations that needed one try or several.
    #[kernel(workgroup_size(16))]
    pub fn sums(
        #[builtin(global_invocation_id)] id: UVec3,
        sum: &Atomic<u32>,
        tries: &[Atomic<u32>; 2],
    ) {
        if add_at_once(sum, id.x) {
            tries[0].fetch_add(1);
        } else {
            tries[1].fetch_add(1);
        }
    }

    /// Takes tickets with load, store, swap and the two kinds of compare-exchange.
    #[kernel(workgroup_size(16))]
    pub fn tickets(
        #[builtin(local_invocation_index)] lane: u32,
        next: &Atomic<u32>,
        taken: &mut [u32; 16],
        #[workgroup] last: &Atomic<i32>,
        #[workgroup] first: &mut u32,
    ) {
        let mut ticket = next.load();
        while let Err(other) = next.compare_exchange_weak(ticket, ticket + 1) {
            ticket = other;
        }
        taken[ticket] = 1;
        if claim(last, lane as i32 + 1) {
            *first = lane;
        }
        workgroup_barrier();
        if lane == *first {
            let old = last.swap(-1);
            last.store(old - lane as i32);
        }
        workgroup_barrier();
        if lane == 0 {
            taken[0] += last.load() as u32;
        }
    }

    /// Mixes plain and atomic accesses to the same memory, ordered by barriers; there is no race.
    #[kernel(workgroup_size(16))]
    pub fn plain_between_barriers(
        #[builtin(local_invocation_index)] lane: u32,
        next: &Atomic<u32>,
        #[workgroup] count: &Atomic<u32>,
    ) {
        if lane == 0 {
            *count.plain() = 100;
        }
        workgroup_barrier();
        count.fetch_add(lane);
        workgroup_barrier();
        if lane == 3 {
            *count.plain() += 1;
            *next.plain() = *count.plain();
        }
    }

    /// Lacks the second barrier.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        next: &Atomic<u32>,
        #[workgroup] count: &Atomic<u32>,
    ) {
        if lane == 0 {
            *count.plain() = 100;
        }
        workgroup_barrier();
        count.fetch_add(lane);
//      ^^^^^^^^^^^^^^^^^^^^^ race: atomic/read on count
        if lane == 3 {
            *next.plain() = *count.plain();
//                          ^^^^^^^^^^^^^^ race: read/atomic on count
        }
    }
}

#[cfg(test)]
mod tests {
    use super::atomics;
    use crate::support::{clean, racy};
    use hirace::{Kernel, Launch};

    fn value(id: u32) -> u32 {
        id * 7 + 3
    }

    #[test]
    fn methods_do_what_they_are_called_after() {
        let words = (1u32, 2i32, 3i32, 4u32, [u32::MAX, 0x100], 0i32);
        let launch = Launch::new().workgroups(2).buffer("words", &words);
        let run = clean(&atomics::methods::kernel(), launch);
        let sum: u32 = (0..32).map(value).sum();
        let parity = (0..32).map(value).fold(0, |a, b| a ^ b) as i32;
        let expected = (1 + sum, 2 - sum as i32, 10 - 220, 220, [!0xf, 0x10f], parity);
        assert_eq!(run.one::<(u32, i32, i32, u32, [u32; 2], i32)>("words"), expected);
    }

    #[test]
    fn functions_do_the_same_to_plain_words() {
        let plain = [1, 2, 3, 4, u32::MAX, 0x100, 0];
        let launch = Launch::new().workgroups(2).buffer("plain", &plain);
        let run = clean(&atomics::functions::kernel(), launch);
        let sum: u32 = (0..32).map(value).sum();
        let parity = (0..32).map(value).fold(0, |a, b| a ^ b);
        let expected = [1 + sum, 2u32.wrapping_sub(sum), 3, 220, !0xf, 0x10f, parity];
        assert_eq!(run.one::<[u32; 7]>("plain"), expected);
    }

    #[test]
    fn loads_stores_and_exchanges_do_the_same_to_plain_words() {
        let launch =
            Launch::new().workgroups(2).buffer("cells", &[5u32, 0, 0]).buffer("seen", &[0u32; 33]);
        let run = clean(&atomics::more_functions::kernel(), launch);
        let [sum, last, length] = run.one::<[u32; 3]>("cells");
        assert_eq!((sum, length), (5 + 31 * 16, 33));
        // Each value was stored once, and each but the last was returned by the following exchange.
        let mut seen = run.read::<u32>("seen");
        seen[last as usize] += 1;
        assert_eq!(seen, [1; 33]);
    }

    #[test]
    fn every_invocation_takes_another_ticket() {
        let launch = Launch::new().workgroups(1).buffer("next", &0u32).buffer("taken", &[0u32; 16]);
        let run = clean(&atomics::tickets::kernel(), launch);
        let mut expected = [1; 16];
        // The first invocation left its number plus one, minus its number.
        expected[0] += 1;
        assert_eq!(run.one::<[u32; 16]>("taken"), expected);
        assert_eq!(run.one::<u32>("next"), 16);
    }

    /// Returns the ticket kernel in which two of three weak exchanges of `last` fail spuriously.
    fn spurious() -> Kernel {
        const EXCHANGE: &str = "atomicCompareExchangeWeak(&last, 0i, value)";
        const FAILING: &str = "
            var<private> attempts: u32;
            fn failing(value: i32) -> ExchangedI32 {
                attempts += 1u;
                if (attempts % 3u != 0u) {
                    return ExchangedI32(atomicLoad(&last), false);
                }
                let exchange = atomicCompareExchangeWeak(&last, 0i, value);
                return ExchangedI32(exchange.old_value, exchange.exchanged);
            }";
        let kernel = atomics::tickets::kernel();
        assert_eq!(kernel.wgsl().matches(EXCHANGE).count(), 1);
        let text = kernel.wgsl().replace(EXCHANGE, "failing(value)") + FAILING;
        Kernel::from_wgsl("spurious.wgsl", &text).unwrap().with_entry("tickets")
    }

    #[test]
    fn a_strong_exchange_fails_for_a_reason_alone() {
        let launch = Launch::new().workgroups(1).buffer("next", &0u32).buffer("taken", &[0u32; 16]);
        let run = clean(&spurious(), launch);
        assert_eq!(run.one::<[u32; 16]>("taken")[0], 2, "no invocation was the first");
    }

    #[test]
    fn sums_by_compare_exchange_lose_nothing() {
        let launch = Launch::new().workgroups(2).buffer("sum", &5u32).buffer("tries", &[0u32; 2]);
        let run = clean(&atomics::sums::kernel(), launch);
        assert_eq!(run.one::<u32>("sum"), 5 + 31 * 16);
        let [at_once, later] = run.one::<[u32; 2]>("tries");
        assert!(at_once > 0 && at_once + later == 32, "{at_once} and {later}");
    }

    #[test]
    fn plain_accesses_are_fine_between_barriers() {
        let launch = Launch::new().workgroups(1).buffer("next", &0u32);
        let run = clean(&atomics::plain_between_barriers::kernel(), launch);
        assert_eq!(run.one::<u32>("next"), 100 + 120 + 1);
    }

    #[test]
    fn plain_accesses_race_with_atomics() {
        let launch = Launch::new().workgroups(1).buffer("next", &0u32);
        racy(&atomics::racy::kernel(), launch, include_str!("atomics.rs"));
    }
}
