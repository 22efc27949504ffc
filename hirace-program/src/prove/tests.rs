use super::*;
use crate::front::wgsl;
use std::collections::BTreeMap;

/// A dispatch of `workgroups` workgroups, in which all buffers have one length and every word has one value.
struct Given {
    workgroups: [u32; 3],
    bytes: Option<u32>,
    word: Option<u32>,
}

impl Facts for Given {
    fn workgroups(&self) -> Option<[u32; 3]> {
        Some(self.workgroups)
    }
    fn length(&self, _: Handle<GlobalVariable>) -> Option<u32> {
        self.bytes
    }
    fn word(&self, _: Handle<GlobalVariable>, _: u32) -> Option<u32> {
        self.word
    }
}

/// Four workgroups of 64 invocations, and buffers of 1,024 words.
const FOUR: Given = Given { workgroups: [4, 1, 1], bytes: Some(4096), word: Some(16) };

const HEAD: &str = "
    struct Pair { x: u32, y: vec2<u32> }
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> b: array<u32>;
    @group(0) @binding(2) var<uniform> n: u32;
    @group(0) @binding(3) var<storage, read_write> pairs: array<Pair>;
    @group(0) @binding(4) var<storage, read_write> flags: array<atomic<u32>>;
    @group(0) @binding(5) var<storage, read> fixed: array<u32>;
    @group(0) @binding(6) var image: texture_storage_2d<r32uint, read_write>;
    var<workgroup> t: array<u32, 128>;
    var<workgroup> s: array<array<u32, 17>, 16>;
    var<workgroup> one: u32;
    fn put(i: u32, v: u32) { a[i] = v; }
";

/// Returns each access of the body with its proof, for workgroups of this size.
fn proved_in(given: &Given, size: &str, body: &str) -> Vec<(String, Option<Proof>)> {
    proved_by(given, size, body, Rules::default())
}

fn program(size: &str, body: &str) -> Program {
    let text = format!(
        "{HEAD} @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) l: u32,
            @builtin(local_invocation_id) lid: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>,
            @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) ws: vec3<u32>) {{ {body} }}"
    );
    let parsed = match wgsl::parse("test.wgsl", &text) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error}: {:?} in {body}", error.notes),
    };
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

fn proved_by(given: &Given, size: &str, body: &str, rules: Rules) -> Vec<(String, Option<Proof>)> {
    let program = program(size, body);
    let proofs = prove_with_rules(&program, 0, given, rules);
    let reached = program.calls.reachable([crate::ir::walk::FunctionId::Entry(0)]);
    let accesses = program.sites.accesses().filter(|(_, site, _)| reached.contains(&site.function));
    accesses
        .map(|(id, site, _)| (program.source.snippet(site.span).to_owned(), proofs.get(id)))
        .collect()
}

fn proved(body: &str) -> Vec<(String, Option<Proof>)> {
    proved_in(&FOUR, "64", body)
}

/// Asserts that all accesses in each of these bodies are proved.
#[track_caller]
fn all_proved(bodies: &[&str]) {
    for body in bodies {
        let proved = proved(body);
        assert!(!proved.is_empty(), "{body}");
        assert!(proved.iter().all(|(_, proof)| proof.is_some()), "{body}: {proved:?}");
    }
}

/// Asserts that each of these bodies has an access that is not proved.
#[track_caller]
fn some_watched(bodies: &[&str]) {
    for body in bodies {
        let proved = proved(body);
        assert!(proved.iter().any(|(_, proof)| proof.is_none()), "{body}: {proved:?}");
    }
}

