use super::*;
use hirace_core::front::wgsl;
use std::collections::BTreeMap;

/// Prints the kernel of a module with a single entry point.
fn kernel(wgsl_text: &str) -> Result<Kernel> {
    let parsed = wgsl::parse("test.wgsl", wgsl_text).unwrap();
    print(&Program::new(&parsed, &BTreeMap::new()).unwrap(), 0)
}

const HEAD: &str = "
    struct Point { at: vec3f, mass: f32, tag: vec3u }
    struct List { count: atomic<u32>, points: array<Point> }
    @group(0) @binding(0) var<storage, read_write> u: array<u32>;
    @group(0) @binding(1) var<storage, read_write> i: array<i32>;
    @group(0) @binding(2) var<storage, read_write> f: array<f32>;
    @group(0) @binding(3) var<storage, read_write> v: array<vec3f>;
    @group(0) @binding(4) var<storage, read_write> list: List;
    @group(0) @binding(5) var<storage, read_write> m: array<mat4x4f, 2>;
    @group(0) @binding(6) var<uniform> size: u32;
    @group(0) @binding(7) var<uniform> origin: vec3f;
    var<workgroup> tile: array<u32, 8>;
    var<private> own: array<u32, 4>;
    const WEIGHTS = array(1.0f, 2.0, 4.0);
    ";

/// Returns the text of a kernel with this body, without `#line` directives.
#[track_caller]
fn body(body: &str) -> String {
    let entry = "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u)";
    let text = kernel(&format!("{HEAD}{entry} {{ {body} }}")).unwrap().text;
    text.lines().filter(|line| !line.starts_with("#line")).collect::<Vec<_>>().join("\n")
}

/// Asserts that all of `wanted` occur in the text of a kernel with this body, in this order.
#[track_caller]
fn says(of: &str, wanted: &[&str]) {
    let text = body(of);
    let mut rest = text.as_str();
    for part in wanted {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("{part:?} is not in:\n{text}"),
        }
    }
}

#[test]
fn structures_lie_in_memory_as_those_of_wgsl_do() {
    // `mass` directly follows three floats, and a point takes 32 bytes.
    says(
        "list.points[id.x].mass = 1.0;",
        &[
            "float m0[3]; float m1; uint m2[3]; uchar rest[4]; }",
            ".m1[min((uint)(",
            ".m1 = (1.0f);",
        ],
    );
    says("_ = list.points[id.x].mass;", &["uint m0; uchar gap1[12];", "m1[]; }"]);
}

#[test]
fn vectors_of_three_are_three_scalars_in_memory() {
    says(
        "v[id.x] = v[0];",
        &["vload3(0, ((__global float*)&g3[0]))", "vstore3(e", ", 0, ((__global"],
    );
    says("list.points[0].at = v[0];", &["vstore3(e", ", 0, g4[0].m1[0].m0);"]);
    says("v[id.x].y = 1.0;", &["((__global float*)&g3[", "[1] = (1.0f);"]);
    says("list.points[id.x].tag.z = 1u;", &[".m2[2] = 1u;"]);
}

#[test]
fn a_component_is_written_alone_where_others_see_it() {
    says("m[1][2].w = 1.0;", &["((__global float*)&g5[1].c[2])[3] = (1.0f);"]);
    says("var own = vec4f(); own.w = 1.0; own[id.x] = 2.0;", &["l0.s3 =", "((float*)&l0)[min("]);
}

#[test]
fn arrays_are_values() {
    says(
        "var a = array(1u, 2u, 3u); let b = a; u[0] = b[1];",
        &["typedef struct { uint a[3]; }", ".a[1]"],
    );
    says("var a = vec2u(1u, 2u); u[0] = a.y;", &["e", " = (uint2)(1u, 2u);", "l0 = e"]);
    says("own[id.x] = u[0];", &["[1] = {{{0u}}};", ".a[min("]);
    says("f[id.x] = WEIGHTS[id.x];", &["__constant A", "{{(1.0f), (2.0f), (4.0f)}};", "k0.a[min("]);
}

#[test]
fn helper_functions_are_given_what_they_use() {
    let text = kernel(&format!(
        "{HEAD}
        fn inner(at: ptr<function, u32>) {{ u[*at] = arrayLength(&f); tile[0] += 1u; }}
        fn outer(x: vec3f) -> f32 {{ var at = 2u; inner(&at); return x.y; }}
        @compute @workgroup_size(8) fn main() {{ f[0] = outer(vec3f(1.0)) + f32(size); }}"
    ));
    let text = text.unwrap().text;
    let inner = "void f0(uint* a0, __global uint* g0, uint g0_length, __global float* g2, uint g2_length, __local uint* g8)";
    assert!(text.contains(inner), "{text}");
    assert!(text.contains("(*a0)") && text.contains("= g2_length;"), "{text}");
    assert!(text.contains("f0(&l0, g0, g0_length, g2, g2_length, g8);"), "{text}");
    assert!(text.contains("float f1(float3 a0, __global uint* g0"), "{text}");
    assert!(text.contains("    __local uint g8[8];\n") && text.contains("uint g6)"), "{text}");
}

