//! Value noise: octaves of interpolated random numbers.

/// One pixel per invocation.
#[hirace::monitor]
pub mod value_noise {
    use super::super::shared::lerp;
    use hirace::prelude::*;

    /// Parameters of the noise.
    #[derive(Clone, Copy, Debug)]
    pub struct Noise {
        /// Seed of the random numbers.
        pub seed: u32,
        /// Number of octaves.
        pub octaves: u32,
        /// Amplitude of an octave relative to the previous one.
        pub gain: f32,
        /// Size in pixels of a cell of the first octave.
        pub scale: f32,
    }

    fn hash(x: i32, y: i32, seed: u32) -> f32 {
        let mut h =
            seed ^ (x as u32).wrapping_mul(0x85eb_ca6b) ^ (y as u32).wrapping_mul(0xc2b2_ae35);
        h ^= h >> 16;
        h = h.wrapping_mul(0x7feb_352d);
        h ^= h.rotate_left(13);
        h = h.wrapping_mul(0x846c_a68b);
        (h >> 8) as f32 / 0xff_ffff as f32
    }

    const fn smooth(t: f32) -> f32 {
        t * t * (3.0 - 2.0 * t)
    }

    impl Noise {
        fn layer(&self, p: Vec2) -> f32 {
            let cell = p.floor();
            let t = p - cell;
            let IVec2 { x, y } = cell.as_ivec2();
            let corner = |dx, dy| hash(x + dx, y + dy, self.seed);
            let upper = lerp(corner(0, 0), corner(1, 0), smooth(t.x));
            let lower = lerp(corner(0, 1), corner(1, 1), smooth(t.x));
            lerp(upper, lower, smooth(t.y))
        }

        fn at(&self, p: Vec2) -> f32 {
            let mut total = 0.0;
            let mut weights = 0.0;
            let (mut weight, mut frequency) = (1.0, 1.0 / self.scale);
            for _ in 0..self.octaves {
                total += weight * self.layer(p * frequency);
                weights += weight;
                weight *= self.gain;
                frequency *= 2.0;
            }
            total / weights
        }
    }

    /// Computes an image that is 16 pixels wide.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] noise: Noise,
        heights: &mut [f32],
    ) {
        const WIDTH: u32 = 16;
        heights[(id.y * WIDTH + id.x) as usize] = noise.at(Vec2::new(id.x as f32, id.y as f32));
    }
}

#[cfg(test)]
#[allow(clippy::manual_rotate)] // The expected value is computed in another way.
mod tests {
    use super::value_noise::{self, Noise};
    use crate::support::{assert_close, clean};
    use hirace::Launch;

    fn random(x: u32, y: u32) -> f32 {
        let mut h = 77 ^ x.wrapping_mul(0x85ebca6b) ^ y.wrapping_mul(0xc2b2ae35);
        h = (h ^ (h >> 16)).wrapping_mul(0x7feb352d);
        h = (h ^ ((h << 13) | (h >> 19))).wrapping_mul(0x846ca68b);
        (h / 256) as f32 / 16777215.0
    }

    #[test]
    fn heights_are_smooth_and_random() {
        let noise = Noise { seed: 77, octaves: 3, gain: 0.5, scale: 8.0 };
        let launch = Launch::new().workgroups([2, 2]).buffer("noise", &noise);
        let run = clean(&value_noise::clean::kernel(), launch.zeros("heights", 256));
        let mut expected = Vec::new();
        for y in 0..16 {
            for x in 0..16 {
                let mut sum = 0.0;
                for (cell, weight) in [(8, 4.0), (4, 2.0), (2, 1.0)] {
                    let (u, v) = (x / cell, y / cell);
                    let s = (x % cell) as f32 / cell as f32;
                    let t = (y % cell) as f32 / cell as f32;
                    let (s, t) = (3.0 * s * s - 2.0 * s * s * s, 3.0 * t * t - 2.0 * t * t * t);
                    let near = random(u, v) * (1.0 - s) + random(u + 1, v) * s;
                    let far = random(u, v + 1) * (1.0 - s) + random(u + 1, v + 1) * s;
                    sum += weight * (near * (1.0 - t) + far * t);
                }
                expected.push(sum / 7.0);
            }
        }
        assert_close(&run.read::<f32>("heights"), &expected, 1e-4);
    }
}
