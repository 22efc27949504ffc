use super::*;
use crate::front::wgsl;
use crate::ir::memory::Space;
use crate::observe::{self, FittedLayout, Granule, fsm::Fsm};
use crate::pass::monitor::automaton;
use crate::prove::Proof;
use crate::shadow::plan::{Plan, Table};
use crate::vm::observer::MemoryId;
use crate::vm::schedule::{self, Schedule};
use crate::watch::{self, NotWatched, Scope, WatchOptions};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

mod constants;
mod shortcuts;
mod trails;

fn program(text: &str) -> Program {
    let parsed = match wgsl::parse("test.wgsl", text) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{error}: {:?}", error.notes),
    };
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

/// Returns a launch of the first entry point on buffers of zeros.
fn launch(program: &Program, workgroups: u32, bytes: u32) -> Launch {
    let globals = program.module.global_variables.iter();
    let by_global = globals
        .map(|(_, variable)| variable.binding.map(|_| Resource::Buffer(Buffer::zeros(bytes))));
    Launch {
        dispatches: vec![Dispatch { entry: 0, workgroups: [workgroups, 1, 1] }],
        resources: Resources { by_global: by_global.collect() },
        writes: Vec::new(),
        kept: Default::default(),
        inferred_contents: Vec::new(),
        inferred_lengths: Vec::new(),
        pins: Default::default(),
        assumptions: Vec::new(),
        replay: None,
        subgroup_size: 32,
        schedule: Schedule::default(),
        order: None,
        limits: schedule::Limits { steps: 100_000, ..schedule::Limits::default() },
    }
}

/// Returns the racy granules as `variable[index]`, with `@workgroup` for workgroup memory.
fn names(program: &Program, racy: &RacyGranules) -> Vec<String> {
    let name = |granule: &Granule| {
        let mut globals = program.module.global_variables.iter();
        let (_, variable) = globals.find(|(h, _)| h.index() as u32 == granule.memory.0).unwrap();
        let own = variable.space == naga::AddressSpace::WorkGroup;
        let name = variable.name.as_deref().unwrap();
        let at = if own { format!("@{}", granule.workgroup) } else { String::new() };
        format!("{name}[{}]{at}", granule.index)
    };
    racy.keys().map(name).collect()
}

/// Returns a plan for everything in this scope.
fn plan(program: &Program, dispatch: &Dispatch, scope: Scope) -> WatchPlan {
    WatchPlan::new(program, &[dispatch.entry], &WatchOptions { scope, ..WatchOptions::default() })
}

/// Returns the findings of the first dispatch, with everything watched that may race.
fn detect(
    program: &Program,
    launch: &Launch,
    options: &Options,
    limits: Limits,
) -> MonitoredOutcome {
    let watch = |dispatch: &Dispatch| plan(program, dispatch, Scope::MayRace);
    run(program, launch, &watch, options, limits, None).unwrap().remove(0)
}

fn racy(text: &str, workgroups: u32, workgroup_memory: u32) -> Vec<String> {
    let program = program(text);
    let launch = launch(&program, workgroups, 1024);
    let options = Options { workgroup_memory, ..Options::default() };
    let watch = |dispatch: &Dispatch| plan(&program, dispatch, Scope::Accessed);
    let detected = run(&program, &launch, &watch, &options, Limits::default(), None).unwrap();
    assert_eq!(detected.len(), 1);
    assert_eq!(detected[0].dropped, 0);
    assert_eq!(detected[0].stopped, UncheckedMemory::default());
    assert!(detected[0].unwatched.is_empty(), "{:?}", detected[0].unwatched);
    names(&program, &detected[0].racy)
}

const SHIFT: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    var<workgroup> tile: array<u32, 64>;
    @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) g: vec3<u32>
    ) {
        tile[l] = l;
        BARRIER
        out[g.x] = tile[l ^ 33u];
    }";

