//! What a program and a launch ask of a device, held against what it has: what is too much is refused here, at
//! the variable or the entry point that asks for it. wgpu would refuse it too, in words that do not know the
//! source; or not at all, and the driver would crash.

use super::failure::could_not_run;
use super::opened::Opened;
use super::texels::Image;
use crate::diagnostic::{Diagnostic, Result};
use crate::finding::place::entry_name;
use crate::ir::validate;
use crate::launch::build::is_used;
use crate::launch::{Dispatch, Launch};
use crate::program::Program;
use crate::source_map::Span;
use crate::vm::memory::{Resource, Texture};
use naga::valid::Capabilities;
use naga::{
    AddressSpace, GlobalVariable, Handle, ImageClass, ImageDimension, ScalarKind, TypeInner,
};
use wgpu::{Features, Limits};

/// WebGPU counts each variable of workgroup memory in steps of so many bytes.
const WORKGROUP_STEP: u64 = 16;

/// A program, and the device that is to run it.
#[derive(Clone, Copy)]
pub struct Needs<'a> {
    pub device: &'a Opened,
    pub program: &'a Program,
}

impl Needs<'_> {
    /// Refuses what `launch` binds and the device cannot hold.
    pub fn check_resources(&self, launch: &Launch) -> Result<()> {
        let limits = self.device.device.limits();
        for (handle, variable) in self.program.module.global_variables.iter() {
            match launch.resources.by_global.get(handle.index()) {
                Some(Some(Resource::Buffer(buffer))) => {
                    let bytes = u64::from(buffer.len());
                    self.check_buffer(handle, variable, bytes, &limits)?;
                }
                Some(Some(Resource::Texture(texture))) => {
                    self.check_texture(handle, variable, texture, &limits)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses an entry point and a grid that the device cannot run.
    pub fn check_dispatch(&self, dispatch: &Dispatch) -> Result<()> {
        let limits = self.device.device.limits();
        let Some(entry) = self.program.module.entry_points.get(dispatch.entry) else {
            return Ok(());
        };
        let name = entry.name.as_str();
        self.check_features(name)?;
        let most = limits.max_compute_workgroups_per_dimension;
        if let Some(&asked) = dispatch.workgroups.iter().find(|&&n| n > most) {
            return Err(self.refuse(
                None,
                format!(
                    "a grid of {asked} workgroups is more than the device takes, {most} a dimension"
                ),
            ));
        }
        let (size, sizes) = (entry.workgroup_size, most_invocations(&limits));
        let all = size.iter().fold(1, |product: u32, &n| product.saturating_mul(n));
        let most = limits.max_compute_invocations_per_workgroup;
        let at = entry_name(self.program, name);
        for (has, most, dimension) in [
            (all, most, ""),
            (size[0], sizes[0], " in x"),
            (size[1], sizes[1], " in y"),
            (size[2], sizes[2], " in z"),
        ] {
            if has > most {
                let message = format!(
                    "the workgroups of `{name}` have {has} invocations{dimension}, and the device takes {most} at most"
                );
                return Err(self.refuse(at, message));
            }
        }
        self.check_workgroup_memory(dispatch, &limits)?;
        self.check_bindings(dispatch, name, &limits)
    }

    /// Refuses a program that needs what the device lacks, at the place that needs it.
    fn check_features(&self, name: &str) -> Result<()> {
        let (module, source) = (&self.program.module, &self.program.source);
        let valid = |capabilities| validate::validate_for(module, source, capabilities).err();
        let Some(invalid) = valid(self.device.capabilities) else {
            return self.check_filters();
        };
        // The validator names one thing that is lacking, if any, and not in words.
        let lacking = self.device.capabilities.complement();
        let needed = lacking.iter().filter(|&one| valid(one.complement()).is_some());
        let needed: Vec<String> = needed.map(capability_said).collect();
        let message = format!("`{name}` needs {}, which the device lacks", needed.join(" and "));
        let at = invalid.labels.first().map(|(span, _)| *span);
        Err(self.refuse(at.or_else(|| entry_name(self.program, name)), message))
    }

    /// Refuses a filter over textures of 32-bit floats, if the device has none. What is sampled is kept in
    /// these, so that it is exact.
    fn check_filters(&self) -> Result<()> {
        if self.device.device.features().contains(Features::FLOAT32_FILTERABLE) {
            return Ok(());
        }
        let module = &self.program.module;
        for (index, _) in self.program.entries() {
            for key in &self.program.info.get_entry_point(index).sampling_set {
                let ty = module.global_variables[key.image].ty;
                if let TypeInner::Image {
                    class: ImageClass::Sampled { kind: ScalarKind::Float, .. },
                    ..
                } = module.types[ty].inner
                {
                    let message = format!(
                        "`{}` is sampled with a filter, and the device filters no textures of 32-bit floats",
                        self.name(key.image)
                    );
                    return Err(self.refuse(self.place(key.image), message));
                }
            }
        }
        Ok(())
    }

    fn check_workgroup_memory(&self, dispatch: &Dispatch, limits: &Limits) -> Result<()> {
        let module = &self.program.module;
        let most = u64::from(limits.max_compute_workgroup_storage_size);
        let mut variables = Vec::new();
        for (handle, variable) in self.used(dispatch) {
            if variable.space == AddressSpace::WorkGroup {
                let bytes = module.types[variable.ty].inner.try_size(module.to_ctx());
                variables.push((handle, u64::from(bytes.unwrap_or(u32::MAX))));
            }
        }
        let all: u64 = variables.iter().map(|(_, n)| n.next_multiple_of(WORKGROUP_STEP)).sum();
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
    fn check_bindings(&self, dispatch: &Dispatch, name: &str, limits: &Limits) -> Result<()> {
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

    fn check_buffer(
        &self,
        handle: Handle<GlobalVariable>,
        variable: &GlobalVariable,
        bytes: u64,
        limits: &Limits,
    ) -> Result<()> {
        let most = match variable.space {
            AddressSpace::Immediate => u64::from(limits.max_immediate_size),
            AddressSpace::Uniform => limits.max_uniform_buffer_binding_size,
            _ => limits.max_storage_buffer_binding_size,
        };
        let (most, verb) = match most <= limits.max_buffer_size {
            true => (most, "bind"),
            false => (limits.max_buffer_size, "hold"),
        };
        let name = self.name(handle);
        if bytes > most {
            let message =
                format!("`{name}` has {bytes} bytes, and the device can {verb} {most} at most");
            let mut refused = self.refuse(self.place(handle), message);
            refused.help = Some("give it fewer elements, or check without --device".to_owned());
            return Err(refused);
        }
        let least = u64::from(
            self.program.module.types[variable.ty].inner.size(self.program.module.to_ctx()),
        );
        if bytes < least {
            let message = format!(
                "`{name}` has {bytes} bytes, and a device binds nothing shorter than its type, {least} bytes"
            );
            let mut refused = self.refuse(self.place(handle), message);
            refused.help =
                Some("give it an element at least, or check without --device".to_owned());
            return Err(refused);
        }
        Ok(())
    }

    fn check_texture(
        &self,
        handle: Handle<GlobalVariable>,
        variable: &GlobalVariable,
        texture: &Texture,
        limits: &Limits,
    ) -> Result<()> {
        let TypeInner::Image { dim, arrayed, class } = self.program.module.types[variable.ty].inner
        else {
            return Ok(());
        };
        let name = self.name(handle);
        let layers = limits.max_texture_array_layers;
        let most = match dim {
            ImageDimension::D1 => [limits.max_texture_dimension_1d, 1, 1],
            ImageDimension::D2 | ImageDimension::Cube => {
                [limits.max_texture_dimension_2d, limits.max_texture_dimension_2d, layers]
            }
            ImageDimension::D3 => [limits.max_texture_dimension_3d; 3],
        };
        if texture.size.iter().zip(most).any(|(&has, most)| has > most) {
            let ([x, y, z], [most_x, most_y, most_z]) = (texture.size, most);
            let message = format!(
                "`{name}` has {x}x{y}x{z} texels, and the device takes {most_x}x{most_y}x{most_z} at most"
            );
            return Err(self.refuse(self.place(handle), message));
        }
        let bytes = u64::from(texture.texels.len());
        if bytes > limits.max_buffer_size {
            let most = limits.max_buffer_size;
            let message = format!(
                "`{name}` has {bytes} bytes of texels, and the device can hold {most} at most"
            );
            return Err(self.refuse(self.place(handle), message));
        }
        let image = Image { name, dim, arrayed, class };
        match image.lacking(self.device, texture.samples) {
            None => Ok(()),
            Some(lacking) => Err(self.refuse(self.place(handle), format!("`{name}` {lacking}"))),
        }
    }

    fn used(
        &self,
        dispatch: &Dispatch,
    ) -> impl Iterator<Item = (Handle<GlobalVariable>, &GlobalVariable)> {
        let used = |handle| is_used(self.program, std::slice::from_ref(dispatch), handle);
        self.program.module.global_variables.iter().filter(move |(handle, _)| used(*handle))
    }

    fn name(&self, handle: Handle<GlobalVariable>) -> &str {
        self.program.module.global_variables[handle].name.as_deref().unwrap_or("(unnamed)")
    }

    fn place(&self, handle: Handle<GlobalVariable>) -> Option<Span> {
        Some(self.program.module.global_variables.get_span(handle).into())
    }

    fn refuse(&self, at: Option<Span>, message: String) -> Box<Diagnostic> {
        let mut refused = could_not_run(message)
            .note(format!("the device is {}", self.device.about))
            .help(elsewhere());
        if let Some(at) = at {
            refused.source_map = Some(self.program.source.clone());
            refused.labels.push((at, String::new()));
        }
        Box::new(refused)
    }
}

/// What a capability is, in words.
fn capability_said(capability: Capabilities) -> String {
    let said = match capability {
        Capabilities::SHADER_FLOAT16 => "16-bit floats",
        Capabilities::FLOAT64 => "64-bit floats",
        Capabilities::SHADER_INT64 => "64-bit integers",
        Capabilities::SHADER_INT64_ATOMIC_MIN_MAX => "64-bit atomic minima and maxima",
        Capabilities::SHADER_INT64_ATOMIC_ALL_OPS => "64-bit atomics",
        Capabilities::SHADER_FLOAT32_ATOMIC => "atomics on floats",
        Capabilities::SUBGROUP => "subgroup operations",
        Capabilities::SUBGROUP_BARRIER => "subgroup barriers",
        Capabilities::TEXTURE_ATOMIC => "atomics on textures",
        Capabilities::TEXTURE_INT64_ATOMIC => "64-bit atomics on textures",
        Capabilities::IMMEDIATES => "immediate data",
        other => {
            let flags = other.iter_names().map(|(name, _)| name.to_lowercase().replace('_', " "));
            return flags.collect::<Vec<_>>().join(" and ");
        }
    };
    said.to_owned()
}

/// What to do about what the device lacks.
fn elsewhere() -> String {
    "check it without --device: the embedded executor has no such limit".to_owned()
}

fn most_invocations(limits: &Limits) -> [u32; 3] {
    [
        limits.max_compute_workgroup_size_x,
        limits.max_compute_workgroup_size_y,
        limits.max_compute_workgroup_size_z,
    ]
}
