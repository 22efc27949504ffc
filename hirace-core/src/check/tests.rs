use super::source::check_launches;
use super::*;
use crate::diagnostic::Result;
use crate::event::Event;
use crate::exec::Relation;
use crate::exec::embedded::Embedded;
use crate::facts::warning::{NonUniform, UniformityRequirement};
use crate::facts::{Certainty, Kind, LaunchFacts, Varying, Verdict, Warning};
use crate::front::wgsl;
use crate::launch::spec::{Binding, DispatchSpec};
use crate::report::compose;
use crate::report::document::{LaunchReport, Report};
use std::sync::atomic::{AtomicBool, Ordering};

/// Checks a source and returns the report.
fn check_wgsl(name: &str, text: &str, options: &Options) -> Result<Report> {
    source::check_wgsl(name, text, options).map(|launches| compose::report(&launches))
}

fn checked(text: &str) -> LaunchReport {
    let mut report = check_wgsl("test.wgsl", text, &Options::default()).unwrap();
    assert_eq!(report.launches.len(), 1);
    report.launches.remove(0)
}

fn given(text: &str, workgroups: u32, bindings: &[&str]) -> LaunchReport {
    let launch = LaunchSpec {
        workgroups: Some([workgroups, 1, 1]),
        bindings: bindings.iter().map(|text| Binding::parse(text).unwrap()).collect(),
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![launch], ..Options::default() };
    check_wgsl("test.wgsl", text, &options).unwrap().launches.remove(0)
}

const REVERSE: &str = "
    var<workgroup> tile: array<u32, 64>;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3u) {
        tile[l] = data[id.x];
        // here
        data[id.x] = tile[63u - l];
    }";

#[test]
fn a_missing_barrier_is_found_on_the_smallest_launch() {
    let report = checked(REVERSE);
    assert_eq!(report.verdict, Verdict::Findings);
    assert_eq!(report.findings.len(), 1);
    let finding = &report.findings[0];
    assert_eq!((finding.kind, finding.certainty), (Kind::DataRace, Certainty::Certain));
    assert_eq!(report.workgroups, [1, 1, 1]);
    let replay = finding.replay.as_deref().unwrap();
    assert!(replay.contains("--workgroups 1"), "{replay}");
    let mut lines: Vec<u32> = finding.accesses.iter().map(|place| place.line).collect();
    lines.sort_unstable();
    assert_eq!(lines, [6, 8]);
}

#[test]
fn with_the_barrier_the_same_kernel_is_clean() {
    let report = checked(&REVERSE.replace("// here", "workgroupBarrier();"));
    assert_eq!(report.verdict, Verdict::NoFindings, "{report:?}");
    assert!(report.guessed);
    assert!(report.inferred.iter().any(|line| line == "workgroups: 1, then 2, then 5"));
    assert_eq!(report.stats.sites_executed, report.stats.sites);
}

/// A kernel whose loop depends on a load from workgroup memory.
const UNIFORM_FOR_HOSTS: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<workgroup> n: u32;
    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3u) {
        if l == 0u { n = 3u; }
        workgroupBarrier();
        for (var i = 0u; i < n; i++) {
            data[id.x] += 1u;
            workgroupBarrier();
            storageBarrier();
        }
    }";

/// Returns the facts about the only launch of a text.
fn facts(text: &str) -> LaunchFacts {
    source::check_wgsl("test.wgsl", text, &Options::default()).unwrap().remove(0)
}

fn non_uniform(launch: &LaunchFacts) -> Vec<NonUniform> {
    let found = launch.warnings.iter().filter_map(|warning| match warning {
        Warning::NonUniform(found) => Some(*found),
        _ => None,
    });
    found.collect()
}

#[test]
fn a_module_that_browsers_refuse_is_clean_with_a_warning() {
    let launch = facts(UNIFORM_FOR_HOSTS);
    assert!(launch.findings.is_empty());
    let [found] = non_uniform(&launch)[..] else { panic!("{:?}", launch.warnings) };
    assert_eq!((found.place.at.line, found.requires), (10, UniformityRequirement::Barrier));
    assert_eq!(found.origin, Varying::WorkgroupMemory);
    assert_eq!(found.branch.map(|place| place.at.line), Some(8));
    assert_eq!(found.origin_place.map(|place| place.at.line), Some(8));
    let repaired = UNIFORM_FOR_HOSTS.replace("i < n;", "i < 3u;");
    assert_eq!(non_uniform(&facts(&repaired)), []);
}

