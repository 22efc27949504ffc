@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> total: atomic<i32>;
@group(0) @binding(2) var image: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(3) var hits: texture_storage_2d_array<r32uint, atomic>;
@group(0) @binding(4) var source: texture_2d<f32>;
@group(0) @binding(5) var<uniform> size: vec4<u32>;
@group(0) @binding(6) var<storage> input: array<u32>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> flag: atomic<u32>;
var<private> scratch: array<u32, 4>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    atomicAdd(&counts[l], tile[0]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic
//                        ^^^^^^^ read
    let old = atomicMax(&counts[atomicLoad(&flag)], 1u) + atomicSub(&flag, 2u);
//            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic
//                              ^^^^^^^^^^^^^^^^^ atomic
//                                                        ^^^^^^^^^^^^^^^^^^^^ atomic
    atomicStore(&flag, atomicLoad(&counts[1]));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic
//                     ^^^^^^^^^^^^^^^^^^^^^^ atomic
    let swapped = atomicCompareExchangeWeak(&total, 1i, 2i).exchanged;
//                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic
    let counter = &counts[2];
    atomicOr(counter, 1u);
//  ^^^^^^^^^^^^^^^^^^^^^ atomic
    let now = atomicLoad(counter);
//            ^^^^^^^^^^^^^^^^^^^ atomic
    textureStore(image, vec2(l, tile[1]), textureLoad(image, vec2(now, 1u)));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ write
//                              ^^^^^^^ read
//                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ read
    textureAtomicMax(hits, vec2(1, 2), 0, 3u);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic
    let texel = textureLoad(source, vec2(1, 2), 0) + f32(size.x);
    let length = arrayLength(&counts) + input[arrayLength(&input) - 1u];
//                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ read
    scratch[0] = scratch[1];
    workgroupBarrier();
//  ^^^^^^^^^^^^^^^^^^ barrier
    storageBarrier(); textureBarrier();
//  ^^^^^^^^^^^^^^^^ barrier
//                    ^^^^^^^^^^^^^^^^ barrier
    let uniform_value = workgroupUniformLoad(&tile[3]);
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ read
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ barrier
    let sum = subgroupAdd(tile[l]) + subgroupBroadcast(tile[0], 1u);
//            ^^^^^^^^^^^^^^^^^^^^ subgroup
//                        ^^^^^^^ read
//                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ subgroup
//                                                     ^^^^^^^ read
    subgroupBarrier();
//  ^^^^^^^^^^^^^^^^^ barrier
}
