//! Tests address slices.

use super::Kernel;
use crate::ir::sites::SiteKind;
use crate::vm::code::{Code, Instruction};
use crate::vm::lower::lower_for_single_steps;
use crate::vm::observer::MemoryId;
use crate::vm::slice::classes::Parts;
use crate::vm::slice::{KnownFacts, Slice, Slices};
use std::collections::BTreeSet;

/// Creates a kernel with some buffers and this body.
fn kernel(body: &str) -> Kernel {
    Kernel::new(&format!(
        "
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;
        @group(0) @binding(2) var<storage, read> graph: array<u32>;
        @group(0) @binding(3) var<uniform> n: u32;
        @group(0) @binding(4) var<storage, read_write> sums: array<atomic<u32>>;
        @group(0) @binding(5) var image: texture_storage_2d<r32uint, read_write>;
        @group(0) @binding(7) var counts: texture_storage_2d<r32uint, atomic>;
        @group(0) @binding(6) var layers: texture_storage_2d_array<rgba8unorm, write>;
        var<workgroup> tile: array<f32, 64>;
        fn heavy(x: f32) -> f32 {{ return sqrt(x) * sin(x); }}
        fn found(i: u32) -> u32 {{ if data[i] > 3u {{ return i; }} return 2u * i; }}
        fn waits() {{ workgroupBarrier(); }}
        fn less(i: u32) -> u32 {{ if i > 3u {{ return 3u; }} return i; }}
        fn touches(i: u32) {{ out[i] = 1.0; }}
        fn pick(i: u32, k: u32) -> u32 {{
            var a = array<u32, 4>(1u, 2u, 3u, 4u);
            if i > 3u {{ return 0u; }}
            if a[k] == 2u {{ return 5u; }}
            return 6u;
        }}
        fn twice(i: u32) -> u32 {{ return 2u * i; }}
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32,
            @builtin(subgroup_invocation_id) lane: u32) {{
            {body}
        }}"
    ))
}

/// Returns the slices of a kernel in which all writable memory is data.
fn slices(kernel: &Kernel) -> Option<Slices> {
    Slices::of(lower_for_single_steps(&kernel.program, 0).unwrap(), &BTreeSet::new())
}

/// Returns the slice of a kernel with this body.
fn sliced(body: &str) -> Option<(Kernel, Slice)> {
    let kernel = kernel(body);
    let slice = slices(&kernel)?.slice(&KnownFacts::default());
    Some((kernel, slice))
}

/// Returns the names of the memories that a slice of this body leaves undecided, and of those that it reads.
fn of(body: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let Some((kernel, slice)) = sliced(body) else { panic!("no slice: {body}") };
    let names = |ids: &BTreeSet<MemoryId>| {
        let all =
            ["out", "data", "graph", "n", "sums", "tile", "image", "layers", "counts"].into_iter();
        all.filter(|name| ids.contains(&MemoryId(kernel.index(name) as u32))).collect()
    };
    (names(&slice.undecided), names(&slice.reads))
}

fn count(code: &Code, is: impl Fn(&Instruction) -> bool) -> usize {
    code.instructions.iter().filter(|one| is(one)).count()
}

#[test]
fn slice_drops_data_computations() {
    let body = "tile[l] = heavy(out[id.x]); workgroupBarrier();
        var sum = 0.0;
        for (var i = 0u; i < n; i++) { sum += tile[(l + i) % 64u] * heavy(sum); }
        out[twice(id.x)] = sum;";
    let whole = lower_for_single_steps(&kernel(body).program, 0).unwrap();
    let (_, Slice { code, undecided, .. }) = sliced(body).unwrap();
    assert!(undecided.is_empty());
    let computes = |one: &Instruction| matches!(one, Instruction::Compute { .. });
    assert!(count(&whole, computes) >= 2 && count(&code, computes) == 0);
    assert_eq!(count(&code, |one| matches!(one, Instruction::Store { .. })), 0);
    let loops = |one: &Instruction| matches!(one, Instruction::Loop { .. });
    assert_eq!((count(&whole, loops), count(&code, loops)), (1, 1));
    // A load and a store before the barrier, a load and a store after it, and the load of `n`.
    assert_eq!(count(&code, |one| matches!(one, Instruction::Load { .. })), 5);
}