#[test]
fn words_of_one_invocation_each_are_proved_and_shared_ones_are_not() {
    all_proved(&[
        "a[g.x] = 1u;",
        "a[g.x] = b[g.x]; b[g.x] = 2u;",
        "a[g.x * 2u] = 1u; a[g.x * 2u + 1u] = 2u;",
        "a[w.x * 64u + l] += 1u;",
        "a[255u - g.x] = 1u;",
        "let i = g.x; put(i + 1u, l);",
        "a[(g.x << 1u) + 3u] = 1u;",
        "let p = &a[g.x]; *p = 1u;",
        "pairs[g.x % 256u].x = 1u;",
        "a[i32(g.x)] = 1u;",
        "a[g.x / 2u * 2u + g.x % 2u] = 1u;",
        "a[g.x ^ 1u] = 1u;",
        "a[g.x & 255u] = 1u;",
        "a[select(g.x, g.x + 0u, l > 3u)] = 1u;",
        "textureStore(image, g.xy, vec4(1u));",
        "a[min(g.x, 1000u)] = 1u;",
    ]);
    some_watched(&[
        "a[l] = 1u;",
        "a[g.x / 2u] = 1u;",
        "a[g.x * 2u] = 1u; a[g.x * 2u + 2u] = 2u;",
        "a[w.x * 63u + l] = 1u;",
        "a[g.x & 127u] = 1u;",
        "a[g.x] = a[g.x + 1u];",
        "a[0] = l;",
        "a[g.x | 1u] = 1u;",
        "a[b[g.x]] = 1u;",
        "put(0u, l);",
        "a[select(g.x, g.x + 1u, l > 3u)] = 1u;",
        "textureStore(image, g.xy / 2u, vec4(1u));",
        "pairs[g.x % 128u].x = 1u;",
        "a[min(g.x, 100u)] = 1u;",
    ]);
}

#[test]
fn storage_has_no_barrier_between_workgroups() {
    all_proved(&["a[g.x] = 1u; storageBarrier(); a[g.x + 256u] = 2u;"]);
    some_watched(&["a[g.x] = 1u; storageBarrier(); a[g.x + 64u] = 2u;"]);
    // A storage barrier orders accesses within a workgroup.
    all_proved(&["a[g.x] = 1u; storageBarrier(); b[g.x] = a[w.x * 64u + 63u - l];"]);
    some_watched(&[
        "a[g.x] = 1u; workgroupBarrier(); b[g.x] = a[w.x * 64u + 63u - l];",
        "a[g.x] = 1u; b[g.x] = a[w.x * 64u + 63u - l];",
    ]);
}

#[test]
fn strides_are_held_to_the_extents_of_the_launch() {
    let square = Given { workgroups: [1, 1, 1], bytes: Some(4096), word: None };
    for (stride, is_proved) in [(1, false), (2, false), (3, false), (4, true), (5, true)] {
        let body = format!("a[g.y * {stride}u + g.x] = 1u;");
        let proved = proved_in(&square, "4, 4", &body);
        assert_eq!(proved[0].1.is_some(), is_proved, "{body}");
    }
    // The stride is a uniform that is known, or not.
    for (word, is_proved) in [(Some(8), false), (Some(16), true), (Some(100), true), (None, false)]
    {
        let given = Given { workgroups: [2, 2, 1], bytes: Some(1 << 16), word };
        let proved = proved_in(&given, "8, 8", "a[g.y * n + g.x] = 1u;");
        assert_eq!(proved[0].1.is_some(), is_proved, "{word:?}");
        // With guards, a narrow stride is sufficient.
        let proved = proved_in(&given, "8, 8", "if (g.x >= n) { return; } a[g.y * n + g.x] = 1u;");
        assert_eq!(proved[0].1.is_some(), word.is_some(), "{word:?}");
        let guarded = "if (g.x < n && g.y < n) { a[g.y * n + g.x] = 1u; }";
        let proved = proved_in(&given, "8, 8", guarded);
        assert_eq!(proved[0].1.is_some(), word.is_some(), "{word:?}");
    }
}

#[test]
fn what_wraps_is_not_proved() {
    // 2^31 times an even number is 0.
    some_watched(&["a[g.x * 2147483648u] = 1u;", "a[(g.x << 31u) >> 31u] = 1u;"]);
    some_watched(&["a[(g.x - 1u) % 256u] = 1u;"]);
    all_proved(&["if (g.x > 0u) { a[g.x - 1u] = 1u; }"]);
    some_watched(&["if (g.x > 0u) { a[g.x - 1u] = 1u; } a[g.x] = 2u;"]);
}

#[test]
fn what_would_wrap_is_proved_where_a_guard_says_that_it_does_not() {
    all_proved(&[
        "let i = g.x - 1u; if (g.x > 0u) { a[i] = 1u; }",
        "let i = (g.x - 2u) * 2u + 1u; if (g.x >= 2u && g.x < 100u) { a[i] = 1u; }",
        "let p = vec2<i32>(g.xy) - 3; let i = u32(p.x); if (all(p.xx >= vec2(0))) { a[i] = 1u; }",
    ]);
    some_watched(&[
        "let i = g.x - 1u; if (g.x > 0u) { a[i] = 1u; } a[g.x] = 2u;",
        "let i = g.x - 1u; a[i] = 1u;",
        "let i = (g.x - 2u) * 2u + 1u; if (g.x >= 1u && g.x < 100u) { a[i % 1024u] = 1u; }",
        "let p = vec2<i32>(g.xy) - 3; let i = u32(p.x); if (any(p.xx >= vec2(-1, 4))) { a[i] = 1u; }",
        "let i = i32(g.x) - 3; let h = i / 2; if (i >= -3) { a[h] = 1u; }",
    ]);
}

