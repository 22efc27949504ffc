//! Tests that a mutant has the same outcome in a shared program as alone, and that shared programs need fewer pipelines.

use super::{Case, adapter, error_text, given, lock_for_long_test};
use crate::support::root;
use hirace::raw::check::Options;
use hirace::raw::exec::wgpu::Device;
use hirace_adequacy::mutate::campaign::Subject;
use hirace_adequacy::mutate::judge::{
    Attempt, Judge, Limits, MutantOutcome, MutantText, TestOutcome, TestRunner,
};
use hirace_adequacy::mutate::launch_test::LaunchTest;
use hirace_adequacy::mutate::launches::Launches;
use hirace_adequacy::mutate::results::{KillCause, Status};
use hirace_adequacy::mutate::source::Source;
use libtest_mimic::Failed;
use std::time::Duration;

/// Files, a launch of each, and whether shared programs apply to it. The kernels have, in this order: workgroup memory and a
/// barrier, loops, atomics in Rust, a race without a mutant, and floats.
const KERNELS: [(&str, &str, bool); 5] = [
    (
        "kernels/rules/transpose.clean.wgsl",
        "--workgroups 2 --buffer input=iota:128 --buffer output=zeros:128",
        true,
    ),
    ("kernels/bench/tile_scan.wgsl", "--workgroups 2 --buffer data=iota:128", true),
    (
        "kernels/src/histogram.rs",
        "--entry clean:2 --buffer values=random:100:3 --buffer bins=zeros:16",
        true,
    ),
    (
        "kernels/src/histogram.rs",
        "--entry racy:2 --buffer values=random:100:3 --buffer counts=zeros:16",
        false,
    ),
    (
        "kernels/src/box_blur.rs",
        "--entry clean:2,2,1 --buffer size=13,11 --buffer image=iota:143 --buffer blurred=zeros:143",
        true,
    ),
];

pub fn cases() -> Vec<Case> {
    KERNELS
        .iter()
        .map(|&(file, flags, is_shared)| {
            let name = file.rsplit('/').next().unwrap_or(file);
            let entry = flags.split_whitespace().nth(1).unwrap_or_default();
            let name = format!("judges_mutants_of_{name}_{entry}_in_programs_of_many_as_alone");
            Case::new(name, move || judged_alike(file, flags, is_shared))
        })
        .collect()
}

fn judged_alike(file: &str, flags: &str, is_shared: bool) -> Result<(), Failed> {
    let _alone = lock_for_long_test();
    let text = std::fs::read_to_string(root().join(file))?;
    let source = Source::new(file, &text).ok_or("the source has no mutants")?;
    let candidates = source.mutants().map_err(error_text)?.into_iter();
    let open = candidates.filter(|candidate| candidate.mutant.status.is_none());
    let subjects: Vec<Subject> =
        open.map(|candidate| Subject { candidate, source: 0, reached: vec![0] }).collect();
    let (alone, each) = all_judged(&source, flags, &subjects, false)?;
    let (shared, together) = all_judged(&source, flags, &subjects, true)?;
    for ((subject, alone), shared) in subjects.iter().zip(&alone).zip(&shared) {
        // The results of a racy kernel depend on the order of invocations on the device, which cannot be chosen.
        let by_order = |judged: &MutantOutcome| {
            let how = judged.killed_by.as_ref().map(|by| by.cause);
            !matches!(how, Some(KillCause::Finding | KillCause::Hang | KillCause::Crash))
        };
        if flags.contains("racy") && by_order(alone) && by_order(shared) {
            continue;
        }
        if said(alone) != said(shared) {
            let of = &subject.candidate.mutant;
            let what = format!("{}:{} {} -> {}", of.line, of.column, of.original, of.replacement);
            return Err(format!("{what}: alone {alone:?}, in many {shared:?}").into());
        }
    }
    match (together * 2 < each) == is_shared {
        true => Ok(()),
        false => Err(format!("{together} pipelines in shared programs, {each} separately").into()),
    }
}

/// Returns the outcome of a mutant without the outputs of a race, which depend on chance.
fn said(judged: &MutantOutcome) -> MutantOutcome {
    let races = judged.killed_by.as_ref().is_some_and(|by| by.rules.contains(&"HR001".to_owned()));
    let by_outputs = judged.by_outputs.filter(|_| !races && judged.status == Status::Killed);
    MutantOutcome { by_outputs, failed_runs: None, ..judged.clone() }
}

/// Returns the outcomes of the mutants of a source, and the number of pipelines that were compiled.
fn all_judged(
    source: &Source,
    flags: &str,
    subjects: &[Subject],
    shared: bool,
) -> Result<(Vec<MutantOutcome>, u64), Failed> {
    let device = Device::open_adapter(adapter().as_ref()?).map_err(error_text)?;
    let sources = [source.clone()];
    let options = Options { launches: vec![given(flags)?], ..Options::default() };
    let tests = vec![LaunchTest::launch("launch".to_owned(), 0, options)];
    let mut launches = Launches::new(&device, &sources, tests, None);
    let attempt = Attempt { mutant: None, schedule: 0, lenient: false, limits: &Limits::NONE };
    let before = launches.run(0, attempt).map_err(error_text)?;
    if before.outcome != TestOutcome::Passed {
        return Err(format!("without a mutant: {before:?}").into());
    }
    if shared {
        launches.enable_schemata(subjects);
    }
    let (time, steps) = (Duration::from_secs(60), Some(20_000));
    let (known, exceeded) = (before.findings, before.exceeded);
    let limits = [Limits { time, steps, known, exceeded, ..Limits::NONE }];
    let names = ["launch".to_owned()];
    let judge = Judge { tests: &launches, names: &names, limits: &limits, repeats: 2 };
    let mut all = Vec::new();
    for subject in subjects {
        let text = source.with(&subject.candidate);
        let mutated = MutantText::new(source, &subject.candidate.edits, &text);
        let judged = judge.judge(mutated, &[0]).map_err(error_text)?;
        all.push(judged.ok_or("the judge was stopped")?);
    }
    let killed = |how| {
        let by = all.iter().filter_map(|judged| judged.killed_by.as_ref());
        by.filter(|by| by.cause == how).count()
    };
    if killed(KillCause::Assertion) + killed(KillCause::Finding) == 0 {
        return Err("no mutant is killed".into());
    }
    Ok((all, device.service().pipelines().misses))
}
