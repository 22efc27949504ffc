//! A histogram with atomics in storage memory.

/// Counts the occurrences of each of 16 values.
#[hirace::monitor]
pub mod histogram {
    use hirace::prelude::*;

    /// Each invocation counts one value.
    #[kernel(workgroup_size(64))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, values: &[u32], bins: &[Atomic<u32>]) {
        if id.x < values.len() {
            bins[values[id.x] % bins.len()].fetch_add(1);
        }
    }

    /// Counts common values with atomics and rare ones without.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        values: &[u32],
        counts: &mut [u32],
    ) {
        if id.x < values.len() {
            let bin = values[id.x] % counts.len();
            if bin < 8 {
                atomic_add(&mut counts[bin], 1);
            } else {
                counts[bin] += 1;
//              ^^^^^^^^^^^ race: read/write on counts[..]
//              ^^^^^^^^^^^ race: write/read on counts[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::histogram;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    fn launch(values: &[u32]) -> Launch {
        Launch::new().workgroups(4).buffer("values", values)
    }

    #[test]
    fn every_value_is_counted() {
        let values = below(16, 250, 15);
        let run = clean(&histogram::clean::kernel(), launch(&values).buffer("bins", &[0u32; 16]));
        let count = |bin| values.iter().filter(|value| **value == bin).count() as u32;
        assert_eq!(run.read::<u32>("bins"), (0..16).map(count).collect::<Vec<_>>());
    }

    #[test]
    fn rare_values_need_atomics_too() {
        let launch = launch(&below(16, 250, 15)).buffer("counts", &[0u32; 16]);
        racy(&histogram::racy::kernel(), launch, include_str!("histogram.rs"));
    }
}
