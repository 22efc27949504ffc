use crate::diagnostic::Result;
use crate::front::wgsl;
use naga::back::wgsl::WriterFlags;
use naga::valid::ModuleInfo;

/// Returns the specialized text of a file.
fn specialized(text: &str) -> Result<String> {
    let parsed = wgsl::parse("test.wgsl", text)?;
    Ok(print(&parsed.module, &parsed.info))
}

fn print(module: &naga::Module, info: &ModuleInfo) -> String {
    naga::back::wgsl::write_string(module, info, WriterFlags::empty()).unwrap()
}

/// Asserts that specializing `text` yields the same module as `expected`.
fn assert_becomes(text: &str, expected: &str) {
    let parsed = wgsl::parse("expected.wgsl", expected).unwrap();
    let expected = print(&parsed.module, &parsed.info);
    assert_eq!(specialized(text).unwrap(), expected);
}

#[test]
fn a_helper_is_cloned_for_each_variable() {
    assert_becomes(
        "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        var<workgroup> w: array<u32, 4>;
        fn put(p: ptr<storage, array<u32>, read_write>, i: u32, v: u32) { p[i] = v; }
        fn put_w(p: ptr<workgroup, array<u32, 4>>, v: u32) { (*p)[v] = v; }
        fn unused(p: ptr<workgroup, u32>) { *p = 1u; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            put(&a, l, 7u);
            put_w(&w, l);
        }",
        "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        var<workgroup> w: array<u32, 4>;
        fn put(i: u32, v: u32) { a[i] = v; }
        fn put_w(v: u32) { w[v] = v; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            put(l, 7u);
            put_w(l);
        }",
    );
}

/// Asserts that the specialized file contains each of `parts`.
fn assert_has(text: &str, parts: &[&str]) {
    let printed = specialized(text).unwrap();
    for part in parts {
        assert!(printed.contains(part), "no\n{part}\nin\n{printed}");
    }
}

#[test]
fn indices_are_evaluated_at_the_call() {
    assert_has(
        "
        struct S { pad: u32, x: array<vec2<u32>, 3> }
        @group(0) @binding(0) var<storage, read_write> a: array<S>;
        fn put(p: ptr<storage, vec2<u32>, read_write>) -> u32 { (*p).y = 1u; return p.x; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            var i = l;
            let p = &a[i + 1u].x[i];
            i = 0u;
            let q = put(p) + put(&a[2].x[i]) + put(p);
            a[0].pad = q;
        }",
        &[
            "fn put(p_index: u32, p_index_1: u32) -> u32 {\n    a[p_index].x[p_index_1].y = 1u;",
            "fn put_1(p_index_2: u32) -> u32 {\n    a[2].x[p_index_2].y = 1u;",
            "    i = l;
    let _e3 = i;
    let _e5 = (_e3 + 1u);
    let _e8 = i;
    let p = (&a[_e5].x[_e8]);
    i = 0u;
    let _e11 = put(_e5, _e8);
    let _e15 = i;
    let _e17 = put_1(_e15);
    let _e19 = put(_e5, _e8);",
        ],
    );
}

#[test]
fn helpers_pass_their_pointers_on() {
    assert_has(
        "
        @group(0) @binding(0) var<storage, read_write> a: array<array<u32, 4>>;
        @group(0) @binding(1) var<storage, read_write> b: array<array<u32, 4>>;
        fn leaf(p: ptr<storage, u32, read_write>, v: u32) { *p = v; }
        fn row(p: ptr<storage, array<u32, 4>, read_write>, v: u32) { let q = &(*p)[v]; leaf(q, v); }
        fn all(p: ptr<storage, array<array<u32, 4>>, read_write>) { row(&p[arrayLength(p) - 1u], 3u); }
        @compute @workgroup_size(1) fn main() { all(&a); all(&b); }
        @compute @workgroup_size(1) fn other() { all(&b); }",
        &[
            "fn leaf(p_index: u32, p_index_1: u32, v: u32) {\n    a[p_index][p_index_1] = v;",
            "_e3 = (arrayLength((&a)) - 1u);\n    row(_e3, 3u);",
            "_e3 = (arrayLength((&b)) - 1u);\n    row_1(_e3, 3u);",
            "fn other() {\n    all_1();",
        ],
    );
}

#[test]
fn atomics_uniforms_and_textures_are_bound_too() {
    assert_has(
        "
        @group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
        @group(0) @binding(1) var<uniform> size: vec4<u32>;
        @group(0) @binding(2) var image: texture_storage_2d<r32uint, read_write>;
        @group(0) @binding(3) var source: texture_2d<f32>;
        @group(0) @binding(4) var filtering: sampler;
        var<workgroup> n: atomic<u32>;
        fn count(p: ptr<storage, atomic<u32>, read_write>, n: ptr<workgroup, atomic<u32>>) -> u32 {
            return atomicAdd(p, 1u) + atomicLoad(n);
        }
        fn width(p: ptr<uniform, vec4<u32>>) -> u32 { return (*p).x; }
        fn mark(i: texture_storage_2d<r32uint, read_write>, at: u32) {
            textureStore(i, vec2(at, 0u), textureLoad(i, vec2(0u)));
        }
        fn pick(t: texture_2d<f32>, s: sampler) -> f32 {
            return textureSampleLevel(t, s, vec2(0.5), 0.0).x;
        }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32) {
            mark(image, count(&counts[l], &n) + width(&size) + u32(pick(source, filtering)));
        }",
        &[
            "fn count(p_index: u32) -> u32 {\n    let _e5 = atomicAdd((&counts[p_index]), 1u);",
            "atomicLoad((&n))",
            "fn width() -> u32 {\n    let _e2 = size.x;",
            "fn mark(at: u32)",
            "textureLoad(image,",
            "fn pick() -> f32",
        ],
    );
}

#[test]
fn function_memory_stays_a_parameter() {
    assert_has(
        "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        fn bump(p: ptr<function, u32>, a: ptr<storage, array<u32>, read_write>) { a[*p] += 1u; *p += 1u; }
        @compute @workgroup_size(1) fn main() { var i = 0u; bump(&i, &a); bump(&i, &a); }",
        &["fn bump(p: ptr<function, u32>)", "bump((&i));\n    bump((&i));"],
    );
}

#[test]
fn what_is_passed_must_have_the_type_of_the_parameter() {
    let error = specialized(
        "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        var<workgroup> w: u32;
        fn put(p: ptr<storage, u32, read_write>) { *p = 1u; }
        @compute @workgroup_size(1) fn main() { put(&a[0]); put(&w); }",
    )
    .unwrap_err();
    assert_eq!(
        error.message,
        "`put` takes a `ptr<storage, u32, read_write>` for `p`, but a `ptr<workgroup, u32>` is passed"
    );
    assert_eq!(error.source_map.unwrap().snippet(error.labels[0].0), "w");
}