#[test]
fn memory_that_nothing_writes_holds_the_same_for_all() {
    all_proved(&[
        "t[l + b[0] % 4u] = 1u;",
        "t[l + b[w.x] % 4u] = 1u;",
        "for (var i = 0u; i < b[w.x]; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; workgroupBarrier(); }",
        "let i = atomicLoad(&flags[1]) % 4u; t[l + i] = 1u;",
    ]);
    some_watched(&[
        "t[l + b[l] % 4u] = 1u;",
        "t[l + b[0] % 4u] = 1u; b[g.x] = 1u;",
        "a[g.x + b[w.x] % 4u] = 1u;",
        "for (var i = 0u; i < b[w.x]; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; workgroupBarrier(); } b[g.x] = 1u;",
        "let i = atomicLoad(&flags[1]) % 4u; atomicStore(&flags[1], l); t[l + i] = 1u;",
    ]);
}

#[test]
fn an_index_that_may_be_clamped_is_not_proved() {
    for (words, is_proved) in [(256, true), (255, false), (10, false)] {
        let given = Given { bytes: Some(words * 4), ..FOUR };
        assert_eq!(proved_in(&given, "64", "a[g.x] = 1u;")[0].1.is_some(), is_proved, "{words}");
        let guarded = "if (g.x < arrayLength(&a)) { a[g.x] = 1u; }";
        assert!(proved_in(&given, "64", guarded)[0].1.is_some(), "{words}");
    }
    let unknown = Given { bytes: None, ..FOUR };
    assert!(proved_in(&unknown, "64", "a[g.x] = 1u;")[0].1.is_none());
    some_watched(&["t[l * 3u] = 1u;"]);
    all_proved(&["t[l * 2u] = 1u;"]);
}

#[test]
fn granules_are_touched_as_wholes() {
    // A store to a component writes the whole vector.
    some_watched(&["pairs[g.x / 2u % 256u].y[g.x % 2u] = 1u;"]);
    all_proved(&["pairs[g.x % 256u].y[g.x % 2u] = 1u;", "pairs[g.x % 256u] = Pair();"]);
    // Members are adjacent.
    let reads = "pairs[l].x = 1u; b[g.x] = pairs[63u - l].y.x;";
    let proved = proved_in(&Given { workgroups: [1, 1, 1], ..FOUR }, "64", reads);
    assert!(proved.iter().all(|(_, proof)| proof.is_some()), "{proved:?}");
    some_watched(&["pairs[l].y = vec2(1u); b[g.x] = pairs[63u - l].y.x;"]);
}

#[test]
fn barriers_part_what_is_done_to_workgroup_memory() {
    all_proved(&[
        "t[l] = 1u; workgroupBarrier(); a[g.x] = t[63u - l];",
        "t[l] = 1u; workgroupBarrier(); a[g.x] = t[63u - l]; workgroupBarrier(); t[l] = 2u;",
        "for (var i = 0u; i < n; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; workgroupBarrier(); }",
        "for (var i = 0u; i < 10u; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; workgroupBarrier(); }",
        "s[l / 16u][l % 16u] = 1u; workgroupBarrier(); a[g.x] = s[l % 4u][l / 16u];",
        "if (l == 0u) { one = 1u; } workgroupBarrier(); a[g.x] = one;",
        "t[l] = 1u; a[g.x] = workgroupUniformLoad(&one);",
    ]);
    some_watched(&[
        "t[l] = 1u; a[g.x] = t[63u - l];",
        "t[l] = 1u; storageBarrier(); a[g.x] = t[63u - l];",
        "t[l] = 1u; workgroupBarrier(); a[g.x] = t[63u - l]; t[l] = 2u;",
        // Without the second barrier, the next iteration begins too early.
        "for (var i = 0u; i < n; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; }",
        "for (var i = 0u; i < 10u; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; }",
        // Not all invocations reach the barrier.
        "t[l] = 1u; if (l < 32u) { workgroupBarrier(); } a[g.x] = t[63u - l];",
        "if (l > 3u) { return; } t[l] = 1u; workgroupBarrier(); a[g.x] = t[3u - l];",
        "for (var i = 0u; i < l; i++) {
            t[l] = i; workgroupBarrier(); a[g.x] = t[63u - l]; workgroupBarrier(); }",
        // A workgroup may skip the barrier.
        "t[l] = 1u; if (w.x == 1u) { workgroupBarrier(); } a[g.x] = t[63u - l];",
        "one = 1u; workgroupBarrier(); a[g.x] = one;",
    ]);
}

