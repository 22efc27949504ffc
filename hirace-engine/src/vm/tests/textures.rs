//! Tests textures: loads, stores and samples in kernels.

use super::{Kernel, options};
use crate::vm::memory::{Buffer, Resource, Sampler, Texture};
use crate::vm::run::Options;

fn texture(size: [u32; 3], texels: &[[f32; 4]]) -> Resource {
    let words = texels.iter().flatten().flat_map(|x| x.to_bits().to_le_bytes());
    let texels = Buffer::new(&words.collect::<Vec<u8>>());
    Resource::Texture(Texture { size, levels: 1, samples: 1, texels })
}

fn bind(mut kernel: Kernel, name: &str, resource: Resource) -> Kernel {
    let index = kernel.index(name);
    kernel.resources.by_global[index] = Some(resource);
    kernel
}

fn texels(kernel: &Kernel, name: &str) -> Vec<u32> {
    match &kernel.resources.by_global[kernel.index(name)] {
        Some(Resource::Texture(texture)) => texture.texels.snapshot(),
        _ => panic!("{name} is not a texture"),
    }
}

#[test]
fn a_texture_is_loaded_sampled_and_stored() {
    let text = "
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var filtering: sampler;
        @group(0) @binding(2) var result: texture_storage_2d_array<rgba8unorm, write>;
        @group(0) @binding(3) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            let at = vec2u(l % 2u, l / 2u);
            let texel = textureLoad(source, at, 0);
            textureStore(result, at, 1, texel * 0.5);
            textureStore(result, vec2u(100u), 0, texel);
            if (l == 0u) {
                out[0] = textureSampleLevel(source, filtering, vec2f(0.5), 0.0).x;
                out[1] = textureLoad(source, vec2i(-1, 0), 0).x;
                let size = textureDimensions(source);
                out[2] = f32(size.x * 10u + size.y);
                out[3] = f32(textureNumLayers(result));
            }
        }";
    let source = texture([2, 2, 1], &[[0.0; 4], [1.0; 4], [2.0; 4], [5.0; 4]]);
    let drawn = texture([2, 2, 2], &[[0.0; 4]; 8]);
    let sampler = Resource::Sampler(Sampler { linear: true, ..Sampler::default() });
    let kernel = Kernel::new(text).zeros("out", 4);
    let kernel = bind(bind(bind(kernel, "source", source), "filtering", sampler), "result", drawn);
    let run = kernel.run(&options());
    assert_eq!(run.out_of_bounds, []);
    let out: Vec<f32> = kernel.result("out").into_iter().map(f32::from_bits).collect();
    assert_eq!(out, [2.0, 0.0, 22.0, 2.0]);
    let texels: Vec<f32> = texels(&kernel, "result").into_iter().map(f32::from_bits).collect();
    let mut want = [[0.0; 4]; 8];
    // 0.5 is not among the 256 values of a byte; values of 1 and more become 1.
    want[5] = [128.0 / 255.0; 4];
    want[6] = [1.0; 4];
    want[7] = [1.0; 4];
    assert_eq!(texels, want.concat());
}

#[test]
fn texture_atomics() {
    let text = "
        @group(0) @binding(0) var counts: texture_storage_2d<r32uint, atomic>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {
            textureAtomicAdd(counts, vec2u(l % 3u, 0u), l);
            textureAtomicMax(counts, vec2u(3u, 0u), l);
        }";
    let kernel = bind(Kernel::new(text), "counts", texture([4, 1, 1], &[[0.0; 4]; 4]));
    let run = kernel.run(&Options { workgroups: [2, 1, 1], parallel: true, ..options() });
    let counts: Vec<u32> = texels(&kernel, "counts").into_iter().step_by(4).collect();
    assert_eq!(counts, [2 * (3 + 6), 2 * (1 + 4 + 7), 2 * (2 + 5), 7]);
    assert!(run.executed.iter().filter(|e| e.count == 16 && e.by_several_invocations).count() == 2);
}

#[test]
fn a_missing_texture_is_reported() {
    let text = "
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() { out[0] = textureLoad(source, vec2u(), 0).x; }";
    let kernel = Kernel::new(text).zeros("out", 1);
    let code = crate::vm::lower::lower(&kernel.program, 0).unwrap();
    let unwatched = crate::vm::observer::NoObserver;
    let error =
        crate::vm::driver::run(&code, &kernel.resources, &options(), &unwatched).unwrap_err();
    assert_eq!(error.message, "no texture is bound to `source`");
}
