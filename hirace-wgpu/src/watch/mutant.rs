//! Running one mutant instead of its shader, also on the application's device, so that the effect of the mutation
//! shows.

use super::ledger::Ledger;
use super::settings::Mode;
use hirace_core::diagnostic::Diagnostic;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The shaders that the application's device accepts.
#[derive(Debug)]
pub(crate) struct DeviceSupport {
    capabilities: Capabilities,
    limits: wgpu::Limits,
}

impl DeviceSupport {
    pub(crate) fn of(device: &wgpu::Device) -> Self {
        let (features, downlevel) = (device.features(), wgpu::DownlevelFlags::all());
        let capabilities = wgpu_naga_bridge::features_to_naga_capabilities(features, downlevel);
        Self { capabilities, limits: device.limits() }
    }

    /// Returns why the device refuses a shader, or `None` if it does not.
    fn refusal(&self, text: &str) -> Option<String> {
        let module = match naga::front::wgsl::parse_str(text) {
            Ok(module) => module,
            Err(error) => return Some(error.message().to_owned()),
        };
        let mut validator = Validator::new(ValidationFlags::all(), self.capabilities);
        if let Err(error) = validator.validate(&module) {
            return Some(format!("the device does not support it: {}", error.as_inner()));
        }
        let limits = &self.limits;
        let most = [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ];
        let exceeding = module.entry_points.iter().find(|entry| {
            let size = entry.workgroup_size;
            let invocations = size.iter().map(|&extent| u64::from(extent)).product::<u64>();
            size.iter().zip(most).any(|(&extent, most)| extent > most)
                || invocations > u64::from(limits.max_compute_invocations_per_workgroup)
        })?;
        Some(format!("the workgroup size of {} exceeds the device's limit", exceeding.name))
    }
}

/// Returns the text to use instead of `text`, if there is one: the text that the runner of this process requests, or
/// the text with the mutant from the settings.
pub(crate) fn replacement_for(
    text: &str,
    ledger: &Ledger,
    device: &DeviceSupport,
) -> Option<String> {
    let mutated = ledger.mutation;
    let by_process = mutated.and_then(|mutated| mutated.replacement(text));
    let refusal = by_process.and_then(|other| device.refusal(other));
    if let (Some(mutated), Some(why)) = (mutated, refusal) {
        // If the record is not writable, the first check reports it.
        let _ = mutated.record_refused(&Diagnostic::new(why));
    }
    match (&ledger.settings.mode, by_process) {
        (_, Some(other)) => {
            ledger.shaders.note_mutant(other, text);
            Some(other.to_owned())
        }
        (Mode::Mutant(id), None) => {
            let mutated = with(id, text);
            if mutated.is_some() {
                ledger.note_mutant_found();
            }
            mutated
        }
        _ => None,
    }
}

#[cfg(feature = "mutants")]
fn with(id: &str, text: &str) -> Option<String> {
    use hirace_adequacy::mutate::source::Source;
    let source = Source::new("shader.wgsl", text)?;
    // A text that cannot be parsed has no mutants.
    let found = source.mutants().ok()?.into_iter().find(|candidate| candidate.mutant.id == id);
    found.map(|candidate| source.with(&candidate))
}

#[cfg(not(feature = "mutants"))]
fn with(_: &str, _: &str) -> Option<String> {
    None
}

#[cfg(test)]
mod support_tests {
    use super::*;

    #[test]
    fn what_the_device_refuses_has_a_reason() {
        let device =
            DeviceSupport { capabilities: Capabilities::empty(), limits: wgpu::Limits::default() };
        let kernel = |size: &str, body: &str| {
            format!("@compute @workgroup_size({size}) fn main() {{ {body} }}")
        };
        assert_eq!(device.refusal(&kernel("256", "workgroupBarrier();")), None);
        assert!(device.refusal(&kernel("256", "subgroupBarrier();")).is_some());
        let large = device.refusal(&kernel("257", "")).unwrap();
        assert_eq!(large, "the workgroup size of main exceeds the device's limit");
        assert!(device.refusal(&kernel("32, 32", "")).is_some());
        assert!(device.refusal("fn").is_some());
    }
}

#[cfg(all(test, feature = "mutants"))]
mod tests {
    use super::*;
    use hirace_adequacy::mutate::source::Source;

    #[test]
    fn mutant_ids_do_not_depend_on_the_file() {
        let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { a[i] = i + 1u; }";
        let listed = Source::new("src/kernels/add.wgsl", text).unwrap();
        for candidate in listed.mutants().unwrap() {
            assert_eq!(with(&candidate.mutant.id, text), Some(listed.with(&candidate)));
        }
        assert_eq!(with("none", text), None);
    }
}
