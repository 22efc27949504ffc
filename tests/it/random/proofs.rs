//! Tests of proofs that accesses take part in no race, compared with actual races: no proved site is in a racing pair, and the
//! racy words are the same whether proved sites are watched or not.

mod generate;

use super::divergent::launch_of;
use super::engine::LoadedKernel;
use super::kernel::{self as described, Grid};
use super::print;
use crate::support::scratch;
use generate::{BUFFERS, COUNTERS, Kernel, UNIFORM};
use hirace::raw::diagnostic::Diagnostic;
use hirace::raw::exec::embedded::Embedded;
use hirace::raw::exec::{DispatchContext, Executor, Shortcuts, Watch, watch_plan};
use hirace::raw::front::wgsl;
use hirace::raw::ir::sites::SiteId;
use hirace::raw::launch::Launch;
use hirace::raw::observe::oracle::Oracle;
use hirace::raw::observe::{Layout, RacyGranules, Shape};
use hirace::raw::program::Program;
use hirace::raw::prove::{Proof, Proofs, Rule, Rules, prove_with_rules};
use hirace::raw::vm::driver;
use hirace::raw::vm::lower::lower;
use hirace::raw::vm::memory::{Buffer, Resource, Resources};
use hirace::raw::vm::observer::MemoryId;
use hirace::raw::vm::run::Options;
use hirace::raw::watch::{Scope, SharedVariable};
use hirace_testing::harness::Trial;
use hirace_testing::seeds;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};

/// The number of kernels that the quick tier compares.
const SAMPLE: u64 = 80;
/// The number of kernels that the full tier compares, of each of the two kinds.
const LONG: u64 = 10_000;
/// The number of kernels within which a missing rule must be noticed.
const NOTICED: u64 = 1_500;
/// The number of kernels over which the frequency of each proof is measured.
const OFTEN: u64 = 300;
/// The minimum frequency of each proof, in percent of kernels.
const SHARE: f64 = 5.0;

/// The rules whose absence random kernels notice. Nothing is judged after a barrier that not all invocations reach, and loads of
/// what others write are rare: those two rules have separate tests in the library.
const NOTICEABLE: [Rule; 12] = [
    Rule::Wrapping,
    Rule::Bounds,
    Rule::Extents,
    Rule::Workgroups,
    Rule::Neighbors,
    Rule::Classes,
    Rule::Iterations,
    Rule::Loops,
    Rule::Ways,
    Rule::Branches,
    Rule::Reads,
    Rule::Atomics,
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("random::sample_proves_nothing_that_races", || agree(seeds(SAMPLE, LONG))),
        Trial::test("random::proofs_are_found_often", often),
    ];
    let all = NOTICEABLE.into_iter().map(|rule| {
        let name = format!("random::notices_proofs_without_{rule:?}").to_lowercase();
        Trial::ci(&name, move || noticed(rule))
    });
    trials.extend(all);
    trials
}

/// A kernel with its launch.
pub struct Case {
    pub text: String,
    pub program: Program,
    pub launch: Launch,
}

impl Case {
    /// Returns two cases for each number: one of each generator.
    pub fn all(seed: u64) -> Result<Vec<Self>, String> {
        let own = Self::of(&generate::kernel(seed))?;
        let kernel = super::generate::kernel(seed);
        let loaded = LoadedKernel::new(&kernel)?;
        let launch = launch_of(&kernel, loaded.resources_of(&loaded.program));
        let described = Self { text: print::print(&kernel).wgsl, program: loaded.program, launch };
        Ok(vec![own, described])
    }

    fn of(kernel: &Kernel) -> Result<Self, String> {
        let text = kernel.text.clone();
        let explained = |error: Box<Diagnostic>| format!("{error} {:?}\n{text}", error.notes);
        let parsed = wgsl::parse("proofs.wgsl", &text).map_err(explained)?;
        let program = Program::new(&parsed, &BTreeMap::new()).map_err(explained)?;
        let bound = program.module.global_variables.iter().map(|(_, variable)| {
            let name = variable.name.as_deref()?;
            let bytes: Vec<u8> = match name {
                UNIFORM => kernel.uniforms.into_iter().flat_map(u32::to_le_bytes).collect(),
                COUNTERS => vec![0; 4 * kernel.words as usize],
                _ if BUFFERS.contains(&name) => {
                    (0..kernel.words).flat_map(|word| (word * 7 % 11).to_le_bytes()).collect()
                }
                _ => return None,
            };
            Some(Resource::Buffer(Buffer::new(&bytes)))
        });
        let resources = Resources { by_global: bound.collect() };
        let grid = Grid { workgroups: kernel.workgroups[0], workgroup_size: 1, subgroup_size: 4 };
        let mut launch = launch_of(&described::Kernel { grid, body: Vec::new() }, resources);
        launch.dispatches[0].workgroups = kernel.workgroups;
        Ok(Self { text, program, launch })
    }