#[test]
fn an_address_that_is_read_where_nobody_writes_is_known() {
    let body = "for (var i = graph[id.x]; i < graph[id.x + 1u]; i++) { out[graph[n + i]] = 1.0; }";
    assert_eq!(of(body), (vec![], vec!["graph", "n"]));
    assert_eq!(of("out[n + id.x] = f32(graph[id.x]);"), (vec![], vec!["n"]));
}

#[test]
fn a_memory_with_an_address_that_is_data_is_undecided() {
    assert_eq!(of("out[data[id.x]] = 1.0; data[id.x] = 2u;").0, ["out"]);
    assert_eq!(of("data[data[id.x]] = 2u; out[id.x] = 1.0;").0, ["data"]);
    assert_eq!(of("out[atomicAdd(&sums[0], 1u)] = 1.0; data[l] = 1u;").0, ["out"]);
    assert_eq!(of("out[u32(f32(id.x) * 0.5)] = 1.0;").0, ["out"]);
    assert_eq!(of("tile[l] = 1.0; workgroupBarrier(); out[u32(tile[63u - l])] = 1.0;").0, ["out"]);
    assert_eq!(of("out[graph[data[id.x]]] = 1.0;").0, ["out", "graph"]);
    assert_eq!(of("var i = id.x; i += data[l]; data[l] = i; out[i] = 1.0;").0, ["out"]);
    assert_eq!(of("out[twice(data[id.x])] = 1.0; data[twice(l)] = 1u;").0, ["out", "data"]);
    assert_eq!(of("out[lane] = 1.0;").0, ["out"]);
    assert_eq!(of("out[select(id.x, l, data[l] > 3u)] = 1.0;").0, ["out"]);
}

#[test]
fn unwritten_memory_is_known_even_if_it_is_writable() {
    let kernel = kernel("out[data[id.x]] = 1.0;");
    let data = MemoryId(kernel.index("data") as u32);
    let known = BTreeSet::from([data]);
    let knowing = Slices::of(lower_for_single_steps(&kernel.program, 0).unwrap(), &known).unwrap();
    let slice = knowing.slice(&KnownFacts::default());
    assert_eq!((slice.undecided.len(), slice.reads), (0, known));
    assert_eq!(slices(&kernel).unwrap().slice(&KnownFacts::default()).undecided.len(), 1);
}

#[test]
fn texels_are_decided_where_their_coordinates_are_no_data() {
    let none = Vec::<&str>::new();
    let load = "out[id.x] = f32(textureLoad(image, id.xy).x);";
    assert_eq!(of(load).0, none);
    assert_eq!(of("textureStore(image, vec2(l, data[l]), vec4(1u));").0, ["image"]);
    assert_eq!(of("textureStore(image, vec2(data[l], l), vec4(1u));").0, ["image"]);
    assert_eq!(of("textureStore(layers, id.xy, data[l], vec4(1.0));").0, ["layers"]);
    assert_eq!(of("textureStore(layers, id.xy, l, vec4(f32(data[l])));").0, none);
    assert_eq!(of("out[textureLoad(image, id.xy).x] = 1.0;").0, ["out"]);
    // Texture sizes are known; texels are not.
    assert_eq!(of("textureStore(image, textureDimensions(image) - id.xy, vec4(1u));").0, none);
    let body = "var at = id.xy; at.y += n; textureStore(image, at, textureLoad(image, id.xy) * u32(heavy(1.0)));";
    let (_, slice) = sliced(body).unwrap();
    assert_eq!((slice.shown().count(), slice.exact), (2, true));
    assert_eq!(count(&slice.code, |one| matches!(one, Instruction::Compute { .. })), 0);
    assert_eq!(slice.steps_without_accesses(), None);
    assert!(!sliced("if textureLoad(image, id.xy).x > n { out[l] = 1.0; }").unwrap().1.exact);
    // Known accesses are not shown, and a size query is not an access.
    assert_eq!(knowing(load, &["image", "out"]).shown().count(), 0);
    let guarded = "if any(id.xy >= textureDimensions(image)) { return; } out[id.x] = 1.0;";
    assert!(knowing(guarded, &["out"]).steps_without_accesses().is_some());
    // The operands of an operation are not its result.
    let body = "for (var i = 0u; i < n; i++) { textureAtomicAdd(counts, vec2(id.x, i), 1u); }";
    assert_eq!(of(body).0, none);
}

