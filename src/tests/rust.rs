//! Tests of kernels that the macro generates.

use crate::prelude::*;
use crate::{Launch, Result, Verdict, check};

#[hirace::monitor(workgroup_size(64))]
pub fn reverse(
    #[builtin(local_invocation_index)] lane: u32,
    data: &mut [u32],
    #[workgroup] tile: &mut [u32; 64],
) {
    tile[lane] = data[lane];
    data[lane] = tile[63 - lane];
}

/// Returns the number of the line in which `reverse` writes `tile`, from 1.
fn line() -> u32 {
    let text = include_str!("rust.rs");
    let before = text.lines().position(|line| line == "    tile[lane] = data[lane];");
    before.unwrap() as u32 + 1
}

#[test]
fn races_are_reported_at_lines_of_rust() -> Result<()> {
    let data: Vec<u32> = (0..64).collect();
    let checked = check(&reverse::kernel(), Launch::new().workgroups(1).buffer("data", &data))?;
    assert_eq!(checked.verdict(), Verdict::Findings);
    let race = checked.findings().next().unwrap();
    let places: Vec<_> = race.accesses.iter().map(|at| (at.line, &*at.snippet)).collect();
    assert_eq!(places, [(line(), "tile[lane]"), (line() + 1, "tile[63 - lane]")]);
    assert!(race.accesses[0].file.ends_with("rust.rs"), "{}", race.accesses[0].file);
    assert_eq!(race.replay, None, "command-line flags cannot express the data of a test");
    Ok(())
}

#[test]
fn assert_clean_panics_with_the_report() {
    let checked = check(&reverse::kernel(), Launch::new().workgroups(1)).unwrap();
    let panic = std::panic::catch_unwind(|| checked.assert_clean()).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("error[HR001]: data race on `tile["), "{message}");
    assert!(message.contains(&format!("{} |     tile[lane] = data[lane];", line())), "{message}");
}

#[hirace::monitor]
mod passes {
    use hirace::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Step {
        pub offset: u32,
        pub at: Vec3,
    }

    #[kernel(workgroup_size(4))]
    pub fn count(#[builtin(global_invocation_id)] id: UVec3, steps: &mut [Step]) {
        steps[id.x].offset = id.x * 10;
    }

    #[kernel(workgroup_size(4))]
    pub fn place(#[builtin(global_invocation_id)] id: UVec3, steps: &mut [Step]) {
        let offset = steps[id.x].offset as f32;
        steps[id.x].at = Vec3::new(offset, offset + 0.5, 1.0);
    }
}

#[test]
fn dispatches_of_a_module_share_a_buffer_of_structs() -> Result<()> {
    let launch = Launch::new()
        .buffer("steps", &[passes::Step { offset: 9, at: Vec3::ZERO }; 8])
        .dispatch("count", 2)
        .dispatch("place", 2);
    let steps: Vec<passes::Step> =
        check(&passes::count::kernel(), launch)?.assert_clean().buffer("steps")?;
    assert_eq!(steps[7], passes::Step { offset: 70, at: Vec3::new(70.0, 70.5, 1.0) });
    Ok(())
}

#[hirace::monitor(workgroup_size(N as u32))]
fn last<const N: usize>(
    #[builtin(local_invocation_index)] lane: u32,
    out: &mut [u32],
    #[workgroup] tile: &mut [u32; N],
) {
    tile[lane] = lane;
    workgroup_barrier();
    if lane == 0 {
        out[0] = tile[N as u32 - 1];
    }
}

#[test]
fn instances_of_a_generic_kernel_are_checked_with_their_sizes() -> Result<()> {
    let out = |kernel| {
        let launch = Launch::new().workgroups(1).zeros("out", 1);
        check(&kernel, launch)?.assert_clean().buffer::<Vec<u32>>("out")
    };
    assert_eq!(out(last::kernel::<16>())?, [15]);
    assert_eq!(out(last::kernel::<256>())?, [255]);
    Ok(())
}

/// Names that WGSL predeclares or reserves: functions, types, keywords.
#[hirace::monitor]
mod names {
    use hirace::prelude::*;

    #[kernel(workgroup_size(4))]
    pub fn step(
        #[builtin(local_invocation_index)] lane: u32,
        texture: &[u32],
        ptr: &[u32],
        target: &mut [u32],
    ) {
        target[lane] = texture[lane] + ptr[lane];
    }

    #[kernel(workgroup_size(4))]
    pub fn filter(#[builtin(local_invocation_index)] lane: u32, target: &mut [u32], sample: &u32) {
        target[lane] *= *sample;
    }

    #[kernel(workgroup_size(4))]
    pub fn r#loop(#[builtin(local_invocation_index)] lane: u32, target: &mut [u32]) {
        target[lane] = target[(lane + 1) % 4];
    }
}

