use super::*;
use crate::front::wgsl;
use crate::program::Program;

const DECLARATIONS: &str = "
    enable f16;
    struct S { a: u32, v: vec3<f32>, m: mat2x3<f32>, h: array<vec2<f16>, 3> }
    @group(0) @binding(0) var<storage, read_write> buf: array<S>;
    @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
    @group(0) @binding(2) var<uniform> params: vec4<u32>;
    @group(0) @binding(3) var sampled: texture_2d<f32>;
    @group(0) @binding(4) var image: texture_storage_2d_array<r32uint, read_write>;
    var<workgroup> tile: array<vec4<u32>, 8>;
    var<workgroup> flag: atomic<u32>;
    var<workgroup> on: array<bool, 3>;
    var<private> scratch: array<u32, 8>;";

/// Returns the accesses of a kernel with this body, each as `action variable [observed, if not the pointer itself] bytes`.
fn accesses(body: &str) -> Vec<String> {
    let text = format!(
        "{DECLARATIONS}
         @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
    );
    let program =
        Program::new(&wgsl::parse("a.wgsl", &text).unwrap(), &Default::default()).unwrap();
    described(&program, &program.sites)
}

fn described(program: &Program, sites: &Sites) -> Vec<String> {
    let describe = |access: &Access| {
        let name = program.module.global_variables[access.global].name.clone().unwrap();
        let mut text = format!("{:?} {name}", access.action);
        match &access.target {
            Target::Pointer { pointer, observed, extent } => {
                if pointer != observed {
                    text += " whole";
                }
                for run in extent {
                    text += &format!(" {}+{}", run.offset, run.bytes);
                }
            }
            Target::Texel { array_index, .. } => {
                text += if array_index.is_some() { " layer" } else { " texel" };
            }
        }
        text
    };
    sites.accesses().map(|(_, _, access)| describe(access)).collect()
}

#[test]
fn parts_of_values_are_touched_alone() {
    assert_eq!(accesses("_ = buf[l].a;"), ["Read buf 0+4"]);
    assert_eq!(accesses("_ = buf[l].v.y;"), ["Read buf 0+4"]);
    assert_eq!(accesses("_ = buf[l].v[l];"), ["Read buf 0+4"]);
    assert_eq!(accesses("_ = buf[l].v;"), ["Read buf 0+12"]);
    assert_eq!(accesses("_ = buf[l].v.zy;"), ["Read buf 0+12"]);
    assert_eq!(accesses("_ = buf[l].m[1];"), ["Read buf 0+12"]);
    assert_eq!(accesses("_ = buf[l].m[l][2];"), ["Read buf 0+4"]);
    assert_eq!(accesses("_ = buf[l].h[1].x;"), ["Read buf 0+2"]);
    assert_eq!(accesses("_ = on[l];"), ["Read on 0+1"]);
}

#[test]
fn a_store_to_a_component_writes_its_whole_vector() {
    assert_eq!(accesses("buf[l].v.y = 1.0;"), ["Write buf whole 0+12"]);
    assert_eq!(accesses("buf[l].v[l] = 1.0;"), ["Write buf whole 0+12"]);
    assert_eq!(accesses("buf[l].m[1][l] = 1.0;"), ["Write buf whole 0+12"]);
    assert_eq!(accesses("let p = &tile[l]; p.x = 1u;"), ["Write tile whole 0+16"]);
    assert_eq!(accesses("buf[l].m[1] = vec3f();"), ["Write buf 0+12"]);
    assert_eq!(accesses("buf[l].a = 1u;"), ["Write buf 0+4"]);
}

#[test]
fn a_store_to_a_component_writes_only_that_where_components_are_memory_locations() {
    let text = format!(
        "{DECLARATIONS}
         @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) l: u32) {{
             buf[l].v.y = 1.0; buf[l].m[1][l] = 1.0; tile[l] = vec4<u32>();
         }}"
    );
    let program =
        Program::new(&wgsl::parse("a.wgsl", &text).unwrap(), &Default::default()).unwrap();
    let sites = sites(&program.module, &program.info, VectorStores::Component);
    let expected = ["Write buf 0+4", "Write buf 0+4", "Write tile 0+16"];
    assert_eq!(described(&program, &sites), expected);
}

#[test]
fn aggregates_touch_their_scalars_and_no_padding() {
    // a at 0, v at 16, the columns of m at 32 and 48, h at 64.
    let s = "0+4 16+12 32+12 48+12 64+12";
    assert_eq!(accesses("_ = buf[l];"), [format!("Read buf {s}")]);
    assert_eq!(accesses("buf[l] = buf[0];"), [format!("Read buf {s}"), format!("Write buf {s}")]);
    assert_eq!(accesses("_ = buf[l].m;"), ["Read buf 0+12 16+12"]);
    assert_eq!(accesses("tile = array<vec4<u32>, 8>();"), ["Write tile 0+128"]);
}

#[test]
fn atomics_of_every_kind_are_atomic() {
    let all = "
        atomicStore(&counts[0], atomicLoad(&flag));
        atomicAdd(&flag, 1u); atomicSub(&flag, 1u); atomicMax(&flag, 1u); atomicMin(&flag, 1u);
        atomicAnd(&flag, 1u); atomicOr(&flag, 1u); atomicXor(&flag, 1u);
        _ = atomicExchange(&flag, 1u);
        _ = atomicCompareExchangeWeak(&counts[l], 1u, 2u);";
    let mut expected = vec!["Atomic flag 0+4", "Atomic counts 0+4"];
    expected.extend(["Atomic flag 0+4"; 8]);
    expected.push("Atomic counts 0+4");
    assert_eq!(accesses(all), expected);
}

#[test]
fn only_storage_textures_are_shared() {
    let body = "
        textureStore(image, vec2(0), 0, textureLoad(image, vec2(0), 1));
        _ = textureLoad(sampled, vec2(0), 0);
        _ = textureDimensions(image);";
    assert_eq!(accesses(body), ["Read image layer", "Write image layer"]);
}

#[test]
fn memory_that_is_not_shared_is_not_accessed() {
    let body = "
        var local = array<u32, 4>();
        let p = &local[l];
        *p = scratch[l] + params.x + local[1] + arrayLength(&buf) + arrayLength(&counts);
        scratch[0] += *p;";
    assert_eq!(accesses(body), [""; 0]);
}

#[test]
fn a_uniform_load_is_a_read_and_a_barrier() {
    let text = "var<workgroup> n: u32;
        @compute @workgroup_size(1) fn main() { _ = workgroupUniformLoad(&n); }";
    let program = Program::new(&wgsl::parse("a.wgsl", text).unwrap(), &Default::default()).unwrap();
    let entry = FunctionId::Entry(0);
    let both = program.body(entry).all().filter(|&(at, _)| {
        let read = program.sites.statement(entry, at).and_then(|id| program.sites.access(id));
        let barrier = program.sites.barrier(entry, at).and_then(|id| program.sites.get(id));
        read.is_some_and(|read| read.action == Action::Read)
            && barrier
                .is_some_and(|b| b.kind == SiteKind::Barrier(naga::Barrier::WORK_GROUP.into()))
    });
    assert_eq!(both.count(), 1);
}
