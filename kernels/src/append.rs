//! Appends what passes a test to a list.

/// Keeps the odd numbers, in any order.
#[hirace::monitor]
pub mod append {
    use hirace::prelude::*;

    /// A list that grows; what does not fit is counted.
    pub struct List {
        /// How many there are, or would be.
        pub count: Atomic<u32>,
        /// Those that fit.
        pub items: [u32],
    }

    /// One atomic takes a place and says which.
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

    /// Two atomics: one takes the place, the other asks how many there are when others have taken theirs.
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
