//! `mri-gridding` of Parboil: spreads samples at arbitrary positions over the points of a grid.

/// WGSL has no atomic floats: sums are stored as the bits of floats in atomic words.
#[hirace::monitor]
pub mod mri_gridding {
    use hirace::prelude::*;

    const RADIUS: f32 = 1.5;
    const ENTRIES: usize = 16;

    /// A sample.
    #[derive(Clone, Copy)]
    pub struct Sample {
        /// Position in units of the grid.
        pub place: Vec3,
        /// Complex value.
        pub value: Vec2,
    }

    /// Sums at a point of the grid.
    pub struct Cell {
        /// Real part of the sum.
        pub real: Atomic<u32>,
        /// Imaginary part of the sum.
        pub imaginary: Atomic<u32>,
        /// Sum of the weights.
        pub weight: Atomic<u32>,
    }

    /// Adds to a float by compare-exchange, and retries if another invocation was faster.
    fn add(sum: &Atomic<u32>, value: f32) {
        let mut old = sum.load();
        loop {
            let new = (f32::from_bits(old) + value).to_bits();
            match sum.compare_exchange_weak(old, new) {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
    }

    /// Returns the weight for a squared distance, from a table.
    fn weight(table: &[f32; ENTRIES], squared: f32) -> f32 {
        let entry = (squared / (RADIUS * RADIUS) * ENTRIES as f32) as u32;
        if entry < ENTRIES as u32 { table[entry] } else { 0.0 }
    }

    /// Returns the first and the last grid point around a position.
    fn around(place: Vec3, size: UVec3) -> (UVec3, UVec3) {
        let first = max(ceil(place - RADIUS), Vec3::ZERO);
        let last = min(floor(place + RADIUS), (size - 1).as_vec3());
        (first.as_uvec3(), last.as_uvec3())
    }

    /// First dispatch: spreads the samples, with one invocation per sample.
    #[kernel(workgroup_size(32))]
    pub fn spread(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec3,
        table: &[f32; ENTRIES],
        samples: &[Sample],
        cells: &mut [Cell],
    ) {
        if id.x >= samples.len() {
            return;
        }
        let sample = samples[id.x];
        let (first, last) = around(sample.place, size);
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    let away = uvec3(x, y, z).as_vec3() - sample.place;
                    let share = weight(table, dot(away, away));
                    if share > 0.0 {
                        let cell = (z * size.y + y) * size.x + x;
                        add(&cells[cell].real, sample.value.x * share);
                        add(&cells[cell].imaginary, sample.value.y * share);
                        add(&cells[cell].weight, share);
                    }
                }
            }
        }
    }

    /// Second dispatch: computes means from sums.
    #[kernel(workgroup_size(32))]
    pub fn normalize(
        #[builtin(global_invocation_id)] id: UVec3,
        cells: &mut [Cell],
        grid: &mut [Vec2],
    ) {
        if id.x >= grid.len() {
            return;
        }
        let sum = uvec2(cells[id.x].real.load(), cells[id.x].imaginary.load());
        let weight = f32::from_bits(cells[id.x].weight.load());
        if weight > 0.0 {
            grid[id.x] = vec2(f32::from_bits(sum.x), f32::from_bits(sum.y)) / weight;
        }
    }

    /// Adds with a plain access: where several samples affect a point, some are lost.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: UVec3,
        table: &[f32; ENTRIES],
        samples: &[Sample],
        weights: &mut [f32],
    ) {
        let sample = samples[id.x];
        let (first, last) = around(sample.place, size);
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    let away = uvec3(x, y, z).as_vec3() - sample.place;
                    weights[(z * size.y + y) * size.x + x] += weight(table, dot(away, away));
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on weights[..]
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on weights[..]
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mri_gridding::{self, Sample};
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::{UVec3, Vec2, Vec3};

    fn samples(count: usize, size: UVec3) -> Vec<Sample> {
        let sample = |c: &[f32]| Sample {
            place: (Vec3::new(c[0], c[1], c[2]) + 1.0) * 0.5 * (size - 1).as_vec3(),
            value: Vec2::new(c[3], c[4]),
        };
        floats(5 * count, 56).chunks(5).map(sample).collect()
    }

    /// Returns a table that decreases from 1 to almost 0.
    fn table() -> [f32; 16] {
        std::array::from_fn(|i| (1.0 - i as f32 / 16.0).powi(2))
    }

    fn launch(samples: &[Sample], size: UVec3) -> Launch {
        Launch::new().buffer("size", &size).buffer("table", &table()).buffer("samples", samples)
    }

    fn holds(samples: &[Sample], size: UVec3) {
        let points = size.element_product();
        let launch = launch(samples, size)
            .zeros("cells", points as usize)
            .zeros("grid", points as usize)
            .dispatch("spread", samples.len().div_ceil(32) as u32)
            .dispatch("normalize", points.div_ceil(32));
        let run = clean(&mri_gridding::spread::kernel(), launch);
        let mean = |i: u32| {
            let place = UVec3::new(i % size.x, i / size.x % size.y, i / size.x / size.y);
            let (mut sum, mut weights) = (Vec2::ZERO, 0.0);
            for sample in samples {
                let squared = place.as_vec3().distance_squared(sample.place);
                let weight = table().get((squared / 2.25 * 16.0) as usize).copied().unwrap_or(0.0);
                sum += sample.value * weight;
                weights += weight;
            }
            if weights > 0.0 { sum / weights } else { Vec2::ZERO }
        };
        let expected: Vec<Vec2> = (0..points).map(mean).collect();
        assert_close(&scalars(&run.read::<Vec2>("grid")), &scalars(&expected), 1e-4);
    }

    #[test]
    fn points_have_the_means_of_samples_around() {
        let size = UVec3::new(6, 5, 4);
        holds(&samples(100, size), size);
    }

    #[test]
    fn most_of_a_large_grid_stays_empty() {
        let size = UVec3::new(9, 7, 5);
        holds(&samples(3, size), size);
    }

    #[test]
    fn a_grid_may_be_a_point() {
        holds(&samples(40, UVec3::ONE), UVec3::ONE);
    }

    #[test]
    fn samples_beyond_the_grid_reach_no_point() {
        let size = UVec3::new(3, 4, 5);
        let mut samples = samples(6, size);
        let last = (size - 1).as_vec3();
        for (sample, away) in samples.iter_mut().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
            sample.place = last + 2.0 * away;
        }
        holds(&samples, size);
    }

    #[test]
    fn samples_that_meet_at_a_point_need_atomics() {
        let size = UVec3::new(4, 4, 4);
        let launch = launch(&samples(32, size), size).workgroups(1).zeros("weights", 64);
        racy(&mri_gridding::racy::kernel(), launch, include_str!("mri_gridding.rs"));
    }
}
