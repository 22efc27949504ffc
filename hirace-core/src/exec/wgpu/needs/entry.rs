//! The grid, the workgroups, and the memory and bindings that they use, held against the device's limits.

use super::Needs;
use crate::diagnostic::Result;
use crate::facts::place::function_name;
use crate::launch::Dispatch;
use hirace_gpu::fits::{self, GridTooLarge, WorkgroupTooLarge};
use naga::{AddressSpace, GlobalVariable, Handle, ImageClass, TypeInner};

/// WebGPU counts each variable of workgroup memory in steps of so many bytes.
const WORKGROUP_STEP: u64 = 16;

impl Needs<'_> {
    /// Refuses an entry point and a grid that the device cannot run.
    pub fn check_dispatch(&self, dispatch: &Dispatch) -> Result<()> {
        let Some(entry) = self.program.module.entry_points.get(dispatch.entry) else {
            return Ok(());
        };
        let name = entry.name.as_str();
        self.check_features(name)?;
        fits::grid(self.device.limits(), dispatch.workgroups)
            .map_err(|GridTooLarge { workgroups, most }| {
                let message = format!(
                    "a grid of {workgroups} workgroups is more than the device takes, {most} a dimension"
                );
                self.refuse(None, message)
            })?;
        fits::workgroup(self.device.limits(), entry.workgroup_size).map_err(|excess| {
            let WorkgroupTooLarge { dimension, invocations, most } = excess;
            let dimension = dimension.map_or(String::new(), |axis| format!(" in {axis}"));
            let message = format!(
                "the workgroups of `{name}` have {invocations} invocations{dimension}, and the device takes {most} at most"
            );
            self.refuse(function_name(self.program, name), message)
        })?;
        self.check_workgroup_memory(dispatch)?;
        self.check_bindings(dispatch, name)
    }

    /// Whether one more word of workgroup memory fits beside what a dispatch uses.
    pub fn has_room_for_a_word(&self, dispatch: &Dispatch) -> bool {
        let most = u64::from(self.device.limits().max_compute_workgroup_storage_size);
        in_steps(&self.workgroup_memory(dispatch)) + WORKGROUP_STEP <= most
    }

    /// The variables of workgroup memory that a dispatch uses, and how long they are.
    fn workgroup_memory(&self, dispatch: &Dispatch) -> Vec<(Handle<GlobalVariable>, u64)> {
        let module = &self.program.module;
        let used = self.used(dispatch);
        let used = used.filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
        used.map(|(handle, variable)| {
            let bytes = module.types[variable.ty].inner.try_size(module.to_ctx());
            (handle, u64::from(bytes.unwrap_or(u32::MAX)))
        })
        .collect()
    }

    fn check_workgroup_memory(&self, dispatch: &Dispatch) -> Result<()> {
        let most = u64::from(self.device.limits().max_compute_workgroup_storage_size);
        let variables = self.workgroup_memory(dispatch);
        let all = in_steps(&variables);
        let Some(&(largest, bytes)) = variables.iter().max_by_key(|(_, bytes)| bytes) else {
            return Ok(());
        };
        if all <= most {
            return Ok(());
        }
        let message = match variables.len() {
            1 => format!(
                "`{}` takes {bytes} bytes of workgroup memory, and the device has {most}",
                self.name(largest)
            ),
            n => format!(
                "{n} variables take {all} bytes of workgroup memory, and the device has {most}"
            ),
        };
        Err(self.refuse(self.place(largest), message))
    }

    /// Refuses bindings of numbers, and as many, as the device has none for.
    fn check_bindings(&self, dispatch: &Dispatch, name: &str) -> Result<()> {
        let limits = self.device.limits();
        let mut kinds = [
            ("storage buffers", limits.max_storage_buffers_per_shader_stage, 0),
            ("uniform buffers", limits.max_uniform_buffers_per_shader_stage, 0),
            ("textures to read", limits.max_sampled_textures_per_shader_stage, 0),
            ("storage textures", limits.max_storage_textures_per_shader_stage, 0),
            ("samplers", limits.max_samplers_per_shader_stage, 0),
        ];
        for (handle, variable) in self.used(dispatch) {
            let kind = match (variable.space, &self.program.module.types[variable.ty].inner) {
                (AddressSpace::Storage { .. }, _) => 0,
                (AddressSpace::Uniform, _) => 1,
                (_, TypeInner::Image { class: ImageClass::Storage { .. }, .. }) => 3,
                (_, TypeInner::Image { .. }) => 2,
                (_, TypeInner::Sampler { .. }) => 4,
                _ => continue,
            };
            let (what, most, count) = &mut kinds[kind];
            *count += 1;
            if *count > *most {
                let message = format!(
                    "`{name}` uses more {what} than the device takes, {most}: `{}` is one too many",
                    self.name(handle)
                );
                return Err(self.refuse(self.place(handle), message));
            }
            let Some(binding) = variable.binding else { continue };
            for (what, number, most) in [
                ("bind groups", binding.group, limits.max_bind_groups),
                ("bindings in a group", binding.binding, limits.max_bindings_per_bind_group),
            ] {
                if number >= most {
                    let message = format!(
                        "`{}` has number {number}, and the device has {most} {what}, counted from 0",
                        self.name(handle)
                    );
                    return Err(self.refuse(self.place(handle), message));
                }
            }
        }
        Ok(())
    }
}

/// How much workgroup memory these variables take together.
fn in_steps(variables: &[(Handle<GlobalVariable>, u64)]) -> u64 {
    variables.iter().map(|(_, bytes)| bytes.next_multiple_of(WORKGROUP_STEP)).sum()
}