#[test]
fn a_tree_of_sums_is_proved_by_its_guards() {
    let tree = |guard: &str, barrier: &str| {
        format!(
            "t[l] = 1u; workgroupBarrier();
            for (var h = 32u; h > 0u; h >>= 1u) {{
                if ({guard}) {{ t[l] += t[l + h]; }} {barrier}
            }}
            if (l == 0u) {{ a[w.x] = t[0]; }}"
        )
    };
    all_proved(&[
        &tree("l < h", "workgroupBarrier();"),
        // The number of iterations is unknown.
        &tree("l < h", "workgroupBarrier();").replace("h = 32u", "h = min(fixed[0], 32u)"),
    ]);
    some_watched(&[
        &tree("l <= h", "workgroupBarrier();"),
        &tree("l < h", ""),
        &tree("l < h + 1u", "workgroupBarrier();").replace("h = 32u", "h = min(fixed[0], 32u)"),
    ]);
}

#[test]
fn what_one_invocation_does_alone_is_proved() {
    assert_eq!(
        proved("if (g.x == 7u) { a[0] = 1u; a[b[0]] = 2u; }")[0].1,
        Some(Proof::OneInvocation)
    );
    assert_eq!(proved("if (l == 0u) { one = 1u; one += 2u; }")[0].1, Some(Proof::OneInvocation));
    some_watched(&[
        "if (l == 0u) { a[0] = 1u; }",
        "if (l < 2u) { one = 1u; }",
        "if (l == 0u) { one = 1u; } if (l == 1u) { one = 2u; }",
    ]);
    let single = Given { workgroups: [1, 1, 1], ..FOUR };
    let proved = proved_in(&single, "1", "a[fixed[3]] = 1u; a[b[2]] = 2u;");
    assert!(proved.iter().all(|(_, proof)| proof.is_some()));
}

#[test]
fn what_nobody_gets_to_is_proved() {
    let unreached = |body| proved(body)[0].1 == Some(Proof::Unreached);
    assert!(unreached("if (g.x > 255u) { a[0] = 1u; }"));
    assert!(unreached("if (n == 16u) { return; } a[0] = 1u;"));
    assert!(unreached("for (var i = n; i < 16u; i++) { a[0] = 1u; workgroupBarrier(); }"));
    some_watched(&["if (g.x > 254u) { a[0] = 1u; } a[0] = 2u;", "if (n == 16u) { a[0] = 1u; }"]);
}

#[test]
fn a_long_loop_with_barriers_is_proved_by_what_holds_in_each_iteration() {
    let trees = |iterations| {
        format!(
            "for (var i = 0u; i < {iterations}u; i++) {{
                t[l] = i; workgroupBarrier();
                for (var h = 32u; h > 0u; h >>= 1u) {{
                    if (l < h) {{ t[l] += t[l + h]; t[l] ^= t[l + h]; t[l] -= t[l + h]; }}
                    workgroupBarrier();
                }}
                if (l == 0u) {{ a[w.x] = t[0]; }} workgroupBarrier();
            }}"
        )
    };
    all_proved(&[&trees(3), &trees(30), &trees(3000)]);
    some_watched(&[
        &trees(30).replace("if (l == 0u) { a[w.x] = t[0]; } workgroupBarrier();", "a[g.x] = t[0];")
    ]);
}

