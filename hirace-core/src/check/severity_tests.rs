//! Tests of severity, and of the order of causes: kernels with findings that change nothing, and kernels that look like them and are
//! wrong.

use super::source::check_wgsl;
use super::{LaunchSpec, Options};
use crate::facts::{CauseLink, Certainty, Finding, Kind, LaunchFacts, Severity, Verdict};
use crate::launch::spec::Binding;
use crate::report::document::LaunchReport;
use crate::report::text::Style;
use crate::report::{baseline, compose, github, html, json, merge, sarif, text};

/// Checks a kernel with this body in a launch of `workgroups` workgroups of 64 invocations.
fn facts(globals: &str, body: &str, workgroups: u32) -> LaunchFacts {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> source: array<u32>;
struct Params {{ n: u32, step: vec2<u32> }}
@group(0) @binding(2) var<uniform> params: Params;
var<workgroup> tile: array<u32, 64>;
{globals}
@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) l: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    _ = params.n; _ = arrayLength(&source); _ = arrayLength(&out); _ = groups;
    {body}
}}"
    );
    let bindings = ["out=zeros:128", "source=iota:128", "params.n=7", "params.step=1,2"];
    let launch = LaunchSpec {
        workgroups: Some([workgroups, 1, 1]),
        bindings: bindings.iter().map(|text| Binding::parse(text).unwrap()).collect(),
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![launch], ..Options::default() };
    let launches = check_wgsl("test.wgsl", &text, &options);
    launches.unwrap_or_else(|error| panic!("{error}: {:?}\n{text}", error.notes)).remove(0)
}

fn summary(launch: &LaunchFacts) -> Vec<(Kind, Severity)> {
    launch.findings.iter().map(|finding| (finding.kind(), finding.severity())).collect()
}

/// The prefix sums of a tile by the method of Hillis and Steele, with `left` as the value to add.
fn prefix_sums(left: &str) -> String {
    format!(
        "tile[l] = source[id.x];
    workgroupBarrier();
    for (var d = 1u; d < 64u; d *= 2u) {{
        {left}
        workgroupBarrier();
        tile[l] += left;
        workgroupBarrier();
    }}
    out[id.x] = tile[l];"
    )
}

#[test]
fn a_read_out_of_bounds_is_a_warning_if_its_value_is_not_used() {
    for (left, severity) in [
        ("let left = select(0u, tile[l - d], l >= d);", Severity::Warning),
        ("let left = select(tile[l - d], 0u, l < d);", Severity::Warning),
        ("let read = tile[l - d]; var left = 0u; if (l >= d) { left = read; }", Severity::Warning),
        // Off by one, the wrong way round, and a product.
        ("let left = select(0u, tile[l - d], l + 1u >= d);", Severity::Error),
        ("let left = select(0u, tile[l - d], l < d);", Severity::Error),
        ("let left = tile[l - d] * u32(l >= d);", Severity::Error),
    ] {
        let launch = facts("", &prefix_sums(left), 2);
        let bounds: Vec<_> =
            summary(&launch).into_iter().filter(|(kind, _)| *kind == Kind::OutOfBounds).collect();
        assert_eq!(bounds, [(Kind::OutOfBounds, severity)], "{left}");
        let expected = match severity {
            Severity::Warning => Verdict::Clean,
            Severity::Error => Verdict::Findings,
        };
        assert_eq!((launch.verdict(), launch.strict_verdict()), (expected, Verdict::Findings));
    }
}

#[test]
fn a_wrong_access_among_those_of_a_line_makes_the_finding_an_error() {
    let body = "out[id.x] = select(0u, tile[l + 1u], l < 63u) + tile[l + 2u];";
    let launch = facts("", body, 1);
    assert_eq!(summary(&launch), [(Kind::OutOfBounds, Severity::Error)]);
}

