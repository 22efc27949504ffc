//! Appends the elements that pass a test to a list.

/// Keeps the odd numbers, in any order.
#[hirace::monitor]
pub mod append {
    use hirace::prelude::*;

    /// A list that grows; elements that do not fit are only counted.
    pub struct List {
        /// Number of elements that were appended, including those that did not fit.
        pub count: Atomic<u32>,
        /// The elements that fit.
        pub items: [u32],
    }

    /// Reserves a slot with one atomic, which also returns the index of the slot.
    #[kernel(workgroup_size(32))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, input: &[u32], list: &mut List) {
        let value = input[id.x];
        if value % 2 == 1 {
            let place = list.count.fetch_add(1);
            if place < list.items.len() {
                list.items[place] = value;
            }
        }
    }

    /// Reserves a slot with one atomic and reads its index with another: other invocations may reserve in between.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, input: &[u32], list: &mut List) {
        let value = input[id.x];
        if value % 2 == 1 {
            let place = list.count.load();
            list.count.fetch_add(1);
            if place < list.items.len() {
                list.items[place] = value;
//              ^^^^^^^^^^^^^^^^^ race: write/write on list.items[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::append;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    fn launch(input: &[u32]) -> Launch {
        Launch::new().workgroups(2).buffer("input", input).buffer("list", &(0u32, vec![0u32; 20]))
    }

    #[test]
    fn what_passes_is_kept_and_what_does_not_fit_is_counted() {
        let input = numbers(64, 29);
        let odd: Vec<u32> = input.iter().copied().filter(|n| n % 2 == 1).collect();
        assert!(odd.len() > 20);
        let run = clean(&append::clean::kernel(), launch(&input));
        let (count, items) = run.one::<(u32, Vec<u32>)>("list");
        assert_eq!(count as usize, odd.len());
        assert!(items.iter().all(|item| odd.contains(item)));
    }

    #[test]
    fn taking_a_place_is_one_atomic_not_two() {
        let launch = launch(&numbers(64, 29));
        racy(&append::racy::kernel(), launch, include_str!("append.rs"));
    }
}
