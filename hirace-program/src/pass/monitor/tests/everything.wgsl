enable f16;

struct Inner { v: vec3<f32>, w: f32, m: mat3x3<f32> }
struct Outer { inner: array<Inner, 3>, tags: vec4<u32>, tail: u32 }
struct Sized { count: atomic<u32>, limit: i32, items: array<Outer> }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> sized: Sized;
@group(0) @binding(2) var<storage, read_write> matrices: array<mat2x4<f32>, 8>;
@group(0) @binding(3) var<storage, read_write> halves: array<vec2<f16>>;
@group(0) @binding(4) var<storage, read> input: array<vec3<f32>>;
@group(0) @binding(5) var<storage, read_write> one: Inner;
@group(1) @binding(0) var line: texture_storage_1d<r32float, read_write>;
@group(1) @binding(1) var plane: texture_storage_2d<r32uint, atomic>; // naga only
@group(1) @binding(2) var layers: texture_storage_2d_array<rgba8unorm, write>;
@group(1) @binding(3) var cube: texture_storage_3d<r32sint, read_write>;

var<workgroup> tile: array<array<f32, 9>, 8>;
var<workgroup> flags: array<bool, 32>;
var<workgroup> counter: atomic<i32>;
var<workgroup> corner: Outer;

fn load(at: i32) -> u32 {
    return words[at];
}

fn bump(by: u32) -> bool {
    let p = &sized.count;
    return atomicAdd(p, by) > 3u && atomicLoad(p) < 9u;
}

@compute @workgroup_size(8, 4, 2)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var sum = 0.0;
    for (var i = 0u; i < load(i32(gid.x) - 1); i++) {
        sum += input[i].y + dot(input[i + 1u], input[0]);
        if bump(i) { continue; }
        words[i] += 1u;
    }
    let index = vec3<i32>(gid);
    let item = &sized.items[index.y];
    (*item).inner[lane].v = vec3<f32>(sum);
    (*item).inner[2].v.z = sum;
    (*item).inner[lane].v[lane] = sum;
    (*item).inner[1].m[lane] = one.v;
    (*item).inner[0].m[2][lane] = one.m[1].x;
    (*item).tags.y *= 2u;
    corner = *item;
    workgroupBarrier();
    sized.items[7] = corner;
    sized.items[gid.z].inner = corner.inner;
    sized.limit = i32(corner.tail);
    one = corner.inner[lane];
    storageBarrier();
    matrices[lane] = matrices[lane + 1u] * 2.0;
    matrices[3][1] = vec4<f32>(sum);
    let columns = matrices;
    matrices[1][0] = columns[2][1];
    halves[lane] = halves[lane].yx;
    halves[lane + 1u].x = 1.0h;
    tile[lane & 7u][gid.y] = sum;
    flags[lane & 31u] = !flags[0];
    let row = workgroupUniformLoad(&tile[2]);
    tile[1] = row;
    switch atomicMax(&counter, 3) {
        case 0: { atomicStore(&counter, i32(lane)); }
        case 1, 2: { atomicSub(&counter, 1); }
        default: {
            loop {
                let exchanged = atomicCompareExchangeWeak(&counter, 4, 5);
                if exchanged.exchanged { break; }
                continuing {
                    tile[0][0] += 1.0;
                    break if tile[0][0] > 100.0;
                }
            }
        }
    }
    if lane < 16u {
        atomicExchange(&sized.count, u32(atomicLoad(&counter)));
        atomicXor(&sized.count, 1u);
    }
    textureStore(line, lane, textureLoad(line, index.x) + 1.0);
    textureAtomicMin(plane, gid.xy, lane); // naga only
    textureStore(layers, index.xy, lane, vec4<f32>(sum));
    textureBarrier();
    textureStore(cube, index, textureLoad(cube, gid));
    subgroupBarrier(); // naga only
    words[subgroupAdd(lane)] = 1u; // naga only
    words[lane] = arrayLength(&words);
}