#[test]
fn a_race_is_a_warning_if_all_write_the_same_in_every_launch() {
    for body in [
        "out[0] = 1u;",
        "out[3] = params.n;",
        "out[0] = params.step.x * 2u + arrayLength(&source);",
        "out[0] = groups.x;",
        "if (source[id.x] > 5u) { out[1] = 1u; }",
        "out[0] = select(3u, 4u, params.n > 2u);",
        "out[0] = source[params.n];",
        "tile[5] = group.x;",
        "out[l / 2u] = 7u;",
        "for (var i = 0u; i < 4u; i++) { out[i] = 0u; }",
        // Two lines with the same constant.
        "if (l == 3u) { out[0] = 9u; }\n if (l == 5u) { out[0] = 9u; }",
    ] {
        for workgroups in [1, 2] {
            let launch = facts("", body, workgroups);
            let all = summary(&launch);
            let expected = (Kind::DataRace, Severity::Warning);
            assert!(!all.is_empty() && all.iter().all(|one| *one == expected), "{body}: {all:?}");
            assert_eq!(launch.verdict(), Verdict::Clean, "{body}");
            assert_eq!(launch.strict_verdict(), Verdict::Findings, "{body}");
        }
    }
}

#[test]
fn a_race_is_an_error_if_the_values_are_equal_only_by_chance_or_are_read() {
    for (body, workgroups) in [
        // All write 0 in this launch.
        ("out[0] = l / 64u;", 1),
        ("out[0] = source[l] * 0u;", 1),
        ("out[0] = group.x;", 2),
        ("out[0] = params.n + l - l;", 1),
        // The number of the iteration, in which other invocations need not be.
        ("for (var i = 0u; i < 4u; i++) { out[0] = i; }", 1),
        ("var x = params.n; if (l == 3u) { x = 7u; } out[0] = x;", 1),
        // 0 and -0 are equal and have other bits.
        ("if (l == 3u) { floats[0] = 0.0; }\n if (l == 5u) { floats[0] = -0.0; }", 1),
        ("if (l == 3u) { out[0] = 9u; }\n if (l == 5u) { out[0] = 8u; }", 1),
        // Others read it, or update it.
        ("out[0] = 1u;\n out[id.x + 1u] = out[0];", 1),
        ("if (out[0] == 0u) {\n out[0] = 1u;\n out[id.x + 1u] = 2u; }", 1),
        ("out[0] = 5u;\n out[0] += 1u;", 1),
        ("out[params.n] = 1u;\n out[id.x] = l;", 1),
    ] {
        let globals = "@group(0) @binding(3) var<storage, read_write> floats: array<f32, 4>;";
        let launch = facts(if body.contains("floats") { globals } else { "" }, body, workgroups);
        let is_error = |finding: &Finding| finding.is_error();
        assert!(launch.findings.iter().any(is_error), "{body}: {:?}", summary(&launch));
        assert_eq!(launch.verdict(), Verdict::Findings, "{body}");
    }
}

#[test]
fn other_findings_than_warnings_count_as_before() {
    let body = "out[0] = 1u;\n tile[l] = l;\n out[id.x + 1u] = tile[63u - l];";
    let launch = facts("", body, 1);
    assert_eq!(
        summary(&launch),
        [(Kind::DataRace, Severity::Error), (Kind::DataRace, Severity::Warning)]
    );
    assert_eq!(launch.verdict(), Verdict::Findings);
}

#[test]
fn warnings_are_in_all_formats_with_their_rule_and_line() {
    let body = "out[0] = 1u;\n out[id.x + 1u] = select(0u, tile[l + 1u], l < 63u);";
    let launch = facts("", body, 1);
    assert_eq!(launch.verdict(), Verdict::Clean);
    let report = compose::report(&[launch]);
    let shown = text::report(&report, Style::default());
    assert!(shown.contains("warning[HR001]: data race on `out[0]`"), "{shown}");
    assert!(shown.contains("all invocations write the same value"), "{shown}");
    assert!(shown.contains("warning[HR003]: index 64 is out of bounds of `tile`"), "{shown}");
    assert!(shown.contains("1 access out of bounds (warning), 1 data race (warning)"), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&json::report(&report)).unwrap();
    let launch = &json["launches"][0];
    assert_eq!((&launch["verdict"], &json["verdict"]), (&"clean".into(), &"clean".into()));
    let severities: Vec<_> = launch["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["rule"].clone(), finding["severity"].clone()))
        .collect();
    let warning = |rule: &str| (rule.into(), "warning".into());
    assert_eq!(severities, [warning("HR003"), warning("HR001")]);
    let sarif: serde_json::Value = serde_json::from_str(&sarif::report(&report)).unwrap();
    for (result, (rule, line)) in
        sarif["runs"][0]["results"].as_array().unwrap().iter().zip([("HR003", 16), ("HR001", 15)])
    {
        assert_eq!((&result["ruleId"], &result["level"]), (&rule.into(), &"warning".into()));
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], line);
    }
    let annotations = github::report(&report);
    assert!(annotations.contains("::warning file=test.wgsl,line=15,"), "{annotations}");
    assert!(annotations.contains("::warning file=test.wgsl,line=16,"), "{annotations}");
    assert!(!annotations.contains("::error"), "{annotations}");
    let page = html::report(&report);
    assert!(page.contains("HR001 warning") && page.contains("HR003 warning"), "{page}");
}

