use super::run::{Fault, Input, Run, RunOutcome};
use super::source::check_launches;
use super::{CheckOutcome, Options, Session, file};
use crate::diagnostic::{Diagnostic, Result};
use crate::event::{CheckResults, Event, Fact, LaunchId, Results, Verb};
use crate::exec::embedded::Embedded;
use crate::facts::{LaunchFacts, NotChecked, NotCheckedReason, Verdict};
use crate::finding::verdict;
use crate::front::{rust, wgsl};
use crate::report::{self, compose};
use std::sync::atomic::{AtomicBool, Ordering};

const RACY: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(8)
    fn racy(@builtin(global_invocation_id) id: vec3u) { data[0] = id.x; }";

const CLEAN: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(8)
    fn clean(@builtin(global_invocation_id) id: vec3u) { data[id.x] = id.x; }";

const RUST: &str = "
    #[hirace::monitor(workgroup_size(8))]
    fn first(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) { out[id.x] = id.x; }
    #[hirace::monitor(workgroup_size(N))]
    fn sized<const N: u32>(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
        out[0] = id.x + N;
    }";

/// Formats an event as a short line.
fn line(event: &Event<'_>) -> String {
    match event {
        Event::RunStarted { verb, inputs } => format!("{verb:?} of {inputs}"),
        Event::InputStarted { input } => format!("{input}:"),
        Event::LaunchStarted(LaunchId { source, entry, workgroups: [x, ..], number, of }) => {
            format!("start {source} {entry} {x}, {number} of {of}")
        }
        Event::LaunchEnded { launch, steps } => {
            let step = if *steps == 0 { " without a step" } else { "" };
            format!("ended {} {}{step}", launch.entry, launch.number)
        }
        Event::Found(Fact::Launch(launch)) => {
            format!("found {}: {:?}", launch.entries.join(","), launch.verdict())
        }
        Event::Warning(warning) => format!("warning: {}", warning.message),
        Event::Error(error) => format!("error: {}", error.message),
        Event::InputEnded { input, end } => format!("{input} {end:?}"),
        Event::RunEnded { results: Results::Check(check) } => {
            let CheckResults { launches, not_checked, stopped } = check;
            let left: Vec<String> = not_checked.iter().map(left).collect();
            let left =
                if left.is_empty() { String::new() } else { format!(" ({})", left.join(", ")) };
            let verdict = verdict::run_verdict(launches, &[]);
            format!("{verdict:?} of {} launches, stopped: {stopped}{left}", launches.len())
        }
        other => panic!("{other:?}"),
    }
}

/// Formats an input that was not checked, with the reason.
fn left(NotChecked { input, why }: &NotChecked) -> String {
    let why = match why {
        NotCheckedReason::StoppedBefore => "before",
        NotCheckedReason::StoppedWithin => "within",
        NotCheckedReason::Error(_) => "error",
    };
    format!("{} {why}", input.as_deref().unwrap_or("none"))
}

/// The inputs of a run: name, text, and whether it was found in a folder.
type Inputs = [(&'static str, &'static str, bool)];

/// Runs `inputs` and stops the run when this launch, counted over all inputs, starts.
fn run(inputs: &Inputs, stop_at: usize) -> (Vec<String>, Result<RunOutcome>) {
    let stop = AtomicBool::new(false);
    let (mut lines, mut started) = (Vec::new(), 0);
    let mut listener = |event: &Event<'_>| {
        started += usize::from(matches!(event, Event::LaunchStarted(_)));
        stop.fetch_or(started == stop_at, Ordering::Relaxed);
        lines.push(line(event));
    };
    let session = Session::new(&Embedded).with_listener(&mut listener).with_stop(Some(&stop));
    let mut run = Run::start(Verb::Check, inputs.len(), session);
    for &(name, text, found) in inputs {
        let is_host = name.ends_with(".rs");
        run.input(Input { name, found, is_host }, |run| check(name, text, run));
    }
    let ended = run.end();
    (lines, ended)
}

fn check(name: &str, text: &str, run: &mut Run<'_>) -> Result<CheckOutcome> {
    match name.ends_with(".rs") {
        true => {
            file::check_file(&rust::parse_file(name, text)?, &Options::default(), run.session())
        }
        false => check_launches(&wgsl::parse(name, text)?, &Options::default(), run.session()),
    }
}

const NEVER: usize = usize::MAX;

#[test]
fn each_launch_that_is_tried_starts_and_ends_before_what_it_shows_is_found() {
    let (lines, ended) = run(&[("a.wgsl", RACY, false)], NEVER);
    let expected = [
        "Check of 1",
        "a.wgsl:",
        "start a.wgsl racy 1, 1 of 3",
        "ended racy 1",
        "start a.wgsl racy 2, 2 of 3",
        "ended racy 2",
        "start a.wgsl racy 5, 3 of 3",
        "ended racy 3",
        "found racy: Findings",
        "a.wgsl Done",
        "Findings of 1 launches, stopped: false",
    ];
    assert_eq!(lines, expected);
    let expected = RunOutcome {
        verdict: Verdict::Findings,
        strict_verdict: Verdict::Findings,
        fault: None,
        stopped: false,
    };
    assert_eq!(ended.unwrap(), expected);
}

