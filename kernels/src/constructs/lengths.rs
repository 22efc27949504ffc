//! Helper functions with const parameters: one WGSL function for each of their values.

/// Sums of arrays of several lengths.
#[hirace::monitor]
pub mod lengths {
    use hirace::prelude::*;

    const WIDE: usize = 16;

    /// Returns the sum of an array of any length.
    fn sum<const N: usize>(of: &[u32; N]) -> u32 {
        let mut sum = 0;
        for i in 0..N as u32 {
            sum += of[i];
        }
        sum
    }

    /// Returns the elements in reverse order.
    fn reversed<const N: usize>(of: [u32; N]) -> [u32; N] {
        let mut turned = [0; N];
        for i in 0..N as u32 {
            turned[N as u32 - 1 - i] = of[i];
        }
        turned
    }

    /// Has const parameters that neither types nor arguments determine.
    fn shifted<const BY: u32, const LEFT: bool>(n: u32) -> u32 {
        if LEFT { n << BY } else { n >> BY }
    }

    /// Returns the sum of a row.
    fn of_row<const N: usize>(rows: &[[u32; N]], row: u32) -> u32 {
        sum(&rows[row])
    }

    /// Uses lengths inferred from types and values given by calls.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        rows: &[[u32; 3]],
        out: &mut [u32],
        #[workgroup] tile: &mut [u32; WIDE],
    ) {
        tile[lane] = lane;
        workgroup_barrier();
        let [third, second, first] = reversed(rows[lane]);
        let own: [u32; 2] = reversed::<_>([second, third]);
        out[lane] = sum(tile)
            + 10 * of_row(rows, lane)
            + shifted::<3, true>(first)
            + shifted::<{ WIDE as u32 / 16 }, false>(sum::<2>(&own));
    }

    /// Uses the kernel's own const parameter as a length.
    #[kernel(workgroup_size(N))]
    pub fn generic<const N: usize>(
        #[builtin(local_invocation_index)] lane: u32,
        out: &mut [u32],
        #[workgroup] each: &mut [u32; N],
    ) {
        each[lane] = lane + 1;
        workgroup_barrier();
        out[lane] = sum::<N>(each);
    }
}

#[cfg(test)]
mod tests {
    use super::lengths;
    use crate::support::{below, clean};
    use hirace::Launch;

    #[test]
    fn each_call_has_the_length_of_its_array() {
        let rows: Vec<[u32; 3]> =
            below(1000, 48, 50).chunks(3).map(|row| [row[0], row[1], row[2]]).collect();
        let launch = Launch::new().workgroups(1).buffer("rows", &rows).buffer("out", &[0u32; 16]);
        let run = clean(&lengths::clean::kernel(), launch);
        let expected = rows.iter().map(|row| {
            120 + 10 * row.iter().sum::<u32>() + (row[0] << 3) + ((row[1] + row[2]) >> 1)
        });
        assert_eq!(run.read::<u32>("out"), expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_length_is_passed_on_from_kernel_to_helper() {
        let launch = || Launch::new().workgroups(1).buffer("out", &[0u32; 32]);
        let run = clean(&lengths::generic::kernel::<8>(), launch());
        assert_eq!(run.read::<u32>("out")[..9], [36, 36, 36, 36, 36, 36, 36, 36, 0]);
        let run = clean(&lengths::generic::kernel::<32>(), launch());
        assert_eq!(run.read::<u32>("out"), [528; 32]);
    }
}
