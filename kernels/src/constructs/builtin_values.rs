//! Every built-in value of compute shaders.

/// Each invocation writes its built-in values.
#[hirace::monitor]
pub mod builtin_values {
    use hirace::prelude::*;

    /// Writes the built-in values of workgroups of 2×2×2 invocations.
    #[kernel(workgroup_size(2, 2, 2))]
    pub fn clean(
        #[builtin(global_invocation_id)] global: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] index: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        told: &mut [[UVec3; 4]],
    ) {
        let linear = group.x + groups.x * (group.y + groups.y * group.z);
        told[linear * 8 + index] = [global, local, group, groups];
    }

    /// Writes the built-in values of subgroups, which WGSL allows in one-dimensional workgroups.
    #[kernel(workgroup_size(16))]
    pub fn of_subgroups(
        #[builtin(local_invocation_index)] index: u32,
        #[builtin(subgroup_id)] subgroup: u32,
        #[builtin(num_subgroups)] subgroups: u32,
        #[builtin(subgroup_invocation_id)] place: u32,
        #[builtin(subgroup_size)] size: u32,
        about_subgroups: &mut [UVec4],
    ) {
        about_subgroups[index] = uvec4(subgroup, subgroups, place, size);
    }

    /// Uses a local index where a global one is needed.
    #[rustfmt::skip]
    #[kernel(workgroup_size(2, 2, 2))]
    pub fn racy(
        #[builtin(local_invocation_index)] index: u32,
        #[builtin(workgroup_id)] group: UVec3,
        told: &mut [[UVec3; 4]],
    ) {
        told[index][2] = group;
//      ^^^^^^^^^^^^^^ race: write/write on told[..][..].x
    }
}

#[cfg(test)]
mod tests {
    use super::builtin_values;
    use crate::support::{clean, racy};
    use hirace::Launch;
    use hirace::prelude::{UVec3, UVec4};

    #[test]
    fn every_invocation_knows_who_it_is() {
        let launch = Launch::new().workgroups([2, 3, 1]).buffer("told", &[[UVec3::ZERO; 4]; 48]);
        let run = clean(&builtin_values::clean::kernel(), launch);
        let told = |i: u32| {
            let (group, index) = (UVec3::new(i / 8 % 2, i / 16, 0), i % 8);
            let local = UVec3::new(index % 2, index / 2 % 2, index / 4);
            [group * 2 + local, local, group, UVec3::new(2, 3, 1)]
        };
        assert_eq!(run.read::<[UVec3; 4]>("told"), (0..48).map(told).collect::<Vec<_>>());
    }

    #[test]
    fn every_invocation_knows_its_subgroup() {
        for size in [4, 8, 16] {
            let launch = Launch::new()
                .workgroups(1)
                .subgroup_size(size)
                .buffer("about_subgroups", &[UVec4::ZERO; 16]);
            let run = clean(&builtin_values::of_subgroups::kernel(), launch);
            let size = run.subgroup_size();
            let about = |i| UVec4::new(i / size, 16_u32.div_ceil(size), i % size, size);
            let expected: Vec<UVec4> = (0..16).map(about).collect();
            assert_eq!(run.read::<UVec4>("about_subgroups"), expected);
        }
    }

    #[test]
    fn a_local_index_is_that_of_others_too() {
        let launch = Launch::new().workgroups(2).buffer("told", &[[UVec3::ZERO; 4]; 16]);
        racy(&builtin_values::racy::kernel(), launch, include_str!("builtin_values.rs"));
    }
}
