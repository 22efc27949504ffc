//! Tests that launches read and leave the same contents of buffers and textures on the device and on the embedded executor, in
//! every format.

use super::{Case, device, error_text, launched};
use hirace::facts::Warning;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::{Executor, Watch};
use hirace::raw::program::Program;
use hirace::raw::report::words::warning as said;
use hirace::raw::vm::memory::{Resource, Resources};
use libtest_mimic::Failed;

/// The storage texture formats that every WebGPU device can write.
const GUARANTEED: &[&str] = &[
    "rgba8unorm",
    "rgba8snorm",
    "rgba8uint",
    "rgba8sint",
    "rgba16uint",
    "rgba16sint",
    "rgba16float",
    "r32uint",
    "r32sint",
    "r32float",
    "rg32uint",
    "rg32sint",
    "rg32float",
    "rgba32uint",
    "rgba32sint",
    "rgba32float",
];

/// The storage texture formats that some devices can write.
const OTHERS: &[&str] = &[
    "r8unorm",
    "r8snorm",
    "r8uint",
    "r8sint",
    "r16uint",
    "r16sint",
    "r16float",
    "rg8unorm",
    "rg8snorm",
    "rg8uint",
    "rg8sint",
    "rg16uint",
    "rg16sint",
    "rg16float",
    "rgb10a2uint",
    "rgb10a2unorm",
    "rg11b10ufloat",
    "bgra8unorm",
    "r16unorm",
    "r16snorm",
    "rg16unorm",
    "rg16snorm",
    "rgba16unorm",
    "rgba16snorm",
];

/// The texture types that are read: the type, how texel `n` is loaded, and the size of the texture.
const READ: &[(&str, &str, &str)] = &[
    ("texture_1d<f32>", "textureLoad(t, n % 5u, 0)", "5"),
    ("texture_2d<f32>", "textureLoad(t, at, 0)", "5x3"),
    ("texture_2d<i32>", "vec4<f32>(textureLoad(t, at, 0))", "5x3"),
    ("texture_2d<u32>", "vec4<f32>(textureLoad(t, at, 0))", "5x3"),
    ("texture_2d_array<f32>", "textureLoad(t, at, n % 4u, 0)", "5x3x4"),
    ("texture_3d<f32>", "textureLoad(t, vec3(at, n % 4u), 0)", "5x3x4"),
    ("texture_3d<u32>", "vec4<f32>(textureLoad(t, vec3(at, n % 4u), 0))", "5x3x4"),
    ("texture_cube<f32>", "textureSampleLevel(t, s, face, 0.0)", "1x1x6"),
    ("texture_cube_array<f32>", "textureSampleLevel(t, s, face, n % 2u, 0.0)", "1x1x12"),
    ("texture_multisampled_2d<f32>", "textureLoad(t, at, n % 4u)", "5x3"),
    ("texture_multisampled_2d<i32>", "vec4<f32>(textureLoad(t, at, n % 4u))", "5x3"),
    ("texture_multisampled_2d<u32>", "vec4<f32>(textureLoad(t, at, n % 4u))", "5x3"),
    ("texture_depth_2d", "vec4(textureLoad(t, at, 0))", "5x3"),
    ("texture_depth_2d_array", "vec4(textureLoad(t, at, n % 4u, 0))", "5x3x4"),
    ("texture_depth_cube", "vec4(textureSampleLevel(t, s, face, 0u))", "1x1x6"),
    ("texture_depth_cube_array", "vec4(textureSampleLevel(t, s, face, n % 2u, 0u))", "1x1x12"),
    ("texture_depth_multisampled_2d", "vec4(textureLoad(t, at, n % 4u))", "5x3"),
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (formats, guaranteed) in [(GUARANTEED, true), (OTHERS, false)] {
        for format in formats {
            let test = move || kept(format, guaranteed);
            cases.push(Case::new(format!("textures_keep_{format}"), test));
        }
    }
    for &(ty, load, size) in READ {
        let name = ty.replace(['<', '>'], "_");
        let test = move || read(ty, load, size);
        cases.push(Case::new(format!("reads_{}", name.trim_end_matches('_')), test));
    }
    cases.extend([
        Case::new("keeps_arrays_and_volumes_of_texels", volumes as fn() -> Result<(), Failed>),
        Case::new("keeps_atomics_on_textures", atomics),
        Case::new("reads_immediate_data", immediates),
        Case::new("runs_dispatches_in_order_over_the_same_memory", dispatches),
        Case::new("warns_of_depths_that_are_none", depths),
    ]);
    cases
}

