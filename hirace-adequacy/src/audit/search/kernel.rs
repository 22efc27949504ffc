//! An entry point of a source and its programs.

use super::alphabet::Alphabet;
use super::draft::Draft;
use crate::audit::point::{Point, points};
use crate::mutate::results::Mutant;
use crate::mutate::source::Source;
use hirace_core::check::file::programs;
use hirace_core::check::source::{check_launches, infer_program};
use hirace_core::check::{Follower, Options, Session};
use hirace_core::cover::Coverage;
use hirace_core::cover::run::coverage;
use hirace_core::diagnostic::Result;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{Executor, Watch};
use hirace_core::front::ParsedModule;
use hirace_core::launch::Launch;
use hirace_core::launch::build;
use hirace_core::launch::candidates::{candidates, find_entry};
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::points::{Counts, Points};
use hirace_core::program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Step limits of launches during a search.
#[derive(Clone, Copy, Debug)]
pub struct StepLimits {
    /// The step limit of a subgroup.
    steps: u64,
    /// The step limit of all subgroups together.
    total: u64,
}

impl StepLimits {
    /// The limits for most kernels, so that many launches can be tried.
    pub const USUAL: Self = Self { steps: 100_000, total: 1_000_000 };
    /// The limits for kernels that wait: an invocation that spins at a lock spins for its whole time slice.
    pub const LONG: Self = Self { steps: 2_000_000, total: 20_000_000 };
}

/// Values of overrides or const parameters, by name.
type Values = Vec<(String, f64)>;

/// An entry point of a source.
pub struct Kernel {
    /// The file.
    pub file: String,
    /// The entry point.
    pub entry: String,
    /// Values of const parameters, if it has any.
    pub constants: Values,
    /// Values of overrides without a default.
    pub overrides: Values,
    parsed: Arc<ParsedModule>,
    made: Mutex<BTreeMap<String, Option<Arc<Program>>>>,
}

/// The functions and points that a kernel may run.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The functions, including the kernel itself.
    pub functions: BTreeSet<String>,
    /// The points in these functions.
    pub points: BTreeSet<Point>,
}

impl Scope {
    /// Returns whether a mutant is in the scope. Mutants outside of functions are in every scope.
    pub fn has(&self, mutant: &Mutant) -> bool {
        mutant.function.as_ref().is_none_or(|function| self.functions.contains(function))
    }
}

/// The result of running a draft.
#[derive(Clone, Debug, Default)]
pub struct DraftRun {
    /// The points it reaches.
    pub points: BTreeSet<Point>,
    /// Whether it ran to completion.
    pub ended: bool,
}

impl Kernel {
    /// Returns the kernels of a source in order. A source that cannot be read has none.
    pub fn all(source: &Source) -> Vec<Self> {
        let mut kernels = Vec::new();
        for (parsed, constants) in read(source, &source.text) {
            let parsed = Arc::new(parsed);
            let Ok((program, overrides)) = infer_program(&parsed, &[]) else { continue };
            let program = Arc::new(program);
            for (_, entry) in program.entries() {
                let made = BTreeMap::from([(key(&overrides), Some(Arc::clone(&program)))]);
                kernels.push(Self {
                    file: source.file.clone(),
                    entry: entry.to_owned(),
                    constants: constants.clone(),
                    overrides: overrides.clone(),
                    parsed: Arc::clone(&parsed),
                    made: Mutex::new(made),
                });
            }
        }
        kernels
    }

    /// Returns the program under these override values, or `None` if there is none.
    pub fn program(&self, overrides: &Values) -> Option<Arc<Program>> {
        let make = || infer_program(&self.parsed, overrides).ok().map(|(made, _)| Arc::new(made));
        let mut known = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(key(overrides)).or_insert_with(make).clone()
    }

    /// Returns the program of a mutant of the source under these override values, or `None` if there is none.
    pub fn mutant(&self, source: &Source, text: &str, overrides: &Values) -> Option<Arc<Program>> {
        let own = |parsed: &ParsedModule| {
            parsed.module.entry_points.iter().any(|of| of.name == self.entry)
        };
        let (parsed, _) = read(source, text).into_iter().find(|(parsed, _)| own(parsed))?;
        infer_program(&parsed, overrides).ok().map(|(program, _)| Arc::new(program))
    }

    /// Returns the values of all overrides in the guessed launch.
    pub fn given_overrides(&self) -> Values {
        let module = &self.parsed.module;
        let mut all = self.overrides.clone();
        for (_, declared) in module.overrides.iter() {
            let name = declared.name.clone().or(declared.id.map(|id| id.to_string()));
            let value = declared.init.and_then(|init| match module.global_expressions[init] {
                naga::Expression::Literal(literal) => number(literal),
                _ => None,
            });
            if let (Some(name), Some(value)) = (name, value)
                && all.iter().all(|(known, _)| *known != name)
            {
                all.push((name, value));
            }
        }
        all
    }