#[test]
fn texels_are_of_what_workgroups_share() {
    let body = "tile[l] = 1.0; textureStore(image, id.xy, vec4(1u)); textureStore(layers, id.xy, l, vec4(1.0));";
    assert_eq!(parted(body), Some((0, 1, 2)));
}

#[test]
fn private_arrays_hand_data_on() {
    let body =
        "var a = array<u32, 4>(); var b = array<u32, 4>(); a[l % 4u] = data[l]; b[l % 4u] = l;";
    assert_eq!(of(&format!("{body} out[b[n]] = 1.0;")).0, Vec::<&str>::new());
    assert_eq!(of(&format!("{body} out[a[n]] = 1.0;")).0, ["out"]);
    assert_eq!(of(&format!("{body} b[a[n] % 4u] = 1u; out[b[n]] = 1.0;")).0, ["out"]);
}

#[test]
fn where_data_decides_what_runs_all_of_it_does() {
    for (body, undecided) in [
        ("if data[l] > 3u { out[id.x] = 1.0; } else { out[l] = 2.0; }", &[][..]),
        ("if data[l] > 3u && l > 2u { out[id.x] = 1.0; }", &[]),
        ("if out[l] > 0.5 { return; } out[id.x] = 1.0;", &[]),
        // A variable that is assigned there is data after the branch, but not in it.
        ("var i = id.x; if data[l] > 3u { i = l; out[i] = 1.0; }", &[]),
        ("var i = id.x; if data[l] > 3u { i = l; } else { out[i] = 1.0; }", &["out"]),
        ("if data[l] > 3u { for (var i = l; i < n; i++) { out[i] = 1.0; } }", &[]),
        // The number of previous executions is data.
        (
            "var i = 0u; for (var j = 0u; j < n; j++) { if data[j] > 3u { out[i] = 1.0; i += 1u; } }",
            &["out"],
        ),
        (
            "for (var j = 0u; j < n; j++) { var i = j; if data[j] > 3u { i += 1u; out[i] = 1.0; } }",
            &[],
        ),
        ("for (var i = l; i < n; i++) { if data[i] > 3u { break; } out[i] = 1.0; }", &[]),
        (
            "var i = l; for (var j = 0u; j < n; j++) { if data[j] > 3u { continue; } out[i] = 1.0; i++; }",
            &["out"],
        ),
        (
            "for (var j = 0u; j < n; j++) { if data[j] > 3u { continue; } let i = j + 1u; out[i] = 1.0; }",
            &[],
        ),
        (
            "for (var j = 0u; j < n; j++) { for (var i = j; i < n; i++) { if data[i] > 3u { break; } out[i] = 1.0; } }",
            &[],
        ),
        ("var a = array<u32, 4>(); if data[l] > 3u { a[l % 4u] = 1u; } out[a[n]] = 1.0;", &["out"]),
        ("if data[l] > 3u { textureStore(image, id.xy, vec4(1u)); }", &[]),
        ("if data[l] > 3u { touches(l); }", &[]),
        ("if data[l] > 3u { data[l] = found(l); }", &[]),
        // The index may be out of bounds in an invocation that does not reach the access.
        ("data[l] = pick(data[l], l);", &[]),
    ] {
        assert_eq!(of(body).0, undecided, "{body}");
        assert!(!sliced(body).unwrap().1.exact, "{body}");
    }
    for body in [
        "for (var i = 0u; i < n; i++) { let x = data[i]; if x > 3u { return; } }",
        "var x = l; for (var i = 0u; i < n; i++) { if data[i] > 3u { break; } x += 1u; } data[l] = x;",
        "var x = l; if data[l] > 3u { for (var i = 0u; i < n; i++) { x += x; } } data[l] = x;",
    ] {
        assert!(!sliced(body).unwrap().1.exact, "{body}");
    }
}

