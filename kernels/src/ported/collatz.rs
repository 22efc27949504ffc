//! The number of steps of the Collatz sequence down to 1.

/// Replaces each number by the number of steps from it.
#[hirace::monitor]
pub mod collatz {
    use hirace::prelude::*;

    /// Returns half of an even number, or three times an odd number plus one if that fits `u32`.
    fn after(n: u32) -> Option<u32> {
        match n % 2 {
            0 => Some(n / 2),
            _ => n.checked_mul(3)?.checked_add(1),
        }
    }

    /// Returns the number of steps from `n` to 1, or `None` if `n` is 0 or a number does not fit `u32`.
    pub fn steps(n: u32) -> Option<u32> {
        let mut at = Some(n).filter(|&n| n > 0)?;
        let mut steps = 0;
        while at != 1 {
            at = after(at)?;
            steps += 1;
        }
        Some(steps)
    }

    /// Each invocation processes one number.
    #[kernel(workgroup_size(64))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, numbers: &mut [u32]) {
        let at = id.x as usize;
        numbers[at] = steps(numbers[at]).unwrap_or(u32::MAX);
    }

    /// Uses the index within the workgroup, which is the same in all workgroups.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(local_invocation_index)] lane: u32, numbers: &mut [u32]) {
        let at = lane as usize;
        numbers[at] = steps(numbers[at]).unwrap_or(u32::MAX);
//      ^^^^^^^^^^^ race: write/read on numbers[..]
//                          ^^^^^^^^^^^ race: read/write on numbers[..]
    }
}

#[cfg(test)]
mod tests {
    use super::collatz;
    use crate::support::{clean, racy};
    use hirace::Launch;

    fn launch(numbers: &[u32]) -> Launch {
        Launch::new().workgroups(2).buffer("numbers", numbers)
    }

    #[test]
    fn steps_are_those_that_the_host_counts() {
        let numbers: Vec<u32> = (0..126).chain([0x5555_5554, 0x5555_5555]).collect();
        let expected: Vec<u32> =
            numbers.iter().map(|&n| collatz::steps(n).unwrap_or(u32::MAX)).collect();
        assert_eq!((expected[0], expected[3], expected[27]), (u32::MAX, 7, 111));
        assert_eq!(expected[127], u32::MAX);
        let run = clean(&collatz::clean::kernel(), launch(&numbers));
        assert_eq!(run.read::<u32>("numbers"), expected);
    }

    #[test]
    fn workgroups_meet_where_the_number_within_them_counts() {
        racy(&collatz::racy::kernel(), launch(&[1; 128]), include_str!("collatz.rs"));
    }
}
