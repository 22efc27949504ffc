//! Tests of the uniformity analysis.

use super::*;

const HEAD: &str = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @group(0) @binding(1) var<uniform> n: u32;
        @group(0) @binding(2) var<storage, read> fixed: array<u32>;
        var<workgroup> tile: array<u32, 64>;
        var<private> mine: u32;
        fn sync() { workgroupBarrier(); }
        fn sync_if(on: bool) { if (on) { workgroupBarrier(); } }
        fn put(p: ptr<function, u32>, v: u32) { *p = v; }
        fn wait_some(v: u32) -> u32 { if (v > 3u) { return 1u; } return 2u; }
    ";

/// Returns the program whose entry point has this body.
fn program(body: &str) -> Program {
    let text = format!(
            "{HEAD}
            @compute @workgroup_size(64)
            fn main(
                @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>) {{ {body} }}"
        );
    let parsed = crate::front::wgsl::parse("test.wgsl", &text).expect("it parses");
    Program::new(&parsed, &Default::default()).expect("it is valid")
}

/// Returns the origins of the non-uniform barriers in this body.
fn origins(body: &str) -> Vec<&'static str> {
    let found = non_uniform_barriers(&program(body), 0).into_iter();
    found.map(|found| crate::report::words::varying(found.origin.what)).collect()
}

/// Returns the number of operations in this body for which browsers refuse the module.
fn refused(body: &str) -> usize {
    non_uniform_operations(&program(body), 0).len()
}

#[test]
fn browsers_refuse_barriers_after_a_non_uniform_continue() {
    for (body, count) in [
        (
            "for (var i = 0u; i < n; i++) { workgroupBarrier(); if (l > 3u) { continue; } data[l] = 1u; }",
            1,
        ),
        (
            "loop { if (l > 2u) { continue; } continuing { workgroupBarrier(); break if n > 2u; } }",
            1,
        ),
        (
            "for (var i = 0u; i < n; i++) { if (l > 3u) { continue; } data[l] = 1u; } workgroupBarrier();",
            0,
        ),
        (
            "for (var i = 0u; i < n; i++) { workgroupBarrier(); if (n > 3u) { continue; } data[l] = 1u; }",
            0,
        ),
        ("mine = 3u; if (mine == 3u) { workgroupBarrier(); }", 1),
    ] {
        assert_eq!(refused(body), count, "{body}");
    }
}

#[test]
fn uniform_control_flow_is_not_reported() {
    for body in [
        "workgroupBarrier();",
        "if (n > 3u) { workgroupBarrier(); }",
        "if (fixed[g.x] == 0u) { storageBarrier(); }",
        "if (l < 3u) { data[l] = 1u; } workgroupBarrier();",
        "for (var s = 32u; s > 0u; s /= 2u) { if (l < s) { tile[l] = 1u; } workgroupBarrier(); }",
        "for (var i = 0u; i < n; i++) { if (i == 7u) { break; } workgroupBarrier(); }",
        "for (var i = l; i < n; i += 64u) { data[i] = 1u; } workgroupBarrier();",
        "let v = workgroupUniformLoad(&tile[3]); if (v == 1u) { workgroupBarrier(); }",
        "var x = l; x = 3u; if (x == 3u) { workgroupBarrier(); }",
        "let w = wait_some(l); workgroupBarrier(); data[l] = w;",
        "if (n == 0u) { return; } workgroupBarrier();",
        "switch (n) { case 0u: { workgroupBarrier(); } default: { sync(); } }",
        "loop { workgroupBarrier(); if (l == 3u) { continue; } data[l] = 0u; continuing { break if n > 4u; } }",
        "sync_if(n > 2u);",
        "var x = 0u; put(&x, n); if (x == 3u) { workgroupBarrier(); }",
        // Values that are assigned on the way out of a loop or function, or in another case, do not arrive.
        "var x = 0u; loop { if (n == 3u) { x = l; break; } if (x == 1u) { workgroupBarrier(); } }",
        "var x = 0u; if (n == 3u) { x = l; return; } if (x == 1u) { workgroupBarrier(); }",
        "var x = 0u; switch (n) { case 0u: { x = l; } default: { if (x == 1u) { storageBarrier(); } } }",
    ] {
        assert_eq!(origins(body), [""; 0], "{body}");
    }
}

#[test]
fn what_makes_control_flow_non_uniform_is_named() {
    for (body, what) in [
        ("if (l < 3u) { workgroupBarrier(); }", "local_invocation_index"),
        ("if (l > n) { return; } workgroupBarrier();", "local_invocation_index"),
        ("for (var i = 0u; i < l; i++) { workgroupBarrier(); }", "local_invocation_index"),
        (
            "for (var i = 0u; i < n; i++) { if (i == l) { break; } workgroupBarrier(); }",
            "local_invocation_index",
        ),
        (
            "for (var i = 0u; i < n; i++) { if (i == l) { continue; } storageBarrier(); }",
            "local_invocation_index",
        ),
        ("if (data[0] == 0u) { workgroupBarrier(); }", "a load from writable storage memory"),
        ("if (tile[0] == 0u) { workgroupBarrier(); }", "a load from workgroup memory"),
        ("if (fixed[l] == 0u) { workgroupBarrier(); }", "local_invocation_index"),
        (
            "var x = 1u; if (l == 0u) { x = 2u; } if (x == 2u) { workgroupBarrier(); }",
            "local_invocation_index",
        ),
        ("if (l == 0u) { sync(); }", "local_invocation_index"),
        ("sync_if(l == 0u);", "local_invocation_index"),
        ("if (wait_some(l) == 1u) { workgroupBarrier(); }", "local_invocation_index"),
        ("mine = l; if (mine == 3u) { workgroupBarrier(); }", "local_invocation_index"),
        ("var x = 0u; put(&x, l); if (x == 3u) { workgroupBarrier(); }", "local_invocation_index"),
        (
            "if (l == 0u && n == 3u) { let v = workgroupUniformLoad(&tile[3]); }",
            "local_invocation_index",
        ),
        ("switch (l) { case 0u: { workgroupBarrier(); } default: {} }", "local_invocation_index"),
        // Those that left the outer loop do not arrive in the inner one.
        (
            "loop { if (l == 3u) { break; } loop { workgroupBarrier(); if (n > 4u) { break; } } }",
            "local_invocation_index",
        ),
        // The origins of two variables are exchanged in each iteration.
        (
            "var a = l; var b = data[0];
                loop { let t = a; a = b; b = t; if (n > 4u) { break; } }
                if (a == 1u) { workgroupBarrier(); }",
            "a load from writable storage memory",
        ),
    ] {
        assert_eq!(origins(body), [what], "{body}");
    }
}