#[test]
fn browsers_refuse_a_barrier_that_diverges_too() {
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) l: u32) {
            if l < 3u { workgroupBarrier(); }
            data[l] = 1u;
        }";
    let launch = facts(text);
    assert_eq!(launch.findings[0].kind(), Kind::BarrierDivergence);
    assert_eq!(non_uniform(&launch)[0].origin, Varying::LocalInvocationIndex);
}

#[test]
fn non_uniform_control_flow_may_be_allowed() {
    let allowed = UNIFORM_FOR_HOSTS.replace(
        "            workgroupBarrier();",
        "            // hirace: allow(HR006): only naga compiles it\n            workgroupBarrier();",
    );
    assert_eq!(non_uniform(&facts(&allowed)), []);
    let subgroups = "enable subgroups;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) l: u32) {
            if l < 3u { data[l] = subgroupAdd(l); }
        }";
    let [found] = non_uniform(&facts(subgroups))[..] else { panic!("one operation") };
    assert_eq!(found.requires, UniformityRequirement::Subgroup);
    let off = format!(
        "diagnostic(off, subgroup_uniformity);\n{}",
        subgroups.replace("enable subgroups;", "")
    );
    assert_eq!(non_uniform(&facts(&off)), []);
    let off = subgroups
        .replace("enable subgroups;", "enable subgroups, chromium_disable_uniformity_analysis;");
    assert_eq!(non_uniform(&facts(&off)), []);
}

#[test]
fn an_allowed_race_does_not_fail_the_check() {
    let report = checked(&REVERSE.replace("// here", "// hirace: allow(race): meant"));
    assert_eq!(report.verdict, Verdict::NoFindings, "{report:?}");
    assert_eq!(report.stats.allowed, 1);
}

#[test]
fn a_race_at_an_index_from_guessed_contents_is_possible_and_one_from_given_contents_certain() {
    let text = "
        @group(0) @binding(0) var<storage> index: array<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            out[index[id.x]] = id.x;
        }";
    let report = checked(text);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert_eq!(report.findings[0].certainty, Certainty::Possible);
    assert!(report.findings[0].notes.iter().any(|note| note.contains("`index`")));
    let report = given(text, 1, &["index=fill:64:3", "out=zeros:64"]);
    assert_eq!(report.verdict, Verdict::Findings);
    let report = given(text, 1, &["index=iota:64", "out=zeros:64"]);
    assert_eq!(report.verdict, Verdict::Clean);
    assert!(report.inferred.is_empty() && !report.guessed);
}

#[test]
fn guessed_buffers_grow_and_given_ones_are_overrun() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x * 100u + 7u] = 1u; }";
    let report = checked(text);
    assert_eq!(report.verdict, Verdict::NoFindings, "{report:?}");
    let report = given(text, 1, &["out=zeros:64"]);
    assert!(report.findings.iter().any(|finding| finding.kind == Kind::OutOfBounds));
}

#[test]
fn a_site_that_guesses_do_not_reach_makes_the_check_inconclusive() {
    let text = "
        struct Params { magic: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            if (params.magic * 3u == 123456u) { out[0] = id.x; }
        }";
    let report = checked(text);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert_eq!(report.stats.sites_missed.len(), 1);
    let report = given(text, 1, &["params=41152", "out=zeros:1"]);
    assert_eq!(report.verdict, Verdict::Findings);
}

#[test]
fn parameters_take_several_values() {
    let text = "
        struct Params { mode: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            if (params.mode == 0u) { out[id.x] = 1u; } else if (params.mode == 1u) { out[0] = id.x; }
        }";
    let report = checked(text);
    assert_eq!(report.verdict, Verdict::Findings, "{report:?}");
    let values = "`params.mode` = 1 (3 combinations were tried)";
    assert!(report.inferred.iter().any(|line| line == values), "{:?}", report.inferred);
    let replay = report.findings[0].replay.as_ref().unwrap();
    assert!(replay.contains("--buffer params.mode=1"), "{replay}");
}

