//! The devices there are, and which one is meant.

use super::failure::could_not_run;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::About;
use wgpu::{AdapterInfo, Backends, DeviceType, InstanceDescriptor, InstanceFlags};

/// A device that could be used.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub(super) inner: wgpu::Adapter,
    info: AdapterInfo,
    index: usize,
}

/// The devices that drivers offer here, in their order; none is no error.
pub fn adapters() -> Vec<Adapter> {
    let instance = wgpu::Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN | Backends::METAL | Backends::DX12,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    });
    let all = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    let numbered = all.into_iter().enumerate();
    numbered.map(|(index, inner)| Adapter { info: inner.get_info(), inner, index }).collect()
}

/// The device that `choice` means: its number, or a part of its name in any case.
pub fn choose(choice: &str) -> Result<Adapter> {
    let mut all = adapters();
    if all.is_empty() {
        let error = could_not_run("there is no GPU driver here that can be used");
        return Err(Box::new(error.help(
            "install a Vulkan driver (Mesa's llvmpipe needs no GPU), or leave --device out: the embedded executor needs nothing",
        )));
    }
    let wanted = choice.to_lowercase();
    let found = match choice.parse::<usize>() {
        Ok(index) => all.iter().position(|adapter| adapter.index == index),
        Err(_) => all.iter().position(|adapter| adapter.info.name.to_lowercase().contains(&wanted)),
    };
    match found {
        Some(at) => Ok(all.swap_remove(at)),
        None => {
            let error = Diagnostic::new(format!("there is no device `{choice}`"));
            let there_are =
                all.iter().map(|adapter| format!("{}: {}", adapter.index, adapter.about()));
            let error = there_are.fold(error, Diagnostic::note);
            Err(Box::new(error.help("give the number or a part of the name of one of these")))
        }
    }
}

impl Adapter {
    /// Its number, as `--device` takes it.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What it is, for reports.
    pub fn about(&self) -> About {
        let driver = [&*self.info.driver, &*self.info.driver_info].join(" ").trim().to_owned();
        About {
            name: self.info.name.clone(),
            kind: Some(self.kind().to_owned()),
            backend: Some(backend(self.info.backend).to_owned()),
            driver: (!driver.is_empty()).then_some(driver),
        }
    }

    /// All that it has.
    pub fn limits(&self) -> wgpu::Limits {
        self.inner.limits()
    }

    /// The fewest and the most lanes that a subgroup of it has.
    pub fn subgroup_sizes(&self) -> [u32; 2] {
        [self.info.subgroup_min_size, self.info.subgroup_max_size]
    }

    /// The most turns of loops that an invocation can take there, if there is such a limit: Mesa's
    /// llvmpipe ends loops after 65,535 turns of all that a subgroup does, without a word. Half of
    /// that leaves room for lanes that do not take their turns together.
    pub(super) fn turns(&self) -> Option<u32> {
        self.info.name.contains("llvmpipe").then_some(32_000)
    }

    /// What kind of device it is.
    pub fn kind(&self) -> &'static str {
        match self.info.device_type {
            DeviceType::DiscreteGpu => "discrete GPU",
            DeviceType::IntegratedGpu => "integrated GPU",
            DeviceType::VirtualGpu => "virtual GPU",
            DeviceType::Cpu => "CPU",
            DeviceType::Other => "of unknown kind",
        }
    }

    /// What matters of its limits and features to launches under watch, a name and a value each.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let limits = self.limits();
        let features = self.inner.features();
        let About { driver, .. } = self.about();
        let [least, most] = self.subgroup_sizes();
        let has = |feature| if features.contains(feature) { "yes" } else { "no" }.to_owned();
        vec![
            ("type", self.kind().to_owned()),
            ("backend", backend(self.info.backend).to_owned()),
            ("driver", driver.unwrap_or_default()),
            (
                "subgroups",
                match least == most {
                    true => format!("{most} lanes"),
                    false => format!("{least} to {most} lanes"),
                },
            ),
            ("subgroup operations", has(wgpu::Features::SUBGROUP)),
            ("subgroup barriers", has(wgpu::Features::SUBGROUP_BARRIER)),
            ("16-bit floats", has(wgpu::Features::SHADER_F16)),
            ("atomics on textures", has(wgpu::Features::TEXTURE_ATOMIC)),
            ("64-bit atomics", has(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)),
            ("storage buffers", limits.max_storage_buffers_per_shader_stage.to_string()),
            ("storage binding", bytes(limits.max_storage_buffer_binding_size)),
            ("workgroup memory", bytes(limits.max_compute_workgroup_storage_size.into())),
            ("workgroup", format!("{} invocations", limits.max_compute_invocations_per_workgroup)),
            (
                "grid",
                format!("{} workgroups a dimension", limits.max_compute_workgroups_per_dimension),
            ),
        ]
    }
}

/// `128 MiB`, `48 KiB`, `100 bytes`.
fn bytes(bytes: u64) -> String {
    match bytes {
        n if n >= 1 << 20 => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

fn backend(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "Direct3D 12",
        wgpu::Backend::Gl => "OpenGL",
        wgpu::Backend::BrowserWebGpu => "WebGPU",
        wgpu::Backend::Noop => "no backend",
    }
}
