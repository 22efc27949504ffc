//! Escape times of points of the plane.

/// Complex numbers with operators.
#[hirace::monitor]
pub mod mandelbrot_set {
    use crate::natural::shared::Complex;
    use hirace::prelude::*;

    const LIMIT: u32 = 50;

    /// The section of the plane.
    #[derive(Clone, Copy, Debug)]
    pub struct View {
        /// Lower left corner.
        pub corner: Complex,
        /// Distance between pixels.
        pub step: f32,
        /// Number of columns.
        pub width: u32,
    }

    fn escape(c: Complex) -> Option<u32> {
        let mut z = Complex::ZERO;
        for i in 0..LIMIT {
            if z.norm_squared() > 4.0 {
                return Some(i);
            }
            z = z * z + c;
        }
        None
    }

    fn shade(steps: Option<u32>) -> u32 {
        match steps {
            None => 0,
            Some(0..=4) => 1,
            Some(n @ 5..=15) => n,
            Some(n) => 16 + n.ilog2(),
        }
    }

    /// Each invocation computes one pixel.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] view: View,
        pixels: &mut [u32],
    ) {
        let i = id.x;
        if let Some(pixel) = pixels.get_mut(i as usize) {
            let (x, y) = ((i % view.width) as f32, (i / view.width) as f32);
            *pixel = shade(escape(view.corner + Complex::new(x * view.step, y * view.step)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mandelbrot_set::{self, View};
    use crate::natural::shared::Complex;
    use crate::support::clean;
    use hirace::Launch;

    #[test]
    fn points_escape_or_stay() {
        let view = View { corner: Complex::new(-2.0, -1.0), step: 0.125, width: 20 };
        let launch = Launch::new().workgroups(5).buffer("view", &view).zeros("pixels", 300);
        let run = clean(&mandelbrot_set::clean::kernel(), launch);
        let expected = |i: u32| {
            let (cr, ci) = (-2.0 + (i % 20) as f32 * 0.125, -1.0 + (i / 20) as f32 * 0.125);
            let (mut re, mut im) = (0.0f32, 0.0f32);
            for n in 0..50u32 {
                if re * re + im * im > 4.0 {
                    return if n < 5 {
                        1
                    } else if n < 16 {
                        n
                    } else {
                        16 + n.ilog2()
                    };
                }
                (re, im) = (re * re - im * im + cr, 2.0 * re * im + ci);
            }
            0
        };
        let pixels = run.read::<u32>("pixels");
        let wrong = (0..300u32).filter(|&i| pixels[i as usize] != expected(i)).count();
        assert!(wrong <= 2, "{wrong} pixels differ: rounding cannot explain so many");
    }
}
