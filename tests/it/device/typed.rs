//! Tests of the pipelines that the macro makes of kernels in Rust: they compute on the device what plain Rust computes, and
//! misuse gives a typed error.

use super::{Case, device_name};
use hirace::pipeline::{DeviceError, Error, Excess, Gpu};
use hirace::prelude::*;
use hirace::{Grid, Launch, check, wgpu};
use libtest_mimic::Failed;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("typed_a_module_with_structs_and_overrides", structs_and_overrides),
        Case::new("typed_instances_of_a_generic_kernel", instances),
        Case::new("typed_textures_samplers_and_groups", textures),
        Case::new("typed_buffers_of_wgpu_and_parts_of_them", raw_buffers),
        Case::new("typed_kernels_over_shared_buffers", passes),
        Case::new("typed_kernels_that_use_what_stands_elsewhere", composed),
        Case::new("typed_what_cannot_be_is_an_error", errors),
    ]
}

fn gpu() -> Result<Gpu, Failed> {
    Ok(Gpu::named(&device_name())?)
}

#[hirace::monitor]
mod orbits {
    use hirace::prelude::*;

    #[overridable(id = 3)]
    pub const WIDE: u32 = 64;

    #[overridable]
    pub const DOUBLED: bool = false;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Body {
        pub mass: f32,
        #[align(16)]
        pub place: Vec3,
        pub tags: [u32; 3],
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Params {
        pub by: Vec3,
        pub count: u32,
    }

    fn doubled(x: f32) -> f32 {
        if DOUBLED { 2.0 * x } else { x }
    }

    #[kernel(workgroup_size(WIDE, 1))]
    pub fn fall(
        #[builtin(global_invocation_id)] id: UVec3,
        bodies: &mut [Body],
        #[uniform] params: &Params,
        moved: &Atomic<u32>,
        unused: &[f32],
        #[private] own: &mut u32,
    ) {
        *own = id.x;
        if *own < params.count {
            bodies[id.x].place += params.by * doubled(bodies[id.x].mass);
            bodies[id.x].tags[id.x % 3] = id.x;
            moved.fetch_add(1);
        }
    }

    #[kernel(workgroup_size(WIDE))]
    pub fn clear(#[builtin(global_invocation_id)] id: UVec3, bodies: &mut [Body]) {
        if id.x < bodies.len() {
            bodies[id.x].mass = 0.0;
        }
    }
}

fn bodies() -> Vec<orbits::Body> {
    let body = |i: u32| orbits::Body {
        mass: i as f32,
        place: Vec3::new(i as f32, 1.0, 2.0),
        tags: [i, 7, 9],
    };
    (0..100).map(body).collect()
}

fn structs_and_overrides() -> Result<(), Failed> {
    let gpu = gpu()?;
    for (doubled, wide) in [(false, 64), (true, 16)] {
        let params = orbits::Params { by: Vec3::new(0.0, -1.0, 0.5), count: 90 };
        let (memory, uniform) = (gpu.buffer(&bodies())?, gpu.buffer(&params)?);
        let (moved, unused) = (gpu.buffer(&0u32)?, gpu.zeros::<f32>(1)?);
        let overrides = orbits::fall::Overrides { DOUBLED: doubled, WIDE: wide };
        let pipeline = orbits::fall::pipeline_with(&gpu.device, overrides)?;
        if pipeline.workgroup_size() != [wide, 1, 1] {
            return Err(format!("{:?}", pipeline.workgroup_size()).into());
        }
        assert_eq!(pipeline.workgroups_for(100), Grid::from(100u32.div_ceil(wide)));
        let arguments = orbits::fall::Args {
            bodies: &memory,
            params: &uniform,
            moved: &moved,
            unused: &unused,
        };
        let bound = pipeline.bind(&gpu.device, arguments)?;
        gpu.compute(|pass| pipeline.dispatch_for(pass, &bound, 100))?;
        let mut expected = bodies();
        for (i, body) in expected.iter_mut().enumerate().take(90) {
            body.place += params.by * body.mass * if doubled { 2.0 } else { 1.0 };
            body.tags[i % 3] = i as u32;
        }
        assert_eq!(gpu.read(&memory)?, expected);
        assert_eq!(gpu.read(&moved)?, 90);
        // The same on the embedded executor.
        let launch = Launch::new()
            .workgroups(100u32.div_ceil(wide))
            .override_value("WIDE", wide)
            .override_value("DOUBLED", u32::from(doubled))
            .buffer("bodies", &bodies())
            .buffer("params", &params)
            .buffer("moved", &0u32);
        let checked = check(&orbits::fall::kernel(), launch)?;
        assert_eq!(checked.assert_clean().buffer::<Vec<orbits::Body>>("bodies")?, expected);
    }
    Ok(())
}

#[hirace::monitor(workgroup_size(N))]
fn reverse<const N: usize>(
    #[builtin(local_invocation_index)] lane: u32,
    data: &mut [u32; N],
    #[workgroup] tile: &mut [u32; N],
) {
    tile[lane] = data[lane];
    workgroup_barrier();
    data[lane] = tile[N as u32 - 1 - lane];
}

fn instances() -> Result<(), Failed> {
    let gpu = gpu()?;
    let data = gpu.buffer(&[1u32, 2, 3, 4])?;
    let pipeline = reverse::pipeline::<4>(&gpu.device)?;
    let bound = pipeline.bind(&gpu.device, reverse::Args { data: &data })?;
    gpu.compute(|pass| pipeline.dispatch(pass, &bound, 1))?;
    assert_eq!(gpu.read(&data)?, [4, 3, 2, 1]);
    gpu.write(&data, &[7, 8, 9, 10])?;
    gpu.compute(|pass| pipeline.dispatch(pass, &bound, [1, 1]))?;
    assert_eq!(gpu.read(&data)?, [10, 9, 8, 7]);
    Ok(())
}

#[hirace::monitor(workgroup_size(2, 2))]
fn blend(
    #[builtin(global_invocation_id)] id: UVec3,
    #[binding(0, 3)] photo: &Texture2d<f32>,
    #[binding(2, 0)] smooth: &Sampler,
    #[binding(2, 1)] r#loop: &mut [Vec4],
    #[binding(0, 0)] store: &TextureStorage2d<Rgba8Unorm, Write>,
) {
    let at = (id.xy().as_vec2() + 0.5) / 2.0;
    let color = photo.sample_level(smooth, at, 0.0);
    r#loop[id.y * 2 + id.x] = color;
    store.store(id.xy(), color);
}

fn textures() -> Result<(), Failed> {
    let gpu = gpu()?;
    let texture = |usage| {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 2, height: 2, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage,
            view_formats: &[],
        })
    };
    let photo = texture(wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST);
    let store = texture(wgpu::TextureUsages::STORAGE_BINDING);
    let texels: Vec<u8> = (0..16).map(|i| if i % 5 == 0 { 255 } else { 0 }).collect();
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(8), rows_per_image: None };
    gpu.queue.write_texture(photo.as_image_copy(), &texels, layout, photo.size());
    let colors = gpu.zeros::<Vec4>(4)?;
    let pipeline = blend::pipeline(&gpu.device)?;
    let arguments = blend::Args {
        photo: &photo.create_view(&Default::default()),
        smooth: &gpu.device.create_sampler(&Default::default()),
        r#loop: &colors,
        store: &store.create_view(&Default::default()),
    };
    let bound = pipeline.bind(&gpu.device, arguments)?;
    let groups: Vec<u32> = bound.groups().iter().map(|(group, _)| *group).collect();
    assert_eq!(groups, [0, 2]);
    assert!(pipeline.layout(1).is_none() && pipeline.layout(2).is_some());
    gpu.compute(|pass| pipeline.dispatch(pass, &bound, 1))?;
    let expected: Vec<Vec4> = texels
        .chunks(4)
        .map(|t| Vec4::from_array([0, 1, 2, 3].map(|i| t[i] as f32 / 255.0)))
        .collect();
    assert_eq!(gpu.read(&colors)?, expected);
    Ok(())
}

