//! Descriptions of devices: selection by name, and the properties that are displayed.

use super::failure::{could_not_run, not_opened};
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::DeviceInfo;
use hirace_gpu::wgpu::{Backend, DeviceType, Features};
use hirace_gpu::{Adapter, Error};

/// Returns the device that `choice` selects: its number, or a part of its name in any case.
pub fn choose(choice: &str) -> Result<Adapter> {
    hirace_gpu::choose(choice).map_err(|error| {
        Box::new(match error {
            Error::NoAdapter => could_not_run("no usable GPU driver was found").help(
                "install a Vulkan driver (Mesa's llvmpipe needs no GPU), or omit --device: the embedded executor needs no driver",
            ),
            Error::NoSuchAdapter { choice, adapters } => {
                let error = Diagnostic::new(format!("there is no device `{choice}`"));
                let there_are = adapters
                    .iter()
                    .map(|adapter| format!("{}: {}", adapter.index(), about(adapter.about())));
                let error = there_are.fold(error, Diagnostic::note);
                error.help("use the number or a part of the name of one of these devices")
            }
            error => *not_opened(error, &DeviceInfo { name: choice.to_owned(), ..DeviceInfo::default() }),
        })
    })
}

/// Returns the description of a device for reports.
pub fn about(device: &hirace_gpu::DeviceInfo) -> DeviceInfo {
    let driver = device.driver();
    DeviceInfo {
        name: device.name().to_owned(),
        kind: Some(kind(device.kind()).to_owned()),
        backend: Some(backend(device.backend()).to_owned()),
        driver: (!driver.is_empty()).then_some(driver),
    }
}

/// Returns the limits and features of a device that matter to watched launches, as pairs of a name and a value.
pub fn facts(adapter: &Adapter) -> Vec<(&'static str, String)> {
    let (limits, features, about) = (adapter.limits(), adapter.features(), adapter.about());
    let has = |feature| if features.contains(feature) { "yes" } else { "no" }.to_owned();
    let subgroups = match about.subgroup_sizes() {
        [least, most] if least == most => format!("{most} lanes"),
        [least, most] => format!("{least} to {most} lanes"),
    };
    let grid = limits.max_compute_workgroups_per_dimension;
    vec![
        ("type", kind(about.kind()).to_owned()),
        ("backend", backend(about.backend()).to_owned()),
        ("driver", about.driver()),
        ("subgroups", subgroups),
        ("subgroup operations", has(Features::SUBGROUP)),
        ("subgroup barriers", has(Features::SUBGROUP_BARRIER)),
        ("16-bit floats", has(Features::SHADER_F16)),
        ("atomics on textures", has(Features::TEXTURE_ATOMIC)),
        ("64-bit atomics", has(Features::SHADER_INT64_ATOMIC_ALL_OPS)),
        ("storage buffers", limits.max_storage_buffers_per_shader_stage.to_string()),
        ("storage binding", bytes(limits.max_storage_buffer_binding_size)),
        ("workgroup memory", bytes(limits.max_compute_workgroup_storage_size.into())),
        ("workgroup", format!("{} invocations", limits.max_compute_invocations_per_workgroup)),
        ("grid", format!("{grid} workgroups per dimension")),
    ]
}

/// Formats a size as `128 MiB`, `48 KiB` or `100 bytes`.
fn bytes(bytes: u64) -> String {
    match bytes {
        n if n >= 1 << 20 => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

fn kind(kind: DeviceType) -> &'static str {
    match kind {
        DeviceType::DiscreteGpu => "discrete GPU",
        DeviceType::IntegratedGpu => "integrated GPU",
        DeviceType::VirtualGpu => "virtual GPU",
        DeviceType::Cpu => "CPU",
        DeviceType::Other => "of unknown kind",
    }
}

fn backend(backend: Backend) -> &'static str {
    match backend {
        Backend::Vulkan => "Vulkan",
        Backend::Metal => "Metal",
        Backend::Dx12 => "Direct3D 12",
        Backend::Gl => "OpenGL",
        Backend::BrowserWebGpu => "WebGPU",
        Backend::Noop => "no backend",
    }
}
