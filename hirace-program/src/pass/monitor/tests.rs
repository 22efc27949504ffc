use super::*;
use crate::front::wgsl;
use crate::ir::memory::Shape;
use crate::ir::sites::SiteId;
use crate::prove::Proof;
use crate::shadow::layout::{Layout, Limits};
use crate::shadow::plan::{Purpose, ShadowLocation, Table, WatchedMemory};
use crate::watch::{NotWatched, Scope, WatchOptions};
use std::collections::{BTreeMap, BTreeSet};

/// A kernel with every kind of access, pointer and barrier.
const EVERYTHING: &str = include_str!("tests/everything.wgsl");

fn program(text: &str) -> Program {
    let parsed = wgsl::parse("test.wgsl", text).unwrap();
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

/// Returns the watch plan for all entry points and the memories of this scope.
fn watch(program: &Program, scope: Scope) -> WatchPlan {
    WatchPlan::of_all(program, &WatchOptions { scope, ..WatchOptions::default() })
}

/// Returns the instrumented text, after parsing and validating it again.
fn instrumented(text: &str, scope: Scope, options: &Options) -> String {
    let program = program(text);
    let wgsl = monitor(&program, &watch(&program, scope), options).unwrap().wgsl().unwrap();
    if let Err(error) = wgsl::parse("instrumented.wgsl", &wgsl) {
        panic!("{error} {:?}\n{wgsl}", error.notes);
    }
    wgsl
}

/// Returns the text instrumented for memory that may race, under WebGPU's guaranteed limits.
fn instrumented_by_default(text: &str) -> String {
    instrumented(text, Scope::MayRace, &Options::default())
}

/// Returns the call that records that an access ran.
fn ran(site: SiteId) -> String {
    format!("hirace_{}_mark_reached({}u);", site.0 / 32, 1_u32 << (site.0 % 32))
}

/// Returns the lines of `text` between the first that starts with `from` and the next `}`.
fn body<'t>(text: &'t str, from: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| !line.starts_with(from)).skip(1);
    let lines = lines.take_while(|line| *line != "}").map(str::trim);
    lines.filter(|line| *line != "return;").collect()
}

#[test]
fn every_access_site_is_checked() {
    let program = program(EVERYTHING);
    let options = Options { omits_redundant_checks: false, ..Options::default() };
    let text = instrumented(EVERYTHING, Scope::Accessed, &options);
    for (site, at, _) in program.sites.accesses() {
        let call = format!(", {}u);", site.0);
        let checked = text.lines().any(|line| line.contains("_access(") && line.ends_with(&call));
        assert!(checked, "{} is not checked", program.source.snippet(at.span));
    }
}

#[test]
fn a_text_is_valid_wherever_its_table_and_shadow_are() {
    for (table, detects_only) in [
        (Table::Buffer, false),
        (Table::Private, true),
        (Table::Constant, false),
        (Table::Computed, true),
    ] {
        for (workgroup_memory, tally) in [(16384, true), (300, detects_only), (0, !detects_only)] {
            let options =
                Options { table, workgroup_memory, tally, detects_only, ..Options::default() };
            let text = instrumented(EVERYTHING, Scope::Accessed, &options);
            assert_eq!(text.contains("hirace_slot_access("), workgroup_memory < 16384);
            assert_eq!(text.contains("var<storage> hirace_transitions"), table == Table::Buffer);
        }
    }
}

#[test]
fn a_text_that_tallies_or_records_is_valid_and_has_a_call_for_each_site() {
    let program = program(EVERYTHING);
    for (purpose, tally) in
        [(Purpose::Detect, true), (Purpose::Record, false), (Purpose::Record, true)]
    {
        let text = instrumented(
            EVERYTHING,
            Scope::Accessed,
            &Options { purpose, tally, ..Options::default() },
        );
        for (site, at, _) in program.sites.accesses() {
            let noted = text.contains(&ran(site));
            assert_eq!(noted, tally, "{}", program.source.snippet(at.span));
        }
        assert_eq!(text.contains("hirace_record_barrier("), purpose == Purpose::Record);
        assert_eq!(text.contains("hirace_transitions"), purpose == Purpose::Detect);
    }
}

