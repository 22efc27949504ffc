//! Kernels in other languages have the same findings as the equivalent WGSL.

use crate::{Kernel, Launch, check};

#[cfg(feature = "spirv")]
const WGSL: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn halve(@builtin(local_invocation_index) lane: u32) {
    data[lane] = data[lane / 2u];
}
";

#[cfg(feature = "spirv")]
fn spirv() -> Vec<u8> {
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = naga::front::wgsl::parse_str(WGSL).unwrap();
    let info =
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let debug_info = Some(spv::DebugInfo {
        source_code: WGSL,
        file_name: "halve.wgsl",
        language: spv::SourceLanguage::WGSL,
    });
    let flags = spv::Options::default().flags | spv::WriterFlags::DEBUG;
    let options = spv::Options { flags, debug_info, ..spv::Options::default() };
    let words = spv::write_vec(&module, &info, &options, None).unwrap();
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Returns the message and lines of each finding, if `buffer` has 64 elements.
fn found(kernel: &Kernel, buffer: &str) -> Vec<(String, Vec<u32>)> {
    let checked = check(kernel, Launch::new().workgroups(1).zeros(buffer, 64)).unwrap();
    let lines = |finding: &crate::Finding| finding.accesses.iter().map(|at| at.line).collect();
    checked.findings().map(|finding| (finding.message.clone(), lines(finding))).collect()
}

#[test]
#[cfg(feature = "spirv")]
fn a_module_in_spirv_races_at_the_lines_of_its_source() {
    let text = found(&Kernel::from_wgsl("halve.wgsl", WGSL).unwrap(), "data");
    let kernel = Kernel::from_spirv("halve.spv", &spirv()).unwrap();
    assert_eq!(text.len(), 1);
    assert_eq!(found(&kernel, "data"), text);
    assert_eq!(kernel.bindings()[0].name, "data");
    assert!(kernel.wgsl().contains("fn halve("), "{}", kernel.wgsl());
    assert!(kernel.instrumented().unwrap().contains("hirace_"));
}

#[test]
#[cfg(feature = "spirv")]
fn a_damaged_module_is_an_error() {
    let mut bytes = spirv();
    bytes.truncate(bytes.len() - 3);
    let error = Kernel::from_spirv("halve.spv", &bytes).unwrap_err();
    assert!(error.message().contains("halve.spv"), "{error:?}");
}

#[test]
#[cfg(feature = "glsl")]
fn a_shader_in_glsl_races_at_its_lines() {
    let text = "#version 450
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer Block { uint data[]; };
        void main() {
            uint lane = gl_LocalInvocationIndex;
            data[lane] =
                data[lane / 2];
        }";
    let kernel = Kernel::from_glsl("halve.comp", text).unwrap();
    let [(message, lines)] = &found(&kernel, "Block")[..] else { panic!("one finding") };
    assert_eq!(
        (&**message, &lines[..]),
        ("data race on `Block.data[0]` (storage memory)", &[6, 7][..])
    );
    assert!(kernel.wgsl().contains("fn main("), "{}", kernel.wgsl());

    let error = Kernel::from_glsl("typo.comp", "#version 450\nvoid main() { x = 1; }").unwrap_err();
    assert!(format!("{error:?}").contains("typo.comp:2:"), "{error:?}");
}
