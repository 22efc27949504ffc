//! Decides what to watch of a dispatch on a device, and how to instrument it.

use super::dispatch::DeviceDispatch;
use super::failure::could_not_run;
use crate::analysis::uniformity::non_uniform_barriers;
use crate::diagnostic::Result;
use crate::exec::sliced::{SliceDecision, id_of};
use crate::exec::{DispatchContext, Shortcuts, Watch, watch_plan};
use crate::shadow::plan::{Options, Table};
use crate::watch::{NotWatched, Scope, WatchPlan};
use hirace_gpu::wgpu::DeviceType;

impl DeviceDispatch<'_> {
    /// Returns what to watch, except for what `sliced` decides.
    pub fn watched(&self, sliced: Option<&SliceDecision>) -> WatchPlan {
        // What is proven about a combined program is proven about only one of its programs.
        if self.kept.has(self.program) {
            return self.watched_to_record();
        }
        let Some(SliceDecision { undecided, plan, .. }) = sliced else {
            return watch_plan(&self.known(), self.watch, Scope::MayRace);
        };
        plan.clone().excluding(|site| {
            let access = self.program.sites.access(site)?;
            let is_decided = !undecided.contains(&id_of(access.global));
            is_decided.then_some(NotWatched::DecidedBySlice)
        })
    }

    /// Returns what to watch when accesses are recorded, which includes race-free accesses: all accesses to a word are needed.
    pub fn watched_to_record(&self) -> WatchPlan {
        let watch = Watch { shortcuts: Shortcuts::NONE, ..self.watch.clone() };
        watch_plan(&self.known(), &watch, Scope::MayRace)
    }

    /// Returns what is known about the dispatch before it runs.
    pub fn known(&self) -> DispatchContext<'_> {
        DispatchContext::new(self.program, self.launch, self.dispatch)
    }

    /// Returns whether the device is a software implementation on the CPU. These execute both sides of a branch.
    fn is_cpu(&self) -> bool {
        self.device.about().kind() == DeviceType::Cpu
    }

    /// Returns how to instrument the dispatch.
    pub fn options(&self) -> Result<Options> {
        let limits = self.device.limits();
        let table = match self.free_bindings().min(self.shadow.bindings) {
            0 => {
                let error = could_not_run(format!(
                    "`{}` uses all {} storage buffers of the device, and the monitor needs one",
                    self.entry().map_or("", |entry| &entry.name),
                    limits.max_storage_buffers_per_shader_stage
                ));
                return Err(Box::new(error.help("check it without --device")));
            }
            1 => Table::Computed,
            // Without caches of its own, the device computes a transition in less time than it reads the table.
            _ if self.is_cpu() => Table::Computed,
            _ => Table::default(),
        };
        Ok(Options {
            table,
            workgroup_memory: limits
                .max_compute_workgroup_storage_size
                .min(self.shadow.workgroup_memory),
            width: self.width,
            tally: true,
            detects_only: self.detects_only && self.is_cpu(),
            trails: !non_uniform_barriers(self.program, self.dispatch.entry).is_empty(),
            ..Options::default()
        })
    }
}