    fn known(&self) -> DispatchContext<'_> {
        DispatchContext::new(&self.program, &self.launch, &self.launch.dispatches[0])
    }

    fn proofs(&self, rules: Rules) -> Proofs {
        prove_with_rules(&self.program, 0, &self.known(), rules)
    }

    /// Returns the sites of all pairs that race.
    fn racing(&self) -> Result<BTreeSet<SiteId>, String> {
        let watch = Watch { shortcuts: Shortcuts::NONE, ..Watch::default() };
        let plan = watch_plan(&self.known(), &watch, Scope::Writable);
        let resources = self.launch.resources.clone();
        let module = &self.program.module;
        let length = |memory: &SharedVariable| {
            let variable = &module.global_variables[memory.global];
            let id = MemoryId(memory.global.index() as u32);
            match (resources.buffer(id), resources.texture(id)) {
                (Some(buffer), _) => Some(buffer.len()),
                (_, Some(texture)) => Some(texture.texels.len() / 4),
                _ => module.types[variable.ty].inner.try_size(module.to_ctx()),
            }
        };
        // The oracle has no shadow words, whose width would depend on the shape.
        let shape = Shape { workgroups: 1, workgroup_size: 1, subgroup_size: 1 };
        let oracle = Oracle::new(Layout::fit_plan(&plan, shape, length, u64::MAX).layout);
        let options = Options {
            workgroups: self.launch.dispatches[0].workgroups,
            subgroup_size: self.launch.subgroup_size,
            schedule: self.launch.schedule,
            limits: self.launch.limits,
            parallel: false,
            stop: None,
        };
        let code = lower(&self.program, 0).map_err(|error| error.to_string())?;
        driver::run(&code, &resources, &options, &oracle).map_err(|error| error.to_string())?;
        let pairs = oracle.pairs().into_values().flatten();
        Ok(pairs.flat_map(|((a, _), (b, _))| [a, b]).collect())
    }

    /// Returns a proved site that races.
    fn wrong(&self, rules: Rules) -> Result<Option<(SiteId, Proof)>, String> {
        let proofs = self.proofs(rules);
        if proofs.is_empty() {
            return Ok(None);
        }
        let racing = self.racing()?;
        Ok(racing.into_iter().find_map(|site| Some((site, proofs.get(site)?))))
    }

    /// Returns the racy words, with proved sites watched or not.
    fn racy(&self, shortcuts: Shortcuts) -> Result<RacyGranules, String> {
        let watch = Watch { shortcuts, oracle: shortcuts == Shortcuts::NONE, ..Watch::default() };
        let outcome = Embedded.run(&self.program, &self.launch, &watch, None);
        let outcome = outcome.map_err(|error| error.to_string())?;
        let mut dispatches = outcome.dispatches.into_iter();
        let dispatched = dispatches.next().ok_or("no dispatch ran")?;
        match dispatched.oracle {
            Some(oracle) if !oracle.keys().eq(dispatched.racy.keys()) => {
                Err("the automaton and the oracle differ".to_owned())
            }
            _ => Ok(dispatched.racy),
        }
    }

    fn compare(&self) -> Result<(), String> {
        if let Some((site, proof)) = self.wrong(Rules::default())? {
            let span = self.program.sites.get(site).map(|site| site.span).unwrap_or_default();
            let text = self.program.source.snippet(span);
            return Err(format!("`{text}` races, but was proved: {proof:?}"));
        }
        let (without, with) = (self.racy(Shortcuts::NONE)?, self.racy(Shortcuts::default())?);
        match without.keys().eq(with.keys()) {
            true => Ok(()),
            false => Err(format!("{without:?} race, with proofs {with:?}")),
        }
    }
}

fn agree(seeds: std::ops::Range<u64>) -> Result<(), Failed> {
    for seed in seeds {
        for case in Case::all(seed)? {
            let Err(error) = case.compare() else { continue };
            let file = scratch("random").join(format!("proofs-{seed}.wgsl"));
            std::fs::write(&file, &case.text)?;
            let text = &case.text;
            return Err(format!("kernel {seed}, in {}: {error}\n{text}", file.display()).into());
        }
    }
    Ok(())
}

/// Checks that the kernels have both sites that can be proved and others.
fn often() -> Result<(), Failed> {
    let kinds = [
        Proof::Unreached,
        Proof::NoConflict,
        Proof::Barriers,
        Proof::OneInvocation,
        Proof::OwnWords,
    ];
    let mut found: BTreeMap<Proof, u64> = kinds.into_iter().map(|kind| (kind, 0)).collect();
    let (mut proved, mut sites, mut racy) = (0, 0, 0);
    for seed in 0..OFTEN {
        let case = Case::of(&generate::kernel(seed))?;
        let proofs = case.proofs(Rules::default());
        let of_case = case.program.sites.accesses().filter_map(|(site, ..)| proofs.get(site));
        let kinds: BTreeSet<Proof> = of_case.collect();
        kinds.into_iter().for_each(|kind| *found.entry(kind).or_default() += 1);
        proved += proofs.len();
        sites += case.program.sites.accesses().count();
        racy += u64::from(!case.racing()?.is_empty());
    }
    let share = |count: u64| 100.0 * count as f64 / OFTEN as f64;
    let seen = format!("{found:?}, {proved} of {sites} sites, {racy} of {OFTEN} kernels race");
    println!("{seen}");
    let is_often = found.values().all(|count| share(*count) >= SHARE);
    match is_often && (20.0..=90.0).contains(&share(racy)) {
        true => Ok(()),
        false => Err(seen.into()),
    }
}

/// Tests the test: some kernel must be proved wrongly if a rule is missing.
fn noticed(rule: Rule) -> Result<(), Failed> {
    for seed in 0..NOTICED {
        for case in Case::all(seed)? {
            if case.wrong(Rules::without(rule))?.is_some() {
                return Ok(());
            }
        }
    }
    Err(format!("{NOTICED} kernels do not show that {rule:?} is missing").into())
}