#[hirace::monitor(workgroup_size(1))]
fn increase(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    if id.x < data.len() {
        data[id.x] += id.x + 1;
    }
}

fn raw_buffers() -> Result<(), Failed> {
    let gpu = gpu()?;
    let data = gpu.zeros::<u32>(128)?;
    let raw: &wgpu::Buffer = &data;
    let pipeline = increase::pipeline(&gpu.device)?;
    let whole = pipeline.bind(&gpu.device, increase::Args { data: raw })?;
    let part = pipeline.bind(&gpu.device, increase::Args { data: data.slice(256..) })?;
    let binding =
        wgpu::BufferBinding { buffer: raw, offset: 0, size: std::num::NonZeroU64::new(8) };
    let first = pipeline.bind(&gpu.device, increase::Args { data: binding })?;
    gpu.compute(|pass| {
        for bound in [&whole, &part, &first] {
            pipeline.dispatch_for(pass, bound, 128)?;
        }
        Ok::<(), Error>(())
    })?;
    let expected: Vec<u32> = (0..128u32)
        .map(|i| i + 1 + if i >= 64 { i - 63 } else { 0 } + if i < 2 { i + 1 } else { 0 })
        .collect();
    assert_eq!(gpu.read(&data)?, expected);
    assert_eq!(gpu.read_as::<Vec<u32>>(raw)?, expected);
    Ok(())
}

