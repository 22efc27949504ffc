//! Checks that each reduction preserves the findings.

use crate::differential::key;
use crate::script::{Address, Do, Flavor, Line, Operand, Random, Script, State, random};
use hirace_mc::explore::{Execution, FindingKind, Options, Outcome, Reductions, explore};
use hirace_mc::model::Model;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// The final states, up to exchanges of alike invocations, and the findings with their sites.
type Verdict = (BTreeSet<(Vec<Vec<u64>>, Vec<u64>)>, BTreeSet<(FindingKind, Vec<u32>)>);

fn verdict(script: &Script, model: Model, reductions: Reductions) -> Option<(Verdict, u64)> {
    let mut options = Options::new(model);
    options.reductions = reductions;
    options.limit_executions = Some(1_000);
    let seen = Mutex::new((BTreeSet::new(), BTreeSet::new()));
    let visit = |execution: &Execution<State>| {
        let end = |(number, state): (usize, &State)| {
            let seen = |register: &usize| !script.forgets || script.looks_at(number, *register);
            (0..4).filter(seen).map(|register| state.registers[register]).collect()
        };
        let mut ends: Vec<Vec<u64>> = execution.states.iter().enumerate().map(end).collect();
        if script.alike {
            ends.sort_unstable();
        }
        let complete =
            execution.states.iter().zip(&script.code).all(|(state, code)| state.line == code.len());
        let mut seen = seen.lock().expect("no visitor panics");
        if complete {
            seen.0.insert((ends, execution.memory.iter().map(|&(_, value)| value).collect()));
        }
        assert!(seen.1.insert(key(execution)), "an execution was explored twice: {script:?}");
        ControlFlow::Continue(())
    };
    let explored = explore(script, &options, Some(&visit));
    if explored.outcome != Outcome::Complete {
        return None;
    }
    let found = explored.findings.into_iter().map(|mut finding| {
        finding.sites.sort_unstable();
        (finding.kind, finding.sites)
    });
    Some(((seen.into_inner().expect("no visitor panics").0, found.collect()), explored.executions))
}

/// Returns programs of two or three invocations with the same code and one with other code, sometimes with a wait.
fn alike(seed: u64) -> Script {
    let mut numbers = Random(seed);
    let flavor = if seed.is_multiple_of(2) { Flavor::Relaxed } else { Flavor::Ordered };
    let mut script = random(&mut numbers, flavor);
    script.code.retain(|code| !code.iter().any(|line| matches!(line.what, Do::Barrier(..))));
    script.code.truncate(2);
    script.code.iter_mut().for_each(|code| code.truncate(3));
    script.code.resize(script.code.len().max(1), Vec::new());
    let first = script.code[0].clone();
    script.code.extend((0..1 + numbers.below(2)).map(|_| first.clone()));
    let at = numbers.below(script.code.len() as u64) as usize;
    let reads = |line: &Line| matches!(line.what, Do::Load(..)) && line.when.is_none();
    if let Some(last) = script.code[at].iter().rposition(reads)
        && let Do::Load(into, ..) = script.code[at][last].what
    {
        let wait = Line { when: Some((into, numbers.below(2))), what: Do::Await(into) };
        let line: Line = Do::Store(Address::Of(0), Operand::Number(1), None).into();
        script.code[at].truncate(last + 1);
        script.code[at].extend([wait, line]);
    }
    let code = std::mem::take(&mut script.code);
    Script { bits: 2, alike: true, ..Script::new(code).at_one_place() }
}

fn agree(model: Model, reductions: Reductions) {
    let (mut with, mut without) = (0, 0);
    for seed in 0..crate::differential::sample(3_000, 120) {
        let mut script = alike(seed);
        if model == Model::Wgsl && seed % 2 == 1 {
            continue;
        }
        script.alike = reductions.symmetry;
        script.forgets = reductions.values || reductions.updates;
        let Some((expected, all)) = verdict(&script, model, Reductions::NONE) else { continue };
        let (verdict, some) = verdict(&script, model, reductions).expect("no more than without");
        assert_eq!(verdict, expected, "{seed} {model:?}: {script:?}");
        (with, without) = (with + some, without + all);
    }
    assert!(without > 0 && with <= without);
    let orders_nothing = model == Model::Wgsl;
    let fewer = reductions.symmetry
        || reductions.values
        || reductions.coherence
        || reductions.updates && orders_nothing;
    assert!(!fewer || with < without, "{with} of {without}");
}

#[test]
fn awaiting_finds_the_same() {
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        agree(model, Reductions { awaiting: true, ..Reductions::NONE });
    }
}

#[test]
fn symmetry_finds_the_same() {
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        agree(model, Reductions { symmetry: true, ..Reductions::NONE });
    }
}

#[test]
fn forgotten_values_find_the_same() {
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        agree(model, Reductions { values: true, ..Reductions::NONE });
    }
}

#[test]
fn updates_in_one_order_find_the_same() {
    agree(Model::Wgsl, Reductions { updates: true, ..Reductions::NONE });
}

#[test]
fn writes_in_one_order_find_the_same() {
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        agree(model, Reductions { coherence: true, ..Reductions::NONE });
    }
}

#[test]
fn all_reductions_find_the_same() {
    for model in [Model::ScopedRc11, Model::Sc, Model::Wgsl] {
        agree(model, Reductions::ALL);
    }
}
