//! A Gaussian blur in both directions at once.

/// Any radius up to 4, with weights computed from the formula.
#[hirace::monitor]
pub mod gaussian_blur {
    use crate::natural::shared::image::Extent;
    use hirace::prelude::*;

    /// Parameters of the blur.
    #[derive(Clone, Copy, Debug)]
    pub struct Blur {
        /// Size of the image.
        pub extent: Extent,
        /// Radius of the filter.
        pub radius: u32,
        /// Standard deviation.
        pub sigma: f32,
    }

    impl Blur {
        fn weight(&self, dx: i32, dy: i32) -> f32 {
            let distance_squared = (dx.pow(2) + dy.pow(2)) as f32;
            (-distance_squared / (2.0 * self.sigma.powi(2))).exp()
        }
    }

    /// Each invocation computes one pixel of a color image.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] blur: Blur,
        source: &[Vec4],
        blurred: &mut [Vec4],
    ) {
        let (x, y) = (id.x as i32, id.y as i32);
        let Some(here) = blur.extent.index(x, y) else { return };
        let radius = blur.radius.min(4) as i32;
        let (mut sum, mut total) = (Vec4::ZERO, 0.0);
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                let weight = blur.weight(dx, dy);
                sum += source[blur.extent.clamped(x + dx, y + dy)] * weight;
                total += weight;
            }
        }
        blurred[here] = sum / total;
    }

    /// Blurs a line in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, line: &mut [f32]) {
        const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
        let i = id.x as usize;
        if i == 0 || i + 1 >= line.len() {
            return;
        }
        let mut sum = 0.0;
        for (k, weight) in WEIGHTS.iter().enumerate() {
            sum += weight * line[i + k - 1];
//                          ^^^^^^^^^^^^^^^ race: read/write on line[..]
        }
        line[i] = sum;
//      ^^^^^^^ race: write/read on line[..]
    }
}

#[cfg(test)]
#[allow(clippy::manual_clamp)] // The expected value is computed in another way.
mod tests {
    use super::gaussian_blur::{self, Blur};
    use crate::natural::shared::image::Extent;
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn a_picture_is_blurred() {
        let (width, height) = (13, 10);
        let random = floats(4 * 130, 50);
        let source: Vec<Vec4> = random.chunks(4).map(Vec4::from_slice).collect();
        let extent = Extent { width: 13, height: 10 };
        let blur = Blur { extent, radius: 2, sigma: 1.5 };
        let launch = Launch::new().workgroups([2, 2]).buffer("blur", &blur);
        let launch = launch.buffer("source", &source).zeros("blurred", 130);
        let run = clean(&gaussian_blur::clean::kernel(), launch);
        let mut expected = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let (mut sum, mut total) = (Vec4::ZERO, 0.0);
                for v in y - 2..=y + 2 {
                    for u in x - 2..=x + 2 {
                        let squared = (u - x) * (u - x) + (v - y) * (v - y);
                        let weight = (-(squared as f32) / 4.5).exp();
                        let (u, v) = (u.max(0).min(width - 1), v.max(0).min(height - 1));
                        sum += source[(v * width + u) as usize] * weight;
                        total += weight;
                    }
                }
                expected.push(sum / total);
            }
        }
        assert_close(&scalars(&run.read::<Vec4>("blurred")), &scalars(&expected), 1e-4);
    }

    #[test]
    fn a_line_in_place_races() {
        let launch = Launch::new().workgroups(2).buffer("line", &floats(128, 51));
        racy(&gaussian_blur::racy::kernel(), launch, include_str!("gaussian_blur.rs"));
    }
}