#[test]
fn a_missing_barrier_races_and_the_barrier_fixes_it() {
    for workgroup_memory in [16384, 0] {
        let with = |barrier: &str| racy(&SHIFT.replace("BARRIER", barrier), 2, workgroup_memory);
        let all: Vec<_> =
            (0..2).flat_map(|w| (0..64).map(move |i| format!("tile[{i}]@{w}"))).collect();
        assert_eq!(with(""), all);
        assert_eq!(with("storageBarrier();"), all);
        assert_eq!(with("subgroupBarrier();"), all);
        assert_eq!(with("workgroupBarrier();"), Vec::<String>::new());
    }
}

#[test]
fn no_barrier_orders_two_workgroups() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> c: atomic<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            atomicAdd(&c, 1u);
            if l == 3u { a[5] = 1u; }
            storageBarrier();
            if l == 40u { a[5] += 1u; }
        }";
    assert_eq!(racy(text, 1, 0), Vec::<String>::new());
    assert_eq!(racy(text, 2, 0), ["a[5]"]);
}

#[test]
fn a_subgroup_barrier_orders_a_subgroup() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            a[l] = 1u;
            subgroupBarrier();
            a[l ^ 1u] += 1u;
            subgroupBarrier();
            if l == 0u { a[63] = 1u; }
        }";
    assert_eq!(racy(text, 1, 0), ["a[63]"]);
}

#[test]
fn a_full_log_loses_no_racy_word_that_the_shadow_still_shows() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            for (var i = 0u; i < arrayLength(&a); i++) { a[i] = l; }
        }";
    let program = program(text);
    let launch = launch(&program, 1, 4 * 40);
    let limits = Limits { log_entries: 10, ..Limits::default() };
    let detected = &detect(&program, &launch, &Options::default(), limits);
    assert_eq!(detected.dropped, 0);
    assert_eq!(detected.racy.len(), 40);
    // The words themselves contain the sites at which they became racy.
    let store = program.sites.accesses().next().unwrap().0;
    assert!(detected.racy.values().all(|site| *site == store));
}

/// Returns a kernel with many barriers: the words that each round reads were written in the previous one, except for `a[0]`,
/// which all invocations write, and for one word that two invocations write in one of the rounds.
const ROUNDS: &str = "
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    var<workgroup> w: array<u32, 64>;
    @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>
    ) {
        a[0] = l;
        let own = 100u + g.x * 64u;
        for (var i = 0u; i < ROUNDSu; i++) {
            a[own + (l + i) % 64u] += 1u;
            w[(l + i) % 64u] += 1u;
            if i == EARLIERu && l == 3u { a[1u + g.x] = 1u; }
            if i == LATERu && l == 4u { a[1u + g.x] = 1u; w[5] = 0u; }
            storageBarrier();
            workgroupBarrier();
        }
    }";

fn rounds(rounds: u32, earlier: u32, later: u32) -> String {
    let numbers = [("ROUNDS", rounds), ("EARLIER", earlier), ("LATER", later)];
    numbers.iter().fold(ROUNDS.to_owned(), |text, (name, n)| text.replace(name, &n.to_string()))
}

#[test]
fn clocks_of_any_width_tell_of_any_number_of_barriers() {
    for clock_bits in [0, 1, 2, 3, 5, 32] {
        for (sweep, wide, workgroup_memory) in
            [(0, true, 16384), (64, false, 16384), (64, true, 0), (2, false, 16384), (0, false, 0)]
        {
            let program = program(&rounds(21, 9, 9));
            let launch = launch(&program, 2, 4 * 300);
            let limits = Limits { clock_bits, sweep, wide, ..Limits::default() };
            let options = Options { workgroup_memory, ..Options::default() };
            let found = detect(&program, &launch, &options, limits);
            let case = format!("{clock_bits} bits, {sweep}, {wide}, {workgroup_memory}");
            // Clocks that can neither restart nor become wider stop, and what they cannot distinguish is not judged: there are no
            // false positives.
            let enough = clock_bits >= 5;
            let swept = sweep == 64 && clock_bits >= 2;
            let expected = if wide && !enough && !swept { Width::Wide } else { Width::Narrow };
            assert_eq!(found.width, expected, "{case}");
            let stopped = UncheckedMemory {
                dispatch: !enough && !swept && !wide,
                workgroup: !enough && (sweep == 0 || clock_bits < 2),
                slots: false,
            };
            assert_eq!(found.stopped, stopped, "{case}");
            let mut expected = vec!["a[0]"];
            expected.extend(if stopped.dispatch { &[][..] } else { &["a[1]", "a[2]"] });
            expected.extend(if stopped.workgroup { &[][..] } else { &["w[5]@0", "w[5]@1"] });
            assert_eq!(names(&program, &found.racy), expected, "{case}");
        }
    }
}