    /// Returns the numbers worth passing to the kernel.
    pub fn alphabet(&self) -> Alphabet {
        let program = self.program(&self.given_overrides());
        program.map(|program| Alphabet::of(&program)).unwrap_or_default()
    }

    /// Returns what the kernel may run.
    pub fn scope(&self) -> Scope {
        let Some(program) = self.program(&self.given_overrides()) else { return Scope::default() };
        let counted = Points::of(&program);
        let entry = find_entry(&program, &self.entry).ok();
        let dispatches = entry.map(|entry| (entry, 1)).into_iter().collect();
        // A coverage without any counts lists all points.
        let none = Counts::none(&counted, true);
        let idle = Coverage::from_counts(&program, &counted, &none, &dispatches);
        let kernels = idle.files.iter().flat_map(|file| &file.kernels);
        let own = kernels.filter(|kernel| kernel.name == self.entry);
        let functions: BTreeSet<String> = own.flat_map(|own| own.functions.clone()).collect();
        let files = idle.files.iter().filter(|file| file.file == self.file);
        let points = files.flat_map(points).filter(|(.., function)| functions.contains(*function));
        let points = points.map(|(point, ..)| point).collect();
        Scope { functions, points }
    }

    /// Returns drafts of the given launches, or of guessed ones.
    pub fn drafts(&self, given: &[LaunchSpec]) -> Vec<Draft> {
        let mut seen = DraftCollector { overrides: self.given_overrides(), drafts: Vec::new() };
        let watch = Watch { ignore: vec!["*".to_owned()], ..Watch::default() };
        let kernels = vec![self.entry.clone()];
        let options = Options { kernels, launches: given.to_vec(), watch, ..Options::default() };
        let mut session = Session::new(&Embedded)
            .with_follower(Some(&mut seen))
            .without_memory()
            .without_explanation();
        // A launch that fails gives no draft.
        let _ = check_launches(&self.parsed, &options, &mut session);
        seen.drafts
    }

    /// Runs a draft. Returns `None` if it cannot be launched.
    pub fn run(
        &self,
        draft: &Draft,
        limits: StepLimits,
        stop: Option<&AtomicBool>,
    ) -> Option<DraftRun> {
        let program = self.program(&draft.overrides)?;
        let spec = draft.spec().ok()?;
        build::check_names(&program, &spec).ok()?;
        let entry = find_entry(&program, &self.entry).ok()?;
        let candidate = candidates(&program, &spec, entry).ok()?.into_iter().next()?;
        let mut launch = build::launch(&program, &spec, &candidate, &build::Grown::new()).ok()?;
        launch.limits.steps = limits.steps;
        launch.limits.total = limits.total;
        let (coverage, ended) = coverage(&Embedded, &program, &launch, true, stop).ok()?;
        let files = coverage.files.iter().filter(|file| file.file == self.file);
        let all = files.flat_map(points).filter(|(_, count, _)| *count > 0);
        Some(DraftRun { points: all.map(|(point, ..)| point).collect(), ended })
    }
}

/// Parses a text of a source, with guessed values of const parameters. Returns nothing if it cannot be parsed.
fn read(source: &Source, text: &str) -> Vec<(ParsedModule, Values)> {
    if !source.is_host() {
        return source.parse(text).into_iter().map(|one| (one, Vec::new())).collect();
    }
    let Ok(file) = source.parse_file(text) else { return Vec::new() };
    let Ok(all) = programs(&file, &[]) else { return Vec::new() };
    all.into_iter().map(|one| (one.parsed.into_owned(), one.guessed)).collect()
}

fn key(overrides: &Values) -> String {
    format!("{overrides:?}")
}

fn number(literal: naga::Literal) -> Option<f64> {
    use naga::Literal as L;
    Some(match literal {
        L::F64(x) | L::AbstractFloat(x) => x,
        L::F32(x) => x.into(),
        L::U32(n) => n.into(),
        L::I32(n) => n.into(),
        L::AbstractInt(n) => n as f64,
        L::Bool(is) => f64::from(u8::from(is)),
        _ => return None,
    })
}

/// A follower that collects drafts of launches.
struct DraftCollector {
    overrides: Values,
    drafts: Vec<Draft>,
}

impl Follower for DraftCollector {
    fn ran(&mut self, program: &Program, launch: &Launch, _: &dyn Executor) -> Result<()> {
        self.drafts.extend(Draft::of(program, launch, &self.overrides));
        Ok(())
    }
}
