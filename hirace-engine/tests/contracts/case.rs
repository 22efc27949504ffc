//! A random kernel with its contract, and launches of it.

use crate::generate;
use crate::launches::{LaunchInputs, launches};
use crate::prove::{
    Contract, Fault, Requirement, Rules, SeenFault, contract_with_rules, sufficient_conditions,
};
use hirace_engine::observe::oracle::Oracle;
use hirace_engine::observe::{Layout, Shape};
use hirace_engine::random::Random;
use hirace_engine::vm::ReadFollower;
use hirace_engine::vm::memory::{Buffer, Resource, Resources};
use hirace_engine::vm::observer::MemoryId;
use hirace_engine::vm::run::{Options, coordinates};
use hirace_engine::vm::schedule::{Limits, Schedule};
use hirace_engine::vm::{Code, driver, lower};
use hirace_program::diagnostic::Diagnostic;
use hirace_program::front::wgsl;
use hirace_program::ir::scalars::Footprint;
use hirace_program::ir::sites::SiteId;
use hirace_program::program::Program;
use hirace_program::watch::{Scope, SharedVariable, WatchOptions, WatchPlan};
use naga::{AddressSpace, GlobalVariable, Handle};
use std::collections::{BTreeMap, BTreeSet};

/// The number of words at the start of each buffer whose contents a launch gives.
const GIVEN_WORDS: u32 = 4;
/// The limits on instructions of a subgroup and of a dispatch. A launch that exceeds them is judged by what it did until then.
const MAX_STEPS: [u64; 2] = [20_000, 200_000];

/// What was seen in a launch.
pub struct Ran {
    /// The first fault.
    pub fault: Option<String>,
    /// The sites of the races, within a workgroup or between workgroups.
    pub races: BTreeSet<[SiteId; 2]>,
    /// The sites of indices out of bounds, each with an invocation.
    pub out_of_bounds: Vec<(SiteId, [u32; 3])>,
    /// Whether the launch ran to its end.
    pub is_complete: bool,
}

/// A kernel that is ready to run.
pub struct Case {
    pub text: String,
    program: Program,
    code: Code,
}

impl Case {
    /// Creates the kernel with this number.
    ///
    /// # Errors
    /// The kernel is not valid WGSL. A few have constant expressions that are errors.
    pub fn new(seed: u64) -> Result<Self, String> {
        Self::of(generate::kernel(seed))
    }

    /// Creates the kernel with this text.
    ///
    /// # Errors
    /// The text is not valid WGSL.
    pub fn of(text: String) -> Result<Self, String> {
        let explained = |error: Box<Diagnostic>| format!("{error} {:?}\n{text}", error.notes);
        let parsed = wgsl::parse("contracts.wgsl", &text).map_err(explained)?;
        let program = Program::new(&parsed, &BTreeMap::new()).map_err(explained)?;
        let code = lower::lower(&program, 0).map_err(explained)?;
        Ok(Self { text, program, code })
    }

    /// Returns the requirements under which the kernel is proved to have no fault, if they were found.
    pub fn requirements(&self, rules: Rules) -> Option<Vec<Requirement>> {
        match contract_with_rules(&self.program, 0, rules, &|| false) {
            Contract::Proved(requirements) => Some(requirements),
            _ => None,
        }
    }

    /// Returns launches that meet the requirements.
    pub fn launches(
        &self,
        requirements: &[Requirement],
        seed: u64,
        most: usize,
    ) -> Vec<LaunchInputs> {
        let mut random = Random::stream(seed, 48);
        let globals = || self.program.module.global_variables.iter().map(|(global, _)| global);
        let arrays: Vec<_> = globals().filter(|it| self.footprint(*it).stride.is_some()).collect();
        let words = globals().filter(|it| self.is_buffer(*it));
        let words = words.flat_map(|global| (0..GIVEN_WORDS).map(move |word| (global, 4 * word)));
        let words: Vec<_> = words.collect();
        launches(requirements, &arrays, &words, &mut random, most)
    }

    fn is_buffer(&self, global: Handle<GlobalVariable>) -> bool {
        let space = self.program.module.global_variables[global].space;
        matches!(space, AddressSpace::Storage { .. } | AddressSpace::Uniform)
    }

    fn footprint(&self, global: Handle<GlobalVariable>) -> Footprint {
        let module = &self.program.module;
        Footprint::of(module, module.global_variables[global].ty)
    }

