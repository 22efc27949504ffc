//! Shortest paths between all vertices, computed by blocks.

/// Blocks of 8×8 distances.
#[hirace::monitor]
pub mod floyd_warshall {
    use hirace::prelude::*;

    const BLOCK: usize = 8;

    /// The distance that means there is no path.
    pub const INFINITE: u32 = u32::MAX;

    type Block = [[u32; BLOCK]; BLOCK];

    /// The length of a path, or `None` if there is no path.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Length(Option<u32>);

    impl Length {
        fn new(raw: u32) -> Self {
            Self((raw != INFINITE).then_some(raw))
        }

        fn then(self, next: Self) -> Self {
            Self(self.0.zip(next.0).map(|(a, b)| a + b))
        }

        fn shorter(self, other: Self) -> Self {
            match (self.0, other.0) {
                (Some(a), Some(b)) => Self(Some(a.min(b))),
                (Some(_), None) => self,
                (None, _) => other,
            }
        }

        fn raw(self) -> u32 {
            self.0.unwrap_or(INFINITE)
        }
    }

    fn relax(block: &Block, row: usize, column: usize, via: usize) -> u32 {
        let detour = Length::new(block[row][via]).then(Length::new(block[via][column]));
        Length::new(block[row][column]).shorter(detour).raw()
    }

    /// First phase: updates a block on the diagonal of a matrix with `size` distances per row.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: u32,
        distances: &mut [u32],
        #[workgroup] block: &mut Block,
    ) {
        let (row, column) = (local.y as usize, local.x as usize);
        let start = group.x as usize * BLOCK;
        let here = (start + row) * size as usize + start + column;
        block[row][column] = distances[here];
        workgroup_barrier();
        for via in 0..BLOCK {
            let shortest = relax(block, row, column, via);
            workgroup_barrier();
            block[row][column] = shortest;
            workgroup_barrier();
        }
        distances[here] = block[row][column];
    }

    /// Updates paths through one vertex, in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        distances: &mut [u32],
        #[workgroup] line: &mut [u32; BLOCK],
    ) {
        let (row, column) = (local.y as usize, local.x as usize);
        let here = row * BLOCK + column;
        if row == 3 {
            line[column] = distances[here];
//          ^^^^^^^^^^^^ race: write/read on line[..]
        }
        let onward = line[column];
//                   ^^^^^^^^^^^^ race: read/write on line[..]
        distances[here] = distances[here].min(onward);
    }
}

#[cfg(test)]
mod tests {
    use super::floyd_warshall::{self, INFINITE};
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn paths_are_shortest() {
        let mut distances: Vec<u32> =
            below(30, 256, 380).into_iter().map(|n| if n < 20 { INFINITE } else { n }).collect();
        for i in 0..16 {
            distances[i * 17] = 0;
        }
        let launch = Launch::new().workgroups(2).buffer("size", &16u32);
        let run = clean(&floyd_warshall::clean::kernel(), launch.buffer("distances", &distances));
        let mut expected = distances;
        for start in [0, 8] {
            // Repeated until no path becomes shorter.
            for _ in 0..8 {
                for i in start..start + 8 {
                    for j in start..start + 8 {
                        for k in start..start + 8 {
                            let (a, b) = (expected[i * 16 + k], expected[k * 16 + j]);
                            if let Some(sum) = a.checked_add(b) {
                                expected[i * 16 + j] = expected[i * 16 + j].min(sum);
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(run.read::<u32>("distances"), expected);
    }

    #[test]
    fn a_line_without_a_barrier_races() {
        let launch = Launch::new().workgroups(1).buffer("distances", &below(30, 64, 381));
        racy(&floyd_warshall::racy::kernel(), launch, include_str!("floyd_warshall.rs"));
    }
}
