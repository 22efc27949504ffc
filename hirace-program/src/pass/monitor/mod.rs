//! The monitor pass: makes a module watch itself for data races.
//!
//! Beside each access to watched memory the instrumented module calls a function that moves the shadow
//! words of the granules touched through the automaton of `fsm-spec`, and logs those that turn racy.
//! An access and its update are not one atomic step: unsynchronised accesses reach the automaton in
//! some order, and every order of a racing pair ends in a race.
//!
//! - [`crate::shadow::plan`] decides what is watched and where its shadow lives;
//! - `runtime` brings in those functions, written in WGSL, `words` those of them that touch shadow words;
//! - `instrument` rewrites each function of the program;
//! - `address` computes which granules an access touches, and clamps its indices;
//! - `entry` tells an invocation who it is, and that its workgroup is done.
//!
//! What the program does stays the same, but for this: an index past the end of watched memory is
//! clamped, where implementations differ; and each barrier also orders the memory that the shadow
//! lives in, since an update before the barrier must be seen by those after it. That does not
//! change what the barrier counts as: clocks step by what the program wrote. (`subgroupBarrier()` cannot
//! be strengthened so: that updates before it are seen after it is left to the coherence of atomics.)
//!
//! Not seen by the pass: barriers in non-uniform control flow. The clocks of a workgroup then part;
//! whoever runs the module must find that out by other means, and trust nothing after it.

mod address;
mod entry;
mod instrument;
mod runtime;
#[cfg(test)]
mod tests;
mod words;

use crate::diagnostic::{Diagnostic, Result};
use crate::front::{Parsed, validate};
use crate::ir::rebuild::Rebuild;
use crate::ir::walk::FunctionId;
use crate::program::Program;
use crate::shadow::plan::{Plan, Table};
use instrument::Instrument;
use naga::Module;
use runtime::Runtime;

pub use crate::shadow::plan::Options;

/// An instrumented program.
#[derive(Clone, Debug)]
pub struct Monitored {
    /// The module, with the chosen entry points only. Its overrides are those that
    /// [`crate::shadow::layout`] gives values for. Variables of the program keep their handles.
    pub parsed: Parsed,
    /// What is watched, and how.
    pub plan: Plan,
}

impl Monitored {
    /// The module as WGSL.
    pub fn wgsl(&self) -> Result<String> {
        self.parsed.written()
    }
}

/// Instruments `program`.
pub fn monitor(program: &Program, options: &Options) -> Result<Monitored> {
    let _span = tracing::debug_span!("instrument").entered();
    let plan = Plan::new(program, options);
    let original = &program.module;
    let mut module = Module {
        functions: naga::Arena::new(),
        entry_points: Vec::new(),
        doc_comments: None,
        ..original.clone()
    };
    let runtime = Runtime::graft(&mut module, &plan)
        .map_err(|error| internal(program, "its runtime does not parse", &error))?;
    let mut functions = Vec::new();
    for (handle, function) in original.functions.iter() {
        let mut change = Instrument::new(program, &plan, &runtime, FunctionId::Helper(handle));
        let copy = Rebuild::run(function, &functions, &mut change);
        functions.push(module.functions.append(copy, original.functions.get_span(handle)));
    }
    for index in options.chosen(program) {
        let Some(entry) = original.entry_points.get(index) else { continue };
        let mut change = Instrument::new(program, &plan, &runtime, FunctionId::Entry(index));
        let function = Rebuild::run(&entry.function, &functions, &mut change);
        let function = match runtime.function("leave") {
            Some(leave) => entry::left(&mut module, &plan, function, leave),
            None => function,
        };
        module.entry_points.push(naga::EntryPoint { function, ..entry.clone() });
    }
    let info = validate::validate(&module, &program.source)
        .map_err(|error| internal(program, "the result does not validate", &error.to_string()))?;
    let source = program.source.clone();
    Ok(Monitored {
        parsed: Parsed { module, info, source, origin: None, warnings: Vec::new() },
        plan,
    })
}

/// The automaton's step as instrumented modules have it: a WGSL function `hirace_transition` of a state,
/// an action, how they are synchronised, and how they are related, all by the numbers of `fsm-spec` (but
/// for states, where they are computed: of these only the first and that of a race).
pub fn automaton(table: Table) -> String {
    runtime::automaton(table)
}

fn internal(program: &Program, what: &str, error: &str) -> Box<Diagnostic> {
    let name = program.source.name();
    let bug = Diagnostic::new(format!("the monitor pass failed on `{name}`: {what}"));
    Box::new(bug.note(error).help("this is a bug in hirace; please report it with the file"))
}