#[test]
fn two_writes_with_thousands_of_barriers_between_them_do_not_race() {
    let program = program(&rounds(3000, 7, 2999));
    let launch = launch(&program, 1, 4 * 200);
    for (sweep, clock_bits, wide_clock_bits) in
        [(64, 2, 2), (64, 3, 2), (64, 8, 2), (2, 2, 32), (4, 2, 2)]
    {
        let limits = Limits { clock_bits, wide_clock_bits, sweep, ..Limits::default() };
        let found = detect(&program, &launch, &Options::default(), limits);
        assert_eq!(names(&program, &found.racy), ["a[0]", "w[5]@0"], "{clock_bits}");
        assert_eq!(found.stopped, UncheckedMemory::default());
        let width = if sweep == 2 { Width::Wide } else { Width::Narrow };
        assert_eq!(found.width, width);
    }
}

#[test]
fn workgroups_that_share_slots_find_what_each_would_find_in_its_own() {
    let program = program(&rounds(21, 9, 9));
    let options = Options { workgroup_memory: 0, ..Options::default() };
    for seed in 0..4 {
        let mut launch = launch(&program, 7, 4 * 600);
        launch.schedule = Schedule::seeded(seed);
        let found = |limits| detect(&program, &launch, &options, limits);
        let own = found(Limits::default());
        assert!(names(&program, &own.racy).contains(&"w[5]@6".to_owned()));
        for (slots, clock_bits) in [(1, 32), (2, 32), (6, 2)] {
            let shared = found(Limits { slots, clock_bits, ..Limits::default() });
            assert_eq!(shared.stopped, UncheckedMemory::default());
            assert_eq!(names(&program, &shared.racy), names(&program, &own.racy), "{slots}");
        }
        // Less memory than the shadows of two workgroups need.
        let limits =
            Limits { log_entries: 40, words: 4 + 120 + 600 + 14 + 100, ..Limits::default() };
        let shared = found(limits);
        assert!(shared.unwatched.is_empty(), "{:?}", shared.unwatched);
        assert_eq!(names(&program, &shared.racy), names(&program, &own.racy));
    }
}

#[test]
fn a_workgroup_that_returns_early_leaves_its_slot() {
    let text = "
        var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(
            @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>
        ) {
            if l > 40u { return; }
            w[l] = 1u;
            if g.x == 3u { return; }
            if g.x == 5u { w[l ^ 1u] = 1u; }
        }";
    let program = program(text);
    let launch = launch(&program, 9, 0);
    let options = Options { workgroup_memory: 0, ..Options::default() };
    let limits = Limits { slots: 1, ..Limits::default() };
    let found = detect(&program, &launch, &options, limits);
    // No invocation writes what lane 40 writes, or would share with lane 41.
    let expected: Vec<_> = (0..40).map(|i| format!("w[{i}]@5")).collect();
    assert_eq!(found.stopped, UncheckedMemory::default());
    assert_eq!(names(&program, &found.racy), expected);
}

