//! A ring buffer that one half of a workgroup fills and the other half empties.

/// Works in rounds: producers write a batch, consumers read it.
#[hirace::monitor]
pub mod ring_buffer {
    use hirace::prelude::*;

    /// Number of producers, and of consumers.
    const SIDE: u32 = 16;
    /// Space for two batches.
    const SLOTS: usize = 32;

    /// Writes the next batch while consumers read the previous one, with one barrier per round.
    #[kernel(workgroup_size(32))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] rounds: u32,
        output: &mut [u32],
        #[workgroup] ring: &mut [u32; SLOTS],
    ) {
        for round in 0..=rounds {
            if lane < SIDE {
                if round < rounds {
                    ring[(round * SIDE + lane) % SLOTS as u32] = round * round + lane;
                }
            } else if round > 0 {
                let item = (round - 1) * SIDE + lane - SIDE;
                output[item] = ring[item % SLOTS as u32];
            }
            workgroup_barrier();
        }
    }

    /// Has space for only one batch: producers overwrite what consumers still read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] rounds: u32,
        output: &mut [u32],
        #[workgroup] ring: &mut [u32; SLOTS],
    ) {
        for round in 0..=rounds {
            if lane < SIDE {
                if round < rounds {
                    ring[(round * SIDE + lane) % SIDE] = round * round + lane;
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on ring[..]
                }
            } else if round > 0 {
                let item = (round - 1) * SIDE + lane - SIDE;
                output[item] = ring[item % SIDE];
//                             ^^^^^^^^^^^^^^^^^ race: read/write on ring[..]
            }
            workgroup_barrier();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ring_buffer;
    use crate::support::{clean, racy};
    use hirace::Launch;

    fn launch(rounds: u32) -> Launch {
        Launch::new().workgroups(1).buffer("rounds", &rounds).buffer("output", &[0u32; 80])
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let run = clean(&ring_buffer::clean::kernel(), launch(5));
        let expected: Vec<u32> =
            (0..5).flat_map(|round| (0..16).map(move |lane| round * round + lane)).collect();
        assert_eq!(run.read::<u32>("output"), expected);
    }

    #[test]
    fn nothing_put_in_nothing_comes_out() {
        let run = clean(&ring_buffer::clean::kernel(), launch(0));
        assert_eq!(run.read::<u32>("output"), [0; 80]);
    }

    #[test]
    fn one_batch_is_too_little_room() {
        racy(&ring_buffer::racy::kernel(), launch(5), include_str!("ring_buffer.rs"));
    }
}
