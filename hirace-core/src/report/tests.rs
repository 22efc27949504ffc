//! Tests with every kind of finding in every format.

use super::baseline::baseline;
use super::document::Report;
use super::text::{self, Style};
use super::{compose, github, json, sarif};
use crate::check::Options;
use crate::check::source::check_wgsl;
use crate::diagnostic::Diagnostic;
use crate::event::CheckResults;
use crate::facts::{
    Assumption, Doubt, InferredInputs, LaunchFacts, NotChecked, NotCheckedReason, Verdict, Warning,
};
use crate::finding::certainty::InferredParts;
use crate::finding::suppress::Suppressions;
use crate::ir::access::Action::{Read, Write};
use crate::ir::sites::{SiteId, SiteKind};
use crate::source_map::{SourceMap, Span};
use crate::tests::fixture::{Fixture, by};
use crate::vm::memory::{Buffer, Resource, Texture};
use crate::vm::run::{
    Divergence, ExecutionCount, Invocation, InvocationStatus, NoProgress, OutOfBounds,
};
use insta::assert_snapshot;

const BLOCK_SUM: &str = "\
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    tile[lane] = input[group.x * 64u + lane];
    workgroupBarrier();
    var stride = 32u;
    while stride > 0u {
        if lane < stride {
            tile[lane] += tile[lane + stride];
        }
        stride /= 2u;
    }
    if lane == 0u {
        output[group.x] = tile[0];
    }
}
";

/// Returns a kernel that lacks a barrier at the end of a loop.
fn block_sum() -> Fixture {
    let mut fixture = Fixture::new(BLOCK_SUM, [4, 1, 1]);
    let write = fixture.access(Write, 12, 0);
    let read = fixture.access(Read, 12, 1);
    let barrier = fixture.barrier(8);
    for group in 0..4 {
        let write = by(group, 16, write).after(1, 1, barrier);
        let read = by(group, 0, read).after(1, 1, barrier);
        fixture.race(16..20, write, read);
    }
    fixture
}

const COUNT: &str = "\
struct Stats { total: u32, bins: array<vec4<u32>, 4> }
@group(0) @binding(0) var<storage, read_write> stats: Stats;
@group(0) @binding(1) var<storage, read_write> flags: array<atomic<u32>>;
@group(0) @binding(2) var image: texture_storage_2d<r32uint, read_write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    stats.total += 1u;
    stats.bins[1].x = lane; stats.bins[1].y = lane;
    let at = vec2<u32>(lane, 0u);
    textureStore(image, at / 2u, vec4<u32>(lane));
    atomicStore(&flags[lane], 1u);
}
";

/// Returns races on a counter across workgroups, on components of one vector, and on a texel.
fn count() -> Fixture {
    let mut fixture = Fixture::new(COUNT, [2, 2, 1]);
    let (read, write) = (fixture.access(Read, 8, 0), fixture.access(Write, 8, 0));
    fixture.race([0], by(3, 9, read), by(0, 9, write));
    fixture.race([0], by(0, 8, write), by(3, 9, write));
    let (x, y) = (fixture.access(Write, 9, 0), fixture.access(Write, 9, 1));
    fixture.race([8, 9, 10, 11], by(1, 0, x), by(1, 40, y));
    let texel = fixture.access(Write, 11, 0);
    let texels = Buffer::zeros(16 * 4 * 16);
    let image = Texture { size: [16, 4, 1], levels: 1, samples: 1, texels };
    let memory = fixture.memory("image").0 as usize;
    let bound = &mut fixture.launch.resources.by_global;
    bound.resize_with(memory + 1, || None);
    bound[memory] = Some(Resource::Texture(image));
    fixture.race(17..21, by(0, 0, texel), by(0, 1, texel));
    fixture
}

const DIVERGENT: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> lock: atomic<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= 100u {
        return;
    }
    tile[lane] = data[id.x];
    workgroupBarrier();
    data[id.x + 1u] = tile[63u - lane];
    loop {
        if atomicLoad(&lock) == 1u {
            break;
        }
    }
}
";