#[test]
fn loops_over_the_grid_are_proved() {
    all_proved(&[
        "for (var i = g.x; i < 1000u; i += 256u) { a[i] = 1u; }",
        "for (var i = g.x; i < arrayLength(&a); i += ws.x * 64u) { a[i] = 1u; }",
        "for (var i = 0u; i < 4u; i++) { a[g.x * 4u + i] = 1u; }",
        "for (var i = 0u; i < 4u; i++) { a[g.x + i * 256u] = 1u; }",
        "var i = 0u; loop { if (i >= 4u) { break; } a[g.x * 4u + i] = 1u; i++; }",
        "for (var i = l; i < 128u; i += 64u) { t[i] = 1u; }",
    ]);
    some_watched(&[
        "for (var i = g.x; i < 1000u; i += 255u) { a[i] = 1u; }",
        "for (var i = 0u; i < 5u; i++) { a[g.x * 4u + i] = 1u; }",
        "for (var i = 0u; i <= 4u; i++) { a[(g.x * 4u + i) % 1024u] = 1u; }",
        "for (var i = l; i < 128u; i += 32u) { t[i] = 1u; }",
        "for (var i = g.x; i < 1000u; i += b[0]) { a[i] = 1u; }",
        "var i = g.x; for (var k = 0u; k < 3u; k++) { if (b[k] == 1u) { i += 1u; } a[i] = k; }",
    ]);
}

#[test]
fn atomics_conflict_with_plain_accesses_alone() {
    let proved = |body| proved(body).into_iter().map(|(_, proof)| proof).collect::<Vec<_>>();
    assert_eq!(proved("atomicAdd(&flags[0], 1u);"), [Some(Proof::NoConflict)]);
    assert_eq!(proved("b[g.x] = a[0];")[0], Some(Proof::NoConflict));
}

#[test]
fn variables_hold_what_was_stored() {
    all_proved(&[
        "var i = l; i = g.x; a[i] = 1u;",
        "var i = g.x; if (l > 3u) { i += 256u; } else { i += 0u; } a[g.x] = i;",
        "var p = vec2(g.x, 0u); p.y = 1u; a[p.x] = p.y;",
        "var i = 5u; switch (n) { case 16u: { i = g.x; } default: { return; } } a[i] = 1u;",
    ]);
    some_watched(&[
        "var i = g.x; i = l; a[i] = 1u;",
        "var i = g.x; if (b[0] > 3u) { i = 0u; } a[i] = 1u;",
        "var p = vec2(g.x, 0u); p[b[0]] = 1u; a[p.x] = p.y;",
        "var i = g.x; switch (b[g.x]) { case 1u: { i = 0u; } default: {} } a[i] = 1u;",
        "var i = g.x; loop { i = 0u; if (b[w.x] == 1u) { break; } } a[i] = 1u;",
    ]);
}

#[test]
fn values_of_other_iterations_are_not_those_of_this_one() {
    let last = "var last = 0u; for (var i = 1u; i < n; i++) {
            if (l == 0u) { t[i] = 1u; } a[g.x] = t[last]; last = i; workgroupBarrier(); }";
    all_proved(&[last]);
    some_watched(&[
        // An element that is written in one iteration is read in the next.
        &last.replace("workgroupBarrier();", ""),
        "for (var i = 0u; i < 50u; i++) { if (l == 0u) { t[i] = 1u; } a[g.x] = t[i + 1u]; }",
    ]);
}

#[test]
fn indices_that_are_in_bounds_are_known() {
    let within = |body: &str| {
        let program = program("64", body);
        let proofs = prove(&program, 0, &FOUR);
        let sites = program
            .sites
            .accesses()
            .filter(|(_, site, _)| matches!(site.function, crate::ir::walk::FunctionId::Entry(_)));
        sites.map(|(site, ..)| proofs.is_in_bounds(site)).collect::<Vec<_>>()
    };
    for body in [
        "a[g.x] = 1u;",
        "t[l * 2u] = 1u;",
        "let i = a[0]; if (i < 1024u) { a[i] = 1u; }",
        "a[fixed[0] % 1024u] = 1u;",
        "for (var i = l; i < arrayLength(&a); i += 64u) { a[i] = 1u; }",
        "pairs[g.x].y[l % 2u] = 1u;",
    ] {
        assert!(within(body).into_iter().all(|within| within), "{body}");
    }
    for body in [
        "a[g.x + 800u] = 1u;",
        "a[i32(l) - 1] = 1u;",
        "let i = a[0]; if (i <= 1024u) { a[i] = 1u; }",
        "for (var i = l; i <= arrayLength(&a); i += 64u) { a[i] = 1u; }",
        "pairs[g.x].y[l % 3u] = 1u;",
        // In bounds in one iteration, but not in the other.
        "for (var k = 0u; k < 2u; k++) { a[g.x + k * 800u] = 1u; workgroupBarrier(); }",
    ] {
        assert!(within(body).contains(&false), "{body}");
    }
}

