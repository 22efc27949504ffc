//! Tests of acceleration structures.

use crate::support::{idle_descriptor, same_idle, same_with, watched_by_nobody, Gpu};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use wgpu::{BufferUsages, Features};

pub fn trials() -> Vec<Trial> {
    let features = Features::EXPERIMENTAL_RAY_QUERY;
    vec![
        same_with("acceleration::built_and_queried", features, queried),
        same_with("acceleration::compacted", features, compacted),
        same_with("acceleration::what_is_refused", features, refused),
        same_idle("acceleration::built_and_queried", features, idle),
        Trial::test("acceleration::of_another_instance", foreign),
    ]
}

const KERNEL: &str = "
enable wgpu_ray_query;
@group(0) @binding(0) var structure: acceleration_structure;
@group(0) @binding(1) var<storage, read_write> hits: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var query: ray_query;
    let origin = vec3f(0.1 + f32(i), 0.1, -1.0);
    rayQueryInitialize(&query, structure,
        RayDesc(0u, 0xffu, 0.0, 10.0, origin, vec3f(0.0, 0.0, 1.0)));
    while rayQueryProceed(&query) {}
    let hit = rayQueryGetCommittedIntersection(&query);
    hits[i] = select(0u, 100u + hit.instance_custom_data, hit.kind != RAY_QUERY_INTERSECTION_NONE);
}";

struct Built {
    vertices: wgpu::Buffer,
    size: wgpu::BlasTriangleGeometrySizeDescriptor,
    blas: wgpu::Blas,
    tlas: wgpu::Tlas,
}

fn made(gpu: &Gpu) -> Built {
    let places: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let vertices = gpu.words("vertices", &places.map(f32::to_bits), BufferUsages::BLAS_INPUT);
    let size = wgpu::BlasTriangleGeometrySizeDescriptor {
        vertex_format: wgpu::VertexFormat::Float32x3,
        vertex_count: 3,
        index_format: None,
        index_count: None,
        flags: wgpu::AccelerationStructureGeometryFlags::OPAQUE,
    };
    let flags = wgpu::AccelerationStructureFlags::PREFER_FAST_TRACE
        | wgpu::AccelerationStructureFlags::ALLOW_COMPACTION;
    let update_mode = wgpu::AccelerationStructureUpdateMode::Build;
    let blas = gpu.create_blas(
        &wgpu::CreateBlasDescriptor { label: Some("blas"), flags, update_mode },
        wgpu::BlasGeometrySizeDescriptors::Triangles { descriptors: vec![size.clone()] },
    );
    let flags = wgpu::AccelerationStructureFlags::PREFER_FAST_TRACE;
    let tlas = gpu.create_tlas(&wgpu::CreateTlasDescriptor {
        label: Some("tlas"),
        max_instances: 4,
        flags,
        update_mode,
    });
    Built { vertices, size, blas, tlas }
}

fn instance(blas: &wgpu::Blas, x: f32, custom_data: u32) -> Option<wgpu::TlasInstance> {
    let transform = [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    Some(wgpu::TlasInstance::new(blas, transform, custom_data, 0xff))
}

fn build(gpu: &Gpu, built: &Built, with_blas: bool) {
    let entry = wgpu::BlasBuildEntry {
        blas: &built.blas,
        geometry: wgpu::BlasGeometries::TriangleGeometries(vec![wgpu::BlasTriangleGeometry {
            size: &built.size,
            vertex_buffer: &built.vertices,
            first_vertex: 0,
            vertex_stride: 12,
            index_buffer: None,
            first_index: None,
            transform_buffer: None,
            transform_buffer_offset: None,
        }]),
    };
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.build_acceleration_structures(with_blas.then_some(&entry), [&built.tlas]);
    gpu.queue.submit([encoder.finish()]);
}

fn hits(gpu: &Gpu, built: &Built) -> Vec<u32> {
    let pipeline = gpu.kernel(KERNEL);
    let buffer = gpu.storage("hits", &[7; 4]);
    let group = gpu.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: built.tlas.as_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: buffer.as_entire_binding() },
        ],
    });
    gpu.compute(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    gpu.read(&buffer)
}