/// Compares the contents after a launch on the device and on the embedded executor.
fn same(text: &str, flags: &str) -> Result<(), Failed> {
    let (program, launch) = launched("contents.wgsl", text, flags)?;
    let here = Embedded.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    let device = device().as_ref()?;
    let there = device.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    if let Some(warning) = there.dispatches.iter().flat_map(|d| &d.warnings).next() {
        return Err(said(&program.source, warning).into());
    }
    Ok(same_memory(&program, &here.resources, &there.resources)
        .map_err(|differs| format!("{differs}\n{text}"))?)
}

/// Compares the buffers and textures after a launch on the embedded executor (`here`) and on the device (`there`).
pub fn same_memory(program: &Program, here: &Resources, there: &Resources) -> Result<(), String> {
    let both = here.by_global.iter().zip(&there.by_global);
    for ((_, variable), both) in program.module.global_variables.iter().zip(both) {
        let (here, there) = match both {
            (Some(Resource::Buffer(here)), Some(Resource::Buffer(there))) => (here, there),
            (Some(Resource::Texture(here)), Some(Resource::Texture(there))) => {
                (&here.texels, &there.texels)
            }
            (None, None) | (Some(Resource::Sampler(_)), _) => continue,
            _ => return Err(format!("{:?} has contents on one side only", variable.name)),
        };
        let (here, there) = (here.snapshot(), there.snapshot());
        let differ = here.iter().zip(&there).position(|(&a, &b)| !near(a, b));
        if let (Some(at), _) | (None, at @ 1..) = (differ, here.len().abs_diff(there.len())) {
            let around = at.saturating_sub(2)..(at + 6).min(here.len()).min(there.len());
            return Err(format!(
                "{:?} differs at word {at}: {:x?} here, {:x?} on the device",
                variable.name,
                here.get(around.clone()),
                there.get(around),
            ));
        }
    }
    Ok(())
}

/// Returns whether words are equal, or are floats that differ in the last digit only.
fn near(a: u32, b: u32) -> bool {
    a == b || (a.abs_diff(b) <= 2 && f32::from_bits(a).is_normal())
}

/// Returns an expression for a vector that the format represents exactly, different for each `n`.
fn value(format: &str) -> String {
    let steps = |most: &str| {
        format!(
            "vec4(f32(n * 7u % {most}u), f32(n * 3u % {most}u), f32(n), f32(n % 4u)) / {most}.0"
        )
    };
    match format {
        "rgb10a2unorm" => {
            "vec4(vec3(f32(n * 50u), f32(n * 7u), f32(n)) / 1023.0, f32(n % 4u) / 3.0)".to_owned()
        }
        "rg11b10ufloat" => "vec4(f32(n) * 0.25, f32(n) * 2.0, f32(n % 8u), 0.0)".to_owned(),
        _ if format.ends_with("uint") => "vec4(n * 8u, n, n * 3u, n % 4u)".to_owned(),
        _ if format.ends_with("sint") => "vec4(-i32(n) * 8, -i32(n), i32(n), -3)".to_owned(),
        _ if format.contains("16unorm") => steps("65535"),
        _ if format.contains("unorm") => steps("255"),
        _ if format.contains("16snorm") => format!("-{}", steps("32767")),
        _ if format.contains("snorm") => format!("-{}", steps("127")),
        _ => "vec4(f32(n) * 0.25 - 1.0, -f32(n), f32(n) * 8.0, 0.5)".to_owned(),
    }
}

fn scalar(format: &str) -> &'static str {
    match format {
        _ if format.ends_with("uint") => "u32",
        _ if format.ends_with("sint") => "i32",
        _ => "f32",
    }
}

/// Compares what is stored in a texture of a format, and what is loaded from one.
fn kept(format: &str, guaranteed: bool) -> Result<(), Failed> {
    let written = format!(
        "@group(0) @binding(0) var t: texture_storage_2d<{format}, write>;
        @compute @workgroup_size(5, 3)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let n = id.y * 5u + id.x;
            textureStore(t, id.xy, {});
        }}",
        value(format)
    );
    let read = format!(
        "@group(0) @binding(0) var t: texture_storage_2d<{format}, read>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<{}>>;
        @compute @workgroup_size(5, 3)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            out[id.y * 5u + id.x] = textureLoad(t, id.xy);
        }}",
        scalar(format)
    );
    for (text, flags) in [(written, "zeros"), (read, "random")] {
        let flags = format!("--workgroups 1 --buffer t={flags}:5x3");
        let flags = match flags.contains("random") {
            true => format!("{flags} --buffer out=zeros:15"),
            false => flags,
        };
        match same(&text, &flags) {
            Err(error) if !guaranteed && is_refusal(&error) => {}
            other => other?,
        }
    }
    Ok(())
}

