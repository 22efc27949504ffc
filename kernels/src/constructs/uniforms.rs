//! Structs in structs in uniform memory, where WGSL wants more room between them than Rust.

/// Members of members, each at the bytes where the host has written it.
#[hirace::monitor]
pub mod uniforms {
    use hirace::prelude::*;

    /// Eight bytes, and eight more.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Inner {
        /// With room behind it.
        pub a: u32,
        /// At the second half.
        pub b: Vec2,
    }

    /// One that is longer than its parts.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Deep {
        /// At its beginning.
        pub inner: Inner,
        /// With room behind it.
        pub c: u32,
    }

    /// What a launch is given.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Params {
        /// With room behind it.
        pub first: u32,
        /// At no multiple of 16.
        pub deep: Deep,
        /// As many bytes as it would have by itself.
        pub tail: Vec3,
        /// Right behind that.
        pub last: f32,
        /// Its names are there already.
        pub more: Inner,
    }

    impl Inner {
        fn sum(&self) -> f32 {
            self.a as f32 + self.b.x * 10.0 + self.b.y * 100.0
        }
    }

    fn twice(of: Deep) -> u32 {
        of.c * 2 + of.inner.a
    }

    /// Each member, by itself and as a part of what it stands in.
    #[kernel(workgroup_size(1))]
    pub fn clean(#[uniform] params: &Params, found: &mut [f32]) {
        let Params { first, tail, last, .. } = *params;
        found[0] = first as f32;
        found[1] = params.deep.inner.sum();
        found[2] = twice(params.deep) as f32;
        found[3] = tail.x + tail.y * 10.0 + tail.z * 100.0;
        found[4] = last;
        found[5] = params.more.sum();
        let copy = *params;
        found[6] = copy.deep.inner.b.y + params.deep.inner.b[0];
    }
}

#[cfg(test)]
mod tests {
    use super::uniforms::{self, Deep, Inner, Params};
    use crate::support::clean;
    use hirace::Launch;
    use hirace::prelude::*;

    #[test]
    fn members_are_where_the_host_has_written_them() {
        let inner = |a, x, y| Inner { a, b: Vec2::new(x, y) };
        let params = Params {
            first: 1,
            deep: Deep { inner: inner(2, 3.0, 4.0), c: 5 },
            tail: Vec3::new(6.0, 7.0, 8.0),
            last: 9.0,
            more: inner(10, 11.0, 12.0),
        };
        let launch = Launch::new().workgroups(1).buffer("params", &params);
        let run = clean(&uniforms::clean::kernel(), launch.buffer("found", &[0f32; 7]));
        assert_eq!(run.read::<f32>("found"), [1.0, 432.0, 12.0, 876.0, 9.0, 1320.0, 7.0]);
    }
}
