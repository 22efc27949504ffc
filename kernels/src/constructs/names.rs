//! Reserved names of WGSL, used as names in Rust.
#![allow(non_camel_case_types, non_upper_case_globals, reason = "that is what they are like")]

/// A kernel whose names are all keywords, types, functions or reserved words of WGSL.
#[hirace::monitor]
pub mod names {
    use hirace::prelude::*;

    const vec3f: u32 = 3;

    /// A struct whose members also have such names.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct texture {
        /// A keyword of WGSL.
        pub var: u32,
        /// A reserved word of WGSL.
        pub target: u32,
        /// A type of WGSL.
        pub array: [u32; 2],
    }

    fn sampler(switch: u32, discard: u32) -> u32 {
        let override_ = switch + discard;
        let ptr = override_ * vec3f;
        ptr
    }

    /// Rust's own keywords are written with `r#`.
    #[kernel(workgroup_size(8))]
    pub fn main(
        #[builtin(global_invocation_id)] global: UVec3,
        storage: &[u32],
        binding: &mut [texture],
        #[workgroup] workgroup: &mut [u32; 8],
    ) {
        let compute = global.x;
        let r#fn = storage[compute];
        workgroup[compute % 8] = r#fn;
        workgroup_barrier();
        let private = workgroup[7 - compute % 8];
        let mut default = texture { var: compute, target: private, array: [0; 2] };
        for diagnostic in 0..2 {
            default.array[diagnostic] = sampler(r#fn, diagnostic as u32);
        }
        let bitcast = default;
        binding[compute] = bitcast;
    }

    /// Reports use the names of the Rust source.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn handle(
        #[builtin(global_invocation_id)] global: UVec3,
        storage: &[u32],
        binding: &mut [texture],
    ) {
        binding[global.x / 2].target = storage[global.x];
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on binding[..].target
    }
}

#[cfg(test)]
mod tests {
    use super::names::{self, texture};
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn names_mean_what_rust_means_by_them() {
        let storage = numbers(16, 48);
        let none = texture { var: 0, target: 0, array: [0; 2] };
        let launch =
            Launch::new().workgroups(2).buffer("storage", &storage).buffer("binding", &[none; 16]);
        let run = clean(&names::main::kernel(), launch);
        let bound = |i: usize| texture {
            var: i as u32,
            target: storage[i / 8 * 8 + 7 - i % 8],
            array: [0, 1].map(|n| storage[i].wrapping_add(n).wrapping_mul(3)),
        };
        assert_eq!(run.read::<texture>("binding"), (0..16).map(bound).collect::<Vec<_>>());
    }

    #[test]
    fn races_are_reported_under_the_names_of_rust() {
        let none = texture { var: 0, target: 0, array: [0; 2] };
        let launch = Launch::new()
            .workgroups(2)
            .buffer("storage", &numbers(16, 48))
            .buffer("binding", &[none; 16]);
        racy(&names::handle::kernel(), launch, include_str!("names.rs"));
    }
}
