//! Conway's Game of Life on a torus.

/// Computes one generation.
#[hirace::monitor]
pub mod life {
    use hirace::prelude::*;

    const WIDTH: i32 = 16;
    const HEIGHT: i32 = 16;

    fn index(x: i32, y: i32) -> usize {
        (y.rem_euclid(HEIGHT) * WIDTH + x.rem_euclid(WIDTH)) as usize
    }

    fn lives(alive: bool, neighbors: usize) -> bool {
        matches!((alive, neighbors), (true, 2 | 3) | (false, 3))
    }

    /// Computes the next generation into another buffer.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, cells: &[u32], next: &mut [u32]) {
        let (x, y) = (id.x as i32, id.y as i32);
        let neighbors = (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
            .filter(|&step| step != (0, 0))
            .filter(|&(dx, dy)| cells[index(x + dx, y + dy)] != 0)
            .count();
        let here = index(x, y);
        next[here] = lives(cells[here] != 0, neighbors).into();
    }

    /// Works in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, cells: &mut [u32]) {
        let (x, y) = (id.x as i32, id.y as i32);
        let mut neighbors = 0;
        for dy in -1..=1 {
            for dx in -1..=1 {
                if (dx, dy) != (0, 0) {
                    neighbors += cells[index(x + dx, y + dy)] as usize;
//                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on cells[..]
                }
            }
        }
        let here = index(x, y);
        let alive = cells[here] != 0;
        cells[here] = u32::from(lives(alive, neighbors));
//      ^^^^^^^^^^^ race: write/read on cells[..]
    }
}

#[cfg(test)]
mod tests {
    use super::life;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn cells_live_by_their_neighbors() {
        let cells = below(2, 256, 12);
        let launch = Launch::new().workgroups([2, 2]).buffer("cells", &cells).zeros("next", 256);
        let run = clean(&life::clean::kernel(), launch);
        let at = |x: usize, y: usize| cells[y % 16 * 16 + x % 16];
        let mut expected = Vec::new();
        for y in 0..16 {
            for x in 0..16 {
                let mut sum = 0;
                for dy in [15, 0, 1] {
                    for dx in [15, 0, 1] {
                        sum += at(x + dx, y + dy);
                    }
                }
                sum -= at(x, y);
                expected.push(u32::from(sum == 3 || sum == 2 && at(x, y) == 1));
            }
        }
        assert_eq!(run.read::<u32>("next"), expected);
    }

    #[test]
    fn a_generation_in_place_races() {
        let launch = Launch::new().workgroups([2, 2]).buffer("cells", &below(2, 256, 13));
        racy(&life::racy::kernel(), launch, include_str!("life.rs"));
    }
}