#[test]
fn names_that_wgsl_reserves_can_be_used() -> Result<()> {
    let launch = Launch::new()
        .buffer("texture", &[1u32, 2, 3, 4])
        .buffer("ptr", &[10u32, 20, 30, 40])
        .buffer("sample", &2u32)
        .zeros("target", 4)
        .dispatch("step", 1)
        .dispatch("filter", 1);
    let checked = check(&names::step::kernel(), launch)?;
    assert_eq!(checked.assert_clean().buffer::<[u32; 4]>("target")?, [22, 44, 66, 88]);

    let racy = check(&names::r#loop::kernel(), Launch::new().workgroups(1).zeros("target", 4))?;
    let race = racy.findings().next().unwrap();
    assert_eq!(race.memory.as_ref().unwrap().variable, "target");
    assert_eq!(racy.report().launches[0].entry, "loop");

    for kernel in [names::step::kernel(), names::filter::kernel(), names::r#loop::kernel()] {
        let entry = format!("fn {}(", kernel.wgsl_entry().unwrap());
        assert!(kernel.wgsl().contains(&entry), "{entry}");
    }
    Ok(())
}

#[hirace::monitor]
mod sized {
    use hirace::prelude::*;

    #[overridable]
    pub const WIDE: u32 = 32;

    const HALF: usize = 4;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Placed {
        pub first: u32,
        #[align(64)]
        pub second: Vec3,
        #[size(32)]
        pub third: f32,
        pub fourth: [Vec2; 3],
    }

    #[kernel(workgroup_size(WIDE, 2 * HALF))]
    pub fn both(#[builtin(global_invocation_id)] id: UVec3, from: &[Placed], to: &mut [Placed]) {
        to[id.x] = from[id.x];
    }

    #[kernel(workgroup_size(HALF))]
    pub fn one(#[builtin(local_invocation_index)] id: u32, to: &mut [Placed], unused: &[u32]) {
        to[id].first = reset(to, id);
    }

    fn reset(placed: &mut [Placed], id: u32) -> u32 {
        placed[id].third as u32
    }

    #[kernel(workgroup_size(max(N, 2), HALF))]
    pub fn computed<const N: usize>() {}

    #[kernel(workgroup_size(N * HALF, N, WIDE))]
    pub fn generic<const N: usize>(from: &[Placed], to: &mut [Placed]) {
        to[0] = from[0];
    }
}

#[test]
fn a_kernel_has_the_bindings_and_workgroup_size_of_its_entry_point() {
    let names = |kernel: crate::Kernel| {
        let names = kernel.bindings().iter().map(|binding| binding.name.clone().into_owned());
        (
            names.collect::<Vec<_>>(),
            kernel.workgroup_size(),
            kernel.wgsl_entry().unwrap().to_owned(),
        )
    };
    let known = |names: &[&str], size, entry: &str| {
        (names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), size, entry.to_owned())
    };
    let both = names(sized::both::kernel());
    assert_eq!(both, known(&["from", "to"], Some([32, 8, 1]), "both"));
    assert_eq!(names(sized::one::kernel()), known(&["to"], Some([4, 1, 1]), "one"));
    assert_eq!(names(sized::computed::kernel::<4>()), known(&[], None, "computed"));
    let generic = names(sized::generic::kernel::<8>());
    assert_eq!(generic, known(&["from", "to"], Some([32, 8, 32]), "generic"));
    let missing = sized::one::kernel().with_entry("missing");
    assert_eq!((missing.bindings().len(), missing.workgroup_size()), (0, None));
}

#[test]
fn wgsl_kernel_knows_its_bindings_and_workgroup_size() -> Result<()> {
    let text = "override size: u32; override lanes = 4;
        @group(0) @binding(0) var<storage, read_write> a: u32;
        @group(0) @binding(1) var<storage, read_write> b: u32;
        @compute @workgroup_size(lanes, 2) fn first() { a = 1; }
        @compute @workgroup_size(size) fn second() { b = 1; }";
    let kernel = crate::Kernel::from_wgsl("two.wgsl", text)?;
    assert_eq!((kernel.bindings().len(), kernel.workgroup_size()), (2, None));
    let second = kernel.clone().with_entry("second");
    assert_eq!((&*second.bindings()[0].name, second.workgroup_size()), ("b", None));
    let text = text.replace("size: u32;", "size: u32 = 7;");
    let kernel = crate::Kernel::from_wgsl("two.wgsl", &text)?;
    assert_eq!(kernel.clone().with_entry("second").workgroup_size(), Some([7, 1, 1]));
    assert_eq!(kernel.with_entry("first").workgroup_size(), Some([4, 2, 1]));
    Ok(())
}

#[test]
fn struct_layout_follows_align_and_size_attributes() -> Result<()> {
    let placed = |n: u32| sized::Placed {
        first: n,
        second: Vec3::splat(n as f32),
        third: 0.5,
        fourth: [Vec2::X, Vec2::Y, Vec2::splat(3.0)],
    };
    let values = [placed(1), placed(2)];
    let launch = Launch::new().workgroups(1).buffer("from", &values).buffer("to", &values);
    let checked = check(&sized::generic::kernel::<2>(), launch)?;
    assert_eq!(checked.bytes::<u8>("from")?, crate::HostShareable::to_bytes(&values)?);
    Ok(())
}

#[hirace::monitor(workgroup_size(N))]
fn asserted<const N: usize>(
    #[builtin(global_invocation_id)] id: UVec3,
    data: &mut [u32],
    limits: &[u32],
) {
    assert!(data[id.x] < limits[id.x]);
    data[id.x] += N as u32;
}

#[test]
fn exported_wgsl_omits_assertions_and_their_bindings() -> Result<()> {
    let kernel = asserted::kernel::<8>();
    let names: Vec<_> = kernel.bindings().iter().map(|binding| &*binding.name).collect();
    assert_eq!(names, ["data"]);
    assert!(kernel.wgsl().contains("0x00000008u") && !kernel.wgsl().contains("limits["));
    let launch =
        |limit: u32| Launch::new().workgroups(1).zeros("data", 8).buffer("limits", &[limit; 8]);
    check(&kernel, launch(1))?.assert_clean();
    assert_eq!(check(&kernel, launch(0))?.verdict(), Verdict::Findings);
    Ok(())
}
