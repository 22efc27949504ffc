//! Tests of dispatches that slices decide: a cached decision is not reused for another dispatch, and slices decide texels as they
//! decide words.

use super::{Case, device, error_text, launched};
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::{DispatchOutcome, Executor, Watch};
use hirace::raw::facts::Shadow;
use libtest_mimic::Failed;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("a_decision_is_not_reused_for_changed_inputs", cached_decision),
        Case::new("slices_decide_texels", texels),
    ]
}

/// Returns the outcome of the last dispatch of a launch on the device.
fn last(text: &str, flags: &str) -> Result<DispatchOutcome, Failed> {
    let (program, launch) = launched("decided.wgsl", text, flags)?;
    let outcome = device().as_ref()?.run(&program, &launch, &Watch::default(), None);
    let mut dispatches = outcome.map_err(error_text)?.dispatches;
    dispatches.pop().ok_or_else(|| "no dispatch ran".into())
}

/// The kernel `spread` reads strides that it does not write. Its invocations race only if an earlier dispatch has set the strides
/// to 0.
fn cached_decision() -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read_write> strides: array<u32>;
        @compute @workgroup_size(8) fn clear(@builtin(global_invocation_id) id: vec3<u32>) {
            strides[id.x] = 0u;
        }
        @compute @workgroup_size(8) fn spread(@builtin(global_invocation_id) id: vec3<u32>) {
            out[id.x * strides[id.x]] = id.x;
        }";
    let buffers = "--buffer out=zeros:32 --buffer strides=fill:32:1";
    let alone = last(text, &format!("--dispatch spread:4 {buffers}"))?;
    assert_eq!((alone.racy.len(), alone.shadow), (0, Some(Shadow::NotNeeded)));
    let cleared = last(text, &format!("--dispatch clear:4 --dispatch spread:4 {buffers}"))?;
    assert_eq!(cleared.racy.len(), 1, "{:?}", cleared.racy);
    let alone = last(text, &format!("--dispatch spread:4 {buffers}"))?;
    assert_eq!(alone.racy.len(), 0);
    Ok(())
}

/// Accesses texels, some of which are outside of the texture, in a kernel that uses texels in the condition of a `select`.
fn texels() -> Result<(), Failed> {
    let text = |height: u32| {
        format!(
            "@group(0) @binding(0) var image: texture_storage_2d<r32uint, read_write>;
            @group(0) @binding(1) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                let texel = textureLoad(image, id.xy).x;
                out[id.y * 12u + id.x] = select(texel, 7u, texel > 3u);
                textureStore(image, vec2(id.x, id.y % {height}u), vec4(texel + 1u));
            }}"
        )
    };
    for height in [8, 6, 1] {
        let flags = "--workgroups 3,2 --buffer image=iota:10x8 --buffer out=zeros:96";
        let on_device = last(&text(height), flags)?;
        let (program, launch) = launched("decided.wgsl", &text(height), flags)?;
        let outcome = Embedded.run(&program, &launch, &Watch::default(), None);
        let outcome = outcome.map_err(error_text)?;
        let [embedded] = &outcome.dispatches[..] else {
            return Err("expected one dispatch".into());
        };
        assert!(on_device.racy.keys().eq(embedded.racy.keys()), "{height}");
        let is_clean = on_device.racy.is_empty();
        assert_eq!((is_clean, on_device.shadow), (height == 8, Some(Shadow::NotNeeded)));
    }
    Ok(())
}
