//! Compares the grid and the requirements of an entry point with the device's limits.

use super::Needs;
use crate::diagnostic::Result;
use crate::launch::Dispatch;
use crate::webgpu::{Limit, Requirement, WORKGROUP_STEP, demands};
use hirace_gpu::fits::{self, GridTooLarge};
use hirace_gpu::wgpu::Limits;

impl Needs<'_> {
    /// Returns an error if the device cannot run the entry point or the grid.
    pub fn check_dispatch(&self, dispatch: &Dispatch) -> Result<()> {
        let Some(entry) = self.program.module.entry_points.get(dispatch.entry) else {
            return Ok(());
        };
        let limits = self.device.limits();
        self.check_features(&entry.name)?;
        fits::grid(limits, dispatch.workgroups).map_err(|GridTooLarge { workgroups, most, .. }| {
            let message = format!(
                "a grid of {workgroups} workgroups exceeds the device's limit of {most} per dimension"
            );
            self.refuse(None, message)
        })?;
        for demand in demands(self.program, dispatch.entry) {
            let most = most(limits, demand.limit);
            if demand.asked > most {
                return Err(self.refuse(demand.place(most), refused(&demand, most)));
            }
        }
        Ok(())
    }

    /// Returns whether one more word of workgroup memory fits in addition to those that a dispatch uses.
    pub fn has_room_for_a_word(&self, dispatch: &Dispatch) -> bool {
        let most = most(self.device.limits(), Limit::WorkgroupStorage);
        let all = demands(self.program, dispatch.entry);
        let mut memory = all.iter().filter(|demand| demand.limit == Limit::WorkgroupStorage);
        memory.all(|demand| demand.asked + WORKGROUP_STEP <= most)
    }
}

/// Returns the value of a limit of the device.
fn most(limits: &Limits, of: Limit) -> u64 {
    let most = match of {
        Limit::Invocations => limits.max_compute_invocations_per_workgroup,
        Limit::SizeX => limits.max_compute_workgroup_size_x,
        Limit::SizeY => limits.max_compute_workgroup_size_y,
        Limit::SizeZ => limits.max_compute_workgroup_size_z,
        Limit::WorkgroupStorage => limits.max_compute_workgroup_storage_size,
        Limit::StorageBuffers => limits.max_storage_buffers_per_shader_stage,
        Limit::UniformBuffers => limits.max_uniform_buffers_per_shader_stage,
        Limit::SampledTextures => limits.max_sampled_textures_per_shader_stage,
        Limit::StorageTextures => limits.max_storage_textures_per_shader_stage,
        Limit::Samplers => limits.max_samplers_per_shader_stage,
        Limit::BindGroups => limits.max_bind_groups,
        Limit::Bindings => limits.max_bindings_per_bind_group,
        Limit::UniformSize => return limits.max_uniform_buffer_binding_size,
    };
    most.into()
}

/// Returns the message for a demand that exceeds the device's limit `most`.
fn refused(demand: &Requirement, most: u64) -> String {
    let variable = demand.variable(most).map_or("", |variable| &variable.name);
    let number = demand.asked.saturating_sub(1);
    let numbered = |what| {
        format!(
            "`{variable}` has number {number}, but the device has only {most} {what}, counted from 0"
        )
    };
    match demand.limit {
        Limit::BindGroups => numbered("bind groups"),
        Limit::Bindings => numbered("bindings in a group"),
        Limit::WorkgroupStorage => format!("{}, but the device has only {most}", demand.describe()),
        Limit::UniformSize => {
            format!("{}, but the device can bind at most {most}", demand.describe())
        }
        limit => match limit.counted() {
            Some(what) => format!(
                "`{}` uses more {what} than the device's limit of {most}: `{variable}` is one too many",
                demand.entry
            ),
            None => format!("{}, but the device supports at most {most}", demand.describe()),
        },
    }
}
