//! A search that a workgroup ends as soon as one of its invocations has found the value.

/// Finds the position of a value, block by block.
#[hirace::monitor]
pub mod early_out {
    use hirace::prelude::*;

    const NOWHERE: u32 = 0xffff_ffff;

    /// Reads the flag with `workgroup_uniform_load()`, which is a barrier before and after the read.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] wanted: u32,
        input: &[u32],
        place: &mut u32,
        #[workgroup] found: &mut u32,
    ) {
        if lane == 0 {
            *found = NOWHERE;
        }
        'blocks: for block in (0..input.len()).step_by(16) {
            workgroup_barrier();
            // No value occurs twice, so at most one invocation writes.
            if input[block + lane] == wanted {
                *found = block + lane;
            }
            if workgroup_uniform_load(found) != NOWHERE {
                break 'blocks;
            }
        }
        if lane == 0 {
            *place = *found;
        }
    }

    /// Reads the flag with a plain access: it may see the write of this iteration, of the last one, or none.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] wanted: u32,
        input: &[u32],
        place: &mut u32,
        #[workgroup] found: &mut u32,
    ) {
        if lane == 0 {
            *found = NOWHERE;
        }
        workgroup_barrier();
        for block in (0..input.len()).step_by(16) {
            if input[block + lane] == wanted {
                *found = block + lane;
//              ^^^^^^ race: write/read on found
            }
            if *found != NOWHERE {
//             ^^^^^^ race: read/write on found
                break;
            }
        }
        if lane == 0 {
            *place = *found;
//                   ^^^^^^ race: read/write on found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::early_out;
    use crate::support::{clean, racy};
    use hirace::Launch;

    fn launch(input: &[u32], wanted: u32) -> Launch {
        Launch::new()
            .workgroups(1)
            .buffer("wanted", &wanted)
            .buffer("input", input)
            .buffer("place", &7u32)
    }

    #[test]
    fn the_search_ends_where_the_value_is() {
        let input: Vec<u32> = (0..64).map(|i| i * 37 % 64).collect();
        for wanted in [0, 13, 63, 99] {
            let run = clean(&early_out::clean::kernel(), launch(&input, wanted));
            let expected = input.iter().position(|n| *n == wanted).map_or(u32::MAX, |i| i as u32);
            assert_eq!(run.one::<u32>("place"), expected);
        }
    }

    #[test]
    fn a_plain_read_of_the_flag_races() {
        let input: Vec<u32> = (0..64).collect();
        racy(&early_out::racy::kernel(), launch(&input, 3), include_str!("early_out.rs"));
    }
}
