//! Smoothed-particle hydrodynamics: density and pressure.

/// Finds neighbors through particles sorted by cells of a plane.
#[hirace::monitor]
pub mod sph_density {
    use hirace::prelude::*;
    use std::f32::consts::PI;

    /// Number of cells in each direction.
    pub const CELLS: i32 = 4;

    /// Parameters of the fluid.
    #[derive(Clone, Copy, Debug)]
    pub struct Fluid {
        /// Smoothing radius of particles, and size of cells.
        pub radius: f32,
        /// Mass of each particle.
        pub mass: f32,
        /// Density at which the pressure is 0.
        pub rest_density: f32,
        /// Pressure per density above `rest_density`.
        pub stiffness: f32,
    }

    /// State of a particle.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct State {
        /// Mass per area.
        pub density: f32,
        /// Pressure, computed from the density.
        pub pressure: f32,
    }

    /// A smoothing kernel, in the sense of the method.
    pub trait Smoothing {
        /// Returns the weight of a particle at this distance.
        fn weight(&self, distance_squared: f32) -> f32;
    }

    struct Poly6 {
        radius_squared: f32,
        factor: f32,
    }

    impl Poly6 {
        fn new(radius: f32) -> Self {
            Self { radius_squared: radius.powi(2), factor: 4.0 / (PI * radius.powi(8)) }
        }
    }

    impl Smoothing for Poly6 {
        fn weight(&self, distance_squared: f32) -> f32 {
            let inside = (self.radius_squared - distance_squared).max(0.0);
            self.factor * inside.powi(3)
        }
    }

    fn weight_of_cell<S: Smoothing>(smoothing: &S, center: Vec2, particles: &[Vec2]) -> f32 {
        particles.iter().map(|p| smoothing.weight(p.distance_squared(center))).sum()
    }

    /// Computes the states; the particles of cell `c` are from `starts[c]` to `starts[c + 1]`.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] fluid: Fluid,
        starts: &[u32],
        positions: &[Vec2],
        states: &mut [State],
    ) {
        let i = id.x as usize;
        let Some(&center) = positions.get(i) else { return };
        let smoothing = Poly6::new(fluid.radius);
        let home = (center / fluid.radius).floor().as_ivec2();

        let mut sum = 0.0;
        for y in (home.y - 1).max(0)..=(home.y + 1).min(CELLS - 1) {
            for x in (home.x - 1).max(0)..=(home.x + 1).min(CELLS - 1) {
                let cell = (y * CELLS + x) as usize;
                let (start, end) = (starts[cell] as usize, starts[cell + 1] as usize);
                if start == end {
                    continue;
                }
                sum += weight_of_cell(&smoothing, center, &positions[start..end]);
            }
        }
        let density = fluid.mass * sum;
        let pressure = fluid.stiffness * (density - fluid.rest_density).max(0.0);
        states[i] = State { density, pressure };
    }
}

#[cfg(test)]
mod tests {
    use super::sph_density::{self, CELLS, Fluid, State};
    use crate::support::{assert_close, clean, floats, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn densities_are_sums_over_near_particles() {
        let cell = |p: &Vec2| (p.y as i32 * CELLS + p.x as i32) as u32;
        let mut positions: Vec<Vec2> =
            floats(200, 260).chunks(2).map(|f| Vec2::new(f[0] + 1.0, f[1] + 1.0) * 1.99).collect();
        positions.sort_by_key(cell);
        let starts: Vec<u32> =
            (0..=16).map(|c| positions.iter().filter(|p| cell(p) < c).count() as u32).collect();
        let fluid = Fluid { radius: 1.0, mass: 0.5, rest_density: 2.0, stiffness: 3.0 };
        let launch = Launch::new().workgroups(2).buffer("fluid", &fluid);
        let launch = launch.buffer("starts", &starts).buffer("positions", &positions);
        let run = clean(&sph_density::clean::kernel(), launch.zeros("states", 100));
        let state = |p: &Vec2| {
            let mut density = 0.0;
            for q in &positions {
                let d = p.distance(*q);
                if d < 1.0 {
                    density += 0.5 * 4.0 / std::f32::consts::PI * (1.0 - d * d).powi(3);
                }
            }
            State { density, pressure: if density > 2.0 { 3.0 * (density - 2.0) } else { 0.0 } }
        };
        let expected: Vec<State> = positions.iter().map(state).collect();
        assert_close(&scalars(&run.read::<State>("states")), &scalars(&expected), 1e-3);
    }
}
