//! Tests with kernels whose outputs, races or termination depend on the schedule, and kernels without such a
//! dependency.

use super::results::{
    AccessKind, AmplifiedLaunch, Finding, FindingFacts, Judgement, SkipReason, StrategyRuns,
};
use super::{Amplifier, Outputs, Settings};
use crate::check::source::check_launches;
use crate::check::{Options, Session};
use crate::exec::Watch;
use crate::exec::embedded::Embedded;
use crate::front::wgsl;
use crate::launch::spec::{Binding, LaunchSpec};

/// Amplifies a launch of a kernel on this number of workgroups.
fn amplified(text: &str, workgroups: u32, settings: Settings, outputs: Outputs) -> AmplifiedLaunch {
    let spec = LaunchSpec {
        workgroups: Some([workgroups, 1, 1]),
        bindings: ["out=zeros:8", "flags=zeros:8", "sums=zeros:2"]
            .into_iter()
            .filter(|binding| text.contains(binding.split('=').next().unwrap_or_default()))
            .map(|binding| Binding::parse(binding).unwrap())
            .collect(),
        ..LaunchSpec::default()
    };
    launched(text, spec, settings, outputs)
}

fn launched(text: &str, spec: LaunchSpec, settings: Settings, outputs: Outputs) -> AmplifiedLaunch {
    let parsed = wgsl::parse("k.wgsl", text).unwrap();
    let watch = Watch { ignore: vec!["*".to_owned()], ..Watch::default() };
    let options = Options { launches: vec![spec], watch, ..Options::default() };
    let is_test = !outputs.expect.is_empty();
    let mut amplifier = Amplifier::new(settings, outputs, None);
    amplifier.test = is_test.then(|| "test".to_owned());
    let mut session = Session::new(&Embedded).with_follower(Some(&mut amplifier));
    check_launches(&parsed, &options, &mut session).unwrap();
    let [launched] = &amplifier.launches[..] else { panic!("one launch: {amplifier:?}") };
    launched.clone()
}

fn kernel(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
         @compute @workgroup_size(1)
         fn main(@builtin(workgroup_id) id: vec3<u32>) {{ {body} }}"
    )
}

fn findings(launched: &AmplifiedLaunch) -> Vec<&Finding> {
    launched.dispatches.iter().flat_map(|dispatched| &dispatched.findings).collect()
}

fn tried<'l>(launched: &'l AmplifiedLaunch, strategy: &str) -> &'l StrategyRuns {
    let tried = launched.dispatches.iter().flat_map(|dispatched| &dispatched.strategies);
    let mut tried = tried.filter(|tried| tried.strategy == strategy);
    tried.next().unwrap_or_else(|| panic!("{strategy}: {launched:?}"))
}

fn plain(text: &str, workgroups: u32) -> AmplifiedLaunch {
    amplified(text, workgroups, Settings::default(), Outputs::default())
}

const APPEND: &str = "let at = atomicAdd(&flags[0], 1u); out[at] = id.x;";

#[test]
fn the_order_of_appended_items_is_seen_and_may_be_allowed() {
    let launched = plain(&kernel(APPEND), 3);
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::OutputsDiffer(differs) = &finding.what else { panic!("{finding:?}") };
    assert_eq!((differs.variable.as_str(), differs.element.as_str()), ("out", "out[0]"));
    assert_eq!(finding.test, Judgement::Silent);
    let reordered = finding.reordered.as_ref().unwrap();
    assert_eq!(
        (reordered.first.kind, reordered.second.kind),
        (AccessKind::Atomic, AccessKind::Atomic)
    );
    assert_eq!(reordered.element, "flags[0]");
    // A schedule with one deviation shows it: the second workgroup goes first.
    assert_eq!(finding.schedule, "choices:1");

    let as_set = Outputs { as_set: vec!["out".to_owned()], ..Outputs::default() };
    let launched = amplified(&kernel(APPEND), 3, Settings::default(), as_set);
    assert!(findings(&launched).is_empty(), "{launched:#?}");
    // Each workgroup adds and writes: 6! / (2! 2! 2!) schedules.
    let all = tried(&launched, "exhaustive");
    assert!(all.all && all.runs == 90 && all.cut_off == 0, "{all:?}");
    assert_eq!(tried(&launched, "pct").skipped, Some(SkipReason::AllWereRun));
}

#[test]
fn a_set_that_holds_something_else_is_no_less_wrong() {
    let text = kernel("let at = atomicAdd(&flags[0], 1u); out[at] = id.x * at;");
    let as_set = Outputs { as_set: vec!["out".to_owned()], ..Outputs::default() };
    assert_eq!(findings(&amplified(&text, 3, Settings::default(), as_set)).len(), 1);
}