fn queried(gpu: &Gpu) -> Vec<Vec<u32>> {
    let mut built = made(gpu);
    built.tlas[0] = instance(&built.blas, 0.0, 5);
    built.tlas[2] = instance(&built.blas, 2.0, 6);
    build(gpu, &built, true);
    let first = hits(gpu, &built);
    assert_eq!(first, [105, 0, 106, 0]);
    // Removes one instance and adds another.
    built.tlas[2] = None;
    built.tlas[1] = instance(&built.blas, 3.0, 7);
    build(gpu, &built, false);
    let second = hits(gpu, &built);
    assert_eq!(second, [105, 0, 0, 107]);
    vec![first, second]
}

fn compacted(gpu: &Gpu) -> (Vec<u32>, bool) {
    let mut built = made(gpu);
    built.tlas[0] = instance(&built.blas, 0.0, 5);
    build(gpu, &built, true);
    let (tell, heard) = std::sync::mpsc::channel();
    built.blas.prepare_compaction_async(move |result| {
        tell.send(result.is_ok()).expect("the receiver is alive");
    });
    gpu.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
    assert_eq!(heard.recv(), Ok(true));
    let ready = built.blas.ready_for_compaction();
    built.blas = gpu.queue.compact_blas(&built.blas);
    built.tlas[0] = instance(&built.blas, 1.0, 8);
    build(gpu, &built, false);
    (hits(gpu, &built), ready)
}

fn refused(gpu: &Gpu) -> Vec<Option<String>> {
    let mut built = made(gpu);
    built.tlas[0] = instance(&built.blas, 0.0, 5);
    let unbuilt = gpu.error(|| drop(hits(gpu, &built)));
    let no_blas = gpu.error(|| build(gpu, &built, false));
    assert!(unbuilt.is_some() && no_blas.is_some(), "{unbuilt:?} {no_blas:?}");
    vec![unbuilt, no_blas]
}

/// On the no-op back end, building needs no memory, and wgpu does not mark the structure as built.
fn idle(gpu: &Gpu) -> Vec<Option<String>> {
    let mut built = made(gpu);
    built.tlas[0] = instance(&built.blas, 0.0, 5);
    let mut seen = vec![
        gpu.error(|| build(gpu, &built, true)),
        gpu.error(|| drop(hits(gpu, &built))),
        gpu.error(|| drop(gpu.queue.compact_blas(&built.blas))),
    ];
    built.tlas[1] = instance(&built.blas, 0.0, u32::MAX);
    seen.push(gpu.error(|| build(gpu, &built, false)));
    assert!(seen[0].is_none() && seen[1..].iter().all(Option::is_some), "{seen:#?}");
    seen
}

fn foreign() -> Result<(), Failed> {
    let features = Features::EXPERIMENTAL_RAY_QUERY;
    let device = || Gpu::idle(watched_by_nobody(idle_descriptor()), features);
    let (here, there) = (device(), device());
    let expect = |error: Option<String>, what: &str| {
        let error = error.unwrap_or_default();
        let words = format!("the {what} was made by another wgpu instance");
        if error.contains(&words) {
            Ok(())
        } else {
            Err(Failed::from(error))
        }
    };
    let lower = "bottom-level acceleration structure";
    let mut own = made(&here);
    let theirs = made(&there);
    let vertices = there.storage("theirs", &[0; 9]);
    own.tlas[0] = instance(&theirs.blas, 0.0, 5);
    // The encoder reports the first error.
    expect(here.error(|| build(&here, &own, true)), lower)?;
    own.tlas[0] = instance(&own.blas, 0.0, 5);
    let vertices = std::mem::replace(&mut own.vertices, vertices);
    expect(here.error(|| build(&here, &own, true)), "buffer")?;
    own.vertices = vertices;
    let blas = std::mem::replace(&mut own.blas, theirs.blas.clone());
    expect(here.error(|| build(&here, &own, true)), lower)?;
    own.blas = blas;
    own.tlas = theirs.tlas.clone();
    let upper = "top-level acceleration structure";
    expect(here.error(|| build(&here, &own, true)), upper)?;
    expect(here.error(|| drop(hits(&here, &own))), upper)?;
    expect(here.error(|| drop(here.queue.compact_blas(&theirs.blas))), lower)
}
