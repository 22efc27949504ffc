//! The shape of a dispatch.

use crate::vm::run::coordinates;

/// The shape of one dispatch; converts linear indices into ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The number of workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// The number of invocations of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
}

impl Grid {
    /// Returns the number of invocations of a workgroup.
    pub fn invocations_per_workgroup(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// Returns the number of workgroups.
    pub fn workgroup_count(&self) -> u64 {
        self.workgroups.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
    }

    /// Returns the `workgroup_id` of a linear workgroup index.
    pub fn workgroup_id(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.workgroups)
    }

    /// Returns the `local_invocation_id` of a `local_invocation_index`.
    pub fn local_id(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.workgroup_size)
    }
}