const PARTED: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if exp2(data[lane]) > 1.0 {
        storageBarrier();
    } else {
        textureBarrier();
    }
    workgroupBarrier();
}
";

/// Returns the findings that the engine detects itself.
fn divergent() -> Fixture {
    let mut fixture = Fixture::new(DIVERGENT, [2, 1, 1]);
    let returned = fixture.site(8, |kind| *kind == SiteKind::Return);
    let spin = fixture.site(13, |kind| *kind == SiteKind::Loop);
    let (barrier, write) = (fixture.barrier(11), fixture.access(Write, 12, 0));
    let memory = Some(fixture.memory("data"));
    let run = &mut fixture.outcome.dispatches[0].run;
    run.divergences.push(Divergence {
        site: barrier,
        workgroup: 1,
        arrived: (0..36).collect(),
        missing: (36..64)
            .map(|local| (local, InvocationStatus::Returned(Some(returned))))
            .collect(),
        count: 1,
    });
    run.out_of_bounds.push(OutOfBounds {
        site: write,
        span: Span::default(),
        memory,
        invocation: Invocation { workgroup: 1, local: 35 },
        index: 100,
        length: 100,
        count: 3,
        is_used: true,
    });
    run.no_progress = Some(NoProgress {
        stuck: (Invocation { workgroup: 0, local: 0 }, spin),
        waiting: vec![
            (Invocation { workgroup: 0, local: 32 }, InvocationStatus::Running(spin)),
            (Invocation { workgroup: 1, local: 0 }, InvocationStatus::AtBarrier(barrier)),
        ],
        unfinished: 128,
        steps: 50_000_000,
        proven: true,
    });
    fixture
}

fn rendered(report: &Report) -> String {
    text::report(report, Style::default())
}

/// Returns the facts of [`block_sum`] for a guessed launch.
fn guessed() -> LaunchFacts {
    let mut fixture = block_sum();
    fixture.launch.inferred_contents = vec![true, false, false];
    fixture.launch.assumptions = vec![Assumption::Grids(vec![[4, 1, 1]])];
    let taint = |_: SiteId| {
        let contents = vec!["input".to_owned()];
        Some(Doubt::Address(InferredInputs { contents, ..InferredInputs::default() }))
    };
    fixture.launch(&InferredParts { grid: true, taint: &taint, ..InferredParts::NONE })
}

/// Returns a launch without races in which the last site was executed by only one invocation.
fn quiet(guessed: bool) -> LaunchFacts {
    let mut fixture = Fixture::new(BLOCK_SUM, [1, 1, 1]);
    let output = fixture.access(Write, 17, 0);
    fixture.outcome.dispatches[0].run.executed[output.0 as usize] =
        ExecutionCount { count: 1, by_several_invocations: false };
    let guesses = InferredParts { grid: guessed, ..InferredParts::NONE };
    fixture.launch(&guesses)
}

#[test]
fn text_of_a_race_in_one_epoch() {
    assert_snapshot!(rendered(&block_sum().report()));
}

#[test]
fn text_of_races_across_workgroups_and_on_vectors_and_texels() {
    assert_snapshot!(rendered(&count().report()));
}

#[test]
fn text_of_divergence_bounds_and_no_progress() {
    assert_snapshot!(rendered(&divergent().report()));
}

#[test]
fn text_of_divergence_that_a_device_alone_saw() {
    let mut fixture = Fixture::new(PARTED, [4, 1, 1]);
    fixture.outcome.dispatches[0].diverged = vec![1, 3];
    let several = rendered(&fixture.report());
    let mut fixture = Fixture::new(&PARTED.replace("textureBarrier();", ""), [4, 1, 1]);
    fixture.outcome.dispatches[0].diverged = vec![2];
    let one = rendered(&fixture.report());
    assert_snapshot!(format!("{several}\n{one}"));
}

#[test]
fn text_of_what_hangs_on_guesses() {
    let report = compose::report(&[guessed()]);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert_snapshot!(rendered(&report));
}

#[test]
fn text_of_clean_and_inconclusive_launches() {
    assert_snapshot!(rendered(&compose::report(&[quiet(false), quiet(true)])));
}