#[test]
fn a_tally_is_there_without_anything_to_watch() {
    let text = instrumented(
        "@group(0) @binding(0) var<storage> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            for (var i = l; i < 128u; i += 64u) { atomicAdd(&hits, a[i]); }
        }",
        Scope::MayRace,
        &Options { tally: true, ..Options::default() },
    );
    for call in ["hirace_0_mark_reached(", "hirace_check_index(", "hirace_begin_iteration("] {
        assert!(
            text.contains(&format!("    {call}")) || text.contains(&format!("= {call}")),
            "{text}"
        );
    }
    assert!(!text.contains("_access("), "{text}");
}

#[test]
fn a_trail_is_there_without_anything_to_watch_and_only_if_it_is_asked_for() {
    let text = "
        var<workgroup> tile: array<u32, 4>;
        fn wait() { workgroupBarrier(); }
        fn subgroup() { subgroupBarrier(); }
        fn wait_in_it() { subgroup(); wait(); }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            if workgroupUniformLoad(&tile[1]) > 3u { return; }
            if l < 3u { wait_in_it(); }
            subgroup();
        }";
    let count = |text: &str, call: &str| text.matches(call).count();
    let asked = Options { trails: true, ..Options::default() };
    let with = instrumented(text, Scope::MayRace, &asked);
    // Each function is declared once. The calls are those of `wait_in_it` and of `wait` inside it.
    let calls = [
        "hirace_enter_barrier(",
        "hirace_enter_call(",
        "hirace_leave_call(",
        "hirace_record_trail(",
    ];
    assert_eq!(calls.map(|call| count(&with, call)), [3, 3, 3, 2], "{with}");
    let without = instrumented(text, Scope::MayRace, &Options::default());
    assert_eq!(calls.map(|call| count(&without, call)), [0; 4], "{without}");
}

#[test]
fn a_check_stands_before_its_access_and_evaluates_the_index_once() {
    let text = instrumented(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        var<private> calls: u32;
        fn next() -> u32 { calls++; return calls; }
        @compute @workgroup_size(64) fn main() { a[next()] += 2u; }",
        Scope::MayRace,
        &Options { omits_redundant_checks: false, ..Options::default() },
    );
    let lines = body(&text, "fn main(");
    assert!(lines[0].starts_with("hirace_enter("), "{lines:?}");
    let renamed =
        lines[1..].join("\n").replace("_e4", "next").replace("_e9", "index").replace("_e14", "old");
    assert_eq!(
        renamed,
        "let next = next();
let index = min(next, (arrayLength((&a)) - 1u));
hirace_storage_access(hirace_a_base, index, 1u, 0u, 2u, 2u);
let old = a[index];
hirace_storage_access(hirace_a_base, index, 1u, 1u, 3u, 3u);
a[index] = (old + 2u);"
    );
}

#[test]
fn a_check_is_left_out_if_another_says_as_much() {
    let checks = |body: &str| {
        let kernel = format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @group(0) @binding(1) var<storage, read_write> x: array<atomic<u32>>;
            fn wait() {{ storageBarrier(); }}
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
        );
        let text = instrumented(&kernel, Scope::Accessed, &Options::default());
        body_of(&text).iter().filter(|line| line.contains("_access(")).count()
    };
    for (body, count) in [
        ("a[l] += 1u;", 1),
        ("a[l] = a[l] * 2u + 1u; a[l] = a[l] + a[l];", 1),
        ("let v = a[l]; if v > 3u { a[63] = 1u; } a[l] = v;", 2),
        ("let v = a[l]; if v > 3u { return; } a[l] = v;", 2),
        ("for (var i = 0u; i < 9u; i++) { a[l] += i; }", 1),
        ("a[l] = 1u; for (var i = 0u; i < 9u; i++) { a[l] += i; }", 1),
        ("a[l] = 1u; for (var i = 0u; i < 9u; i++) { a[l] += i; storageBarrier(); }", 2),
        ("a[l] = 1u; storageBarrier(); a[l] = 2u;", 2),
        ("a[l] = 1u; wait(); a[l] = 2u;", 2),
        ("var i = l; a[i] = 1u; a[i] = 2u;", 1),
        ("var i = l; a[i] = 1u; i += 1u; a[i] = 2u;", 2),
        ("var i = l; a[i] = 1u; if l > 3u { i = 0u; } a[i] = 2u;", 2),
        ("var i = l; a[i] = 1u; loop { a[i] = 2u; if i > 9u { break; } i += 1u; }", 2),
        ("if l > 3u { a[l] = 1u; } else { a[l] = 2u; } a[l] = 3u;", 3),
        ("atomicAdd(&x[l], 1u); atomicAdd(&x[l], 2u);", 1),
        ("a[l] = 1u; a[l + 0u] = 2u;", 2),
    ] {
        assert_eq!(checks(body), count, "{body}");
    }
}

