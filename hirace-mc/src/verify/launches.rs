//! Launches of kernels, as a session comes to them: of each entry point the smallest is kept that has several
//! workgroups, if there is one that can be explored.

use super::{Settings, explored};
use crate::kernel::Kernel;
use crate::report::compose::at;
use crate::report::results::{self, Verdict};
use hirace_core::check::{Follower, Unit};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::Executor;
use hirace_core::facts::Assumption;
use hirace_core::facts::assumption::Contents;
use hirace_core::launch::{Dispatch, Launch};
use hirace_core::program::Program;
use hirace_core::report::words;
use hirace_core::vm::Code;
use hirace_core::vm::lower::lower;
use hirace_core::vm::memory::Resource;
use naga::AddressSpace;

/// See the module.
#[derive(Debug)]
pub struct Launches {
    kept: Vec<Kept>,
    /// The most invocations that are explored.
    most: u64,
    /// Whether flags say what the grid is.
    is_grid_given: bool,
    /// The test that is running.
    test: Option<String>,
}

/// A launch to be explored.
#[derive(Debug)]
struct Kept {
    test: Option<String>,
    program: Program,
    launch: Launch,
    invocations: u64,
}

impl Launches {
    /// None so far, of at most so many invocations if there is a choice.
    pub fn new(most: u32, is_grid_given: bool) -> Self {
        Self { kept: Vec::new(), most: most.into(), is_grid_given, test: None }
    }

    /// Explores each, and hands on what came of it, with the file.
    pub fn explore(
        self,
        settings: &Settings<'_>,
        each: &mut dyn FnMut(&str, Result<results::Program>),
    ) {
        for kept in self.kept {
            let explored = kept.explore(settings, self.is_grid_given);
            each(kept.program.source.name(), explored);
        }
    }
}

impl Follower for Launches {
    fn begins(&mut self, unit: Unit<'_>) -> Result<bool> {
        self.test = unit.test.map(|_| unit.name.to_owned());
        Ok(true)
    }

    fn ran(&mut self, program: &Program, launch: &Launch, _: &dyn Executor) -> Result<()> {
        let new = Kept {
            test: self.test.clone(),
            program: program.clone(),
            launch: launch.clone(),
            invocations: invocations(program, launch),
        };
        match self.kept.iter_mut().find(|known| known.is_like(&new)) {
            Some(known) => {
                // Workgroups meet where there are two; what more there are only multiplies the executions.
                let rank = |kept: &Kept| {
                    (kept.invocations > self.most, !kept.has_several(), kept.invocations)
                };
                let better = rank(&new) < rank(known);
                if better {
                    *known = new;
                }
            }
            None => self.kept.push(new),
        }
        Ok(())
    }
}

fn invocations(program: &Program, launch: &Launch) -> u64 {
    let of = |dispatch: &Dispatch| {
        let size = program
            .module
            .entry_points
            .get(dispatch.entry)
            .map_or([1; 3], |entry| entry.workgroup_size);
        let all = dispatch.workgroups.iter().chain(&size);
        all.fold(1u64, |product, &count| product.saturating_mul(count.into()))
    };
    launch.dispatches.iter().map(of).fold(0, u64::saturating_add)
}

impl Kept {
    /// Whether both are of one entry point.
    fn is_like(&self, other: &Self) -> bool {
        let entries = |kept: &Self| {
            kept.launch.dispatches.iter().map(|dispatch| dispatch.entry).collect::<Vec<_>>()
        };
        self.test == other.test
            && self.program.source.name() == other.program.source.name()
            && entries(self) == entries(other)
            && self.program.module.entry_points.len() == other.program.module.entry_points.len()
            && self.name() == other.name()
    }

    /// Whether there is more than one workgroup.
    fn has_several(&self) -> bool {
        self.launch.dispatches.iter().any(|dispatch| dispatch.workgroups != [1; 3])
    }

    fn name(&self) -> String {
        let entry = self
            .launch
            .dispatches
            .first()
            .and_then(|dispatch| self.program.module.entry_points.get(dispatch.entry));
        let entry = entry.map_or("", |entry| entry.name.as_str());
        match &self.test {
            Some(test) => format!("{entry} in {test}"),
            None => entry.to_owned(),
        }
    }

