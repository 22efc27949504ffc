//! Conversions between RGB and HSV colors.

/// Conversions in both directions, with a rotation of the hue.
#[hirace::monitor]
pub mod color_space {
    use hirace::prelude::*;

    /// A color by its red, green and blue parts, from 0 to 1.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Rgb {
        /// Red.
        pub r: f32,
        /// Green.
        pub g: f32,
        /// Blue.
        pub b: f32,
    }

    /// A color by its hue in degrees, and its saturation and value from 0 to 1.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Hsv {
        /// Hue.
        pub h: f32,
        /// Saturation.
        pub s: f32,
        /// Value.
        pub v: f32,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Channel {
        Red,
        Green,
        Blue,
    }

    impl Rgb {
        fn dominant(self) -> Channel {
            let Self { r, g, b } = self;
            if r >= g && r >= b {
                Channel::Red
            } else if g >= b {
                Channel::Green
            } else {
                Channel::Blue
            }
        }
    }

    impl From<Rgb> for Hsv {
        fn from(rgb @ Rgb { r, g, b }: Rgb) -> Self {
            let v = r.max(g).max(b);
            let chroma = v - r.min(g).min(b);
            if chroma == 0.0 {
                return Self { h: 0.0, s: 0.0, v };
            }
            let sector = match rgb.dominant() {
                Channel::Red => ((g - b) / chroma).rem_euclid(6.0),
                Channel::Green => (b - r) / chroma + 2.0,
                Channel::Blue => (r - g) / chroma + 4.0,
            };
            Self { h: 60.0 * sector, s: chroma / v, v }
        }
    }

    impl From<Hsv> for Rgb {
        fn from(Hsv { h, s, v }: Hsv) -> Self {
            let sector = h / 60.0;
            let chroma = v * s;
            let x = chroma * (1.0 - (sector % 2.0 - 1.0).abs());
            let (r, g, b) = match sector as u32 {
                0 => (chroma, x, 0.0),
                1 => (x, chroma, 0.0),
                2 => (0.0, chroma, x),
                3 => (0.0, x, chroma),
                4 => (x, 0.0, chroma),
                _ => (chroma, 0.0, x),
            };
            let low = v - chroma;
            Self { r: r + low, g: g + low, b: b + low }
        }
    }

    /// Computes the hues of all colors, and the colors with a rotated hue.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] turn: f32,
        colors: &mut [Rgb],
        hsv: &mut [Hsv],
    ) {
        let i = id.x as usize;
        let Some(color) = colors.get_mut(i) else { return };
        let original = Hsv::from(*color);
        hsv[i] = original;
        *color = Hsv { h: (original.h + turn) % 360.0, ..original }.into();
    }
}

#[cfg(test)]
mod tests {
    use super::color_space::{self, Hsv, Rgb};
    use crate::support::{below, clean};
    use hirace::Launch;

    #[test]
    fn hues_are_turned() {
        let byte = |n: u32| n as f32 / 255.0;
        let colors: Vec<Rgb> = below(256, 300, 330)
            .chunks(3)
            .map(|c| Rgb { r: byte(c[0]), g: byte(c[1]), b: byte(c[2]) })
            .chain([Rgb { r: 0.5, g: 0.5, b: 0.5 }, Rgb { r: 0.0, g: 0.0, b: 0.0 }])
            .collect();
        // A rotation by a third of a circle permutes the channels.
        let launch = Launch::new().workgroups(2).buffer("turn", &120f32);
        let launch = launch.buffer("colors", &colors).zeros("hsv", colors.len());
        let run = clean(&color_space::clean::kernel(), launch);
        let near = |a: f32, b: f32| (a - b).abs() < 1e-3;
        for (before, after) in colors.iter().zip(run.read::<Rgb>("colors")) {
            let same =
                near(after.r, before.b) && near(after.g, before.r) && near(after.b, before.g);
            assert!(same, "{before:?} became {after:?}");
        }
        for (c, hsv) in colors.iter().zip(run.read::<Hsv>("hsv")) {
            let mut sorted = [c.r, c.g, c.b];
            sorted.sort_by(f32::total_cmp);
            let saturation =
                if sorted[2] > 0.0 { (sorted[2] - sorted[0]) / sorted[2] } else { 0.0 };
            assert!(near(hsv.v, sorted[2]) && near(hsv.s, saturation));
            if sorted[2] > sorted[0] {
                // The angle in the plane perpendicular to the grays is in the same sixth of the circle.
                let angle = (3f32.sqrt() * (c.g - c.b)).atan2(2.0 * c.r - c.g - c.b).to_degrees();
                let apart = (angle - hsv.h).rem_euclid(360.0);
                assert!(apart.min(360.0 - apart) < 1.2, "{angle} and {}", hsv.h);
            }
        }
    }
}