/// Returns the lines of the entry point.
fn body_of(text: &str) -> Vec<&str> {
    body(text, "fn main(")
}

#[test]
fn barriers_step_the_clock_of_their_class_and_order_the_shadow() {
    let kernel = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var t: texture_storage_1d<r32uint, read_write>;
        var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            a[l] = w[l];
            w[l] = textureLoad(t, l).x;
            textureStore(t, l, vec4(0));
            workgroupBarrier();
            storageBarrier();
            textureBarrier();
            subgroupBarrier();
        }";
    let barriers = |options| {
        let text = instrumented(kernel, Scope::MayRace, &options);
        let lines = body(&text, "fn main(");
        let barriers = lines.into_iter().filter(|line| line.contains("arrier()"));
        barriers.map(str::to_owned).collect::<Vec<_>>()
    };
    let subgroup = [
        "subgroupBarrier();",
        "hirace_storage_subgroup_barrier();",
        "hirace_texture_subgroup_barrier();",
        "hirace_workgroup_subgroup_barrier();",
    ];
    let texture = ["storageBarrier();", "textureBarrier();", "hirace_texture_barrier();"];
    let storage = ["storageBarrier();", "hirace_storage_barrier();"];
    let after: Vec<_> = storage.into_iter().chain(texture).chain(subgroup).collect();

    let inside = ["workgroupBarrier();", "hirace_workgroup_barrier();"];
    let expected: Vec<_> = inside.into_iter().chain(after.clone()).collect();
    assert_eq!(barriers(Options::default()), expected);

    // With the shadow of workgroup memory in storage.
    let outside = ["storageBarrier();", "workgroupBarrier();", "hirace_workgroup_barrier();"];
    let expected: Vec<_> = outside.into_iter().chain(after).collect();
    assert_eq!(barriers(Options { workgroup_memory: 0, ..Options::default() }), expected);
}

#[test]
fn a_uniform_load_is_checked_between_its_two_barriers() {
    let text = instrumented_by_default(
        "var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            w[l] = l;
            w[workgroupUniformLoad(&w[3])] = 2u;
        }",
    );
    let lines = body(&text, "fn main(");
    let first = lines.iter().position(|line| *line == "workgroupBarrier();").unwrap();
    assert_eq!(
        lines[first..first + 5],
        [
            "workgroupBarrier();",
            "hirace_workgroup_barrier();",
            "hirace_workgroup_access(0u, 3u, 1u, 0u, 1u, 1u);",
            "let _e13 = workgroupUniformLoad((&w[3]));",
            "hirace_workgroup_barrier();",
        ]
    );
}

#[test]
fn builtins_of_the_entry_point_are_used_again() {
    let text = instrumented_by_default(
        "struct In { @builtin(num_workgroups) n: vec3<u32>, @builtin(workgroup_id) w: vec3<u32> }
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64)
        fn main(in: In, @builtin(local_invocation_index) l: u32) { a[in.w.x + l] = in.n.x; }",
    );
    assert!(text.contains("fn main(in: In, @builtin(local_invocation_index) l: u32)"), "{text}");
    assert!(text.contains("hirace_enter(in.w, in.n, l, 64u);"), "{text}");
}