    fn explore(&self, settings: &Settings<'_>, is_grid_given: bool) -> Result<results::Program> {
        let [dispatch] = self.launch.dispatches.as_slice() else {
            let error = Diagnostic::new(format!(
                "{} dispatches one after another are not explored",
                self.launch.dispatches.len()
            ));
            return Err(Box::new(error.help(
                "verify each by itself, with --entry, over buffers as the one before leaves them",
            )));
        };
        let code = lower(&self.program, dispatch.entry)?;
        let (launch, zeros) = zeroed(&self.program, &self.launch);
        let mut tried = self.over(&launch, zeros.as_deref(), &code, dispatch, settings)?;
        // Zeros lead past what other contents lead to.
        if zeros.is_some() && tried.verdict == Verdict::Verified && !tried.not_reached.is_empty() {
            let more = self.over(&self.launch, None, &code, dispatch, settings)?;
            tried = both(tried, more);
        }
        if !is_grid_given && self.test.is_none() {
            let grid = Assumption::Grids(vec![dispatch.workgroups]);
            tried.assumptions.insert(0, words::assumption(&grid));
        }
        // With other contents there may be something where nobody came.
        let is_open = !tried.assumptions.is_empty() && !tried.not_reached.is_empty();
        if tried.verdict == Verdict::Verified && is_open {
            tried.verdict = Verdict::Inconclusive;
        }
        Ok(tried)
    }

    /// What comes of it over the contents of this launch, of which this is assumed if it is not what the launch says.
    fn over(
        &self,
        launch: &Launch,
        assumed: Option<&[Assumption]>,
        code: &Code,
        dispatch: &Dispatch,
        settings: &Settings<'_>,
    ) -> Result<results::Program> {
        let (resources, size) = (&launch.resources, launch.subgroup_size);
        let (bounds, model) = (settings.bounds, settings.model);
        let kernel = Kernel::new(&self.program, code, resources, dispatch, size, bounds, model)?;
        let program = explored(&kernel, &self.name(), settings, None, |_| None)?;
        let not_reached = kernel.not_reached().into_iter();
        Ok(results::Program {
            workgroups: Some(dispatch.workgroups),
            assumptions: assumed
                .unwrap_or(&launch.assumptions)
                .iter()
                .map(words::assumption)
                .collect(),
            not_reached: not_reached.map(|span| at(&self.program.source, span)).collect(),
            ..program
        })
    }
}

/// What comes of a program over two contents.
fn both(one: results::Program, other: results::Program) -> results::Program {
    let mut assumptions = one.assumptions;
    let more = other.assumptions.into_iter().filter(|more| !assumptions.contains(more));
    let more: Vec<String> = more.collect();
    assumptions.extend(more);
    let not_reached = one.not_reached.into_iter();
    results::Program {
        executions: one.executions + other.executions,
        blocked: one.blocked + other.blocked,
        abandoned: one.abandoned + other.abandoned,
        seconds: one.seconds + other.seconds,
        not_reached: not_reached.filter(|place| other.not_reached.contains(place)).collect(),
        assumptions,
        ..other
    }
}

/// The launch with zeros where contents were guessed, and what is assumed then, if there are any. Numbers that steer the
/// kernel stay what they were, since with zeros for sizes it would do nothing.
fn zeroed(program: &Program, launch: &Launch) -> (Launch, Option<Vec<Assumption>>) {
    let launch = launch.clone();
    let steers = |name: Option<&str>| {
        launch.assumptions.iter().any(|assumption| match assumption {
            Assumption::Parameters { variable, .. } => Some(variable.as_str()) == name,
            _ => false,
        })
    };
    let mut names = Vec::new();
    for (handle, variable) in program.module.global_variables.iter() {
        let guessed = launch.guessed_contents.get(handle.index()).copied().unwrap_or(false);
        let bound = launch.resources.by_global.get(handle.index()).and_then(Option::as_ref);
        let (true, AddressSpace::Storage { .. }, Some(Resource::Buffer(buffer))) =
            (guessed, variable.space, bound)
        else {
            continue;
        };
        if !steers(variable.name.as_deref()) {
            buffer.restore(&vec![0; buffer.words().len()]);
            names.push(variable.name.clone().unwrap_or_default());
        }
    }
    let mut assumptions = launch.assumptions.clone();
    for assumption in &mut assumptions {
        if let Assumption::Buffer { variable, contents: Some(contents), .. } = assumption
            && names.contains(variable)
        {
            *contents = Contents::Zeros;
        }
    }
    let is_other = !names.is_empty();
    (launch, is_other.then_some(assumptions))
}
