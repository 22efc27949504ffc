//! Exclusive scans of each block: sums, and the maximum of the preceding elements.

/// The scan of Hillis and Steele, for any monoid.
#[hirace::monitor]
pub mod exclusive_scan {
    use hirace::prelude::*;

    const BLOCK: usize = 64;

    /// A type with an associative operation and an identity.
    pub trait Monoid: Copy {
        /// The identity of the operation.
        const IDENTITY: Self;

        /// Combines two values, in this order.
        fn combine(self, other: Self) -> Self;
    }

    impl Monoid for u32 {
        const IDENTITY: Self = 0;

        fn combine(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
    }

    /// The maximum of numbers.
    #[derive(Clone, Copy)]
    pub struct Greatest(u32);

    impl Monoid for Greatest {
        const IDENTITY: Self = Self(0);

        fn combine(self, Self(other): Self) -> Self {
            Self(self.0.max(other))
        }
    }

    fn scan<M: Monoid>(tile: &mut [M; BLOCK], lane: usize, own: M) -> M {
        tile[lane] = own;
        workgroup_barrier();
        let mut offset = 1;
        while offset < BLOCK {
            let before = if lane >= offset { tile[lane - offset] } else { M::IDENTITY };
            workgroup_barrier();
            tile[lane] = before.combine(tile[lane]);
            workgroup_barrier();
            offset *= 2;
        }
        if lane == 0 { M::IDENTITY } else { tile[lane - 1] }
    }

    /// Computes both scans, of sums and of maxima.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        numbers: &[u32],
        sums: &mut [u32],
        peaks: &mut [u32],
        #[workgroup] partial_sums: &mut [u32; BLOCK],
        #[workgroup] partial_peaks: &mut [Greatest; BLOCK],
    ) {
        let (i, lane) = (id.x as usize, lane as usize);
        let own = numbers[i];
        sums[i] = scan(partial_sums, lane, own);
        let Greatest(peak) = scan(partial_peaks, lane, Greatest(own));
        peaks[i] = peak;
    }

    /// Scans sums without a barrier between reads and writes.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        numbers: &[u32],
        sums: &mut [u32],
        #[workgroup] tile: &mut [u32; BLOCK],
    ) {
        let (i, lane) = (id.x as usize, lane as usize);
        tile[lane] = numbers[i];
        workgroup_barrier();
        for step in 0..BLOCK.ilog2() {
            let offset = 1 << step;
            if lane >= offset {
                tile[lane] += tile[lane - offset];
//              ^^^^^^^^^^ race: write/read on tile[..]
//                            ^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..]
            }
            workgroup_barrier();
        }
        sums[i] = tile[lane] - numbers[i];
    }
}

#[cfg(test)]
mod tests {
    use super::exclusive_scan;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn each_element_has_what_is_before_it() {
        let numbers = below(1000, 128, 3);
        let launch = Launch::new().workgroups(2).buffer("numbers", &numbers);
        let launch = launch.zeros("sums", 128).zeros("peaks", 128);
        let run = clean(&exclusive_scan::clean::kernel(), launch);
        let before = |i: usize| &numbers[i / 64 * 64..i];
        let sums: Vec<u32> = (0..128).map(|i| before(i).iter().sum()).collect();
        let peaks: Vec<u32> =
            (0..128).map(|i| before(i).iter().copied().max().unwrap_or(0)).collect();
        assert_eq!(run.read::<u32>("sums"), sums);
        assert_eq!(run.read::<u32>("peaks"), peaks);
    }

    #[test]
    fn sums_in_place_race() {
        let launch = Launch::new().workgroups(1).buffer("numbers", &below(9, 64, 4));
        let launch = launch.zeros("sums", 64);
        racy(&exclusive_scan::racy::kernel(), launch, include_str!("exclusive_scan.rs"));
    }
}
