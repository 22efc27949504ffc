//! Tests of operators on real kernels, with launches that judge the mutants.

mod equivalent;
mod iterations;
mod operators;

use super::judge::{Attempt, Limits, MutantText, TestOutcome, TestRunner};
use super::launch_test::LaunchTest;
use super::launches::Launches;
use super::source::{Candidate, Source};
use hirace_core::check::Options;
use hirace_core::exec::embedded::Embedded;
use hirace_core::launch::spec::{Binding, LaunchSpec};

/// Returns options for a launch with this grid and these buffers.
pub fn launched(workgroups: [u32; 3], buffers: &str) -> Options {
    let bindings = buffers.split_whitespace().map(|buffer| Binding::parse(buffer).unwrap());
    let spec = LaunchSpec {
        workgroups: Some(workgroups),
        bindings: bindings.collect(),
        step_limit: Some(10_000),
        ..LaunchSpec::default()
    };
    Options { launches: vec![spec], ..Options::default() }
}

/// Returns how a launch of each mutant ended.
pub fn judged(source: &Source, options: Options, mutants: &[&Candidate]) -> Vec<TestOutcome> {
    let sources = [source.clone()];
    let tests = vec![LaunchTest::launch("launch".to_owned(), 0, options)];
    let launches = Launches::new(&Embedded, &sources, tests, None);
    let limits = &Limits::NONE;
    let as_it_is = Attempt { mutant: None, schedule: 0, lenient: false, limits };
    let as_it_is = launches.run(0, as_it_is);
    let as_it_is = as_it_is.unwrap_or_else(|error| panic!("{error:?}\n{}", source.text));
    if as_it_is.outcome != TestOutcome::Passed || !as_it_is.findings.is_empty() {
        return Vec::new();
    }
    let run = |mutant: &&Candidate| {
        let text = source.with(mutant);
        let mutated = MutantText::new(source, &mutant.edits, &text);
        let attempt = Attempt { mutant: Some(mutated), schedule: 0, lenient: false, limits };
        launches.run(0, attempt).unwrap().outcome
    };
    mutants.iter().map(run).collect()
}

/// Returns the lines of a text that differ from another one, trimmed.
pub fn changed(original: &str, text: &str) -> String {
    let lines = original.lines().zip(text.lines()).filter(|(before, after)| before != after);
    lines.map(|(_, after)| after.trim()).collect::<Vec<_>>().join(" | ")
}
