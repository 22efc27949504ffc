//! What of a dispatch is watched on a device, and how it is to be instrumented for that.

use super::dispatch::OnDevice;
use super::failure::could_not_run;
use crate::diagnostic::Result;
use crate::exec::AS_ASKED;
use crate::launch::build::is_used;
use crate::shadow::plan::{Options, Table, Unwatched};
use naga::{AddressSpace, GlobalVariable, ImageClass, Module, StorageAccess, TypeInner};

impl OnDevice<'_> {
    /// How the dispatch is to be instrumented. What is shared, written and not watched is added to `unwatched`.
    pub fn options(&self, unwatched: &mut Vec<Unwatched>) -> Result<Options> {
        let module = &self.program.module;
        let mut ignore = Vec::new();
        let used = |handle| is_used(self.program, std::slice::from_ref(self.dispatch), handle);
        for (handle, variable) in module.global_variables.iter() {
            let name = variable.name.clone().unwrap_or_default();
            if !self.watch.watches(&name) {
                if used(handle) && is_written(module, variable) {
                    let reason = AS_ASKED.to_owned();
                    unwatched.push(Unwatched { name: name.clone(), reason });
                }
                ignore.push(name);
            }
        }
        let limits = self.device.limits();
        let table = match self.free_bindings().min(self.shadow.bindings) {
            0 => {
                let error = could_not_run(format!(
                    "`{}` uses all {} storage buffers that the device has, and the monitor needs one",
                    self.entry().map_or("", |entry| &entry.name),
                    limits.max_storage_buffers_per_shader_stage
                ));
                return Err(Box::new(error.help("check it without --device")));
            }
            1 => Table::Computed,
            _ => Table::default(),
        };
        Ok(Options {
            ignore,
            table,
            workgroup_memory: limits
                .max_compute_workgroup_storage_size
                .min(self.shadow.workgroup_memory),
            width: self.width,
            tally: true,
            ..Options::new(vec![self.dispatch.entry])
        })
    }
}

/// Whether invocations share a variable and may write it.
fn is_written(module: &Module, variable: &GlobalVariable) -> bool {
    match (&variable.space, &module.types[variable.ty].inner) {
        (AddressSpace::Storage { access }, _)
        | (_, TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }) => {
            access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC)
        }
        (space, _) => *space == AddressSpace::WorkGroup,
    }
}