fn passes() -> Result<(), Failed> {
    let gpu = gpu()?;
    let memory = gpu.buffer(&bodies())?;
    let params = gpu.buffer(&orbits::Params { by: Vec3::X, count: 100 })?;
    let (moved, unused) = (gpu.buffer(&0u32)?, gpu.zeros::<f32>(0)?);
    let fall = orbits::fall::pipeline(&gpu.device)?;
    let clear = orbits::clear::pipeline(&gpu.device)?;
    let arguments =
        orbits::fall::Args { bodies: &memory, params: &params, moved: &moved, unused: &unused };
    let falling = fall.bind(&gpu.device, arguments)?;
    let clearing = clear.bind(&gpu.device, orbits::clear::Args { bodies: &memory })?;
    gpu.compute(|pass| {
        fall.dispatch_for(pass, &falling, 100)?;
        clear.dispatch_for(pass, &clearing, 100)?;
        fall.dispatch_for(pass, &falling, 100)
    })?;
    let mut expected = bodies();
    for (i, body) in expected.iter_mut().enumerate() {
        body.place.x += body.mass;
        body.mass = 0.0;
        body.tags[i % 3] = i as u32;
    }
    assert_eq!(gpu.read(&memory)?, expected);
    assert_eq!(gpu.read(&moved)?, 200);
    Ok(())
}

mod elsewhere {
    use hirace::prelude::*;

    #[hirace::monitor]
    pub const WIDE: usize = 4;

    #[hirace::monitor]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Step {
        pub by: u32,
        pub place: Vec3,
    }

    #[hirace::monitor]
    pub type Photo = Texture2d<f32>;

    #[hirace::monitor]
    pub fn stepped(x: u32, step: Step) -> u32 {
        if any(step.place.cmplt(Vec3::ZERO)) { x } else { x + step.by }
    }
}

use elsewhere::{Photo, Step, WIDE, stepped};

#[hirace::monitor(workgroup_size(WIDE))]
fn walk(
    #[builtin(global_invocation_id)] id: UVec3,
    #[uniform] step: &Step,
    moved: &Atomic<u32>,
    #[binding(1, 0)] photo: &Photo,
    #[binding(1, 1)] smooth: &Sampler,
    out: &mut [u32],
) {
    if id.x < out.len() {
        let lit = photo.sample_level(smooth, vec2(0.5, 0.5), 0.0).w;
        out[id.x] = stepped(id.x, *step) + lit as u32;
        moved.fetch_add(1);
    }
}

#[hirace::monitor(workgroup_size(N, WIDE))]
fn tile<const N: usize>(
    #[builtin(local_invocation_id)] at: UVec3,
    tile: &mut [[u32; N]; WIDE],
    steps: &[Step; N],
) {
    tile[at.y][at.x] = stepped(at.y, steps[at.x]);
}

#[hirace::monitor]
mod inward {
    use super::elsewhere::{Step, stepped};
    use hirace::prelude::*;

    #[overridable]
    pub const TIMES: u32 = 1;

    #[kernel(workgroup_size(4))]
    pub fn many(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32], steps: &[Step]) {
        out[id.x] = TIMES * stepped(id.x, steps[id.x]);
    }
}