#[test]
fn text_of_a_race_with_one_access_and_of_what_is_not_explained() {
    let mut fixture = block_sum();
    let write = fixture.access(Write, 17, 0);
    let memory = fixture.memory("output");
    let racy = &mut fixture.outcome.dispatches[0].racy;
    for index in 0..2 {
        racy.insert(crate::observe::Granule { memory, workgroup: 0, index }, write);
    }
    fixture.pairs.pop();
    fixture.dropped = 1;
    fixture.outcome.dispatches[0].warnings = vec![Warning::OracleNotUsed];
    assert_snapshot!(rendered(&fixture.report()));
}

#[test]
fn text_is_colored_only_on_request() {
    let report = block_sum().report();
    let plain = rendered(&report);
    let colored = text::report(&report, Style::default().with_color(true));
    assert!(!plain.contains('\u{1b}'));
    assert!(colored.contains("\u{1b}[1m\u{1b}[91merror[HR001]"), "{colored:?}");
}

#[test]
fn text_of_diagnostics() {
    let source = SourceMap::new("kernel.wgsl", "let a = 1;\nlet ä = b;\n");
    let pointed = Diagnostic::at(&source, Span::new(20, 21), "no definition of `b`")
        .label(Span::new(4, 5), "there is only this")
        .note("names are case-sensitive")
        .help("did you mean `a`?");
    let nowhere = Diagnostic::new("`missing.wgsl` cannot be read").note("no such file");
    let style = Style::default();
    let both = text::diagnostic(&pointed, style) + "\n" + &text::warning(&nowhere, style);
    assert_snapshot!(both);
}

/// Returns the report of a run in which one input has an error and another was not reached.
fn refused() -> Report {
    let source = SourceMap::new("a: 100%.wgsl", "let a = 1;\nlet ä = b;\n");
    let error = Diagnostic::at(&source, Span::new(20, 21), "no definition of `b`")
        .label(Span::new(4, 5), "there is only this")
        .note("names are case-sensitive")
        .help("did you mean `a`?");
    let device = Diagnostic::new("device `x` was not found").of_device();
    let left = |input: Option<&str>, why| NotChecked { input: input.map(str::to_owned), why };
    let not_checked = [
        left(Some("a: 100%.wgsl"), NotCheckedReason::Error(Box::new(error))),
        left(None, NotCheckedReason::Error(Box::new(device))),
        left(Some("b.wgsl"), NotCheckedReason::StoppedBefore),
    ];
    let launches = [quiet(false)];
    let results = CheckResults { launches: &launches, not_checked: &not_checked, stopped: true };
    compose::run(&results)
}

#[test]
fn what_is_wrong_with_inputs_is_in_each_form() {
    let report = refused();
    let json: serde_json::Value = serde_json::from_str(&json::report(&report)).expect("JSON");
    let log: serde_json::Value = serde_json::from_str(&sarif::report(&report)).expect("JSON");
    let parts = [&json["not_checked"], &json["errors"], &log["runs"][0]["invocations"]];
    let parts = parts.map(|part| serde_json::to_string_pretty(part).expect("it was JSON"));
    assert_snapshot!(format!("{}\n{}", parts.join("\n"), github::report(&report)));
}

#[test]
fn github_annotations() {
    let mut text = github::report(&divergent().report());
    text += &github::report(&compose::report(&[guessed()]));
    assert_snapshot!(text);
}

#[test]
fn sarif_log() {
    let mut launch = count().launch_of_given();
    let text = launch.source.text();
    let allowing = text.replace(
        "    stats.total += 1u;",
        "stats.total += 1u; // hirace: allow(race): an estimate",
    );
    let mut allows = Suppressions::read(&SourceMap::new("kernel.wgsl", allowing));
    allows.apply(&mut launch);
    let report = compose::report(&[launch]);
    let log = sarif::report(&report);
    let parsed: serde_json::Value = serde_json::from_str(&log).expect("it is JSON");
    let results = parsed["runs"][0]["results"].as_array().expect("there are results");
    let rules = parsed["runs"][0]["tool"]["driver"]["rules"].as_array().expect("there are rules");
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    assert_eq!(results.last().expect("one is allowed")["suppressions"][0]["kind"], "inSource");
    assert!(rendered(&report).contains("= found: 2 data races; 1 suppressed\n"));
    // The texts of the rules are the same in every log.
    assert_snapshot!(serde_json::to_string_pretty(results).expect("it was JSON"));
}