fn causes(launch: &LaunchFacts) -> Vec<(Kind, Option<(Kind, CauseLink)>)> {
    let cause = |finding: &Finding| {
        let link = finding.caused_by.as_ref()?.link;
        Some((launch.cause_of(finding)?.kind(), link))
    };
    launch.findings.iter().map(|finding| (finding.kind(), cause(finding))).collect()
}

#[test]
fn a_race_that_only_clamping_leads_to_is_caused_by_the_index() {
    let body = "out[id.x + 100u] = l;";
    let launch = facts("", body, 1);
    let by_clamping = Some((Kind::OutOfBounds, CauseLink::Clamping));
    assert_eq!(causes(&launch), [(Kind::OutOfBounds, None), (Kind::DataRace, by_clamping)]);
    assert_eq!(launch.verdict(), Verdict::Findings);
    let report = compose::report(std::slice::from_ref(&launch));
    let shown = text::report(&report, Style::default());
    assert_eq!(shown.matches("error[").count(), 1, "{shown}");
    assert!(shown.contains("because the index is clamped (HR001)"), "{shown}");
    assert!(shown.contains("1 access out of bounds, which causes 1 data race"), "{shown}");
    let known = baseline::baseline(&[launch]);
    assert_eq!(known.text().matches("\"fingerprint\"").count(), 2);
}

#[test]
fn a_race_that_is_there_without_clamping_is_a_finding_of_its_own() {
    for body in [
        // On all elements.
        "out[(id.x + 100u) / 2u] = l; out[id.x + 100u] = l;",
        // On the last element, which invocations inside of the bounds write, too.
        "out[min(id.x + 100u, 128u)] = l; if (l < 3u) { out[127] = l; }",
        "if (l > 5u) { out[127] = l; } else { out[127u + l] = l; }",
    ] {
        let launch = facts("", body, 1);
        let kinds: Vec<Kind> = launch.findings.iter().map(Finding::kind).collect();
        assert!(kinds.contains(&Kind::OutOfBounds), "{body}: {kinds:?}");
        let is_own = |finding: &Finding| {
            finding.kind() == Kind::DataRace && launch.cause_of(finding).is_none()
        };
        assert!(launch.findings.iter().any(is_own), "{body}: {:?}", causes(&launch));
    }
}

#[test]
fn a_race_with_an_unused_read_that_is_clamped_is_a_warning() {
    let body = "tile[l] = l; workgroupBarrier(); tile[l] = 2u * l;
        out[id.x] = select(0u, tile[64u + l], l > 64u);";
    let launch = facts("", body, 1);
    let by_clamping = Some((Kind::OutOfBounds, CauseLink::Clamping));
    assert_eq!(causes(&launch), [(Kind::OutOfBounds, None), (Kind::DataRace, by_clamping)]);
    assert_eq!((launch.verdict(), launch.strict_verdict()), (Verdict::Clean, Verdict::Findings));
}

#[test]
fn one_missing_barrier_is_one_finding_however_many_lines_it_concerns() {
    let body = "tile[l] = source[id.x];
        let a = tile[(l + 1u) % 64u];
        let b = tile[(l + 2u) % 64u];
        let c = tile[(l + 3u) % 64u];
        out[id.x] = a + b + c;";
    let launch = facts("", body, 2);
    assert_eq!(launch.findings.len(), 3, "{:?}", causes(&launch));
    let own = launch.findings.iter().filter(|finding| launch.cause_of(finding).is_none());
    assert_eq!(own.count(), 1, "{:?}", causes(&launch));
    let report = compose::report(&[launch]);
    let shown = text::report(&report, Style::default());
    assert_eq!(shown.matches("error[").count(), 1, "{shown}");
    assert_eq!(shown.matches("which the same change removes (HR001)").count(), 2, "{shown}");
    // Another barrier is missing here.
    let body = body.replace("out[id.x]", "workgroupBarrier(); tile[l] = 2u; out[id.x + 1u]");
    let body = format!("{body} out[id.x] = tile[63u - l];");
    let launch = facts("", &body, 1);
    let own = launch.findings.iter().filter(|finding| launch.cause_of(finding).is_none());
    assert!(own.count() >= 2, "{:?}", causes(&launch));
}