#[test]
fn ids_that_do_not_fit_32_bits_are_kept_in_64() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(1024) fn main(
            @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>
        ) {
            if g.x == 0u { a[l] = 1u; storageBarrier(); a[l ^ 1u] = 2u; }
            if g.x == 70000u && l == 5u { a[2] = 1u; }
        }";
    let program = program(text);
    let mut launch = launch(&program, 1, 4096);
    launch.dispatches[0].workgroups = [1 << 18, 1, 1];
    let watch = plan(&program, &launch.dispatches[0], Scope::MayRace);
    let plan = Plan::new(&program, &watch, &Options::default());
    let shape = shape(&program, &launch, &launch.dispatches[0]);
    let bytes = |_: &WatchedMemory| 4096;
    let options = |wide| {
        let limits = Limits { wide, ..Limits::default() };
        fit(Options::default(), &program, &watch, shape, bytes, limits)
    };
    assert_eq!(options(true).width, Width::Wide);
    let layout = Layout::new(&plan, shape, bytes, Limits::default());
    assert_eq!(layout.unwatched[0].name, "a");
    let plan = Plan::new(&program, &watch, &options(true));
    let layout = Layout::new(&plan, shape, bytes, Limits::default());
    assert!(layout.unwatched.is_empty());
    assert_eq!(layout.buffers.len(), 2);
    assert_eq!(layout.buffers[1], 2048);
}

#[test]
fn a_shadow_is_spread_over_as_many_buffers_as_it_needs() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            for (var i = 0u; i < arrayLength(&a); i++) { a[i] = l; }
            for (var i = l; i < arrayLength(&b); i += 64u) { b[i] = l; }
            w[l] = l; w[l ^ 1u] = 1u;
        }";
    let program = program(text);
    let launch = launch(&program, 2, 4 * 300);
    let mut seen = FxHashSet::default();
    for width in [Width::Narrow, Width::Wide] {
        for (binding_words, log_entries) in [(1 << 20, 8192), (400, 40), (129, 40), (128, 8)] {
            let limits = Limits { bindings: 20, binding_words, log_entries, ..Limits::default() };
            let detects_only = log_entries == 40;
            let options =
                Options { width, workgroup_memory: 0, detects_only, ..Options::default() };
            let launch_shape = shape(&program, &launch, &launch.dispatches[0]);
            let watch = plan(&program, &launch.dispatches[0], Scope::MayRace);
            let fitted = fit(options.clone(), &program, &watch, launch_shape, |_| 1200, limits);
            seen.insert((fitted.width, fitted.bindings));
            let found = detect(&program, &launch, &options, limits);
            // With wide words, the slots of workgroup memory remain next to the log. In one case there is no room for them, and
            // in another only for one, and the log does not hold all racy words of that one.
            let dropped = match (width, binding_words) {
                (Width::Wide, 129) => {
                    assert_eq!(found.unwatched[0].name, "w");
                    128
                }
                _ => {
                    assert!(found.unwatched.is_empty(), "{binding_words}: {:?}", found.unwatched);
                    found.dropped as usize
                }
            };
            assert_eq!(dropped > 0, width == Width::Wide && binding_words < 400);
            assert_eq!(found.racy.len() + dropped, 300 + 300 + 128, "{width:?} {binding_words}");
        }
    }
    assert_eq!(seen.len(), 7, "{seen:?}");
}

/// Asserts that the states of the two automata, which number them differently, correspond: from the initial state on, for all
/// symbols.
#[test]
fn the_automaton_is_the_same_wherever_its_table_is() {
    for table in [Table::Private, Table::Constant, Table::Computed] {
        let mut known = BTreeMap::from([(0, 0)]);
        let mut next = vec![(0, 0)];
        while !next.is_empty() {
            let symbols =
                || (0..4).flat_map(|a| (0..3).flat_map(move |s| (0..4).map(move |r| [a, s, r])));
            let cases: Vec<_> = next
                .iter()
                .flat_map(|&states| symbols().map(move |symbol| (states, symbol)))
                .collect();
            let asked = cases.iter().map(|((_, state), [a, s, r])| [*state, *a, *s, *r]).collect();
            next.clear();
            for (((state, _), [a, s, r]), found) in cases.iter().zip(steps(table, asked)) {
                let at = state * 48 + a * 12 + s * 4 + r;
                let expected = u32::from(fsm_spec::TABLE[at as usize]);
                let case = format!("{table:?}: {:?}", fsm_spec::table::transition(at as usize));
                let race = fsm_spec::State::Race.id() as u32;
                assert_eq!(found == race, expected == race, "{case}");
                match known.entry(expected) {
                    Entry::Occupied(known) => assert_eq!(found, *known.get(), "{case}"),
                    Entry::Vacant(entry) => {
                        entry.insert(found);
                        next.push((expected, found));
                    }
                }
            }
        }
        assert_eq!(known.len(), fsm_spec::State::COUNT);
    }
}