#[test]
fn slices_are_exact_if_data_decides_nothing_visible() {
    for (body, undecided) in [
        (
            "var x = 1.0; if data[l] > 3u { x = 2.0; } else { x = heavy(x); } out[id.x] = x;",
            &[][..],
        ),
        ("data[l] = less(less(data[l]));", &[]),
        ("for (var i = 0u; i < n; i++) { data[i] = less(data[i]); }", &[]),
        ("out[id.x] = 1.0; if data[l] > 3u { return; }", &[]),
        ("var i = id.x; if data[l] > 3u { i = l; } out[i] = 1.0;", &["out"]),
        ("var i = found(l); out[i] = 1.0;", &["out"]),
        ("if graph[l] > n { out[id.x] = 1.0; }", &[]),
    ] {
        assert_eq!(of(body).0, undecided, "{body}");
        assert!(sliced(body).unwrap().1.exact, "{body}");
    }
}

#[test]
fn what_might_not_end_or_pass_other_barriers_has_no_slice() {
    for body in [
        "for (var i = 0u; i < data[l]; i++) { out[i] = 1.0; }",
        // The number of iterations so far is data and determines when the loop ends.
        "var i = l; for (; i < n; i++) { if data[i] > 3u { break; } } out[i] = 1.0;",
        "var i = l; for (var j = 0u; j < n; j++) { for (; i < n; i++) { if data[i] > 3u { break; } out[i] = 1.0; } }",
        "while atomicLoad(&sums[0]) == 0u {} out[id.x] = 1.0;",
        "switch data[l] { case 1u: { out[id.x] = 1.0; } default: {} }",
        "if data[l] > 3u { workgroupBarrier(); } out[id.x] = 1.0;",
        "if data[l] > 3u { return; } workgroupBarrier(); out[id.x] = 1.0;",
        "for (var i = 0u; i < n; i++) { if data[0] > 3u { break; } workgroupBarrier(); }",
        "for (var i = 0u; i < n; i++) { if data[0] > 3u { continue; } workgroupBarrier(); }",
        "if data[l] > 3u { waits(); }",
        "out[id.x] = f32(subgroupAdd(l));",
        "tile[l] = 1.0; subgroupBarrier(); out[id.x] = tile[l];",
    ] {
        assert!(sliced(body).is_none(), "{body}");
    }
}

#[test]
fn an_if_in_which_nothing_is_touched_is_gone() {
    let body = "var x = out[id.x]; if l > 3u { if l > 4u { x = sqrt(x); } else { x *= 2.0; } } out[id.x] = x;
        if l > 5u { data[l] = 1u; }";
    let (_, Slice { code, .. }) = sliced(body).unwrap();
    assert_eq!(count(&code, |one| matches!(one, Instruction::If { .. })), 1);
    assert_eq!(count(&code, |one| matches!(one, Instruction::EndIf)), 1);
}

/// Returns the slice of a kernel with this body if accesses through these names need not be shown, and each
/// loop is known to have ten iterations.
fn knowing(body: &str, names: &[&str]) -> Slice {
    let kernel = kernel(body);
    let sites = &kernel.program.sites;
    let is_named = |global: usize| names.iter().any(|name| kernel.index(name) == global);
    let accesses = sites.accesses().filter(|(_, _, access)| is_named(access.global.index()));
    let loops = sites.list.iter().zip(0..).filter(|(site, _)| site.kind == SiteKind::Loop);
    let known = KnownFacts {
        accesses: accesses.map(|(site, _, _)| site).collect(),
        max_iterations: loops.map(|(_, number)| (crate::ir::sites::SiteId(number), 10)).collect(),
        max_skipped_steps: 1_000,
        is_uniform: true,
    };
    slices(&kernel).unwrap().slice(&known)
}