fn composed() -> Result<(), Failed> {
    let gpu = gpu()?;
    let step = |by: u32, place: Vec3| Step { by, place };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4), rows_per_image: None };
    gpu.queue.write_texture(texture.as_image_copy(), &[255; 4], layout, texture.size());
    let (out, moved) = (gpu.zeros::<u32>(6)?, gpu.buffer(&0u32)?);
    let pipeline = walk::pipeline(&gpu.device)?;
    assert_eq!(pipeline.workgroup_size(), [4, 1, 1]);
    let arguments = walk::Args {
        step: &gpu.buffer(&step(10, Vec3::X))?,
        moved: &moved,
        photo: &texture.create_view(&Default::default()),
        smooth: &gpu.device.create_sampler(&Default::default()),
        out: &out,
    };
    let bound = pipeline.bind(&gpu.device, arguments)?;
    gpu.compute(|pass| pipeline.dispatch_for(pass, &bound, 6))?;
    assert_eq!(gpu.read(&out)?, [11, 12, 13, 14, 15, 16]);
    assert_eq!(gpu.read(&moved)?, 6);

    let steps = [step(1, Vec3::X), step(7, -Vec3::X)];
    let memory = gpu.buffer(&[[0u32; 2]; 4])?;
    let pipeline = tile::pipeline::<2>(&gpu.device)?;
    assert_eq!(tile::kernel::<2>().workgroup_size(), Some([2, 4, 1]));
    let arguments = tile::Args { tile: &memory, steps: &gpu.buffer(&steps)? };
    let bound = pipeline.bind(&gpu.device, arguments)?;
    gpu.compute(|pass| pipeline.dispatch(pass, &bound, 1))?;
    assert_eq!(gpu.read(&memory)?, [[1, 0], [2, 1], [3, 2], [4, 3]]);

    let (out, four) = (gpu.zeros::<u32>(4)?, [step(5, Vec3::Z); 4]);
    let overrides = inward::many::Overrides { TIMES: 3 };
    let pipeline = inward::many::pipeline_with(&gpu.device, overrides)?;
    let arguments = inward::many::Args { out: &out, steps: &gpu.buffer(&four)? };
    let bound = pipeline.bind(&gpu.device, arguments)?;
    gpu.compute(|pass| pipeline.dispatch(pass, &bound, 1))?;
    assert_eq!(gpu.read(&out)?, [15, 18, 21, 24]);

    // In a function, whose items no path can name.
    #[hirace::monitor]
    #[derive(Clone, Copy)]
    struct Local {
        step: Step,
    }
    #[hirace::monitor(workgroup_size(4))]
    fn local(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32], #[uniform] one: Local) {
        out[id.x] = stepped(id.x, one.step);
    }
    let pipeline = local::pipeline(&gpu.device)?;
    let one = gpu.buffer(&Local { step: step(2, Vec3::Y) })?;
    let bound = pipeline.bind(&gpu.device, local::Args { out: &out, one: &one })?;
    gpu.compute(|pass| pipeline.dispatch(pass, &bound, 1))?;
    assert_eq!(gpu.read(&out)?, [2, 3, 4, 5]);
    Ok(())
}

fn errors() -> Result<(), Failed> {
    let gpu = gpu()?;
    let data = gpu.zeros::<u32>(4)?;
    let (one, other) = (increase::pipeline(&gpu.device)?, increase::pipeline(&gpu.device)?);
    let bound = one.bind(&gpu.device, increase::Args { data: &data })?;
    let most = gpu.device.limits().max_compute_workgroups_per_dimension;
    let wide = gpu.compute(|pass| one.dispatch(pass, &bound, [1, most + 1]));
    assert!(matches!(wide, Err(Error::Device(DeviceError::TooLarge(Excess::Grid(_))))), "{wide:?}");
    let swapped = gpu.compute(|pass| other.dispatch(pass, &bound, 1));
    assert!(matches!(swapped, Err(Error::OtherPipeline)), "{swapped:?}");
    let unbound = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let refused = one.bind(&gpu.device, increase::Args { data: &unbound });
    assert!(matches!(refused, Err(Error::Device(DeviceError::Invalid { .. }))), "{refused:?}");
    let large = reverse::pipeline::<1_000_000>(&gpu.device).map(drop);
    assert!(
        matches!(large, Err(Error::Device(DeviceError::TooLarge(Excess::Workgroup(_))))),
        "{large:?}"
    );
    let huge = gpu.zeros::<Vec4>(usize::MAX / 16).map(drop);
    assert!(matches!(huge, Err(Error::Device(DeviceError::TooLarge(_)))), "{huge:?}");
    let (no_layout, after) = (gpu.buffer(&(vec![1u32], 2u32)).map(drop), gpu.read(&data)?);
    assert!(matches!(no_layout, Err(Error::NoLayout(_))), "{no_layout:?}");
    assert_eq!(after, [0; 4]);
    Ok(())
}