#[test]
fn an_order_independent_kernel_has_no_findings() {
    let launched = plain(&kernel("atomicAdd(&flags[1], id.x); out[id.x] = id.x * 2u;"), 4);
    assert!(findings(&launched).is_empty(), "{launched:#?}");
    for strategy in ["target-first", "occupancy", "seeded", "random", "pct"] {
        let tried = tried(&launched, strategy);
        assert!(tried.runs > 0 && tried.found == 0 && tried.cut_off == 0, "{tried:?}");
    }
    assert_eq!(tried(&launched, "target-first").runs, 4);
    assert!(matches!(
        tried(&launched, "exhaustive").skipped,
        Some(SkipReason::TooMany { schedules: Some(ref schedules), most: 1_000 }) if schedules == "2520"
    ));
    assert_eq!(launched.command.as_deref().unwrap().split(' ').nth(1), Some("amplify"));
}

#[test]
fn a_workgroup_that_waits_for_another_makes_no_progress_where_that_cannot_start() {
    let text = kernel(
        "if (id.x == 0u) { atomicStore(&flags[0], 1u); }
         else { while (atomicLoad(&flags[0]) == 0u) {} out[id.x] = 1u; }",
    );
    let launched = plain(&text, 4);
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::NoProgress(stuck) = &finding.what else { panic!("{finding:?}") };
    assert_eq!(
        stuck.invocation.workgroup[0].to_string(),
        finding.schedule.replace("target-first:", "")
    );
    let awaits = stuck.awaits.as_ref().unwrap();
    assert_eq!((awaits.element.as_str(), awaits.write.invocation.workgroup), ("flags[0]", [0; 3]));
    assert!(awaits.workgroup_not_started);
    assert_eq!((awaits.write.place.line, stuck.place.line), (4, 5));
    // In ascending order, no workgroup waits for one that has not started.
    assert_eq!(tried(&launched, "occupancy").found, 0);
    assert_eq!(tried(&launched, "target-first").found, 3);
}

#[test]
fn occupancy_finds_a_deadlock_with_too_few_resident_workgroups() {
    let text = kernel(
        "if (id.x == 3u) { atomicStore(&flags[0], 1u); }
         else { while (atomicLoad(&flags[0]) == 0u) {} }",
    );
    let launched = plain(&text, 4);
    // Every number of resident workgroups is too small.
    let occupancy = tried(&launched, "occupancy");
    assert_eq!((occupancy.runs, occupancy.found, occupancy.first), (2, 2, Some(1)));
    assert!(findings(&launched).iter().all(|f| matches!(f.what, FindingFacts::NoProgress(_))));
}

#[test]
fn a_race_in_only_some_orders_is_found() {
    // The second workgroup writes to the element that the last one writes.
    let text = kernel(
        "let before = atomicAdd(&flags[0], 1u);
         if (id.x == 2u) { out[0] = 7u; }
         if (id.x == 0u && before != 0u) { out[0] = 7u; }",
    );
    let launched = plain(&text, 3);
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::Race { element, accesses } = &finding.what else { panic!("{finding:?}") };
    let mut lines = accesses.clone().map(|access| access.place.line);
    lines.sort_unstable();
    assert_eq!((element.as_str(), lines), ("out[0]", [5, 6]));
}

#[test]
fn a_barrier_that_only_some_orders_skip_is_found() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(2)
        fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
            let before = atomicAdd(&flags[0], 1u);
            if (id.x == 0u && before > 1u && lane == 0u) { return; }
            workgroupBarrier();
        }";
    let settings = Settings { strategies: vec!["target-first".to_owned()], ..Settings::default() };
    let launched = amplified(text, 2, settings, Outputs::default());
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::Divergence(found) = &finding.what else { panic!("{finding:?}") };
    assert_eq!(
        (found.place.line, found.workgroup, found.arrived, found.missing),
        (7, [0; 3], 1, 1)
    );
    assert_eq!(finding.schedule, "target-first:1");
}

#[test]
fn a_race_in_the_serial_order_is_not_reported() {
    let launched = plain(&kernel("out[0] = 7u;"), 3);
    assert!(findings(&launched).is_empty(), "{launched:#?}");
}

