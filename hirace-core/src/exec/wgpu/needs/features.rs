//! Compares the features that a program uses with those of the device.

use super::Needs;
use crate::diagnostic::Result;
use crate::ir::validate;
use hirace_gpu::wgpu::Features;
use naga::valid::Capabilities;
use naga::{ImageClass, ScalarKind, TypeInner};

impl Needs<'_> {
    /// Returns an error, at the location that needs it, if the program needs a feature that the device lacks.
    pub(super) fn check_features(&self, name: &str) -> Result<()> {
        let (module, source) = (&self.program.module, &self.program.source);
        let valid = |capabilities| {
            validate::validate_for(module, source, capabilities, validate::Layouts::Scalar).err()
        };
        let Some(invalid) = valid(self.device.capabilities()) else {
            return self.check_filters();
        };
        // The validator names at most one missing capability, and not in words.
        let lacking = self.device.capabilities().complement();
        let needed = lacking.iter().filter(|&one| valid(one.complement()).is_some());
        let needed: Vec<String> = needed.map(capability_name).collect();
        let message =
            format!("`{name}` needs {}, which the device does not support", needed.join(" and "));
        let at = invalid.labels.first().map(|(span, _)| *span);
        Err(self.refuse(at.or_else(|| self.program.function_name(name)), message))
    }

    /// Returns an error if the program filters textures of 32-bit floats and the device cannot. Sampled textures are stored in
    /// this format, so that they are exact.
    fn check_filters(&self) -> Result<()> {
        if self.device.features().contains(Features::FLOAT32_FILTERABLE) {
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
                        "`{}` is sampled with a filter, but the device cannot filter textures of 32-bit floats",
                        self.name(key.image)
                    );
                    return Err(self.refuse(self.place(key.image), message));
                }
            }
        }
        Ok(())
    }
}

/// Returns the description of a capability.
fn capability_name(capability: Capabilities) -> String {
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
