//! Tests of kernels in Rust: what they compute, and their findings.

mod expressions;
mod findings;
// The tested functions are odd on purpose.
#[allow(clippy::all)]
mod flow;
mod halves;
mod interpret;
mod native;
mod random;
#[allow(clippy::all)]
mod std_items;
mod wide;

use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::front::rust;
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::NoObserver;
use hirace::raw::vm::run::Options;
use hirace::raw::vm::schedule::{Limits, Schedule};
use hirace_testing::harness::Trial;
use std::collections::BTreeMap;

pub use random::kernels as random_kernels;

pub fn trials() -> Vec<Trial> {
    let of_numbers = [wide::trials(), halves::trials()];
    [flow::trials(), findings::trials(), random::trials(), std_items::trials()]
        .into_iter()
        .chain(of_numbers)
        .flatten()
        .collect()
}

/// Returns an error with its labels and notes.
fn in_words(error: &Diagnostic) -> String {
    let source = error.source_map.as_ref();
    let label = |(span, text): &(_, String)| {
        let snippet = source.map_or("", |source| source.snippet(*span));
        format!("\n  at `{snippet}`: {text}")
    };
    let labels: String = error.labels.iter().map(label).collect();
    format!("{}{labels} {:?} {:?}", error.message, error.notes, error.help)
}

/// Returns what the only kernel of a Rust file leaves in its buffer `out`, of this number of words, which are zero at first.
fn output(text: &str, words: u32) -> Result<Vec<u32>, String> {
    let mut file = rust::parse_file("kernel.rs", text).map_err(|error| in_words(&error))?;
    if file.items.len() != 1 {
        return Err(format!("{} items", file.items.len()));
    }
    let parsed = file.items.remove(0).map_err(|error| in_words(&error))?;
    let wgsl = parsed.wgsl().text().to_owned();
    let failed = |error: Box<Diagnostic>| format!("{}\n{wgsl}", in_words(&error));
    let program = Program::new(&parsed, &BTreeMap::new()).map_err(failed)?;
    let code = lower::lower(&program, 0).map_err(failed)?;
    let globals = &program.module.global_variables;
    let by_global = globals.iter().map(|(_, global)| {
        global.binding.is_some().then(|| Resource::Buffer(Buffer::zeros(4 * words)))
    });
    let resources = Resources { by_global: by_global.collect() };
    let options = Options {
        workgroups: [1, 1, 1],
        subgroup_size: 32,
        schedule: Schedule::default(),
        limits: Limits { steps: 2_000_000, ..Limits::default() },
        parallel: false,
        stop: None,
    };
    let ended = run(&code, &resources, &options, &NoObserver).map_err(failed)?;
    if let Some(stuck) = ended.no_progress {
        return Err(format!("{stuck:?}\n{wgsl}"));
    }
    let out = globals.iter().position(|(_, global)| global.name.as_deref() == Some("out"));
    match out.and_then(|index| resources.by_global[index].as_ref()) {
        Some(Resource::Buffer(buffer)) => Ok(buffer.snapshot()),
        _ => Err("no buffer `out`".to_owned()),
    }
}