#[test]
fn sums_are_rounded_in_the_order_in_which_they_are_made() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> sums: array<f32>;
        @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) id: vec3<u32>) {
            while (atomicExchange(&flags[0], 1u) == 1u) {}
            sums[0] += select(1.0, 16777216.0, id.x == 1u);
            atomicStore(&flags[0], 0u);
        }";
    let settings =
        || Settings { strategies: vec!["target-first".to_owned()], ..Settings::default() };
    let launched = amplified(text, 3, settings(), Outputs::default());
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::OutputsDiffer(differs) = &finding.what else { panic!("{finding:?}") };
    assert_eq!((differs.expected.as_str(), differs.actual.as_str()), ("16777216", "16777218"));
    let tolerant = Outputs { tolerance: 1e-6, ..Outputs::default() };
    assert!(findings(&amplified(text, 3, settings(), tolerant)).is_empty());
}

#[test]
fn expected_outputs_decide_the_judgement() {
    let expect = vec![Binding::parse("out=0,1,2,0,0,0,0,0").unwrap()];
    let outputs = Outputs { expect, ..Outputs::default() };
    let launched = amplified(&kernel(APPEND), 3, Settings::default(), outputs);
    let finding = findings(&launched)[0];
    assert_eq!(finding.test, Judgement::Fails);
    let FindingFacts::OutputsDiffer(differs) = &finding.what else { panic!("{finding:?}") };
    assert_eq!((differs.element.as_str(), differs.differing), ("out[0]", 2));
    // The test does not check the counter, which is always the same.
    let expect = vec![Binding::parse("flags=3,0,0,0,0,0,0,0").unwrap()];
    let outputs = Outputs { expect, ..Outputs::default() };
    assert!(findings(&amplified(&kernel(APPEND), 3, Settings::default(), outputs)).is_empty());
    let same = Some(vec!["flags".to_owned()]);
    let outputs = Outputs { same, ..Outputs::default() };
    assert!(findings(&amplified(&kernel(APPEND), 3, Settings::default(), outputs)).is_empty());
}

#[test]
fn every_finding_can_be_replayed_by_its_schedule() {
    let spin = "if (id.x == 0u) { atomicStore(&flags[0], 1u); }
         else { while (atomicLoad(&flags[0]) == 0u) {} out[id.x] = 1u; }";
    let lost = "let old = out[0]; out[0] = old + 1u;";
    for (body, strategies) in [
        (APPEND, vec!["target-first"]),
        (APPEND, vec!["seeded"]),
        (APPEND, vec!["random"]),
        (APPEND, vec!["pct"]),
        (spin, vec!["target-first"]),
        (lost, vec!["exhaustive"]),
    ] {
        let strategies = strategies.into_iter().map(str::to_owned).collect();
        let settings = Settings { strategies, ..Settings::default() };
        let launched = amplified(&kernel(body), 3, settings, Outputs::default());
        let found = findings(&launched)[0].clone();
        let replay = Some(found.schedule.parse().unwrap());
        let settings = Settings { replay, ..Settings::default() };
        let launched = amplified(&kernel(body), 3, settings, Outputs::default());
        let [same] = &findings(&launched)[..] else { panic!("{found:?}: {launched:#?}") };
        assert_eq!((&same.what, &same.reordered), (&found.what, &found.reordered));
        assert_eq!(launched.dispatches[0].strategies.len(), 1);
    }
}

#[test]
fn a_later_dispatch_is_run_in_the_memory_that_those_before_it_leave() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(1) fn fill() { atomicStore(&flags[0], 2u); }
        @compute @workgroup_size(1)
        fn append(@builtin(workgroup_id) id: vec3<u32>) { out[atomicAdd(&flags[0], 1u)] = id.x + 1u; }
        @compute @workgroup_size(1) fn double() { out[2] *= 2u; }";
    let dispatch = |entry: &str, workgroups: u32| crate::launch::spec::DispatchSpec {
        entry: entry.to_owned(),
        workgroups: Some([workgroups, 1, 1]),
    };
    let spec = LaunchSpec {
        dispatches: vec![dispatch("fill", 1), dispatch("append", 2), dispatch("double", 1)],
        bindings: vec![
            Binding::parse("out=zeros:8").unwrap(),
            Binding::parse("flags=zeros:8").unwrap(),
        ],
        ..LaunchSpec::default()
    };
    let launched = launched(text, spec, Settings::default(), Outputs::default());
    assert_eq!(launched.dispatches.len(), 3);
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::OutputsDiffer(differs) = &finding.what else { panic!("{finding:?}") };
    assert_eq!((differs.element.as_str(), differs.differing), ("out[2]", 2));
    assert_eq!((differs.expected.as_str(), differs.actual.as_str()), ("2", "4"));
    assert_eq!(finding.schedule, "2/choices:1");
}