#[test]
fn matrices_are_first_those_that_leave_everything_in_its_place() {
    let report = checked(
        "@group(0) @binding(0) var<uniform> view: mat4x4f;
        @group(0) @binding(1) var<storage, read_write> seen: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            let at = view * vec4f(f32(id.x), 0.0, 0.0, 1.0);
            if (at.w == 1.0 && at.y == 0.0) { seen[id.x] = 1u; }
        }",
    );
    assert_eq!(report.verdict, Verdict::NoFindings, "{:?}", report.inferred);
}

#[test]
fn counts_that_were_guessed_too_large_are_small() {
    let report = checked(
        "@group(0) @binding(0) var<storage> counts: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            if (id.x >= arrayLength(&counts)) { return; }
            for (var i = 0u; i < counts[id.x] * 100000000u; i++) { sums[id.x] += i; }
            for (var i = 0u; i < counts[id.x] + 1u; i++) { sums[id.x] += i; }
        }",
    );
    assert_eq!(report.verdict, Verdict::NoFindings, "{:?}", report.inferred);
}

#[test]
fn sizes_that_only_fit_together_where_they_are_small_are_found() {
    let names: Vec<String> = (0..12).map(|n| format!("n{n}")).collect();
    let members: Vec<String> = names.iter().map(|name| format!("{name}: u32")).collect();
    let within: Vec<String> = names.iter().map(|name| format!("id.x < params.{name}")).collect();
    let of_all: Vec<String> = names.iter().map(|name| format!("params.{name}")).collect();
    let report = checked(&format!(
        "struct Params {{ {} }}
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {{
            if ({} && {} < 50u) {{ out[id.x] = 1u; }}
        }}",
        members.join(", "),
        within.join(" && "),
        of_all.join(" + "),
    ));
    assert_eq!(report.verdict, Verdict::NoFindings, "{:?}", report.inferred);
}

#[test]
fn an_endless_loop_is_certain_and_one_that_a_guess_keeps_from_ending_possible() {
    let text = "
        struct Params { step: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            for (var i = 0u; i < 64u; i += STEP) { out[id.x] += i; }
        }";
    let step = checked(&text.replace("STEP", "params.step"));
    assert_eq!(step.verdict, Verdict::NoFindings, "a step is 1: {step:?}");
    let guessed = checked(&text.replace("STEP", "params.step * 2u"));
    assert_eq!(guessed.verdict, Verdict::Inconclusive, "{guessed:?}");
    assert_eq!(guessed.findings[0].kind, Kind::NoProgress);
    let certain = checked(&text.replace("STEP", "0u"));
    assert_eq!(certain.verdict, Verdict::Findings);
    assert_eq!(certain.findings[0].certainty, Certainty::Certain);
}

#[test]
fn a_loop_that_only_counts_its_iterations_is_endless_if_its_step_is_zero() {
    for body in [
        "for (var i = 0u; i < 3u; i += step) { n += 1u; }",
        "var i = 0u; while (i < 3u) { i += step; n += 1u; }",
        "for (var s = 64u; s > 0u; s >>= step) { n += s; workgroupBarrier(); }",
        "for (var i = 0u; i < 3u; i += step) { for (var j = 0u; j < 9u; j++) { n += j; } }",
    ] {
        let text = format!(
            "@group(0) @binding(0) var<uniform> step: u32;
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(64)
             fn main(@builtin(global_invocation_id) id: vec3u) {{
                 var n = 0u;
                 {body}
                 out[id.x] = n;
             }}"
        );
        let report = given(&text, 2, &["step=0", "out=zeros:128"]);
        let found: Vec<_> = report.findings.iter().map(|f| (f.kind, f.certainty)).collect();
        assert_eq!(found, [(Kind::NoProgress, Certainty::Certain)], "{body}");
        let report = given(&text, 2, &["step=1", "out=zeros:128"]);
        assert_eq!(report.verdict, Verdict::Clean, "{body}");
    }
}

#[test]
fn arrays_of_fixed_size_may_be_meant_for_fewer_workgroups_than_were_guessed() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = 1u; }";
    let report = checked(text);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    let finding = report.findings.iter().find(|f| f.kind == Kind::OutOfBounds).unwrap();
    assert!(finding.message.starts_with("possibly, "));
    assert_eq!(finding.certainty, Certainty::Possible);
    assert_eq!(given(text, 1, &[]).verdict, Verdict::NoFindings);
    assert_eq!(given(text, 2, &["out=zeros"]).verdict, Verdict::Findings);
}