#[test]
fn slice_drops_uninteresting_accesses_and_their_loops() {
    let idle = "for (var i = 0u; i < n; i++) { data[twice(l + i)] = i; }";
    let of = |body: &str, names: &[&str]| {
        let Slice { code, .. } = knowing(body, names);
        let loops = count(&code, |one| matches!(one, Instruction::Loop { .. }));
        (loops, count(&code, |one| matches!(one, Instruction::Pass { .. })))
    };
    assert_eq!(of(idle, &[]), (1, 0));
    assert_eq!(of(idle, &["data"]), (0, 1));
    let nested = format!("for (var j = 0u; j < n; j++) {{ {idle} }}");
    assert_eq!(of(&nested, &["data"]), (0, 1));
    assert_eq!(
        knowing(&nested, &["data"]).steps_without_accesses().map(|steps| steps > 200),
        Some(true)
    );
    // Takes more steps than are allowed.
    let deeper = format!("for (var k = 0u; k < n; k++) {{ {nested} }}");
    assert_eq!(of(&deeper, &["data"]), (1, 1));
    // Accesses that are shown, values that are needed, exits of invocations, and barriers.
    assert_eq!(of(&format!("{idle} out[l] = 1.0;"), &["data"]), (0, 1));
    assert_eq!(of("for (var i = 0u; i < n; i++) { out[i] = 1.0; }", &["data"]), (1, 0));
    assert_eq!(
        of("var i = 0u; for (; i < n; i++) { data[i] = 1u; } out[i] = 1.0;", &["data"]),
        (1, 0)
    );
    assert_eq!(
        of("for (var i = 0u; i < n; i++) { if i > l { return; } } out[l] = 1.0;", &[]),
        (1, 0)
    );
    let waiting = "for (var i = 0u; i < n; i++) { data[i] = l; workgroupBarrier(); } out[l] = 1.0;";
    assert_eq!(of(waiting, &["data"]), (1, 0));
    assert_eq!(of(waiting, &["data", "out"]), (0, 1));
    // An index that is out of bounds decides nothing if the access is not shown.
    assert!(knowing("out[data[l]] = 1.0;", &["data", "out"]).undecided.is_empty());
}

#[test]
fn visit_slices_keep_invocations_but_not_addresses() {
    let body = "for (var i = 0u; i < n; i++) { if i > l { out[2u * i] = 1.0; } data[i] = l; workgroupBarrier(); }";
    let kernel = kernel(body);
    let slices = slices(&kernel).unwrap();
    let of = |name: &str| {
        let accesses = kernel.program.sites.accesses();
        let accesses = accesses.filter(|(_, _, it)| it.global.index() == kernel.index(name));
        let slice = slices.visits(&accesses.map(|(site, _, _)| site).collect());
        let ifs = count(&slice.code, |one| matches!(one, Instruction::If { .. }));
        let checks = count(&slice.code, |one| matches!(one, Instruction::Address { .. }));
        let waits = count(&slice.code, |one| matches!(one, Instruction::Barrier { .. }));
        let loops = count(&slice.code, |one| matches!(one, Instruction::Loop { .. }));
        (loops, ifs, checks, waits)
    };
    assert_eq!(of("out"), (1, 1, 0, 0));
    assert_eq!(of("data"), (1, 0, 0, 0));
    assert_eq!(of("sums"), (0, 0, 0, 0));
}

/// Returns the number of conditions in which workgroups may differ, and the numbers of shown accesses to
/// workgroup memory and to shared memory; `None` if the slice has no parts. The dispatch has three workgroups
/// in a row.
fn parted(body: &str) -> Option<(usize, usize, usize)> {
    let slices = slices(&kernel(body))?;
    let Parts { own, shared, sorting } = slices.parts(&KnownFacts::default(), [3, 1, 1])?;
    let conditions = sorting.map_or(0, |code| {
        count(&code, |one| matches!(*one, Instruction::Load { access, .. }
            if code.accesses[access as usize].event.as_ref().is_some_and(|it| it.site.0 as usize >= code.sites)))
    });
    Some((conditions, own.shown().count(), shared.shown().count()))
}