/// Returns the result of one step of the automaton for each of `asked`: state, action, synchronization, relation.
fn steps(table: Table, asked: Vec<[u32; 4]>) -> Vec<u32> {
    let text = automaton(table)
        + "@group(0) @binding(0) var<storage> asked: array<vec4<u32>>;
        @group(0) @binding(1) var<storage, read_write> found: array<u32>;
        @compute @workgroup_size(48) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
            let a = asked[g.x];
            found[g.x] = hirace_transition(a.x, a.y, a.z, a.w);
        }";
    let program = program(&text);
    let count = asked.len() as u32;
    let bytes: Vec<u8> = asked.as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut resources = Resources { by_global: Vec::new() };
    for (_, variable) in program.module.global_variables.iter() {
        let buffer = match variable.name.as_deref() {
            Some("asked") => Some(Buffer::new(&bytes)),
            Some("found") => Some(Buffer::zeros(count * 4)),
            _ => None,
        };
        resources.by_global.push(buffer.map(Resource::Buffer));
    }
    let options = run::Options {
        workgroups: [count / 48, 1, 1],
        subgroup_size: 32,
        schedule: Schedule::default(),
        limits: schedule::Limits::default(),
        parallel: false,
        stop: None,
    };
    driver::run(&lower(&program, 0).unwrap(), &resources, &options, &observer::NoObserver).unwrap();
    let mut globals = program.module.global_variables.iter();
    let (found, _) = globals.find(|(_, global)| global.name.as_deref() == Some("found")).unwrap();
    resources.buffer(MemoryId(found.index() as u32)).unwrap().snapshot()
}

/// Returns the racy granules that the native monitor finds in a dispatch.
fn native(program: &Program, launch: &Launch, watch: &WatchPlan) -> RacyGranules {
    let module = &program.module;
    let length =
        |memory: &watch::SharedVariable| match memory.watched.map(|granules| granules.space) {
            Ok(Space::Workgroup) => {
                let ty = module.global_variables[memory.global].ty;
                module.types[ty].inner.try_size(module.to_ctx())
            }
            _ => launch.resources.buffer(MemoryId(memory.global.index() as u32)).map(Buffer::len),
        };
    let dispatch = &launch.dispatches[0];
    let size = program.module.entry_points[dispatch.entry].workgroup_size;
    let shape = Shape {
        workgroups: dispatch.workgroups.iter().product(),
        workgroup_size: size.iter().product(),
        subgroup_size: launch.subgroup_size,
    };
    let FittedLayout { layout, unwatched } =
        observe::Layout::fit_plan(watch, shape, length, u64::MAX);
    assert!(unwatched.is_empty());
    let fsm = Fsm::serial(layout, shape);
    let options = run::Options {
        workgroups: dispatch.workgroups,
        subgroup_size: launch.subgroup_size,
        schedule: launch.schedule,
        limits: launch.limits,
        parallel: false,
        stop: None,
    };
    let resources = launch.resources.clone();
    let run = driver::run(&lower(program, 0).unwrap(), &resources, &options, &fsm).unwrap();
    assert!(run.divergences.is_empty() && run.no_progress.is_none(), "{run:?}");
    fsm.racy()
}

/// Returns a kernel with this `body`, with memory of every kind.
fn around(body: &str) -> String {
    format!(
        "struct Mixed {{ v: vec3<f32>, w: f32, a: atomic<u32>, m: mat2x3<f32>, t: array<u32, 3> }}
        struct Plain {{ v: vec3<f32>, t: array<u32, 3> }}
        @group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> x: array<atomic<u32>>;
        @group(0) @binding(2) var<storage, read_write> s: array<Mixed>;
        @group(0) @binding(3) var<storage, read_write> p: array<Plain>;
        var<workgroup> w: array<u32, 64>;
        var<workgroup> b: array<bool, 40>;
        var<workgroup> f: atomic<u32>;
        var<workgroup> q: array<Plain, 2>;
        @compute @workgroup_size(8, 4) fn main(
            @builtin(local_invocation_index) l: u32,
            @builtin(workgroup_id) wid: vec3<u32>,
            @builtin(global_invocation_id) g: vec3<u32>,
        ) {{
            let n = wid.x;
            {body}
        }}"
    )
}

