//! The page of one test: its threads, and the class of each outcome.

use super::aligned;
use super::histogram::{held, name};
use super::notation::{action, condition};
use crate::results::{FinalState, TestInfo};
use crate::test::{Class, Memory, Space, Specification, Test, ThreadPlacement};
use std::fmt::Write as _;
use tabled::builder::Builder;

/// Returns the page of a test.
pub fn show(test: &Test) -> String {
    let mut text = String::new();
    let kinds = Specification::NAMED
        .map(|(name, version)| format!("{} by {name}", TestInfo::new(test, version).kind));
    let Memory { workgroup, atomic } = test.memory;
    let memory = match (workgroup, atomic) {
        (false, true) => "atomics in storage",
        (false, false) => "plain words in storage",
        (true, true) => "atomics in workgroup memory",
        (true, false) => "plain words in workgroup memory",
    };
    let threads_in = match test.threads_in {
        ThreadPlacement::Workgroups => "each thread in its own workgroup",
        ThreadPlacement::OneWorkgroup => "threads in one workgroup",
    };
    let _ = writeln!(text, "{}: {}; {memory}, {threads_in}\n", test.name, kinds.join(", "));
    let mut columns = Builder::new();
    columns.push_record((0..test.threads.len()).map(|thread| format!("thread {thread}")));
    let most = test.threads.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..most {
        let cell = |thread: &Vec<_>| thread.get(row).map(action).unwrap_or_default();
        columns.push_record(test.threads.iter().map(cell));
    }
    text += &aligned(columns, test.threads.len()..);
    let _ = writeln!(text, "\ncondition: {}\n", condition(&test.condition));
    text + &outcomes(test)
}

/// Returns a table with the outcomes that some version allows or that meet the condition, and their class in each
/// version.
fn outcomes(test: &Test) -> String {
    let space = Space::of(test);
    let classes = Specification::NAMED.map(|(_, version)| version.classify(test));
    let mut records = Builder::new();
    let names = Specification::NAMED.map(|(name, _)| name.to_owned());
    records.push_record(["outcome".to_owned()].into_iter().chain(names).chain([String::new()]));
    for counter in 0..space.counters() {
        let Some(outcome) = space.outcome(counter) else { continue };
        let found = test.condition.holds(&outcome);
        let of_outcome = classes.each_ref().map(|classes| classes[counter]);
        if !found && of_outcome.iter().all(|class| *class == Class::Forbidden) {
            continue;
        }
        let mark = if found { "<- meets the condition" } else { "" };
        let label = held(&FinalState { registers: outcome.registers, memory: outcome.memory });
        let classes = of_outcome.map(|class| name(class).to_owned());
        records.push_record([label].into_iter().chain(classes).chain([mark.to_owned()]));
    }
    aligned(records, 9..)
}