    fn resources(&self, given: &LaunchInputs, random: &mut Random) -> Resources {
        let module = &self.program.module;
        let resource = |(global, _): (Handle<GlobalVariable>, &GlobalVariable)| {
            if !self.is_buffer(global) {
                return None;
            }
            let elements = given.lengths.get(&global).copied().unwrap_or_default();
            let bytes = self.footprint(global).bytes(elements)?;
            let word = |index: u32| {
                let other = if random.below(8_u32) == 0 {
                    random.bits() as u32
                } else {
                    random.below(12_u32)
                };
                given.words.get(&(global, 4 * index)).copied().unwrap_or(other)
            };
            let contents: Vec<u8> = (0..bytes / 4).map(word).flat_map(u32::to_le_bytes).collect();
            Some(Resource::Buffer(Buffer::new(&contents)))
        };
        Resources { by_global: module.global_variables.iter().map(resource).collect() }
    }

    /// Returns sets of conditions each of which suffices for a fault that was seen.
    pub fn sufficient_conditions(&self, fault: SeenFault) -> Vec<Vec<Requirement>> {
        let sets = sufficient_conditions(&self.program, 0, fault).into_iter();
        let condition =
            |sum| Requirement { sum, excludes: Fault::Divergence, broken_by: Vec::new() };
        sets.map(|sums| sums.into_iter().map(condition).collect()).collect()
    }

    /// Returns the ids of an invocation in its workgroup.
    pub fn local_id(&self, invocation: u32) -> [u32; 3] {
        coordinates(invocation, self.program.module.entry_points[0].workgroup_size)
    }

    /// Returns the number of invocations of a workgroup.
    pub fn invocations(&self) -> u32 {
        self.program.module.entry_points[0].workgroup_size.iter().product()
    }

    /// Runs a launch and returns the first fault that it has.
    pub fn fault(&self, given: &LaunchInputs, seed: u64) -> Result<Option<String>, String> {
        Ok(self.run(given, seed)?.fault)
    }

    /// Runs a launch.
    pub fn run(&self, given: &LaunchInputs, seed: u64) -> Result<Ran, String> {
        let mut random = Random::stream(seed, 49);
        let resources = self.resources(given, &mut random);
        let module = &self.program.module;
        let plan = WatchPlan::new(
            &self.program,
            &[0],
            &WatchOptions { scope: Scope::Accessed, ..WatchOptions::default() },
        );
        let length = |memory: &SharedVariable| {
            let variable = &module.global_variables[memory.global];
            let buffer = resources.buffer(MemoryId(memory.global.index() as u32));
            let size = || module.types[variable.ty].inner.try_size(module.to_ctx());
            buffer.map(Buffer::len).or_else(size)
        };
        // The oracle has no shadow words, whose width would depend on the shape.
        let shape = Shape { workgroups: 1, workgroup_size: 1, subgroup_size: 1 };
        let oracle = Oracle::new(Layout::fit_plan(&plan, shape, length, u64::MAX).layout);
        let [steps, total] = MAX_STEPS;
        let options = Options {
            workgroups: given.workgroups,
            subgroup_size: 1 << random.below(3_u32),
            schedule: Schedule::seeded(random.below(4_u64)),
            limits: Limits { steps, total, ..Limits::default() },
            parallel: false,
            stop: None,
        };
        let run = driver::run(&self.code, &resources, &options, &oracle);
        let run = run.map_err(|error| error.to_string())?;
        let text = |site| {
            let span = self.program.sites.get(site).map(|site| site.span).unwrap_or_default();
            self.program.source.snippet(span).to_owned()
        };
        // A read whose value is not used does not count.
        let unused = self.resources(given, &mut Random::stream(seed, 49));
        let follower = ReadFollower::new(&self.code);
        let followed = driver::run_following(&self.code, &unused, &options, &follower);
        followed.map_err(|error| error.to_string())?;
        let mut used = run.out_of_bounds.iter().filter(|out| !follower.is_unused(out));
        let outside = used.next().map(|out| {
            let at = format!("`{}`: index {} of {}", text(out.site), out.index, out.length);
            format!("out of bounds at {at}")
        });
        let pairs = oracle.pairs().into_values().flatten();
        let races: BTreeSet<[SiteId; 2]> = pairs.map(|((a, _), (b, _))| [a, b]).collect();
        let race = races.first().map(|[a, b]| format!("`{}` and `{}` race", text(*a), text(*b)));
        let divergence = run.divergences.first().filter(|_| run.is_complete());
        let divergence = divergence.map(|it| format!("`{}` is divergent", text(it.site)));
        let out_of_bounds =
            run.out_of_bounds.iter().map(|out| (out.site, self.local_id(out.invocation.local)));
        Ok(Ran {
            fault: outside.or(race).or(divergence),
            races,
            out_of_bounds: out_of_bounds.collect(),
            is_complete: run.is_complete(),
        })
    }
}