/// Bodies of kernels, grouped by what they test.
const BODIES: &[&str] = &[
    // Extents: a component is its vector when written, and itself when read. Padding is not touched.
    "s[n].v.x = 1.0; s[n].w += 1.0;",
    "if l == 0u { s[n].v.x = 1.0; } if l == 1u { s[n].w = s[0].m[1].y; }",
    "if l == 0u { p[0].v[l] = 1.0; } if l == 5u { p[0].t[l] = 2u; }",
    "if l == 0u { p[0] = p[1]; } if l == 9u { p[1].t[n] = 1u; }",
    "if l == 0u { s[1].m[n] = vec3(1.0); } if l == 1u { s[1].m = s[0].m; }",
    "q[l & 1u].t[2] = l; workgroupBarrier(); if l == 30u { q[0] = p[2]; }",
    "b[l] = true; b[l + 1u] = b[l]; workgroupBarrier(); b[39u - l] = false;",
    // Indices out of bounds.
    "a[g.x * 100u] = 1u; w[l * 3u] = 2u;",
    "w[i32(l) - 1] = 1u; s[l].t[l] = 2u;",
    // Atomics: all of them, with plain accesses, in two scopes.
    "atomicAdd(&x[0], 1u); atomicStore(&x[1], l); a[l] = atomicLoad(&x[0]);",
    "atomicAdd(&f, 1u); workgroupBarrier(); if l == 3u { a[n] = atomicLoad(&f); }",
    "atomicMax(&s[0].a, l); if l == 2u { s[0].w = 1.0; } if l == 3u { s[1].t[0] = 1u; }",
    "if l == 0u { a[0] = atomicExchange(&x[3], 7u); }",
    "let e = atomicCompareExchangeWeak(&x[n], 0u, l); a[l] = e.old_value;",
    // Barriers of each kind, in loops and in helpers' order.
    "w[l] = 1u; workgroupBarrier(); a[w[l ^ 31u]] = 1u;",
    "a[l] = 1u; workgroupBarrier(); a[l ^ 1u] += 1u;",
    "a[l] = 1u; storageBarrier(); a[l ^ 1u] += 1u;",
    "a[32u * n + l] = 1u; storageBarrier(); a[32u * n + (l ^ 1u)] += 1u;",
    "w[l] = 1u; storageBarrier(); w[l ^ 1u] += 1u;",
    "w[l] = 1u; subgroupBarrier(); w[l ^ 1u] += 1u; subgroupBarrier(); w[l ^ 16u] = 2u;",
    "w[l] = a[l]; subgroupBarrier(); w[l ^ 1u] = a[l]; workgroupBarrier(); a[l ^ 8u] = w[l];",
    "a[l] = 1u; storageBarrier(); subgroupBarrier(); a[l ^ 1u] = 1u; subgroupBarrier(); a[l] = 2u;",
    "for (var i = 1u; i < 32u; i *= 2u) { if l >= i { w[l] += w[l - i]; } workgroupBarrier(); }",
    "for (var i = 1u; i < 32u; i *= 2u) {
        var v = 0u; if l >= i { v = w[l - i]; } workgroupBarrier(); w[l] += v; workgroupBarrier();
    }",
    "w[l] = l; let v = workgroupUniformLoad(&w[n]); w[l ^ 1u] = v;",
    "w[l] = l; let v = workgroupUniformLoad(&q[n & 1u]); q[1].t[l & 1u] = v.t[1];",
    // Reads.
    "a[32u + l] = a[3] + w[2] + atomicLoad(&x[l]);",
    "a[32u * n + l] = a[200]; if g.x == 9u { a[200] = 1u; }",
];

