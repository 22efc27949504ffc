//! Sorts particles into the cells of a grid: count, offsets, scatter.

/// A grid of 4×4 cells over the unit square.
#[hirace::monitor]
pub mod binning {
    use hirace::prelude::*;

    const SIDE: u32 = 4;
    const CELLS: usize = 16;

    /// A particle in the unit square.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Particle {
        /// Position, with coordinates from 0 to 1.
        pub position: Vec2,
        /// Arbitrary identifier.
        pub id: u32,
    }

    /// Returns the cell that contains a position.
    fn cell(position: Vec2) -> u32 {
        let at = (position * SIDE as f32).floor().as_uvec2().min(UVec2::splat(SIDE - 1));
        at.x + SIDE * at.y
    }

    /// First dispatch: counts the particles of each cell.
    #[kernel(workgroup_size(32))]
    pub fn count(
        #[builtin(global_invocation_id)] id: UVec3,
        particles: &[Particle],
        ends: &[Atomic<u32>; CELLS],
    ) {
        ends[cell(particles[id.x].position)].fetch_add(1);
    }

    /// Second dispatch, of one workgroup: computes the offset of each cell.
    #[kernel(workgroup_size(CELLS))]
    pub fn offsets(
        #[builtin(local_invocation_index)] lane: u32,
        ends: &[Atomic<u32>; CELLS],
        #[workgroup] counts: &mut [u32; CELLS],
    ) {
        counts[lane] = ends[lane].load();
        workgroup_barrier();
        let mut before = 0;
        for i in 0..lane {
            before += counts[i];
        }
        ends[lane].store(before);
    }

    /// Third dispatch: each particle takes the next slot of its cell and advances the cell's end.
    #[kernel(workgroup_size(32))]
    pub fn scatter(
        #[builtin(global_invocation_id)] id: UVec3,
        particles: &[Particle],
        ends: &[Atomic<u32>; CELLS],
        sorted: &mut [Particle],
    ) {
        let particle = particles[id.x];
        let place = ends[cell(particle.position)].fetch_add(1);
        sorted[place] = particle;
    }

    /// Third dispatch without the atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        particles: &[Particle],
        ends: &[Atomic<u32>; CELLS],
        sorted: &mut [Particle],
    ) {
        let particle = particles[id.x];
        let end = cell(particle.position);
        sorted[*ends[end].plain()] = particle;
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on sorted[..].position.x
//             ^^^^^^^^^^^^^^^^^^ race: read/write on ends[..]
        *ends[end].plain() += 1;
//      ^^^^^^^^^^^^^^^^^^ race: read/write on ends[..]
//      ^^^^^^^^^^^^^^^^^^ race: write/read on ends[..]
    }
}

#[cfg(test)]
mod tests {
    use super::binning::{self, Particle};
    use crate::support::{clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    const PARTICLES: usize = 64;

    fn particles() -> Vec<Particle> {
        let at = floats(2 * PARTICLES, 27);
        let one = |(c, id): (&[f32], u32)| Particle { position: Vec2::new(c[0], c[1]).abs(), id };
        at.chunks(2).zip(0..).map(one).collect()
    }

    fn launch(particles: &[Particle], last: &str) -> Launch {
        Launch::new()
            .buffer("particles", particles)
            .buffer("ends", &[0u32; 16])
            .buffer("sorted", particles)
            .dispatch("count", 2)
            .dispatch("offsets", 1)
            .dispatch(last, 2)
    }

    fn cell(particle: &Particle) -> usize {
        let at = particle.position.to_array().map(|c| ((c * 4.0) as usize).min(3));
        at[0] + 4 * at[1]
    }

    #[test]
    fn particles_stand_by_cell() {
        let particles = particles();
        let run = clean(&binning::count::kernel(), launch(&particles, "scatter"));
        let sorted = run.read::<Particle>("sorted");
        assert!(sorted.is_sorted_by_key(cell));
        let ends = (0..16).map(|c| particles.iter().filter(|p| cell(p) <= c).count() as u32);
        assert_eq!(run.read::<u32>("ends"), ends.collect::<Vec<_>>());
        let mut by_id = sorted;
        by_id.sort_unstable_by_key(|p| p.id);
        assert_eq!(by_id, particles);
    }

    #[test]
    fn places_need_atomics() {
        let launch = launch(&particles(), "racy");
        racy(&binning::count::kernel(), launch, include_str!("binning.rs"));
    }
}