#[test]
fn workgroups_that_do_the_same_to_their_memory_are_of_one_class() {
    for (body, expected) in [
        ("tile[l] = 1.0; workgroupBarrier(); out[id.x] = tile[63u - l];", Some((0, 2, 1))),
        ("out[id.x] = 1.0;", None),
        ("tile[l] = 1.0; tile[id.x % 64u] = 2.0;", None),
        // There is only one row.
        ("tile[id.y] = 1.0; let at = id.zy; tile[at.y] = 1.0;", Some((0, 2, 0))),
        ("if id.y < n { tile[l] = 1.0; }", Some((0, 1, 0))),
        ("tile[graph[l] % 64u] = 1.0;", Some((0, 2, 1))),
        ("tile[graph[id.x] % 64u] = 1.0;", None),
        ("if id.x < n { tile[l] = 1.0; } if l < n { tile[l] = 1.0; }", Some((1, 2, 0))),
        ("if graph[id.x] < n { tile[l] = 1.0; }", Some((1, 2, 1))),
        ("if id.x < n { if 2u * id.x < n { tile[l] = 1.0; } }", Some((2, 1, 0))),
        // A value selected by control flow is covered by the condition; one selected by `select` is not.
        ("var i = l; if id.x < n { i = 63u - l; } tile[i] = 1.0;", Some((1, 1, 0))),
        ("let i = select(l, 63u - l, id.x < n); tile[i] = 1.0;", None),
        ("switch id.x { case 1u: { tile[l] = 1.0; } default: {} }", None),
        ("tile[twice(l) % 64u] = 1.0; out[twice(id.x)] = 1.0;", None),
        ("tile[twice(l) % 64u] = 1.0; out[id.x] = 1.0;", Some((0, 1, 1))),
        // The other part shows whether a loop that is not known to terminate does.
        ("for (var i = id.x; i < n; i += 192u) { out[i] = 1.0; } tile[l] = 1.0;", Some((0, 1, 1))),
        ("for (var i = l; i < n; i += 64u) { tile[i] = 1.0; } out[id.x] = 1.0;", Some((0, 1, 1))),
        ("for (var i = id.x; i < n; i += 192u) { tile[l] = 1.0; }", Some((1, 1, 0))),
        ("var a = array<u32, 4>(); a[l % 4u] = l; tile[a[n % 4u] % 64u] = 1.0;", Some((0, 1, 0))),
        ("var a = array<u32, 4>(); a[l % 4u] = id.x; tile[a[n % 4u] % 64u] = 1.0;", None),
        ("var a = array<u32, 4>(); a[id.x % 4u] = l; tile[a[n % 4u] % 64u] = 1.0;", None),
        // Accesses to undecided memory are not shown.
        ("tile[data[l] % 64u] = 1.0; out[id.x] = 1.0;", None),
        ("tile[l] = 1.0; out[data[l]] = 1.0;", Some((0, 1, 1))),
    ] {
        assert_eq!(parted(body), expected, "{body}");
    }
}

#[test]
fn what_is_known_of_the_memory_of_workgroups_is_in_no_part() {
    let kernel = kernel("tile[l] = 1.0; out[id.x] = 1.0;");
    let accesses = kernel.program.sites.accesses();
    let own = accesses.filter(|(_, _, it)| it.global.index() == kernel.index("tile"));
    let known =
        KnownFacts { accesses: own.map(|(site, _, _)| site).collect(), ..KnownFacts::default() };
    let slices = slices(&kernel).unwrap();
    assert!(slices.parts(&known, [3, 1, 1]).is_none());
}

#[test]
fn what_tells_workgroups_apart_is_conditions_alone() {
    let body = "for (var i = 0u; i < n; i++) { tile[l] = 1.0; workgroupBarrier(); }
        if id.x < n { for (var i = 0u; i < n; i++) { tile[l] = 1.0; } }";
    let slices = slices(&kernel(body)).unwrap();
    let Parts { own, sorting, .. } = slices.parts(&KnownFacts::default(), [3, 1, 1]).unwrap();
    let loops = |code: &Code| count(code, |one| matches!(one, Instruction::Loop { .. }));
    let sorting = sorting.unwrap();
    assert_eq!((loops(&own.code), loops(&sorting)), (2, 0));
    assert_eq!(count(&sorting, |one| matches!(one, Instruction::Barrier { .. })), 0);
}

#[test]
fn one_workgroup_runs_as_it_does_among_others() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 12>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>,
            @builtin(num_workgroups) all: vec3<u32>) { out[id.x] = all.x; }";
    let kernel = Kernel::new(text).zeros("out", 12);
    let code = crate::vm::lower::lower(&kernel.program, 0).unwrap();
    let options = crate::vm::run::Options { workgroups: [3, 1, 1], ..super::options() };
    let unwatched = crate::vm::observer::NoObserver;
    let run =
        crate::vm::driver::run_only(&code, &kernel.resources, &options, 1, &unwatched).unwrap();
    assert!(run.is_complete());
    assert_eq!(kernel.result("out"), [0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0]);
}
