//! Collects the launches of a checking session and explores them. For each entry point and test, one launch is kept. A
//! launch that is small enough is preferred, then one with several workgroups, then the smaller one.

use super::reproduction::{self, Reproduction};
use super::{Settings, explored};
use crate::kernel::{Kernel, Postcondition};
use crate::repair::{self, CandidateResult, KernelFinding, Limits};
use crate::report::compose::at;
use crate::report::results::{self, Verdict};
use hirace_core::check::{Follower, LaunchGroup};
use hirace_core::config::TestSpec;
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

/// The launches to explore, collected while a session runs.
#[derive(Debug)]
pub struct Launches {
    kept: Vec<LaunchToExplore>,
    /// The maximum number of invocations to explore.
    most: u64,
    /// Whether the grid was given by options.
    is_grid_given: bool,
    /// The overrides that were given by options.
    overrides: Vec<(String, f64)>,
    /// The test that is running.
    test: Option<TestSpec>,
}

/// A launch to explore.
#[derive(Debug)]
struct LaunchToExplore {
    test: Option<TestSpec>,
    program: Program,
    launch: Launch,
    invocations: u64,
}

impl Launches {
    /// Creates an empty collection. It prefers launches of at most `most` invocations. `is_grid_given` and `overrides`
    /// describe the options of the command.
    pub fn new(most: u32, is_grid_given: bool, overrides: &[(String, f64)]) -> Self {
        let overrides = overrides.to_vec();
        Self { kept: Vec::new(), most: most.into(), is_grid_given, overrides, test: None }
    }

    /// Explores each launch and calls `each` with the name of its file and the result. `reread` compiles changed source
    /// texts, for repairs.
    pub fn explore(
        self,
        settings: &Settings<'_>,
        reread: &RecompileFile<'_>,
        each: &mut dyn FnMut(&str, Result<results::Program>),
    ) {
        for kept in self.kept {
            let given = (self.is_grid_given, self.overrides.as_slice());
            let explored = kept.explore(settings, given, reread);
            each(kept.program.source.name(), explored);
        }
    }
}

/// A function that compiles a changed text of the file of a launch.
pub type RecompileFile<'a> = dyn Fn(&LaunchOrigin<'_>, &str) -> Result<Program> + 'a;

/// The origin of a launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchOrigin<'a> {
    /// The program, whose source names the file.
    pub program: &'a Program,
    /// The name of the entry point.
    pub entry: &'a str,
    /// The test of hirace.toml that defines the launch, if there is one.
    pub test: Option<&'a TestSpec>,
}

impl Follower for Launches {
    fn begins(&mut self, unit: LaunchGroup<'_>) -> Result<bool> {
        self.test = unit.test.cloned();
        Ok(true)
    }

