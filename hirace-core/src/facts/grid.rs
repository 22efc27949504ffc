//! The shape of a dispatch.

use crate::vm::run::coordinates;

/// The shape of one dispatch: turns linear indices into ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Workgroups in x, y, z.
    pub workgroups: [u32; 3],
    /// Invocations of a workgroup in x, y, z.
    pub workgroup_size: [u32; 3],
}

impl Grid {
    /// Invocations of a workgroup.
    pub fn invocations_a_workgroup(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// How many workgroups.
    pub fn workgroup_count(&self) -> u64 {
        self.workgroups.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
    }

    /// The `workgroup_id` of a linear index.
    pub fn workgroup_id(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.workgroups)
    }

    /// The `local_invocation_id` of a `local_invocation_index`.
    pub fn local_id(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.workgroup_size)
    }
}
