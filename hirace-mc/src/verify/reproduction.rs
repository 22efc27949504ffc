//! The command that reproduces a finding, if an interleaving shows it.

use super::{Model, Settings};
use crate::explore::Exploration;
use crate::kernel::{Bounds, Kernel, State, Weak};
use hirace_core::facts::assumption::{Assumption, Contents};
use hirace_core::facts::{DispatchOrder, Flag, Replay};
use hirace_core::launch::Launch;
use hirace_core::program::Program;
use hirace_core::report::words::{quote, replay, replay_by};
use hirace_core::vm::interleave::Interleaving;
use hirace_core::vm::order::Order;

/// How the execution of a finding can be reproduced.
#[derive(Debug)]
pub enum Reproduction {
    /// By this command, if there is one.
    Command(Option<String>),
    /// Not by any interleaving: the execution is weak.
    Weak,
}

/// Returns how to reproduce the execution of each finding. `flags` reproduce the launch.
pub fn each(
    explored: &Exploration<State>,
    kernel: &Kernel<'_>,
    flags: Option<&[Flag]>,
) -> Vec<Reproduction> {
    let of = |order: Order| {
        let order = Flag::Replay(DispatchOrder::new(0, order));
        let flags = flags?.iter().cloned().chain([order]).collect();
        Some(replay(&Replay::new(kernel.source().name().to_owned(), flags)))
    };
    let each = explored.findings.iter().map(|found| match kernel.interleaving(&found.execution) {
        Ok(choices) => Reproduction::Command(of(Interleaving::choices(choices).into())),
        Err(None) => Reproduction::Command(None),
        Err(Some(Weak)) => Reproduction::Weak,
    });
    each.collect()
}

/// Returns the command that verifies the launch with these flags again. `hirace check` knows no postconditions, so that only
/// this command shows one that does not hold.
pub fn verify_command(program: &Program, flags: &[Flag], settings: &Settings<'_>) -> String {
    let replay = Replay::new(program.source.name().to_owned(), flags.to_vec());
    let (bounds, default) = (settings.bounds, Bounds::default());
    let options = [
        (settings.model != Model::Wgsl, "--model", settings.model.name().to_owned()),
        (
            bounds.loop_iterations != default.loop_iterations,
            "--max-loop-iterations",
            bounds.loop_iterations.to_string(),
        ),
        (
            bounds.invocations != default.invocations,
            "--max-invocations",
            bounds.invocations.to_string(),
        ),
    ];
    let options = options.into_iter().filter(|(is_given, ..)| *is_given);
    let options = options.map(|(_, name, value)| format!("{name} {value}"));
    let all = settings.all.then(|| "--no-fail-fast".to_owned());
    let ensured = settings.ensured.iter();
    let ensured = ensured.map(|(source, _)| format!("--assert {}", quote(source.text())));
    let command = std::iter::once(replay_by("verify", &replay));
    command.chain(options).chain(all).chain(ensured).collect::<Vec<_>>().join(" ")
}

/// Returns the options of `hirace check` that reproduce a launch with these assumptions and overrides, or `None` if
/// options cannot express it.
pub fn flags(
    program: &Program,
    launch: &Launch,
    assumed: &[Assumption],
    given: &[(String, f64)],
) -> Option<Vec<Flag>> {
    let mut flags = launch.replay.clone()?;
    let names_entry = flags.iter().any(|flag| matches!(flag, Flag::Entry(_)));
    let [dispatch] = launch.dispatches.as_slice() else { return None };
    let entry = program.module.entry_points.get(dispatch.entry)?;
    flags.extend((!names_entry).then(|| Flag::Entry(entry.name.clone())));
    for (name, value) in given {
        let is_there = |flag: &Flag| matches!(flag, Flag::Override { name: of, .. } if of == name);
        if !flags.iter().any(is_there) {
            flags.push(Flag::Override { name: name.clone(), value: *value });
        }
    }
    for assumption in assumed {
        if let Assumption::Buffer { variable, elements, contents: Some(Contents::Zeros), .. } =
            assumption
        {
            flags.retain(|flag| !matches!(flag, Flag::Buffer { name, .. } if name == variable));
            let spec = match elements {
                Some(elements) => format!("zeros:{elements}"),
                None => "zeros".to_owned(),
            };
            flags.push(Flag::Buffer { name: variable.clone(), spec });
        }
    }
    Some(flags)
}