#[test]
fn every_format_says_what_webgpu_does_not_guarantee() {
    let text = "var<workgroup> tile: array<f32, 8192>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) { tile[lane] = 1.0; out[lane] = tile[lane]; }";
    let launches = check_wgsl("large.wgsl", text, &Options::default()).expect("it is checked");
    let report = compose::report(&launches);
    let said = "`tile` takes 32768 bytes of workgroup memory, but WebGPU guarantees only 16384 (maxComputeWorkgroupStorageSize)";
    assert!(rendered(&report).contains(&format!("= limit: {said}\n")));
    let place = "file=large.wgsl,line=1,endLine=1,col=1,endColumn=39,title=hirace limit";
    assert!(github::report(&report).contains(&format!("::notice {place}::{said}\n")));
    let log: serde_json::Value = serde_json::from_str(&sarif::report(&report)).expect("it is JSON");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let note = &invocation["toolExecutionNotifications"][0];
    assert_eq!((&note["level"], &note["message"]["text"]), (&"note".into(), &said.into()));
    let json: serde_json::Value = serde_json::from_str(&json::report(&report)).expect("it is JSON");
    assert_eq!(json["launches"][0]["beyond_webgpu"][0]["required"], 32768);
}

#[test]
fn json_report() {
    assert_snapshot!(json::report(&divergent().report()));
}

#[test]
fn the_schema_that_is_checked_in_is_current_and_describes_reports() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/hirace.check-2.schema.json");
    hirace_testing::assert_up_to_date(path, &json::schema());
    let schema: serde_json::Value = serde_json::from_str(&json::schema()).expect("it is JSON");
    let mut guessed = guessed();
    let mut known = baseline(std::slice::from_ref(&guessed));
    known.apply(&mut guessed);
    let guessed = compose::report(&[guessed]);
    assert!(rendered(&guessed).contains("= found: only 1 suppressed finding\n"));
    let clean = compose::report(&[quiet(true)]);
    for report in [count().report(), divergent().report(), guessed, clean, refused()] {
        let value = serde_json::to_value(&report).expect("it has string keys");
        conforms(&value, &schema, &schema, "report");
    }
}

/// Checks `value` against the subset of JSON Schema that the schema of reports uses.
fn conforms(
    value: &serde_json::Value,
    schema: &serde_json::Value,
    root: &serde_json::Value,
    at: &str,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let definition = root.pointer(reference.trim_start_matches('#'));
        return conforms(value, definition.expect("references lead somewhere"), root, at);
    }
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let fits = |choice: &serde_json::Value| match choice.get("const") {
            Some(constant) => constant == value,
            None => {
                choice["type"] == "null" && value.is_null()
                    || choice.get("$ref").is_some() && !value.is_null()
            }
        };
        let choice = choices.iter().find(|choice| fits(choice));
        return conforms(value, choice.unwrap_or_else(|| panic!("{at}: {value}")), root, at);
    }
    let kind = match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Number(_) => "integer",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    };
    let allowed = &schema["type"];
    let listed = allowed.as_array().is_some_and(|kinds| kinds.iter().any(|k| k == kind));
    assert!(allowed == kind || listed, "{at}: {value} is not of type {allowed}");
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        conforms(item, &schema["items"], root, &format!("{at}[{index}]"));
    }
    if let Some(object) = value.as_object() {
        for (name, member) in object {
            let described = &schema["properties"][name];
            assert!(described.is_object(), "{at} has no property `{name}` by its schema");
            conforms(member, described, root, &format!("{at}.{name}"));
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(object.contains_key(required.as_str().expect("a name")), "{at}: {required}");
        }
    }
}