#[test]
fn parameters_are_buffers_lengths_and_values_in_the_order_of_the_text() {
    let kernel = kernel(&format!(
        "{HEAD} @compute @workgroup_size(1) fn main() {{
            list.points[size].mass = f32(tile[0]) + origin.x; }}"
    ));
    let kernel = kernel.unwrap();
    let signature = "__global S3* g4, uint g4_length, uint g6, __constant float3* g7";
    // The numbers of types are irrelevant.
    let unnumbered = |text: &str| text.replace(|at: char| at.is_ascii_digit(), "");
    assert_eq!(unnumbered(&kernel.signature), unnumbered(signature));
    let shapes = kernel.parameters.iter().map(|parameter| match *parameter {
        Parameter::Buffer(_) => (0, 0),
        Parameter::Length { offset, stride, .. } => (offset, stride),
        Parameter::Value(_) => (1, 1),
    });
    assert_eq!(shapes.collect::<Vec<_>>(), [(0, 0), (16, 32), (1, 1), (0, 0)]);
}

#[test]
fn integers_wrap_and_division_is_always_defined() {
    says("i[0] = i[1] + i[2];", &["(int)((uint)e", " + (uint)e"]);
    says("i[0] = -i[1];", &["(int)(0u - (uint)e"]);
    says("u[0] = u[1] + u[2];", &["= e", " + e"]);
    says("u[0] = u[1] / u[2];", &[" == 0u ? 1u : "]);
    says("i[0] = i[1] % i[2];", &[" == 0 || (", " == -1) ? 1 : "]);
    says("u[0] = u[1] % 3u;", &[" % 3u;"]);
    says("f[0] = f[1] % f[2];", &["* trunc("]);
    says("let a = vec3i(i[0]) / vec3i(i[1]); i[2] = a.x;", &["select(", "(int3)(1)"]);
}

#[test]
fn conversions_are_those_of_wgsl() {
    says("i[0] = i32(f[0]);", &["convert_int_sat("]);
    says("u[0] = u32(i[0]);", &["(uint)(e"]);
    says("u[0] = bitcast<u32>(f[0]);", &["as_uint("]);
    says("u[0] = u32(f[0] > 1.0);", &["(uint)(e"]);
    says("let a = vec2f(vec2u(u[0])); f[0] = a.x;", &["convert_float2("]);
}

#[test]
fn components_that_hold_are_minus_one_and_scalars_are_one() {
    says(
        "let a = vec3f(f[0]) < v[1]; u[0] = u32(a.y) + u32(all(a));",
        &["int3", ".s1 != 0)", "all("],
    );
    says(
        "let a = vec2(f[0] > 1.0, f[1] > 2.0); u[0] = u32(any(a));",
        &["(int2)(-e", ", -e", "any("],
    );
    says("let a = select(v[0], v[1], v[0] < v[1]); f[0] = a.x;", &["select(e"]);
}

#[test]
fn matrices_are_columns() {
    says(
        "let a = m[0] * m[1]; let b = a * vec4f(v[0], 1.0); f[0] = b.w;",
        &["typedef struct { float4 c[4]; } mat4x4;", "(mat4x4){{", ".c[3] * ", "(float4)(e"],
    );
    says("let a = transpose(m[0]); f[0] = a[1].x;", &["(float4)(e", ".c[0].s1, "]);
}

#[test]
fn functions_of_numbers_are_those_of_wgsl() {
    says("f[0] = round(f[1]);", &["rint("]);
    says("f[0] = fract(f[1]);", &[" - floor("]);
    says("f[0] = mix(f[1], f[2], f[3]);", &["* (1.0f - "]);
    says("u[0] = countTrailingZeros(u[1]);", &["popcount(~"]);
    says("f[0] = dot(v[0], v[1]);", &["dot("]);
    says("i[0] = clamp(i[1], 0, 3);", &["min(max("]);
}

#[test]
fn loops_and_cases_go_where_those_of_wgsl_go() {
    says(
        "for (var a = 0u; a < 4u; a++) { if u[a] == 1u { continue; } u[a] = 2u; }",
        &["while (1) {", "goto next_1;", "next_1:;", "l0 = "],
    );
    says("loop { if u[0] == 1u { continue; } if u[0] == 2u { break; } }", &["continue;", "break;"]);
    says(
        "switch u[0] { case 1u, 2u: { u[1] = 1u; } default: { u[1] = 2u; } }",
        &["switch (", "case 1u: {", "}\n", "case 2u: {", "} break;", "default: {", "} break;"],
    );
}

#[test]
fn atomics_are_calls() {
    says("_ = atomicAdd(&list.count, 1u);", &["atomic_add(&g4[0].m0, 1u)"]);
    says("u[0] = atomicLoad(&list.count);", &["atomic_or(&g4[0].m0, 0)"]);
    says(
        "let old = atomicCompareExchangeWeak(&list.count, 1u, 2u); if old.exchanged { u[0] = 1u; }",
        &["= {atomic_cmpxchg(&g4[0].m0, 1u, 2u)};", ".m1 = e", ".m0 == 1u;"],
    );
}

#[test]
fn unsupported_constructs_are_rejected() {
    let refused = |text: &str| kernel(text).unwrap_err().to_string();
    let subgroups = "@group(0) @binding(0) var<storage, read_write> a: u32;
        @compute @workgroup_size(32) fn main() { a = subgroupAdd(1u); }";
    assert!(refused(subgroups).contains("subgroups"));
    let texture = "@group(0) @binding(0) var image: texture_storage_2d<r32uint, write>;
        @compute @workgroup_size(32) fn main() { textureStore(image, vec2u(), vec4u()); }";
    assert!(refused(texture).contains("textures"));
    let halves = "enable f16; @group(0) @binding(0) var<storage, read_write> a: array<f16>;
        @compute @workgroup_size(32) fn main() { a[0] = 1.0h; }";
    assert!(refused(halves).contains("scalars of this kind"));
}