#[test]
fn the_instrumented_program_finds_what_the_native_monitor_finds() {
    let mut racy_kernels = 0;
    for body in BODIES {
        let program = program(&around(body));
        for (workgroups, subgroup_size, seed) in [(1, 32, 0), (2, 8, 0), (3, 4, 7)] {
            let mut launch = launch(&program, workgroups, 1024);
            launch.subgroup_size = subgroup_size;
            launch.schedule = Schedule::seeded(seed);
            let everything = plan(&program, &launch.dispatches[0], Scope::Accessed);
            let expected = native(&program, &launch, &everything);
            racy_kernels += usize::from(!expected.is_empty());
            for (workgroup_memory, scope, detects_only, omits_redundant_checks, table) in [
                (16384, Scope::Accessed, false, true, Table::Buffer),
                (0, Scope::MayRace, false, false, Table::Computed),
                (16384, Scope::MayRace, true, true, Table::Computed),
                (0, Scope::Accessed, true, true, Table::Buffer),
            ] {
                let options = Options {
                    workgroup_memory,
                    detects_only,
                    omits_redundant_checks,
                    table,
                    ..Options::default()
                };
                let watch = |dispatch: &Dispatch| plan(&program, dispatch, scope);
                let limits = Limits::default();
                let detected = run(&program, &launch, &watch, &options, limits, None).unwrap();
                assert!(detected[0].unwatched.is_empty() && detected[0].dropped == 0);
                assert_eq!(
                    names(&program, &detected[0].racy),
                    names(&program, &expected),
                    "{body} with {workgroups} workgroups, {subgroup_size} lanes, seed {seed}"
                );
            }
        }
    }
    let all = 3 * BODIES.len();
    assert!((all / 4..all * 9 / 10).contains(&racy_kernels), "{racy_kernels} of {all} are racy");
}

#[test]
fn the_instrumented_program_and_the_native_monitor_leave_out_the_same_sites() {
    let (mut fewer, mut cases) = (0, 0);
    for body in BODIES {
        let program = program(&around(body));
        let launch = launch(&program, 2, 1024);
        let everything = plan(&program, &launch.dispatches[0], Scope::Accessed);
        let all = native(&program, &launch, &everything).len();
        for (site, place, _) in program.sites.accesses() {
            let plan = everything.clone().without(site, NotWatched::Proven(Proof::OwnWords));
            let expected = native(&program, &launch, &plan);
            assert!(expected.len() <= all);
            cases += 1;
            fewer += usize::from(expected.len() < all);
            let (options, limits) = (Options::default(), Limits::default());
            let watch = |_: &Dispatch| plan.clone();
            let detected = run(&program, &launch, &watch, &options, limits, None).unwrap();
            assert_eq!(
                names(&program, &detected[0].racy),
                names(&program, &expected),
                "{body} without {}",
                program.source.snippet(place.span)
            );
        }
    }
    assert!(fewer > 20 && fewer < cases, "{fewer} of {cases} have fewer racy words");
}

#[test]
fn workgroups_run_at_once_only_where_all_that_flows_between_them_is_seen() {
    use crate::exec::embedded::Embedded;
    use crate::exec::{Executor, Watch};
    let program = program(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> items: array<u32>;
        @compute @workgroup_size(1) fn append(@builtin(workgroup_id) id: vec3<u32>) {
            items[atomicAdd(&count, 1u)] = id.x;
        }
        @compute @workgroup_size(1) fn each(@builtin(workgroup_id) id: vec3<u32>) {
            items[id.x] = id.x;
        }",
    );
    for (entry, ignored, at_once) in
        [(0, None, false), (0, Some("*"), false), (0, Some("count"), false), (1, None, true)]
    {
        let watch =
            Watch { ignore: ignored.into_iter().map(String::from).collect(), ..Watch::default() };
        let mut launch = launch(&program, 64, 256);
        launch.dispatches[0].entry = entry;
        let ran = Embedded.run(&program, &launch, &watch, None).unwrap();
        let [dispatched] = &ran.dispatches[..] else { panic!("one dispatch") };
        assert_eq!(dispatched.run.serial, !at_once, "{entry} without {ignored:?}");
    }
}
