//! Nested structs in uniform memory, whose layout in WGSL has more padding than in Rust.

/// Nested members, each read at the byte offset where the host has written it.
#[hirace::monitor]
pub mod uniforms {
    use hirace::prelude::*;

    /// A struct of 16 bytes.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Inner {
        /// Followed by padding.
        pub a: u32,
        /// At offset 8.
        pub b: Vec2,
    }

    /// A struct whose size is larger than the sum of its members' sizes.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Deep {
        /// At offset 0.
        pub inner: Inner,
        /// Followed by padding.
        pub c: u32,
    }

    /// The parameters of a launch.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Params {
        /// Followed by padding.
        pub first: u32,
        /// At an offset that is not a multiple of 16 in Rust.
        pub deep: Deep,
        /// Occupies 12 bytes, the size of `Vec3` itself.
        pub tail: Vec3,
        /// Directly after `tail`.
        pub last: f32,
        /// A second value of a struct type that is also nested in `deep`.
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

    /// Reads each member, directly and as part of its enclosing struct.
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
