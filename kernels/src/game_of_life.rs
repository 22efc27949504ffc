//! Conway's Game of Life on a torus.

/// One invocation per cell.
#[hirace::monitor]
pub mod game_of_life {
    use hirace::prelude::*;

    const ALIVE: u32 = 1;
    const DEAD: u32 = 0;

    /// Returns the index of the cell at the offset `dx`, `dy` from a cell.
    fn neighbor(cell: UVec2, dx: i32, dy: i32, size: UVec2) -> u32 {
        let at = (cell.as_ivec2() + ivec2(dx, dy)).rem_euclid(size.as_ivec2());
        at.y as u32 * size.x + at.x as u32
    }

    /// Returns the next state of a cell.
    fn fate(cell: u32, neighbors: u32) -> u32 {
        match (cell, neighbors) {
            (ALIVE, 2 | 3) => ALIVE,
            (DEAD, n) if n == 3 => ALIVE,
            _ => DEAD,
        }
    }

    /// Computes the next generation into another buffer.
    #[kernel(workgroup_size(4, 4))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        now: &[u32],
        next: &mut [u32],
    ) {
        let mut count = 0;
        for dy in -1..=1 {
            for dx in -1..=1 {
                if dx == 0 && dy == 0 {
                    continue;
                }
                count += now[neighbor(id.xy(), dx, dy, size)];
            }
        }
        let own = id.y * size.x + id.x;
        next[own] = fate(now[own], count);
    }

    /// Works in place: some neighbors already belong to the next generation.
    #[rustfmt::skip]
    #[kernel(workgroup_size(4, 4))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec2,
        next: &mut [u32],
    ) {
        let mut count = 0;
        for dy in -1..=1 {
            for dx in -1..=1 {
                if dx == 0 && dy == 0 {
                    continue;
                }
                count += next[neighbor(id.xy(), dx, dy, size)];
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on next[..]
            }
        }
        let own = id.y * size.x + id.x;
        next[own] = fate(next[own], count);
//      ^^^^^^^^^ race: write/read on next[..]
    }
}

#[cfg(test)]
mod tests {
    use super::game_of_life;
    use crate::support::{below, clean, racy};
    use hirace::Launch;
    use hirace::prelude::UVec2;

    const SIDE: usize = 8;

    fn launch() -> Launch {
        Launch::new().workgroups([2, 2]).buffer("size", &UVec2::splat(SIDE as u32))
    }

    fn expected(now: &[u32]) -> Vec<u32> {
        let cell = |x: usize, y: usize| now[y % SIDE * SIDE + x % SIDE];
        let around = [(7, 7), (0, 7), (1, 7), (7, 0), (1, 0), (7, 1), (0, 1), (1, 1)];
        (0..SIDE * SIDE)
            .map(|i| {
                let (x, y) = (i % SIDE, i / SIDE);
                let count: u32 = around.iter().map(|(dx, dy)| cell(x + dx, y + dy)).sum();
                u32::from(count == 3 || count == 2 && now[i] == 1)
            })
            .collect()
    }

    #[test]
    fn three_neighbors_give_life_and_two_keep_it() {
        let now = below(2, SIDE * SIDE, 14);
        let launch = launch().buffer("now", &now).buffer("next", &[0u32; SIDE * SIDE]);
        let run = clean(&game_of_life::clean::kernel(), launch);
        assert_eq!(run.read::<u32>("next"), expected(&now));
    }

    #[test]
    fn in_place_generations_mix() {
        let launch = launch().buffer("next", &below(2, SIDE * SIDE, 14));
        racy(&game_of_life::racy::kernel(), launch, include_str!("game_of_life.rs"));
    }
}