#[test]
fn an_index_computed_from_a_guessed_length_is_no_verdict() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<workgroup> tile: array<u32, 32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
            tile[arrayLength(&data) - 1u - l] = 1u;
            data[w.x * 64u + l] = 1u;
        }";
    let report = checked(text);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.findings.iter().all(|finding| finding.certainty == Certainty::Possible));
}

#[test]
fn an_index_out_of_bounds_that_a_guessed_parameter_steers_is_no_verdict() {
    let text = "
        struct Params { n: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        var<workgroup> tile: array<u32, 8>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            var sums = array<u32, 4>(1u, 2u, 3u, 4u);
            for (var i = 0u; i < params.n * 64u; i++) { tile[i] = i; }
            out[id.x] = sums[params.n * 7u] + tile[0];
        }";
    let report = checked(text);
    let bounds: Vec<_> =
        report.findings.iter().filter(|finding| finding.kind == Kind::OutOfBounds).collect();
    assert_eq!(bounds.len(), 2, "{report:?}");
    assert!(bounds.iter().all(|finding| finding.certainty == Certainty::Possible), "{bounds:?}");
    let given = given(text, 1, &["params=1", "out=zeros:1"]);
    assert_eq!(given.verdict, Verdict::Findings);
}

#[test]
fn dispatches_follow_one_another_over_the_same_buffers() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64)
        fn spread(@builtin(global_invocation_id) id: vec3u) { data[id.x] = data[0] + id.x; }
        @compute @workgroup_size(1)
        fn first() { data[0] = 1u; }";
    let launch = |dispatches: &[&str]| LaunchSpec {
        dispatches: dispatches.iter().map(|text| DispatchSpec::parse(text).unwrap()).collect(),
        bindings: vec![Binding::parse("data=zeros:64").unwrap()],
        ..LaunchSpec::default()
    };
    let options =
        Options { launches: vec![launch(&["first:1", "spread:1"])], ..Options::default() };
    let report = check_wgsl("test.wgsl", text, &options).unwrap();
    // `spread` races with itself on data[0]; `first` and `spread` do not, being ordered.
    assert_eq!(report.launches[0].findings.len(), 1);
    assert_eq!(report.launches[0].entry, "first,spread");
    assert!(
        report.launches[0].findings[0]
            .replay
            .as_deref()
            .is_some_and(|replay| replay.contains("--dispatch first:1 --dispatch spread:1"))
    );
}

#[test]
fn only_watched_variables_and_relations_count() {
    let watch = |watch: Watch| {
        let options = Options { watch, ..Options::default() };
        check_wgsl("test.wgsl", REVERSE, &options).unwrap().verdict
    };
    assert_eq!(
        watch(Watch { ignore: vec!["ti*".into()], ..Watch::default() }),
        Verdict::NoFindings
    );
    assert_eq!(watch(Watch { only: vec!["data".into()], ..Watch::default() }), Verdict::NoFindings);
    let relations = |relation| Watch { relations: vec![relation], ..Watch::default() };
    assert_eq!(watch(relations(Relation::Workgroup)), Verdict::Findings);
    // l and 63 - l are never in one subgroup of 32.
    assert_eq!(watch(relations(Relation::Subgroup)), Verdict::NoFindings);
    assert_eq!(watch(relations(Relation::Dispatch)), Verdict::NoFindings);
}

#[test]
fn the_oracle_agrees() {
    let options =
        Options { watch: Watch { oracle: true, ..Watch::default() }, ..Options::default() };
    let launch = &source::check_wgsl("test.wgsl", REVERSE, &options).unwrap()[0];
    assert_eq!(launch.verdict(), Verdict::Findings);
    let disagrees = |warning: &Warning| matches!(warning, Warning::OracleDisagrees { .. });
    assert!(!launch.warnings.iter().any(disagrees));
}

