//! Runs dispatches of a program on the embedded machine, unmodified and with one workgroup first.

use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::front::wgsl;
use hirace::raw::pass::target_first::{OrderingTechnique, WaitCounts, read, target_first, words};
use hirace::raw::program::Program;
use hirace::raw::vm::driver::run;
use hirace::raw::vm::lower::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::NoObserver;
use hirace::raw::vm::run::Options;
use hirace::raw::vm::schedule::{Limits, Schedule};
use naga::ResourceBinding;
use std::collections::BTreeMap;

/// The launch parameters of a dispatch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchOptions {
    pub workgroups: [u32; 3],
    pub subgroup_size: u32,
    pub schedule: Schedule,
}

impl LaunchOptions {
    pub fn new(workgroups: [u32; 3], schedule: Schedule) -> Self {
        Self { workgroups, subgroup_size: 2, schedule }
    }

    /// Runs an entry point with `resources`.
    pub fn run(self, program: &Program, entry: usize, resources: &Resources) -> Result<(), String> {
        let options = Options {
            workgroups: self.workgroups,
            subgroup_size: self.subgroup_size,
            schedule: self.schedule,
            limits: Limits::default(),
            parallel: false,
            stop: None,
        };
        let code = lower(program, entry).map_err(in_words)?;
        let ran = run(&code, resources, &options, &NoObserver).map_err(in_words)?;
        match ran.is_complete() && ran.divergences.is_empty() {
            true => Ok(()),
            false => Err(format!("{self:?}: {ran:?}")),
        }
    }
}

/// The workgroup that runs first, and the means.
#[derive(Clone, Copy, Debug)]
pub struct First {
    pub target: u32,
    pub means: OrderingTechnique,
    pub polls: u32,
}

/// Runs an entry point of `program` with `resources`, a target first.
pub fn run_first(
    program: &Program,
    entry: usize,
    resources: &Resources,
    way: LaunchOptions,
    first: First,
) -> Result<WaitCounts, String> {
    let made = target_first(program, &[entry], first.means).map_err(in_words)?;
    let derived = made.derived.program(&BTreeMap::new()).map_err(in_words)?;
    let order: Vec<u8> =
        words(first.target, first.polls).iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut all = Resources { by_global: Vec::new() };
    let mut at = None;
    for (handle, variable) in derived.module.global_variables.iter() {
        // Variables of the program keep their indices, and those of the pass follow.
        let resource = match variable.binding == Some(made.binding) {
            true => {
                at = Some(handle.index());
                Some(Resource::Buffer(Buffer::new(&order)))
            }
            false => resources.by_global.get(handle.index()).cloned().flatten(),
        };
        all.by_global.push(resource);
    }
    way.run(&derived, 0, &all).map_err(|error| format!("{first:?}: {error}"))?;
    for (to, from) in resources.by_global.iter().zip(&all.by_global) {
        match (to, from) {
            (Some(Resource::Buffer(to)), Some(Resource::Buffer(from))) => {
                to.restore(&from.snapshot());
            }
            (Some(Resource::Texture(to)), Some(Resource::Texture(from))) => {
                to.texels.restore(&from.texels.snapshot());
            }
            _ => {}
        }
    }
    match at.and_then(|at| all.by_global[at].as_ref()) {
        Some(Resource::Buffer(order)) => Ok(read(&order.snapshot())),
        _ => Err("the pass has no buffer".to_owned()),
    }
}

pub fn program(text: &str) -> Result<Program, String> {
    let parsed = wgsl::parse("first.wgsl", text).map_err(in_words)?;
    Program::new(&parsed, &BTreeMap::new()).map_err(in_words)
}

pub fn in_words(error: Box<Diagnostic>) -> String {
    format!("{error} {:?}", error.notes)
}

/// Returns this number of zero words for each variable with a binding.
pub fn zeros(program: &Program, count: u32) -> Resources {
    let globals = program.module.global_variables.iter();
    let zeros = |binding: &Option<ResourceBinding>| {
        binding.map(|_| Resource::Buffer(Buffer::zeros(4 * count)))
    };
    Resources { by_global: globals.map(|(_, global)| zeros(&global.binding)).collect() }
}

/// Returns the words of the `index`-th variable.
pub fn words_of(resources: &Resources, index: usize) -> Vec<u32> {
    match resources.by_global.get(index) {
        Some(Some(Resource::Buffer(buffer))) => buffer.snapshot(),
        _ => Vec::new(),
    }
}

/// Returns the words of all variables.
pub fn all(resources: &Resources) -> Vec<Vec<u32>> {
    let words = |resource: &Option<Resource>| match resource {
        Some(Resource::Buffer(buffer)) => buffer.snapshot(),
        Some(Resource::Texture(texture)) => texture.texels.snapshot(),
        _ => Vec::new(),
    };
    resources.by_global.iter().map(words).collect()
}

pub fn same<T: PartialEq + std::fmt::Debug + ?Sized>(
    what: &str,
    is: &T,
    expected: &T,
) -> Result<(), String> {
    if is == expected { Ok(()) } else { Err(format!("{what}: {is:?}, not {expected:?}")) }
}
