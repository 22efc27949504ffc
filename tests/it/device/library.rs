//! Tests of the library on a device: checks, the contents of buffers and textures after them, and errors.

use super::{Case, device, device_name};
use hirace::raw::exec::Executor;
use hirace::{Checked, Error, Kernel, Launch, Result, Verdict, check};
use libtest_mimic::Failed;
use std::collections::BTreeSet;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("library_writes_between_dispatches", writes),
        Case::new("library_reads_results_of_a_launch", reads),
        Case::new("library_finds_races", races),
        Case::new("library_shares_a_device_among_threads", shared),
        Case::new("library_rejects_unknown_devices", unknown_device),
        Case::new("library_reports_exceeded_device_limits", exceeded_limit),
    ]
}

/// Selects the tested device for a launch.
fn on_device(launch: Launch) -> Launch {
    launch.device(&device_name())
}

fn checked(text: &str, launch: Launch) -> Result<Checked> {
    check(&Kernel::from_wgsl("library.wgsl", text)?, launch)
}

fn failed(error: Error) -> Failed {
    format!("{error:?}").into()
}

/// Buffers, uniforms and textures are copied to the device and back; the report names the device.
fn reads() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<uniform> scale: f32;
        @group(0) @binding(1) var<storage, read_write> counts: array<vec3<u32>>;
        @group(0) @binding(2) var image: texture_2d<f32>;
        @group(0) @binding(3) var scaled: texture_storage_2d<r32float, write>;
        var<workgroup> total: atomic<u32>;
        @compute @workgroup_size(2, 2)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
            textureStore(scaled, id.xy, scale * textureLoad(image, id.xy, 0));
            atomicAdd(&total, lane);
            workgroupBarrier();
            counts[id.y * 4u + id.x] += vec3(atomicLoad(&total), id.xy);
        }";
    let texels: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let launch = Launch::new()
        .workgroups([2, 1])
        .buffer("scale", &0.5_f32)
        .buffer("counts", &[[1_u32; 3]; 8])
        .texture("image", [4, 2], &texels)
        .zeros("scaled", [4, 2]);
    let checked = checked(text, on_device(launch)).map_err(failed)?;
    checked.assert_clean();
    let halves: Vec<f32> = texels.iter().map(|texel| texel / 2.0).collect();
    assert_eq!(checked.texture::<f32>("scaled").map_err(failed)?, halves);
    let counts: Vec<[u32; 3]> = (0..8).map(|i| [7, 1 + i % 4, 1 + i / 4]).collect();
    assert_eq!(checked.buffer::<Vec<[u32; 3]>>("counts").map_err(failed)?, counts);
    let about = device().as_ref()?.device();
    let named = &checked.report().launches[0].device;
    assert_eq!((&named.name, &named.driver), (&about.name, &about.driver));
    assert!(checked.to_string().contains(&about.name), "{checked}");
    Ok(())
}

/// A race is reported with both its locations, and with the command that reproduces it on the device.
fn races() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> sums: array<u32, 2>;
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) lane: u32) {
            let before = sums[lane % 2u];
            sums[lane % 2u] = before + lane;
        }";
    let launch = Launch::new().workgroups(2).buffer("sums", &[0_u32; 2]);
    let checked = checked(text, on_device(launch)).map_err(failed)?;
    assert_eq!(checked.verdict(), Verdict::Findings);
    let lines: BTreeSet<BTreeSet<u32>> = checked
        .findings()
        .map(|finding| finding.accesses.iter().map(|access| access.line).collect())
        .collect();
    assert_eq!(lines, [BTreeSet::from([5, 6]), BTreeSet::from([6])].into(), "{checked}");
    assert!(checked.to_string().contains("--device "), "{checked}");
    Ok(())
}

/// Launches of several threads are serialized, and each gets its own results.
fn shared() -> Result<(), Failed> {
    let text = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(8)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 3u; }";
    let of_thread = |thread: u32| -> Result<Vec<u32>> {
        let data: Vec<u32> = (0..64).map(|i| 1000 * thread + i).collect();
        let launch = Launch::new().workgroups(8).buffer("data", &data);
        checked(text, on_device(launch))?.assert_clean().buffer("data")
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|n| (n, scope.spawn(move || of_thread(n)))).collect();
        for (n, thread) in threads {
            let data = thread.join().map_err(|_| format!("thread {n} panicked"))?;
            let expected: Vec<u32> = (0..64).map(|i| 3 * (1000 * n + i)).collect();
            assert_eq!(data.map_err(failed)?, expected);
        }
        Ok(())
    })
}

fn unknown_device() -> Result<(), Failed> {
    let text = "@compute @workgroup_size(1) fn main() {}";
    let Err(error) = checked(text, Launch::new().device("abacus")) else {
        return Err("a device named `abacus` was found".into());
    };
    assert_eq!((error.message(), error.is_of_device()), ("there is no device `abacus`", false));
    let about = device().as_ref()?.device().to_string();
    assert!(error.notes().iter().any(|note| note.ends_with(&about)), "{error:?}");
    // The name of the embedded executor selects it.
    checked(text, Launch::new().workgroups(1).device("embedded")).map_err(failed)?.assert_clean();
    Ok(())
}

/// The error is not attributed to the kernel, but names the source location that exceeds a limit.
fn exceeded_limit() -> Result<(), Failed> {
    let text = "@group(77) @binding(0) var<storage, read_write> out: u32;
        @compute @workgroup_size(1) fn main() { out = 1u; }";
    let launch = || Launch::new().workgroups(1).buffer("out", &0_u32);
    let Err(error) = checked(text, on_device(launch())) else {
        return Err("the launch was not rejected".into());
    };
    assert!(error.is_of_device(), "{error:?}");
    assert!(format!("{error:?}").contains("library.wgsl:1:"), "{error:?}");
    checked(text, launch()).map_err(failed)?.assert_clean();
    Ok(())
}

/// Writes of the host between dispatches, and the contents after each dispatch, are the same as on the embedded executor.
fn writes() -> Result<(), Failed> {
    written().map_err(failed)
}

fn written() -> Result<()> {
    let text = "
        @group(0) @binding(0) var<uniform> by: u32;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(4)
        fn add(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = data[id.x] * by + id.x; }
        @compute @workgroup_size(4)
        fn collide(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x % by] += 1u; }";
    let kernel = Kernel::from_wgsl("writes.wgsl", text)?;
    let launch = |racy: u32| {
        let mut launch = Launch::new().zeros("data", 8);
        for by in [3u32, 7, 2] {
            launch = launch.write_buffer("by", &by).dispatch("add", 2).keep_contents();
        }
        launch.write_buffer("data", &[9u32, 9]).write_buffer("by", &racy).dispatch("collide", 2)
    };
    for racy in [8, 7] {
        let embedded = check(&kernel, launch(racy))?;
        let device = check(&kernel, launch(racy).device(&device_name()))?;
        assert_eq!(embedded.verdict(), device.verdict());
        assert_eq!(embedded.findings().count(), usize::from(racy == 7));
        assert_eq!(device.findings().count(), usize::from(racy == 7));
        for number in 0..3 {
            let data = embedded.contents_after(number)?.buffer::<Vec<u32>>("data")?;
            assert_eq!(device.contents_after(number)?.buffer::<Vec<u32>>("data")?, data);
        }
        if racy == 8 {
            let data = embedded.buffer::<Vec<u32>>("data")?;
            assert_eq!(device.buffer::<Vec<u32>>("data")?, data);
            assert_eq!(data[..2], [10, 10]);
        }
    }
    Ok(())
}