#[test]
fn every_entry_point_is_checked_unless_named() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(2) fn good(@builtin(global_invocation_id) id: vec3u) { out[id.x] = 1u; }
        @compute @workgroup_size(2) fn bad(@builtin(global_invocation_id) id: vec3u) { out[0] = id.x; }";
    let report = check_wgsl("test.wgsl", text, &Options::default()).unwrap();
    let verdicts: Vec<_> = report.launches.iter().map(|l| (l.entry.as_str(), l.verdict)).collect();
    assert_eq!(verdicts, [("good", Verdict::NoFindings), ("bad", Verdict::Findings)]);
    let options = Options { kernels: vec!["good".into()], ..Options::default() };
    assert_eq!(check_wgsl("test.wgsl", text, &options).unwrap().verdict, Verdict::NoFindings);
    let options = Options { kernels: vec!["goood".into()], ..Options::default() };
    let error = check_wgsl("test.wgsl", text, &options).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean `good`?"));
}

#[test]
fn a_check_that_is_stopped_reports_what_it_has() {
    let parsed = wgsl::parse("test.wgsl", REVERSE).unwrap();
    let stop = AtomicBool::new(false);
    let mut launches_run = 0;
    let mut listener = |event: &Event<'_>| {
        if let Event::LaunchStarted(_) = event {
            launches_run += 1;
            stop.store(launches_run == 2, Ordering::Relaxed);
        }
    };
    let mut session = Session::new(&Embedded).with_listener(&mut listener).with_stop(Some(&stop));
    let checked = check_launches(&parsed, &Options::default(), &mut session).unwrap();
    assert!(checked.launches[0].stats.cut_short);
    assert_eq!(checked.launches[0].findings.len(), 1, "found before it was stopped");
}

#[test]
fn schedules_are_run_and_replayed() {
    // The race shows under any schedule; the launches are counted.
    let parsed = wgsl::parse("test.wgsl", REVERSE).unwrap();
    let mut runs = 0;
    let mut count =
        |event: &Event<'_>| runs += usize::from(matches!(event, Event::LaunchStarted(_)));
    let mut session = Session::new(&Embedded).with_listener(&mut count);
    let options = Options { schedules: 3, ..Options::default() };
    check_launches(&parsed, &options, &mut session).unwrap();
    assert_eq!(runs, 6);
}

#[test]
fn help_holds_for_several_workgroups_too() {
    let help = |body: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @group(0) @binding(1) var<storage, read_write> bins: array<u32, 16>;
             @compute @workgroup_size(64)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        );
        let report = check_wgsl("test.wgsl", &text, &Options::default()).unwrap();
        report.launches[0].findings[0].help.clone().unwrap()
    };
    // A barrier would do within the one workgroup that shows the race first.
    assert_eq!(
        help("data[id.x] = data[id.x + 1u];"),
        "write to a second buffer instead of back to `data`, and swap the two after the dispatch"
    );
    assert_eq!(
        help("bins[data[id.x] % 16u] += 1u;"),
        "make the elements of `bins` atomic and use `atomicAdd(&bins[data[id.x] % 16u], …)` at line 4"
    );
}

#[test]
fn a_race_is_found_without_explanation_too() {
    let parsed = wgsl::parse("test.wgsl", REVERSE).unwrap();
    let launch = LaunchSpec {
        workgroups: Some([1, 1, 1]),
        bindings: vec![Binding::parse("data=iota:64").unwrap()],
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![launch], ..Options::default() };
    let both = [true, false].map(|explains| {
        let session = Session::new(&Embedded);
        let mut session = if explains { session } else { session.without_explanation() };
        let finding = check_launches(&parsed, &options, &mut session).unwrap().launches[0].findings
            [0]
        .clone();
        (finding.kind(), finding.certainty(), finding.race().unwrap().other.is_some())
    });
    let of = |explained| (Kind::DataRace, Certainty::Certain, explained);
    assert_eq!(both, [of(true), of(false)]);
}

#[test]
fn a_program_that_is_made_already_is_checked_like_its_text() {
    let parsed = wgsl::parse("test.wgsl", REVERSE).unwrap();
    let options = Options { launches: vec![LaunchSpec::default()], ..Options::default() };
    let program = std::sync::Arc::new(source::given_program(&parsed, &[]).unwrap().unwrap());
    let made = source::check_program(&program, &options, &mut Session::new(&Embedded)).unwrap();
    let read = check_launches(&parsed, &options, &mut Session::new(&Embedded)).unwrap();
    assert_eq!(format!("{:?}", made.launches), format!("{:?}", read.launches));
    // Not all values are given: one has to be guessed.
    let open =
        wgsl::parse("test.wgsl", "override n: u32; @compute @workgroup_size(n) fn main() {}");
    assert!(source::given_program(&open.unwrap(), &[]).is_none());
}