/// Returns whether the error states that the device lacks a format.
fn is_refusal(error: &Failed) -> bool {
    let said = error.message().unwrap_or_default();
    [
        "which the device does not support for the format",
        "has a format that the device does not support",
        ", which the device does not support",
    ]
    .iter()
    .any(|words| said.contains(words))
}

fn read(ty: &str, load: &str, size: &str) -> Result<(), Failed> {
    let sampler = match load.contains("Sample") {
        true => "@group(0) @binding(2) var s: sampler;",
        false => "",
    };
    let text = format!(
        "@group(0) @binding(0) var t: {ty};
        {sampler}
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 60>;
        @compute @workgroup_size(60)
        fn main(@builtin(local_invocation_index) n: u32) {{
            let at = vec2(n % 5u, n / 5u % 3u);
            var faces = array(vec3(1.0, 0.0, 0.0), vec3(-1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, -1.0, 0.0), vec3(0.0, 0.0, 1.0), vec3(0.0, 0.0, -1.0));
            let face = faces[n % 6u];
            out[n] = {load};
        }}"
    );
    same(&text, &format!("--workgroups 1 --buffer t=random:{size} --buffer out=zeros"))
}

fn volumes() -> Result<(), Failed> {
    for (ty, at, size) in [
        ("texture_storage_1d<r32uint, write>", "n % 5u", "5"),
        ("texture_storage_2d_array<r32uint, write>", "vec2(n % 5u, n / 5u % 3u), n / 15u", "5x3x4"),
        ("texture_storage_3d<rgba8uint, write>", "vec3(n % 5u, n / 5u % 3u, n / 15u)", "5x3x4"),
    ] {
        let own = if size == "5" { "if n < 5u" } else { "" };
        let text = format!(
            "@group(0) @binding(0) var t: {ty};
            @compute @workgroup_size(60)
            fn main(@builtin(local_invocation_index) n: u32) {{
                {own} {{ textureStore(t, {at}, vec4(n, n + 1u, n + 2u, 7u)); }}
            }}"
        );
        same(&text, &format!("--workgroups 1 --buffer t=zeros:{size}"))?;
    }
    Ok(())
}

fn atomics() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;
        @compute @workgroup_size(60)
        fn main(@builtin(local_invocation_index) n: u32) { textureAtomicAdd(t, vec2(n % 5u, n % 3u), n); }";
    match same(text, "--workgroups 2 --buffer t=iota:5x3") {
        Err(error) if is_refusal(&error) => Ok(()),
        other => other,
    }
}

fn immediates() -> Result<(), Failed> {
    let text = "struct Sums { scale: f32, offset: u32, unused: vec2<u32>, more: vec4<i32> }
        var<immediate> p: Sums;
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            out[id.x] = f32(id.x + p.offset) * p.scale + f32(p.more[id.x % 4u]);
        }";
    let flags = "--workgroups 2 --buffer out=zeros:16 --buffer p=0.5,7,0,0,1,-2,3,-4";
    same(text, flags)
}

fn dispatches() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @group(0) @binding(1) var t: texture_storage_2d<r32uint, read_write>;
        @group(0) @binding(2) var<uniform> n: u32;
        @compute @workgroup_size(8) fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.x] = id.x * n;
            textureStore(t, vec2(id.x, 0u), vec4(id.x + n));
        }
        @compute @workgroup_size(4) fn mix(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.x] += textureLoad(t, vec2(15u - id.x, 0u)).x + arrayLength(&data);
        }";
    let flags = "--dispatch fill:2 --dispatch mix:4 --dispatch mix:2 --dispatch fill:1 --buffer data=random:16 --buffer t=zeros:16x1 --buffer n=3";
    same(text, flags)
}

fn depths() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var t: texture_depth_2d;
        @group(0) @binding(1) var<storage, read_write> out: array<f32, 4>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) n: u32) {
            out[n] = textureLoad(t, vec2(n % 2u, n / 2u), 0);
        }";
    let flags = "--workgroups 1 --buffer t=fill:2x2:2.5 --buffer out=zeros";
    let (program, launch) = launched("contents.wgsl", text, flags)?;
    let there =
        device().as_ref()?.run(&program, &launch, &Watch::default(), None).map_err(error_text)?;
    match there.dispatches[0].warnings.as_slice() {
        [Warning::DepthsClamped(texture)] if texture == "t" => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