#[test]
fn inputs_follow_one_another_whatever_is_wrong_with_one() {
    let inputs = [
        ("clean.wgsl", CLEAN, false),
        ("bad.wgsl", "@compute fn", false),
        ("part.wgsl", "fn helper() {}", true),
        ("part.rs", "fn helper() {}", true),
        ("kernels.rs", RUST, true),
    ];
    let (lines, ended) = run(&inputs, NEVER);
    let outline: Vec<&str> = lines
        .iter()
        .filter(|line| !line.starts_with("start ") && !line.starts_with("ended "))
        .map(|line| line.split_once(": ").map_or(line.as_str(), |(what, _)| what))
        .collect();
    let expected = [
        "Check of 5",
        "clean.wgsl:",
        "found clean",
        "clean.wgsl Done",
        "bad.wgsl:",
        "error",
        "bad.wgsl Refused",
        "part.wgsl:",
        "warning",
        "part.wgsl Skipped",
        "part.rs:",
        "part.rs Skipped",
        "kernels.rs:",
        "found first",
        "found sized",
        "kernels.rs Done",
        "Inconclusive of 3 launches, stopped",
    ];
    assert_eq!(outline, expected, "{lines:#?}");
    let fault = Some(Fault::Input);
    let expected = RunOutcome {
        verdict: Verdict::Inconclusive,
        strict_verdict: Verdict::Inconclusive,
        fault,
        stopped: false,
    };
    assert_eq!(ended.unwrap(), expected);
}

#[test]
fn a_run_that_is_stopped_ends_with_what_it_has() {
    let inputs = [("a.wgsl", RACY, false), ("b.wgsl", CLEAN, false)];
    let (lines, ended) = run(&inputs, 2);
    let expected = [
        "Check of 2",
        "a.wgsl:",
        "start a.wgsl racy 1, 1 of 3",
        "ended racy 1",
        "start a.wgsl racy 2, 2 of 3",
        "ended racy 2 without a step",
        "found racy: Findings",
        "a.wgsl Stopped",
        "Findings of 1 launches, stopped: true (a.wgsl within, b.wgsl before)",
    ];
    assert_eq!(lines, expected);
    assert!(ended.unwrap().stopped);
}

#[test]
fn run_without_kernels_is_an_error_without_results() {
    let (lines, ended) = run(&[("part.wgsl", "fn helper() {}", true)], NEVER);
    let error = ended.unwrap_err();
    assert_eq!(error.message, "none of the files is a kernel by itself");
    assert_eq!(error.notes.len(), 1);
    assert_eq!(lines.last().unwrap(), "part.wgsl Skipped");
}

#[test]
fn found_facts_equal_the_final_results() {
    let known = check_launches(
        &wgsl::parse("a.wgsl", RACY).unwrap(),
        &Options::default(),
        &mut Session::new(&Embedded),
    );
    let mut known = report::baseline::baseline(&known.unwrap().launches);
    let shown =
        |launch: &LaunchFacts| serde_json::to_string_pretty(&compose::launch(launch)).unwrap();
    let (mut found, mut all) = (Vec::new(), Vec::new());
    let mut listener = |event: &Event<'_>| match event {
        Event::Found(Fact::Launch(launch)) => found.push(shown(launch)),
        Event::RunEnded { results: Results::Check(check) } => {
            all = check.launches.iter().map(shown).collect();
        }
        _ => {}
    };
    let session =
        Session::new(&Embedded).with_listener(&mut listener).with_baseline(Some(&mut known));
    let mut run = Run::start(Verb::Check, 2, session);
    for (name, text) in [("a.wgsl", RACY), ("kernels.rs", RUST)] {
        let is_host = name.ends_with(".rs");
        run.input(Input { name, found: false, is_host }, |run| check(name, text, run));
    }
    run.end().unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found, all);
    // The baseline and the values of const parameters are included.
    assert!(found[0].contains("\"baseline\""), "{}", found[0]);
    assert!(found[2].contains("const parameter `N`"), "{}", found[2]);
}

#[test]
fn the_gravest_fault_counts() {
    let (mut errors, mut warnings) = (0, 0);
    let mut listener = |event: &Event<'_>| match event {
        Event::Error(_) => errors += 1,
        Event::Warning(_) => warnings += 1,
        _ => {}
    };
    let mut run = Run::start(Verb::Check, 1, Session::new(&Embedded).with_listener(&mut listener));
    run.error(&Diagnostic::new("lost").of_device());
    run.error(&Diagnostic::new("wrong"));
    run.warn(Diagnostic::new("odd"));
    let ended = run.end().unwrap();
    assert_eq!(ended.fault, Some(Fault::Device));
    assert_eq!((errors, warnings), (2, 1));
}