#[test]
fn names_and_bindings_of_the_program_are_left_alone() {
    let kernel = "
        @group(0) @binding(0) var<storage, read_write> hirace_shadow: array<u32>;
        @group(1) @binding(7) var<storage, read_write> b: array<u32>;
        @group(2) @binding(0) var<storage, read_write> c: array<u32>;
        @group(3) @binding(0) var<storage, read_write> d: array<u32>;
        fn HIRACEX_RACE() {}
        @compute @workgroup_size(64) fn main() { hirace_shadow[0] = b[0]; }";
    let program = program(kernel);
    let watch = watch(&program, Scope::MayRace);
    let monitored = monitor(&program, &watch, &Options::default()).unwrap();
    let plan = &monitored.plan;
    assert_eq!(plan.prefix, "hiracexx");
    let at = |group, binding| naga::ResourceBinding { group, binding };
    assert_eq!((&plan.shadow[..], plan.table_binding), (&[at(0, 1)][..], Some(at(0, 2))));
    assert!(instrumented_by_default(kernel).contains("hirace_shadow[0] = _"));
}

#[test]
fn variables_may_be_named_like_parts_of_the_shadow() {
    let kernel = "
        @group(0) @binding(0) var<storage, read_write> tally: array<u32>;
        @group(0) @binding(1) var<storage, read_write> trail: array<u32>;
        @group(0) @binding(2) var<storage, read_write> trails: array<u32>;
        var<workgroup> slots: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            slots[l] = 1u;
            tally[0] = slots[l ^ 1u];
            trail[0] = 1u;
            trails[0] = 1u;
        }";
    let options = Options {
        tally: true,
        trails: true,
        shared_slots: true,
        workgroup_memory: 0,
        ..Options::default()
    };
    let text = instrumented(kernel, Scope::MayRace, &options);
    for name in ["tally", "trail", "trails", "slots"] {
        let declaration = format!("override hirace_{name}_base: u32;");
        assert_eq!(text.matches(&declaration).count(), 1, "{name}");
    }
}

#[test]
fn a_layout_sets_exactly_the_overrides_that_the_module_has() {
    let plain = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main() { a[0] = 1u; }";
    let odd_names = "
        @group(0) @binding(0) var<storage, read_write> größe: array<u32>;
        @group(0) @binding(1) var<storage, read_write> a__b: array<u32>;
        @group(0) @binding(2) var<storage, read_write> tile_1: array<u32>;
        @compute @workgroup_size(64) fn main() { größe[0] = 1u; a__b[0] = 2u; tile_1[0] = 1u; }";
    for text in [EVERYTHING, plain, odd_names] {
        let program = program(text);
        let watch = watch(&program, Scope::Accessed);
        let monitored = monitor(&program, &watch, &Options::default()).unwrap();
        let shape = Shape { workgroups: 4, workgroup_size: 64, subgroup_size: 32 };
        let limits = Limits::default();
        let layout = Layout::new(&monitored.plan, shape, |_| 1 << 10, limits);
        let given: BTreeSet<_> = layout.overrides.iter().map(|(name, _)| name.as_str()).collect();
        let overrides = monitored.derived.module.overrides.iter();
        let declared = overrides.filter_map(|(_, value)| value.name.as_deref()).collect();
        assert_eq!(given, declared);
        // The text contains overrides with the same names.
        let wgsl = monitored.wgsl().unwrap();
        for name in given {
            assert!(wgsl.contains(&format!("override {name}: u32;")), "{name}");
        }
        let values = layout.overrides.iter().map(|(name, v)| (name.clone(), f64::from(*v)));
        let resolved = monitored.derived.program(&values.collect()).unwrap();
        assert!(resolved.module.overrides.is_empty());
    }
}

#[test]
fn what_cannot_race_or_is_ignored_is_not_watched() {
    let kernel = "
        @group(0) @binding(0) var<storage> read: array<u32>;
        @group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;
        @group(0) @binding(2) var<storage, read_write> out: array<u32>;
        @group(0) @binding(3) var<storage, read_write> debug: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            out[l] = read[l] + atomicAdd(&counter, 1u);
            debug[l] = 1u;
        }";
    let program = program(kernel);
    let names = |request: &WatchOptions| {
        let watch = WatchPlan::of_all(&program, request);
        let plan = Plan::new(&program, &watch, &Options::default());
        plan.watched.into_iter().map(|watched| watched.name).collect::<Vec<_>>()
    };
    let mut globals = program.module.global_variables.iter();
    let debug = globals.find(|(_, global)| global.name.as_deref() == Some("debug")).unwrap().0;
    let all = WatchOptions { scope: Scope::Accessed, ..WatchOptions::default() };
    let leave_out = [debug].into_iter().collect();
    assert_eq!(names(&all), ["read", "counter", "out", "debug"]);
    assert_eq!(names(&WatchOptions { leave_out, ..WatchOptions::default() }), ["out"]);
}

