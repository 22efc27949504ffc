//! Inserts particles into the cells of a hashed grid.

/// Each cell has a fixed capacity.
#[hirace::monitor]
pub mod particle_grid {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const PRIMES: [u32; 3] = [73_856_093, 19_349_663, 83_492_791];
    /// Number of cells, a power of two.
    pub const CELLS: usize = 64;
    /// Capacity of a cell.
    pub const ROOM: usize = 8;

    /// Coordinates of a cell.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CellId(IVec3);

    impl CellId {
        fn containing(position: Vec3, size: f32) -> Self {
            Self((position / size).floor().as_ivec3())
        }

        fn slot(self) -> usize {
            let hash = self
                .0
                .to_array()
                .iter()
                .zip(PRIMES)
                .map(|(&n, prime)| (n as u32).wrapping_mul(prime))
                .fold(0, |hash, part| hash ^ part);
            hash as usize % CELLS
        }
    }

    /// Inserts each particle into its cell, unless the cell is full.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] cell_size: f32,
        positions: &[Vec3],
        counts: &[AtomicU32],
        cells: &mut [[u32; ROOM]],
        dropped: &AtomicU32,
    ) {
        let particle = id.x as usize;
        if particle >= positions.len() {
            return;
        }
        let slot = CellId::containing(positions[particle], cell_size).slot();
        match counts[slot].fetch_add(1, Ordering::Relaxed) as usize {
            rank @ 0..ROOM => cells[slot][rank] = id.x,
            _ => {
                counts[slot].fetch_sub(1, Ordering::Relaxed);
                dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Keeps the last particle of a cell, written without an atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] cell_size: f32,
        positions: &[Vec3],
        last: &mut [u32],
    ) {
        let Some(&position) = positions.get(id.x as usize) else {
            return;
        };
        let slot = CellId::containing(position, cell_size).slot();
        last[slot] = id.x;
//      ^^^^^^^^^^ race: write/write on last[..]
    }
}

#[cfg(test)]
mod tests {
    use super::particle_grid::{self, CELLS, ROOM};
    use crate::support::{clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::*;

    fn positions(count: usize, seed: u32) -> Vec<Vec3> {
        floats(3 * count, seed).chunks(3).map(Vec3::from_slice).collect()
    }

    fn slot(p: &Vec3) -> usize {
        let cell = |x: f32| (x / 0.4).floor() as i64;
        let part = |x: f32, prime: i64| (cell(x) * prime) as u32;
        ((part(p.x, 73856093) ^ part(p.y, 19349663) ^ part(p.z, 83492791)) % 64) as usize
    }

    #[test]
    fn particles_are_in_their_cells() {
        let positions = positions(100, 250);
        let launch = Launch::new().workgroups(2).buffer("cell_size", &0.4f32);
        let launch = launch.buffer("positions", &positions).zeros("counts", CELLS);
        let launch = launch.buffer("cells", &[[u32::MAX; ROOM]; CELLS]).buffer("dropped", &0u32);
        let run = clean(&particle_grid::clean::kernel(), launch);
        let cells = run.read::<[u32; ROOM]>("cells");
        let counts = run.read::<u32>("counts");
        let mut dropped = 0;
        for cell in 0..CELLS {
            let inside: Vec<u32> =
                (0..100).filter(|&i| slot(&positions[i as usize]) == cell).collect();
            let mut found = cells[cell][..counts[cell] as usize].to_vec();
            found.sort();
            assert_eq!(found.len(), inside.len().min(ROOM));
            assert!(found.iter().all(|particle| inside.contains(particle)));
            assert!(found.windows(2).all(|two| two[0] < two[1]));
            dropped += inside.len() - found.len();
        }
        assert_eq!(run.one::<u32>("dropped"), dropped as u32);
    }

    #[test]
    fn the_last_of_a_cell_races() {
        let launch = Launch::new().workgroups(2).buffer("cell_size", &0.7f32);
        let launch = launch.buffer("positions", &positions(128, 251)).zeros("last", CELLS);
        racy(&particle_grid::racy::kernel(), launch, include_str!("particle_grid.rs"));
    }
}