#[test]
fn a_later_dispatch_that_an_order_keeps_from_its_end_is_found() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(1)
        fn first(@builtin(workgroup_id) id: vec3<u32>) {
            if (atomicAdd(&flags[0], 1u) == 0u) { atomicStore(&out[0], id.x); }
        }
        @compute @workgroup_size(1) fn then() { while (atomicLoad(&out[0]) == 3u) {} }";
    let dispatch = |entry: &str, workgroups: u32| crate::launch::spec::DispatchSpec {
        entry: entry.to_owned(),
        workgroups: Some([workgroups, 1, 1]),
    };
    let spec = LaunchSpec {
        dispatches: vec![dispatch("first", 4), dispatch("then", 1)],
        bindings: vec![
            Binding::parse("out=zeros:8").unwrap(),
            Binding::parse("flags=zeros:8").unwrap(),
        ],
        ..LaunchSpec::default()
    };
    let same = Some(vec!["flags".to_owned()]);
    let outputs = Outputs { same, ..Outputs::default() };
    let strategies = vec!["target-first".to_owned()];
    let launched = launched(text, spec, Settings { strategies, ..Settings::default() }, outputs);
    let [finding] = &findings(&launched)[..] else { panic!("{launched:#?}") };
    let FindingFacts::NoProgress(stuck) = &finding.what else { panic!("{finding:?}") };
    assert_eq!((finding.schedule.as_str(), stuck.place.line), ("target-first:3", 8));
}

#[test]
fn a_late_finding_next_to_another_is_found() {
    // The order differs in every run; the last workgroup also waits for the first.
    let text = kernel(
        "out[atomicAdd(&flags[0], 1u)] = id.x;
         if (id.x == 0u) { atomicStore(&flags[1], 1u); }
         if (id.x == 15u) { while (atomicLoad(&flags[1]) == 0u) {} }",
    );
    let spec = LaunchSpec {
        workgroups: Some([16, 1, 1]),
        bindings: vec![
            Binding::parse("out=zeros:16").unwrap(),
            Binding::parse("flags=zeros:2").unwrap(),
        ],
        ..LaunchSpec::default()
    };
    let strategies = vec!["target-first".to_owned()];
    let settings = Settings { strategies, ..Settings::default() };
    let launched = launched(&text, spec, settings, Outputs::default());
    let found = findings(&launched);
    assert!(found.iter().any(|f| matches!(f.what, FindingFacts::NoProgress(_))), "{launched:#?}");
    assert!(
        found.iter().any(|f| matches!(f.what, FindingFacts::OutputsDiffer(_))),
        "{launched:#?}"
    );
}

#[test]
fn a_set_is_ordered_by_its_numbers() {
    let text = "
        struct Item { weight: f32, at: vec2<u32> }
        @group(0) @binding(0) var<storage, read_write> sums: array<Item>;
        @group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) id: vec3<u32>) {
            let at = atomicAdd(&flags[0], 1u);
            sums[at].weight = f32(id.x + 1u) + f32(at) * 0.00001;
            sums[at].at = id.xy;
        }";
    let spec = || LaunchSpec {
        workgroups: Some([4, 1, 1]),
        bindings: vec![
            Binding::parse("sums=zeros:4").unwrap(),
            Binding::parse("flags=zeros:8").unwrap(),
        ],
        ..LaunchSpec::default()
    };
    let as_set = vec!["sums".to_owned()];
    let outputs = Outputs { as_set, tolerance: 1e-3, ..Outputs::default() };
    let found = launched(text, spec(), Settings::default(), outputs.clone());
    assert!(findings(&found).is_empty(), "{found:#?}");
    let found = launched(text, spec(), Settings::default(), Outputs { tolerance: 0.0, ..outputs });
    let FindingFacts::OutputsDiffer(differs) = &findings(&found)[0].what else {
        panic!("{found:#?}")
    };
    assert_eq!(differs.element, "an element of sums");
}

#[test]
fn launch_that_exceeds_the_step_limit_has_no_known_outcome() {
    let text = kernel("for (var i = 0u; i < 100000u; i++) { out[id.x] += i; }");
    let spec = LaunchSpec {
        workgroups: Some([2, 1, 1]),
        bindings: vec![
            Binding::parse("out=zeros:8").unwrap(),
            Binding::parse("flags=zeros:8").unwrap(),
        ],
        step_limit: Some(1_000),
        ..LaunchSpec::default()
    };
    let launched = launched(&text, spec, Settings::default(), Outputs::default());
    assert!(findings(&launched).is_empty() && !launched.is_known(), "{launched:#?}");
}

#[test]
fn what_was_guessed_is_said() {
    let spec = LaunchSpec { workgroups: Some([2, 1, 1]), ..LaunchSpec::default() };
    let launched = launched(&kernel(APPEND), spec, Settings::default(), Outputs::default());
    assert!(!launched.guessed.is_empty());
}