#[test]
fn causes_come_first() {
    let body = "tile[l] = l;
        out[id.x + 100u] = 3u * l;
        if (l < 40u) { workgroupBarrier(); }
        out[l] = tile[63u - l];
        out[64] = l;";
    let launch = facts("", body, 1);
    let mut kinds: Vec<Kind> = launch.findings.iter().map(Finding::kind).collect();
    kinds.dedup();
    assert_eq!(kinds, [Kind::OutOfBounds, Kind::BarrierDivergence, Kind::DataRace]);
    let shown = text::report(&compose::report(&[launch]), Style::default());
    let first = shown.lines().next().unwrap_or_default();
    if shown.matches("error[").count() > 3 {
        assert!(first.contains("findings in test.wgsl"), "{shown}");
    }
}

/// A kernel with two entry points that call the same racy function.
const TWO_ENTRIES: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn store(l: u32) {
    out[0] = l;
}
@compute @workgroup_size(64)
fn one(@builtin(local_invocation_index) l: u32) { store(l); }
@compute @workgroup_size(32)
fn two(@builtin(local_invocation_index) l: u32) { store(l + 1u); }";

#[test]
fn a_line_that_several_entry_points_reach_is_shown_once() {
    let launches = check_wgsl("test.wgsl", TWO_ENTRIES, &Options::default()).unwrap();
    assert_eq!(launches.len(), 2);
    let is_found = |launch: &LaunchFacts| launch.verdict() == Verdict::Findings;
    assert!(launches.iter().all(is_found));
    let report = compose::report(&launches);
    let shown = text::report(&report, Style::default());
    assert_eq!(shown.matches("error[HR001]").count(), 1, "{shown}");
    assert!(shown.contains("the same in `two`"), "{shown}");
    assert_eq!(github::report(&report).matches("::error").count(), 1);
    let in_json: serde_json::Value = serde_json::from_str(&json::report(&report)).unwrap();
    for launch in in_json["launches"].as_array().unwrap() {
        assert_eq!(launch["findings"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn more_than_three_findings_begin_with_two_lines_that_sum_them_up() {
    let stores = |count: u32| (0..count).map(|n| format!("out[{n}] = l;\n")).collect::<String>();
    let shown = |count: u32| {
        let report = compose::report(&[facts("", &stores(count), 1)]);
        text::report(&report, Style::default())
    };
    let four = shown(4);
    let mut lines = four.lines();
    assert_eq!(lines.next(), Some("4 findings in test.wgsl: 4 data races"));
    assert!(
        lines.next().is_some_and(|line| line.starts_with("start with HR001 at test.wgsl:15:")),
        "{four}"
    );
    assert!(shown(3).starts_with("error[HR001]"));
}

#[test]
fn a_possible_finding_is_no_warning_by_its_consequence() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage> to: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[to[id.x]] = id.x; }";
    let launch = check_wgsl("test.wgsl", text, &Options::default()).unwrap().remove(0);
    let finding = &launch.findings[0];
    assert_eq!(finding.rank(), (Severity::Error, Certainty::Possible));
    assert_eq!(launch.verdict(), Verdict::Inconclusive);
    let same = text.replace("= id.x", "= 1u");
    let launch = check_wgsl("test.wgsl", &same, &Options::default()).unwrap().remove(0);
    assert!(launch.findings.iter().all(|finding| !finding.is_error()));
    assert_eq!(launch.verdict(), Verdict::NoFindings);
}

#[test]
fn merged_shards_keep_severity_and_causes() {
    let mut launch = facts("", "out[id.x + 100u] = l;", 1);
    launch.findings.truncate(2);
    let report = compose::report(&[launch]);
    let mut merger = merge::ReportMerger::default();
    merger.add(report.clone(), "1.json").unwrap();
    merger.add(report.clone(), "2.json").unwrap();
    let merged: Vec<LaunchReport> = merger.report().unwrap().launches;
    assert_eq!(merged[0].findings, report.launches[0].findings);
}
