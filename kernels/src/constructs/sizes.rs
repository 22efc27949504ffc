//! `usize` for positions and lengths.

/// Runs of equal numbers in a row; one invocation per row.
#[hirace::monitor]
pub mod sizes {
    use hirace::prelude::*;

    const WIDE: usize = 16;
    const STRIDES: [usize; 3] = [1, 2, 4];

    /// A part of a row.
    #[derive(Clone, Copy)]
    struct Span {
        from: usize,
        len: usize,
    }

    /// Returns the run of equal numbers that starts at `from`.
    fn run(row: &[u32; WIDE], from: usize) -> Span {
        let mut len = 1;
        while from + len < WIDE && row[from + len] == row[from] {
            len += 1;
        }
        Span { from, len }
    }

    /// Returns the longer of two spans, or the first one if their lengths are equal.
    fn longer(a: Span, b: Span) -> Span {
        if b.len > a.len { b } else { a }
    }

    /// Returns the signed distance between two positions.
    fn apart(a: usize, b: usize) -> isize {
        a as isize - b as isize
    }

    /// Divides a number of elements, in a function that takes `u32`.
    fn share(of: u32, among: u32) -> u32 {
        of / among
    }

    /// Finds the longest run of each row, and computes properties of its position.
    #[kernel(workgroup_size(8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        rows: &[[u32; WIDE]],
        found: &mut [[u32; 8]],
        #[workgroup] at: &mut [usize; 8],
    ) {
        let i = id.x as usize;
        let lane = i % at.len();
        let mut longest = Span { from: 0, len: 0 };
        let mut next = 0;
        if i < rows.len() {
            let row = rows[i];
            while next < row.len() {
                let span = run(&row, next);
                longest = longer(longest, span);
                next += span.len;
            }
        }
        at[lane] = longest.from;
        workgroup_barrier();
        let other = at[at.len() - 1 - lane];
        if i >= rows.len() || id.x >= rows.len() {
            return;
        }
        let mut sum = 0usize;
        for j in (0..longest.len).rev() {
            sum += longest.from + j;
        }
        for j in (longest.from..=WIDE).step_by(STRIDES[i % STRIDES.len()]) {
            sum ^= j << 2;
        }
        let away = apart(longest.from, other);
        let kind = match longest.len {
            0 => usize::MAX,
            1 => 1,
            2..=4 => longest.len.next_power_of_two(),
            n @ 5.. => n.max(7),
        };
        found[i] = [
            longest.from as u32,
            longest.len as u32,
            sum as u32,
            away.unsigned_abs() as u32 + (away < 0) as u32 * 100,
            kind as u32,
            share(rows.len(), 3),
            (longest.from.abs_diff(other).min(5) + rows.len().div_ceil(8)) as u32,
            rows.len() as u32 + usize::BITS + longest.len.count_ones(),
        ];
    }

    /// Lacks the barrier: other invocations may still write the elements that are read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        found: &mut [[u32; 8]],
        #[workgroup] at: &mut [usize; 8],
    ) {
        let i = id.x as usize;
        let lane = i % at.len();
        at[lane] = i * 2;
//      ^^^^^^^^ race: write/read on at[..]
        let other = at[at.len() - 1 - lane];
//                  ^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on at[..]
        if i < found.len() {
            found[i][0] = other as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sizes;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    /// Returns the start and the length of the longest run of a row.
    fn longest(row: &[u32; 16]) -> (usize, usize) {
        let run = |from: usize| row[from..].iter().take_while(|n| **n == row[from]).count();
        let starts = (0..16).filter(|&i| i == 0 || row[i] != row[i - 1]);
        starts.map(|i| (i, run(i))).rev().max_by_key(|(_, len)| *len).unwrap()
    }

    #[test]
    fn sizes_are_computed_as_rust_does() {
        let rows: Vec<[u32; 16]> =
            below(3, 16 * 16, 50).chunks(16).map(|row| row.try_into().unwrap()).collect();
        let launch =
            || Launch::new().workgroups(2).buffer("rows", &rows).buffer("found", &[[0u32; 8]; 16]);
        let run = clean(&sizes::clean::kernel(), launch());
        let at: Vec<(usize, usize)> = rows.iter().map(longest).collect();
        let expected = |i: usize| {
            let (from, len) = at[i];
            let other = at[i / 8 * 8 + 7 - i % 8].0;
            let steps = (from..=16).step_by([1, 2, 4][i % 3]);
            let sum = steps.fold((0..len).map(|j| from + j).sum(), |sum: usize, j| sum ^ (j << 2));
            let kind = match len {
                1 => 1,
                2..=4 => len.next_power_of_two(),
                n => n.max(7),
            };
            [
                from as u32,
                len as u32,
                sum as u32,
                from.abs_diff(other) as u32 + if from < other { 100 } else { 0 },
                kind as u32,
                16 / 3,
                from.abs_diff(other).min(5) as u32 + 2,
                16 + 32 + len.count_ones(),
            ]
        };
        assert_eq!(run.read::<[u32; 8]>("found"), (0..16).map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_written_without_a_barrier_races() {
        let launch = Launch::new().workgroups(1).buffer("found", &[[0u32; 8]; 8]);
        racy(&sizes::racy::kernel(), launch, include_str!("sizes.rs"));
    }
}
