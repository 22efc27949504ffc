//! A second implementation of the specification, for comparison: `hirace-mc`, which builds executions event by event,
//! from litmus tests in text form, under its own models.
//!
//! Its model `wgsl` is compared with the current version. The version of 2022 has fences between workgroups and is
//! compared with `scoped-rc11`. That model forbids cycles of reads-from and program order, so it does not allow load
//! buffering.

use super::epochs::epochs;
use super::{
    Action, Condition, Kind, Memory, Outcome, Space, Specification, Test, ThreadPlacement, all,
};
use hirace_core::source_map::SourceMap;
use hirace_engine::random::Random;
use hirace_mc::explore::{self, FindingKind, Options, Reductions};
use hirace_mc::litmus;
use hirace_mc::model::Model;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Returns the outcomes that a model allows, or `None` if plain accesses race.
fn allowed(test: &Test, model: Model) -> Option<BTreeSet<Outcome>> {
    let text = text(test, model);
    let read = litmus::Test::read(&SourceMap::new("test.litmus", text.as_str()));
    let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options { reductions: Reductions::NONE, ..Options::new(model) };
    let outcomes = Mutex::new(BTreeSet::new());
    let visit = |execution: &explore::Execution<litmus::State>| {
        let mut outcome =
            Outcome { registers: vec![0; test.registers()], memory: vec![0; test.locations()] };
        for (column, state) in execution.states.iter().enumerate() {
            for (name, value) in read.registers(column, state) {
                if let Ok(register) = name[1..].parse::<usize>() {
                    outcome.registers[register] = value as u32;
                }
            }
        }
        for (location, value) in &execution.memory {
            outcome.memory[location.0 as usize - 1] = *value as u32;
        }
        outcomes.lock().expect("no other panicked").insert(outcome);
        ControlFlow::Continue(())
    };
    let explored = explore::explore(&read, &options, Some(&visit));
    assert_eq!(explored.outcome, explore::Outcome::Complete, "{text}");
    let races = explored.findings.iter().any(|finding| finding.kind == FindingKind::DataRace);
    assert!(explored.findings.iter().all(|finding| finding.kind == FindingKind::DataRace));
    (!races).then(|| outcomes.into_inner().expect("no other panicked"))
}

/// Returns the test in the text form of litmus tests. The barriers of a workgroup follow from [`epochs`].
fn text(test: &Test, model: Model) -> String {
    let epochs = epochs(test);
    let last = epochs.iter().flatten().max().copied().unwrap_or(0);
    let columns: Vec<Vec<String>> = test
        .threads
        .iter()
        .zip(&epochs)
        .map(|(actions, epochs)| {
            let mut lines = Vec::new();
            let mut now = 0;
            let wait = |lines: &mut Vec<String>, now: &mut usize, until: usize| {
                for number in *now..until {
                    lines.push(format!("cbar.acq_rel.wg.semsc0 {number}"));
                }
                *now = until;
            };
            for (action, epoch) in actions.iter().zip(epochs) {
                wait(&mut lines, &mut now, *epoch);
                lines.extend(line(test, *action, model));
            }
            wait(&mut lines, &mut now, last);
            lines
        })
        .collect();
    let mut text = "VULKAN test\n{".to_owned();
    for location in 0..test.locations() {
        let _ = write!(text, " x{location}=0;");
    }
    text += " }\n";
    let place = |thread: usize| match test.threads_in {
        ThreadPlacement::Workgroups => format!("P{thread}@sg 0, wg {thread}, qf 0"),
        ThreadPlacement::OneWorkgroup => format!("P{thread}@sg {thread}, wg 0, qf 0"),
    };
    let heads: Vec<String> = (0..columns.len()).map(place).collect();
    text += &(heads.join(" | ") + " ;\n");
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> =
            columns.iter().map(|lines| lines.get(row).map_or("", String::as_str)).collect();
        text += &(cells.join(" | ") + " ;\n");
    }
    text + "exists (x0 == 0)\n"
}

fn line(test: &Test, action: Action, model: Model) -> Option<String> {
    let atomic = if test.memory.atomic { ".atom.dv" } else { "" };
    Some(match action {
        Action::Read { location, register, update: false } => {
            format!("ld{atomic}.sc0 r{register}, x{location}")
        }
        Action::Read { location, register, update: true } => {
            format!("rmw.atom.dv.sc0.add r{register}, x{location}, 0")
        }
        Action::Write { location, value, update: false } => {
            format!("st{atomic}.sc0 x{location}, {value}")
        }
        Action::Write { location, value, update: true } => {
            format!("rmw.atom.dv.sc0.exch found, x{location}, {value}")
        }
        Action::Add { location, value, register } => {
            format!("rmw.atom.dv.sc0.add r{register}, x{location}, {value}")
        }
        Action::Fence
            if model == Model::ScopedRc11 && test.threads_in == ThreadPlacement::Workgroups =>
        {
            "membar.acq_rel.dv.semsc0".to_owned()
        }
        Action::Fence | Action::Barrier => return None,
    })
}