    fn ran(&mut self, program: &Program, launch: &Launch, _: &dyn Executor) -> Result<()> {
        let new = LaunchToExplore {
            test: self.test.clone(),
            program: program.clone(),
            launch: launch.clone(),
            invocations: invocations(program, launch),
        };
        match self.kept.iter_mut().find(|known| known.is_like(&new)) {
            Some(known) => {
                // Two workgroups are enough for interactions between workgroups; more only multiply the executions.
                let rank = |kept: &LaunchToExplore| {
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

impl LaunchToExplore {
    /// Returns whether both are launches of the same entry point and test.
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

    /// Returns whether the launch has more than one workgroup.
    fn has_several(&self) -> bool {
        self.launch.dispatches.iter().any(|dispatch| dispatch.workgroups != [1; 3])
    }

    fn name(&self) -> String {
        match &self.test {
            Some(test) => format!("{} in {}", self.entry(), test.name),
            None => self.entry().to_owned(),
        }
    }

    fn entry(&self) -> &str {
        let mut dispatches = self.launch.dispatches.iter();
        let entries = &self.program.module.entry_points;
        let entry = dispatches.next().and_then(|dispatch| entries.get(dispatch.entry));
        entry.map_or("", |entry| entry.name.as_str())
    }

    fn explore(
        &self,
        settings: &Settings<'_>,
        (is_grid_given, overrides): (bool, &[(String, f64)]),
        reread: &RecompileFile<'_>,
    ) -> Result<results::Program> {
        let [dispatch] = self.launch.dispatches.as_slice() else {
            let error = Diagnostic::new(format!(
                "a launch of {} consecutive dispatches cannot be explored",
                self.launch.dispatches.len()
            ));
            return Err(Box::new(error.help(
                "verify each dispatch separately with --entry, with buffers as the previous one leaves them",
            )));
        };
        let (launch, zeros) = zeroed(&self.program, &self.launch);
        let grid = Assumption::Grids(vec![dispatch.workgroups]);
        let grid = (!is_grid_given && self.test.is_none()).then_some(grid);
        let name = self.name();
        let launch = PreparedLaunch { name, grid, launch, zeros, guessed: &self.launch, overrides };
        let (program, _) = launch.explore(&self.program, dispatch, settings)?;
        let limits = settings.limits().filter(|_| program.verdict == Verdict::Violation);
        let repair = limits.and_then(|limits| self.repair(&launch, settings, reread, limits));
        Ok(results::Program { repair, ..program })
    }

    /// Searches for a repair.
    fn repair(
        &self,
        launch: &PreparedLaunch<'_>,
        settings: &Settings<'_>,
        reread: &RecompileFile<'_>,
        limits: Limits<'_>,
    ) -> Option<results::Repair> {
        let dispatch = self.launch.dispatches.first()?;
        let settings = settings.of_candidates();
        let of =
            LaunchOrigin { program: &self.program, entry: self.entry(), test: self.test.as_ref() };
        let explore = |text: &str| {
            let program = reread(&of, text).ok()?;
            let entry = stands_for(&program, &self.program, dispatch.entry)?;
            let dispatch = Dispatch { entry, ..dispatch.clone() };
            let (_, tried) = launch.explore(&program, &dispatch, &settings).ok()?;
            Some(tried)
        };
        // The original text is explored in the same way as the candidates; with one thread, the first finding is always
        // the same.
        let found = explore(self.program.source.text())?.found?;
        Some(repair::kernel(&self.program, dispatch.entry, found, limits, &explore))
    }
}

/// Returns the index in `program` of the entry point `entry` of `original`, if both programs can have the same resources.
fn stands_for(program: &Program, original: &Program, entry: usize) -> Option<usize> {
    let names = |program: &Program| {
        let variables = program.module.global_variables.iter();
        variables.map(|(_, variable)| variable.name.clone()).collect::<Vec<_>>()
    };
    let entry = original.module.entry_points.get(entry)?;
    let found =
        program.module.entry_points.iter().position(|other| {
            other.name == entry.name && other.workgroup_size == entry.workgroup_size
        });
    found.filter(|_| names(program) == names(original))
}

/// A launch, prepared for exploration.
struct PreparedLaunch<'a> {
    name: String,
    /// The assumption about the grid, if it was not given.
    grid: Option<Assumption>,
    /// The launch with zeros where contents were inferred.
    launch: Launch,
    /// The assumptions about `launch`, if it contains such zeros.
    zeros: Option<Vec<Assumption>>,
    /// The launch with the inferred contents.
    guessed: &'a Launch,
    /// The overrides that were given by options.
    overrides: &'a [(String, f64)],
}

impl PreparedLaunch<'_> {
    /// Explores `program`, which is the program of the launch or a candidate for its repair.
    fn explore(
        &self,
        program: &Program,
        dispatch: &Dispatch,
        settings: &Settings<'_>,
    ) -> Result<(results::Program, CandidateResult<KernelFinding>)> {
        let code = lower(program, dispatch.entry)?;
        let over = |launch: &Launch, assumed: &[Assumption]| {
            self.over((program, &code), (launch, assumed), dispatch, settings)
        };
        let assumed = self.zeros.as_ref().unwrap_or(&self.launch.assumptions);
        let (mut whole, mut found) = over(&self.launch, assumed)?;
        // With zeros, the kernel may not reach some code that it reaches with other contents.
        let leads_past = whole.verdict == Verdict::Verified && !whole.not_reached.is_empty();
        if self.zeros.is_some() && leads_past {
            let (more, found_there) = over(self.guessed, &self.guessed.assumptions)?;
            (whole, found) = (merge(whole, more), found_there);
        }
        if let Some(grid) = &self.grid {
            whole.assumptions.insert(0, words::assumption(grid));
        }
        let is_whole = whole.verdict != Verdict::Inconclusive;
        // With other contents, the kernel may reach the remaining code, which may have a finding.
        let is_open = !whole.assumptions.is_empty() && !whole.not_reached.is_empty();
        if whole.verdict == Verdict::Verified && is_open {
            whole.verdict = Verdict::Inconclusive;
        }
        let tried = CandidateResult { verdict: whole.verdict, found, is_complete: is_whole };
        Ok((whole, tried))
    }

    /// Explores the program over the contents of a launch, under the assumptions `assumed`.
    fn over(
        &self,
        (program, code): (&Program, &Code),
        (launch, assumed): (&Launch, &[Assumption]),
        dispatch: &Dispatch,
        settings: &Settings<'_>,
    ) -> Result<(results::Program, Option<KernelFinding>)> {
        let (resources, size) = (&launch.resources, launch.subgroup_size);
        let (bounds, model) = (settings.bounds, settings.model);
        let ensured = Postcondition::of(program, dispatch.entry, resources, settings.ensured)?;
        let kernel = Kernel::new(program, code, resources, dispatch, size, bounds, model)?;
        let kernel = kernel.with_postconditions(ensured);
        let mut found = None;
        let mut replays = Vec::new();
        let flags = reproduction::flags(program, launch, assumed, self.overrides);
        let mut explored = explored(&kernel, &self.name, settings, None, |explored| {
            found = KernelFinding::of(&kernel, explored);
            replays = reproduction::each(explored, &kernel, flags.as_deref());
            None
        })?;
        for (finding, replayed) in explored.findings.iter_mut().zip(replays) {
            match replayed {
                Reproduction::Command(command) => finding.replay = command,
                Reproduction::Weak => finding.weak = true,
            }
            if finding.unmet.is_some() {
                finding.replay = flags
                    .as_deref()
                    .map(|flags| reproduction::verify_command(program, flags, settings));
            }
        }
        let not_reached = kernel.not_reached().into_iter();
        let explored = results::Program {
            workgroups: Some(dispatch.workgroups),
            assumptions: assumed.iter().map(words::assumption).collect(),
            not_reached: not_reached.map(|span| at(&program.source, span)).collect(),
            ..explored
        };
        Ok((explored, found))
    }
}

/// Merges the results for two buffer contents.
fn merge(one: results::Program, other: results::Program) -> results::Program {
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

/// Returns the launch with zeros where contents were inferred and, if there are any, the assumptions about it.
/// Parameters that control the kernel keep their values, because with sizes of zero the kernel would do nothing.
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
        let guessed = launch.inferred_contents.get(handle.index()).copied().unwrap_or(false);
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