/// A kernel that needs more than every device guarantees, and one that does not.
const LARGE: &str = "
    override N: u32 = 64;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(N, 8) fn large(@builtin(global_invocation_id) id: vec3u) {
        data[id.y * 64 * N + id.x] = 1;
    }
    @compute @workgroup_size(1) fn small() { data[0] = 1; }";

#[test]
fn what_webgpu_does_not_guarantee_is_noted() {
    let report = check_wgsl("test.wgsl", LARGE, &Options::default()).unwrap();
    let [large, small] = &report.launches[..] else { panic!("two launches") };
    let [beyond] = &large.beyond_webgpu[..] else { panic!("{:?}", large.beyond_webgpu) };
    assert_eq!(
        (beyond.limit.as_str(), beyond.guaranteed, beyond.required),
        ("maxComputeInvocationsPerWorkgroup", 256, 512)
    );
    assert_eq!(beyond.place.as_ref().map(|place| place.line), Some(4));
    assert!(small.beyond_webgpu.is_empty());
    // The demands depend on the values of overrides.
    let spec = LaunchSpec { overrides: vec![("N".into(), 32.0)], ..LaunchSpec::default() };
    let options = Options { launches: vec![spec], ..Options::default() };
    let report = check_wgsl("test.wgsl", LARGE, &options).unwrap();
    assert!(report.launches.iter().all(|launch| launch.beyond_webgpu.is_empty()));
}

#[test]
fn what_does_not_fit_in_the_limits_asked_for_is_an_error_and_the_rest_is_checked() {
    let parsed = wgsl::parse("test.wgsl", LARGE).unwrap();
    let options = Options { limits: Some(Limits::WebGpu), ..Options::default() };
    let checked = check_launches(&parsed, &options, &mut Session::new(&Embedded)).unwrap();
    let [failure] = &checked.failures[..] else { panic!("{:?}", checked.failures) };
    assert!(!failure.is_of_device());
    assert_eq!(
        failure.message,
        "the workgroups of `large` have 512 invocations, but WebGPU guarantees only 256 (maxComputeInvocationsPerWorkgroup)"
    );
    let entries: Vec<&String> = checked.launches.iter().flat_map(|facts| &facts.entries).collect();
    assert_eq!(entries, ["small"]);
}

#[test]
fn unknown_names_for_a_rust_file_suggest_the_nearest_name() {
    let text = "
        #[hirace::monitor(workgroup_size(TILE))]
        fn reverse<const TILE: usize>(
            #[builtin(local_invocation_index)] lane: u32,
            data: &mut [u32],
            #[workgroup] tile: &mut [u32; TILE],
        ) {
            tile[lane] = data[lane];
            workgroup_barrier();
            data[lane] = tile[TILE as u32 - 1 - lane];
        }
        #[hirace::monitor]
        mod shares {
            #[overridable]
            const SHARE: u32 = 4;
            #[kernel(workgroup_size(8))]
            fn fill(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
                data[id.x] = SHARE;
            }
        }";
    let file = crate::front::rust::parse_file("test.rs", text).unwrap();
    let given = |name: &str| {
        let overrides = vec![(name.to_owned(), 8.0)];
        let launches = vec![LaunchSpec { overrides, ..LaunchSpec::default() }];
        let options = Options { launches, ..Options::default() };
        file::check_file(&file, &options, &mut Session::new(&Embedded))
    };
    assert_eq!(given("TILE").unwrap().launches.len(), 2);
    for (name, near) in [("TIEL", "TILE"), ("SHRAE", "SHARE")] {
        let error = given(name).unwrap_err();
        assert_eq!(error.message, format!("`test.rs` has no override `{name}`"));
        assert_eq!(error.help, Some(format!("did you mean `{near}`?")));
    }
    assert_eq!(given("width").unwrap_err().notes, ["its overrides are `SHARE`, `TILE`"]);
}