/// Returns whether a thread writes after a read, so that loads may be buffered.
fn may_buffer_loads(test: &Test) -> bool {
    let reads = |action: &Action| action.register().is_some() || updates(action);
    let writes = |action: &Action| matches!(action, Action::Write { .. }) || updates(action);
    test.threads.iter().any(|actions| {
        let first = actions.iter().position(reads);
        first.is_some_and(|first| actions[first + 1..].iter().any(writes))
    })
}

fn updates(action: &Action) -> bool {
    matches!(
        action,
        Action::Read { update: true, .. } | Action::Write { update: true, .. } | Action::Add { .. }
    )
}

fn agree(test: &Test) {
    let every = || {
        let space = Space::of(test);
        (0..space.counters()).filter_map(|counter| space.outcome(counter)).collect()
    };
    let ours = Specification::Today.allowed(test);
    let theirs = allowed(test, Model::Wgsl).unwrap_or_else(every);
    assert_eq!(ours, theirs, "{test:#?}\n{}", text(test, Model::Wgsl));
    let before = Specification::Wgsl2022.allowed(test);
    if test.memory.atomic && test.threads_in == ThreadPlacement::Workgroups {
        let theirs = allowed(test, Model::ScopedRc11).expect("atomics do not race");
        let text = || text(test, Model::ScopedRc11);
        assert!(theirs.is_subset(&before), "{test:#?}\n{}", text());
        assert!(may_buffer_loads(test) || theirs == before, "{test:#?}\n{}", text());
    } else {
        assert_eq!(before, ours, "a fence within a workgroup is what it is today: {test:#?}");
    }
}

#[test]
fn the_model_checker_allows_what_we_do_of_all_tests() {
    all().iter().for_each(agree);
}

/// Returns a random small test.
pub(crate) fn random(random: &mut Random) -> Test {
    let threads_in = match random.below(2u32) {
        0 => ThreadPlacement::Workgroups,
        _ => ThreadPlacement::OneWorkgroup,
    };
    let intra = threads_in == ThreadPlacement::OneWorkgroup;
    let memory = Memory {
        workgroup: intra && random.below(2u32) == 0,
        atomic: !intra || random.below(3u32) > 0,
    };
    let (locations, mut value, mut register) = (1 + random.below(2u32), 0, 0);
    let mut action = |random: &mut Random| {
        let location = random.below(locations) as u8;
        let update = memory.atomic && random.below(3u32) == 0;
        match random.below(if intra { 8u32 } else { 7 }) {
            0..=2 => {
                register += 1;
                Action::Read { location, register: register - 1, update }
            }
            3 | 4 => {
                value += 1;
                Action::Write { location, value, update }
            }
            5 if memory.atomic => {
                register += 1;
                Action::Add { location, value: 1, register: register - 1 }
            }
            7 => Action::Barrier,
            _ => Action::Fence,
        }
    };
    let mut threads: Vec<Vec<Action>> = Vec::new();
    let mut left = 5;
    for _ in 0..2 + random.below(2u32) {
        let count = 1 + random.below(3u32).min(left);
        left = left.saturating_sub(count);
        threads.push((0..count).map(|_| action(random)).collect());
    }
    threads.push(vec![Action::Read { location: locations as u8 - 1, register, update: false }]);
    Test {
        name: "random".to_owned(),
        kind: Kind::Observation,
        mutator: None,
        threads_in,
        memory,
        threads,
        condition: Condition::All(Vec::new()),
    }
}

#[test]
fn the_model_checker_allows_what_we_do_of_random_tests() {
    let mut source = Random::new(11 + hirace_testing::options().seed);
    let (mut weak, mut raced) = (0, 0);
    let count = if hirace_testing::runs(hirace_testing::Tier::Ci) { 4000 } else { 300 };
    for _ in 0..count {
        let test = random(&mut source);
        agree(&test);
        let classes = Specification::Today.classify(&test);
        weak += u32::from(classes.contains(&super::Class::Weak));
        raced += u32::from(!test.memory.atomic && !classes.contains(&super::Class::Forbidden));
    }
    assert!(weak > count / 20 && raced > count / 50, "{weak} weak, {raced} raced of {count}");
}
