//! `y = a x + y`, with the factor and the number of elements per invocation as pipeline overrides.

/// Each invocation computes `SHARE` adjacent elements.
#[hirace::monitor]
pub mod saxpy {
    use hirace::prelude::*;

    /// Number of elements per invocation.
    #[overridable]
    const SHARE: u32 = 4;
    /// Factor of `x`.
    #[overridable(id = 7)]
    const FACTOR: f32 = 2.0;
    /// Whether `y` is overwritten instead of added to.
    #[overridable]
    const FRESH: bool = false;

    /// Returns the new value of an element of `y`.
    fn axpy(x: f32, y: f32) -> f32 {
        if FRESH { FACTOR * x } else { fma(FACTOR, x, y) }
    }

    /// Uses an exclusive range for each invocation's elements.
    #[kernel(workgroup_size(16))]
    pub fn clean(#[builtin(global_invocation_id)] id: UVec3, x: &[f32], y: &mut [f32]) {
        let first = id.x * SHARE;
        for i in first..min(first + SHARE, y.len()) {
            y[i] = axpy(x[i], y[i]);
        }
    }

    /// Uses an inclusive range: the last element of an invocation is the first of the next.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, x: &[f32], y: &mut [f32]) {
        let first = id.x * SHARE;
        for i in first..=min(first + SHARE, y.len() - 1) {
            y[i] = axpy(x[i], y[i]);
//          ^^^^ race: write/read on y[..]
//                            ^^^^ race: read/write on y[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::saxpy;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn launch(x: &[f32], y: &[f32]) -> Launch {
        Launch::new().workgroups(2).buffer("x", x).buffer("y", y)
    }

    fn expected(x: &[f32], y: &[f32], factor: f32) -> Vec<f32> {
        x.iter().zip(y).map(|(x, y)| factor.mul_add(*x, *y)).collect()
    }

    #[test]
    fn overrides_have_their_values_or_those_of_the_launch() {
        let (x, y) = (floats(120, 20), floats(120, 21));
        let run = clean(&saxpy::clean::kernel(), launch(&x, &y));
        assert_close(&run.read::<f32>("y"), &expected(&x, &y, 2.0), 1e-6);
        let other = launch(&x, &y).override_value("SHARE", 5.0).override_value("FACTOR", -3.5);
        let run = clean(&saxpy::clean::kernel(), other);
        assert_close(&run.read::<f32>("y"), &expected(&x, &y, -3.5), 1e-6);
        let run = clean(&saxpy::clean::kernel(), launch(&x, &y).override_value("FRESH", 1.0));
        assert_close(&run.read::<f32>("y"), &expected(&x, &[0.0; 120], 2.0), 1e-6);
    }

    #[test]
    fn shares_must_not_overlap() {
        let launch = launch(&floats(120, 20), &floats(120, 21));
        racy(&saxpy::racy::kernel(), launch, include_str!("saxpy.rs"));
    }
}