#[test]
fn iterations_of_loops_that_count_are_bounded() {
    let iterations = |body: &str| {
        let program = program("64", body);
        let proofs = prove(&program, 0, &FOUR);
        let mut loops = program.sites.list.iter().zip(0..);
        let at = loops.find(|(site, _)| site.kind == crate::ir::sites::SiteKind::Loop).unwrap().1;
        proofs.max_iterations(SiteId(at))
    };
    for (body, most) in [
        ("for (var i = 0u; i < 10u; i++) { a[g.x] = i; }", 10),
        ("for (var i = l; i < n; i += 4u) { a[g.x] = i; }", 4),
        ("for (var i = 0u; i < 10u; i++) { a[g.x] = i; workgroupBarrier(); }", 10),
        ("loop { a[g.x] = 1u; break; }", 1),
    ] {
        let iterations = iterations(body).unwrap();
        assert!((most..=most + 2).contains(&iterations), "{iterations} in {body}");
    }
    assert_eq!(iterations("while (a[0] == 0u) { a[g.x] = 1u; }"), None);
    let doubled = iterations("for (var i = 1u; i < n; i = i * a[0]) { a[g.x] = i; }");
    assert_eq!(doubled, None);
    // The bound may be any number.
    assert!(
        iterations("for (var i = 0u; i < a[0]; i++) { a[g.x] = i; }").is_none_or(|it| it > 1 << 30)
    );
}

#[test]
fn too_much_is_not_proved() {
    let long = "a[g.x] = 1u; ".repeat(2_000);
    some_watched(&[&long]);
}

#[test]
fn without_any_of_the_rules_something_is_proved_that_races() {
    for (rule, body) in [
        (Rule::Wrapping, "a[(g.x << 31u) >> 31u] = 1u;"),
        (Rule::Bounds, "t[l * 3u] = 1u;"),
        (Rule::Extents, "pairs[g.x % 256u].y = vec2(1u); let v = pairs[255u - g.x].y.y;"),
        (Rule::Workgroups, "a[l] = 1u;"),
        (Rule::Neighbors, "if (l < 2u) { one = 1u; }"),
        (Rule::Classes, "t[l] = 1u; storageBarrier(); a[g.x] = t[63u - l];"),
        (
            Rule::Divergence,
            "if (l < 32u) { t[l] = 1u; workgroupBarrier(); }
            else { workgroupBarrier(); a[g.x] = t[63u - l]; }",
        ),
        (
            Rule::Iterations,
            "for (var i = 0u; i < 50u; i++) { if (l == 0u) { t[i] = 1u; } a[g.x] = t[i + 1u]; }",
        ),
        (
            Rule::Loops,
            "var x = 0u; var y = 0u; for (var i = 0u; i < fixed[w.x]; i++) { workgroupBarrier();
            if (l == 0u) { t[x % 64u] = 1u; } a[g.x] = t[x % 64u + 1u]; x = y; y = l; }",
        ),
        (Rule::Ways, "if (fixed[w.x] == 1u) {} else { a[0] = 1u; }"),
        (Rule::Branches, "var i = 0u; if (b[w.x] > 3u) { i = g.x; } a[i] = 1u;"),
        (
            Rule::Loads,
            "let i = b[g.x] % 64u; b[g.x] = 1u; if (l == 0u) { t[i] = 1u; } a[g.x] = t[i + 1u];",
        ),
        (Rule::Reads, "t[l] = 1u; a[g.x] = t[63u - l];"),
    ] {
        some_watched(&[body]);
        let proved = proved_by(&FOUR, "64", body, Rules::without(rule));
        assert!(proved.iter().all(|(_, proof)| proof.is_some()), "{rule:?}: {proved:?}");
    }
}

#[test]
fn barriers_after_some_invocations_have_left_an_outer_loop_order_nothing() {
    some_watched(&[
        "for (var k = 0u; k < 2u; k++) {
            t[l] = k;
            if (l < 32u) { continue; }
            for (var j = 0u; j < 2u; j++) { workgroupBarrier(); }
            one = t[63u - l];
        }",
        "for (var k = 0u; k < 64u; k++) {
            t[l] = k;
            if (l == k) { break; }
            switch (k & 1u) { case 0u: { workgroupBarrier(); } default: { workgroupBarrier(); } }
            a[g.x] = t[63u - l];
        }",
    ]);
}