#[test]
fn a_program_with_nothing_to_watch_stays_as_it_is() {
    let text = instrumented_by_default(
        "@group(0) @binding(0) var<storage, read_write> counter: atomic<u32>;
        @compute @workgroup_size(64) fn main() { atomicAdd(&counter, 1u); }",
    );
    assert!(!text.contains("hirace"), "{text}");
}

#[test]
fn workgroup_memory_that_does_not_fit_has_its_shadow_in_storage() {
    let kernel = "
        var<workgroup> big: array<u32, 3000>;
        var<workgroup> small: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            big[l] = small[l];
            small[l] = 1u;
        }";
    let program = program(kernel);
    let watch = watch(&program, Scope::MayRace);
    let monitored = monitor(&program, &watch, &Options::default()).unwrap();
    let plan = monitored.plan;
    let places: Vec<_> = plan.watched.iter().map(|watched| watched.place.clone()).collect();
    assert_eq!(
        places,
        [ShadowLocation::Storage("hirace_big_base".to_owned()), ShadowLocation::Workgroup(0)]
    );
    let shape = Shape { workgroups: 10, workgroup_size: 64, subgroup_size: 32 };
    let bytes = |watched: &WatchedMemory| panic!("{} is not a buffer", watched.name);
    let limits = Limits { log_entries: 0, ..Limits::default() };
    let layout = Layout::new(&plan, shape, bytes, limits);
    assert_eq!((&layout.buffers[..], layout.granules), (&[4 + 30000][..], 30640));

    let layout = Layout::new(&plan, shape, bytes, Limits { binding_words: 30003, ..limits });
    assert_eq!((&layout.buffers[..], layout.granules), (&[4][..], 640));
    assert_eq!(layout.unwatched[0].name, "big");
}

#[test]
fn only_the_chosen_entry_points_are_kept() {
    let kernel = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        fn write() { a[0] = 1u; }
        @fragment fn paint() -> @location(0) vec4<f32> { write(); return vec4(); }
        @compute @workgroup_size(64) fn one() { write(); }
        @compute @workgroup_size(64) fn two() { a[0] += 1u; }";
    let text = instrumented_by_default(kernel);
    assert!(text.contains("fn one(") && text.contains("fn two(") && !text.contains("fn paint("));
    let program = program(kernel);
    let watch = WatchPlan::new(&program, &[1], &WatchOptions::default());
    let monitored = monitor(&program, &watch, &Options::default()).unwrap();
    let text = monitored.wgsl().unwrap();
    assert!(text.contains("fn one(") && !text.contains("fn two("));
}

#[test]
fn sites_that_are_not_watched_are_not_checked_and_the_others_are() {
    let program = program(EVERYTHING);
    let all = watch(&program, Scope::Accessed);
    let count = program.sites.accesses().count();
    for off in 0..count {
        let is_off =
            |id: SiteId| program.sites.accesses().position(|(at, ..)| at == id) == Some(off);
        let reason = |id| is_off(id).then_some(NotWatched::Proven(Proof::OwnWords));
        let options = Options { tally: true, omits_redundant_checks: false, ..Options::default() };
        let monitored = monitor(&program, &all.clone().excluding(reason), &options).unwrap();
        let text = monitored.wgsl().unwrap();
        for (site, at, _) in program.sites.accesses() {
            let call = format!(", {}u);", site.0);
            let mut lines = text.lines();
            let checked = lines.any(|line| line.contains("_access(") && line.ends_with(&call));
            assert_eq!(checked, !is_off(site), "{}", program.source.snippet(at.span));
            // The tally still records that it ran.
            assert!(text.contains(&ran(site)));
        }
    }
}
