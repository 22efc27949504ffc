//! The limits of a device for the shadow memory of a dispatch and for its loop iterations.

use super::dispatch::DeviceDispatch;
use crate::analysis::uniformity::non_uniform_barriers;
use crate::ir::memory::Shape;
use crate::launch::Launch;
use crate::launch::used::is_used;
use crate::shadow::layout::Limits;
use crate::shadow::plan::WatchedMemory;
use crate::vm::memory::Resource;
use hirace_gpu::DeviceInfo;
use hirace_gpu::wgpu::Features;
use naga::AddressSpace;

/// The maximum number of shadow words that an invocation sweeps each time a clock restarts, if wide words are available. If there
/// are more, a clock that would overflow stops, and the launch is re-run with wide words.
const MAX_SWEEP: u32 = 1 << 10;

/// The same maximum if wide words are not available.
const MAX_SWEEP_WITHOUT_WIDE: u32 = 1 << 14;

/// The divisor of the device's limit of loop iterations for one program of a combined program.
const SHARED_BY: u32 = 8;

/// Returns the number of loop iterations that an invocation of a launch may run on a device.
pub fn max_iterations(device: &DeviceInfo, launch: &Launch) -> u32 {
    let steps = u32::try_from(launch.limits.steps).unwrap_or(u32::MAX - 1);
    device.max_loop_iterations().map_or(steps, |iterations| iterations.min(steps))
}

impl DeviceDispatch<'_> {
    /// Returns the number of storage bindings that the program does not use.
    pub fn free_bindings(&self) -> u32 {
        let variables = self.program.module.global_variables.iter();
        let taken = variables.filter(|(handle, variable)| {
            matches!(variable.space, AddressSpace::Storage { .. })
                && is_used(self.program, std::slice::from_ref(self.dispatch), *handle)
        });
        let all = self.device.limits().max_storage_buffers_per_shader_stage;
        all.saturating_sub(taken.count() as u32)
    }

    /// Returns the limits of the shadow memory.
    pub fn limits(&self) -> Limits {
        let limits = self.device.limits();
        let atomics = Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS;
        let wide = self.shadow.wide && self.device.features().contains(atomics);
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let uniform = non_uniform_barriers(self.program, self.dispatch.entry).is_empty();
        let sweep = match (uniform, wide) {
            (false, _) => 0,
            (true, true) => MAX_SWEEP,
            (true, false) => MAX_SWEEP_WITHOUT_WIDE,
        };
        let most = self.shadow;
        let words = u32::try_from(binding / 4).unwrap_or(u32::MAX);
        Limits {
            bindings: self.free_bindings().min(most.bindings),
            wide,
            binding_words: words.min(most.binding_words),
            words: self.watch.shadow_bytes.unwrap_or(u64::MAX) / 4,
            sweep: sweep.min(most.sweep),
            max_iterations: self.max_iterations(),
            ..most
        }
    }

    /// Returns the shape of the dispatch.
    pub fn shape(&self) -> Shape {
        let size = self.entry().map_or([1; 3], |entry| entry.workgroup_size);
        let volume = |size: [u32; 3]| size.iter().fold(1, |n: u32, &m| n.saturating_mul(m));
        Shape {
            workgroups: volume(self.dispatch.workgroups),
            workgroup_size: volume(size),
            subgroup_size: self.subgroup_size(),
        }
    }

    /// Returns the length of a watched buffer or texture in bytes.
    pub fn bytes(&self, watched: &WatchedMemory) -> u64 {
        match self.launch.resources.by_global.get(watched.global.index()) {
            Some(Some(Resource::Buffer(buffer))) => buffer.len().into(),
            Some(Some(Resource::Texture(texture))) => {
                texture.size.iter().map(|&size| u64::from(size)).product::<u64>() * 4
            }
            _ => 0,
        }
    }

    /// Returns the number of loop iterations that an invocation may run. A combined program has the loops of all its programs,
    /// which share the device's limit.
    pub fn max_iterations(&self) -> u32 {
        let about = self.device.about();
        let iterations = max_iterations(about, self.launch);
        match about.max_loop_iterations().filter(|_| self.kept.has(self.program)) {
            Some(most) => iterations.min(most / SHARED_BY),
            None => iterations,
        }
    }

    /// Returns the number of lanes of a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.device.about().subgroup_sizes()[1]
    }
}
