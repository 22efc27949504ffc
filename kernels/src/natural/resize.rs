//! Resizes an image whose colors are packed in words.

/// Bilinear interpolation.
#[hirace::monitor]
pub mod resize {
    use crate::natural::shared::image::Extent;
    use hirace::prelude::*;
    use std::ops::{Add, Mul};

    /// Red, green, blue and opacity.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Rgba([f32; 4]);

    impl From<u32> for Rgba {
        fn from(packed: u32) -> Self {
            Self(packed.to_le_bytes().map(f32::from))
        }
    }

    impl From<Rgba> for u32 {
        fn from(Rgba(channels): Rgba) -> Self {
            u32::from_le_bytes(channels.map(|c| c.round().clamp(0.0, 255.0) as u8))
        }
    }

    impl Add for Rgba {
        type Output = Self;

        fn add(mut self, other: Self) -> Self {
            for (channel, more) in self.0.iter_mut().zip(other.0) {
                *channel += more;
            }
            self
        }
    }

    impl Mul<f32> for Rgba {
        type Output = Self;

        fn mul(self, factor: f32) -> Self {
            Self(self.0.map(|channel| channel * factor))
        }
    }

    fn mix<T: Copy + Add<Output = T> + Mul<f32, Output = T>>(a: T, b: T, t: f32) -> T {
        a * (1.0 - t) + b * t
    }

    fn split(at: f32) -> (i32, f32) {
        let whole = at.floor();
        (whole as i32, at - whole)
    }

    /// Each invocation computes one pixel of the new image.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] from: Extent,
        #[uniform] to: Extent,
        source: &[u32],
        target: &mut [u32],
    ) {
        let Some(here) = to.index(id.x as i32, id.y as i32) else { return };
        let (left, s) = split((id.x as f32 + 0.5) * from.width as f32 / to.width as f32 - 0.5);
        let (top, t) = split((id.y as f32 + 0.5) * from.height as f32 / to.height as f32 - 0.5);
        let pixel = |x, y| Rgba::from(source[from.clamped(x, y)]);
        let upper = mix(pixel(left, top), pixel(left + 1, top), s);
        let lower = mix(pixel(left, top + 1), pixel(left + 1, top + 1), s);
        target[here] = mix(upper, lower, t).into();
    }

    /// Halves a line in place.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, line: &mut [f32]) {
        let i = id.x as usize;
        let mut sum = 0.0;
        for k in 0..2 {
            sum += line[2 * i + k];
//                 ^^^^^^^^^^^^^^^ race: read/write on line[..]
        }
        line[i] = sum / 2.0;
//      ^^^^^^^ race: write/read on line[..]
    }
}

#[cfg(test)]
mod tests {
    use super::resize;
    use crate::natural::shared::image::Extent;
    use crate::support::{clean, floats, numbers, racy};
    use hirace::Launch;

    #[test]
    fn pictures_are_resized() {
        let source = numbers(9 * 7, 320);
        for (width, height) in [(14u32, 12u32), (5, 4)] {
            let launch = Launch::new().workgroups([2, 2]);
            let launch = launch.buffer("from", &Extent { width: 9, height: 7 });
            let launch = launch.buffer("to", &Extent { width, height });
            let launch = launch.buffer("source", &source);
            let run = clean(&resize::clean::kernel(), launch.zeros("target", 14 * 12));
            let target = run.read::<u32>("target");
            for y in 0..height {
                for x in 0..width {
                    let u = (f64::from(x) + 0.5) * 9.0 / f64::from(width) - 0.5;
                    let v = (f64::from(y) + 0.5) * 7.0 / f64::from(height) - 0.5;
                    for channel in 0..4 {
                        let mut expected = 0.0;
                        // A sum over the pixels at a distance of less than one.
                        for j in -1..=7i32 {
                            for i in -1..=9i32 {
                                let near = |d: f64| (1.0 - d.abs()).max(0.0);
                                let weight = near(u - f64::from(i)) * near(v - f64::from(j));
                                let at = j.clamp(0, 6) * 9 + i.clamp(0, 8);
                                let byte = source[at as usize].to_le_bytes()[channel];
                                expected += weight * f64::from(byte);
                            }
                        }
                        let found = target[(y * width + x) as usize].to_le_bytes()[channel];
                        let error = (f64::from(found) - expected).abs();
                        assert!(error < 0.51, "{found} is not {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn halving_in_place_races() {
        let launch = Launch::new().workgroups(1).buffer("line", &floats(128, 321));
        racy(&resize::racy::kernel(), launch, include_str!("resize.rs"));
    }
}
