//! The evaluation of one launch by several judges.

use super::launch::launch;
use super::{Input, Options, results};
use crate::pattern::{Label, RenderedPattern, Variant};
use crate::peers::PeerResult;
use hirace_core::check::source::check_launches;
use hirace_core::check::{CheckOutcome, Session};
use hirace_core::diagnostic::Result;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{Executor, Outcome, Watch};
use hirace_core::facts::Kind;
use hirace_core::front::{ParsedModule, rust};
use hirace_core::launch::Launch;
use hirace_core::launch::build::{self, Grown};
use hirace_core::launch::candidates::candidates;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::observe::{Granule, RacyGranules};
use hirace_core::program::Program;
use hirace_core::report::words::{Context, finding, warning};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

/// A variant, ready to be launched.
#[derive(Debug)]
pub struct Subject {
    /// The variant.
    pub variant: Variant,
    /// Its source, and the lines that may race.
    pub rendered: RenderedPattern,
    parsed: ParsedModule,
    program: Program,
    /// The program of the variant without its races.
    race_free: Program,
}

impl Subject {
    /// Compiles the kernel of the variant.
    ///
    /// # Errors
    /// The kernel does not compile, which is a bug in `hirace`.
    pub fn new(variant: Variant) -> Result<Self> {
        Self::of(variant, variant.render(), &variant.race_free().render())
    }

    /// Compiles the given sources.
    pub(super) fn of(
        variant: Variant,
        rendered: RenderedPattern,
        race_free: &RenderedPattern,
    ) -> Result<Self> {
        let parse = |rendered: &RenderedPattern| -> Result<(ParsedModule, Program)> {
            let mut file = rust::parse_file(&format!("{variant}.rs"), &rendered.text)?;
            let parsed = file.items.swap_remove(0)?;
            let program = Program::new(&parsed, &BTreeMap::new())?;
            Ok((parsed, program))
        };
        let (parsed, program) = parse(&rendered)?;
        let (_, race_free) = parse(race_free)?;
        Ok(Self { variant, rendered, parsed, program, race_free })
    }
}

/// A launch to evaluate.
pub struct Case<'a> {
    /// The variant.
    pub subject: &'a Subject,
    /// The graph.
    pub input: &'a Input,
    /// The index of the input.
    pub number: usize,
    /// The options.
    pub options: &'a Options<'a>,
}

/// The results of the judges for a launch.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The variant.
    pub variant: Variant,
    /// The lines of the source that may race.
    pub racing: Vec<u32>,
    /// The index of the input.
    pub input: usize,
    /// Whether the oracle found a data race, under the default order or one of the schedules.
    pub with_race: bool,
    /// Whether the checker found a data race.
    pub found: bool,
    /// Whether the checker found it only under a seeded schedule.
    pub by_schedule: bool,
    /// The number of words on which only the oracle found a race. On a device, if the order of invocations determines
    /// which words race, these words count only if the checker found no race at all.
    pub missed: usize,
    /// The number of words on which only the checker found a race. On a device, if the order of invocations determines
    /// which words race, these words count only if the oracle found no race at all.
    pub false_alarms: usize,
    /// Reported races with source locations at which the planted bugs cannot cause a race.
    pub wrong_sites: Vec<String>,
    /// Whether the results differ from those of the variant without its races.
    pub differs: bool,
    /// The result of each peer, or why it has none.
    pub peers: Vec<std::result::Result<PeerResult, String>>,
    /// The reason why a planted race did not occur.
    pub unreached: Option<String>,
    /// Warnings about checks that were given up.
    pub warnings: Vec<String>,
}

impl Case<'_> {
    /// Runs the launch and evaluates it.
    pub fn judge(&self) -> Result<CaseResult> {
        let Subject { variant, program, .. } = self.subject;
        let Options { device, seed, schedules, peers, stop } = *self.options;
        let subgroup_size = device.and_then(Executor::subgroup_size).unwrap_or(32);
        let spec = launch(program, variant, &self.input.graph, seed, subgroup_size);
        let mut result = CaseResult {
            variant: *variant,
            racing: self.subject.rendered.racing.clone(),
            input: self.number,
            with_race: false,
            found: false,
            by_schedule: false,
            missed: 0,
            false_alarms: 0,
            wrong_sites: Vec::new(),
            differs: false,
            peers: Vec::new(),
            unreached: None,
            warnings: Vec::new(),
        };
        for schedule in 0..=u64::from(schedules) {
            let spec = LaunchSpec { schedule, ..spec.clone() };
            let watch = Watch { oracle: true, ..Watch::default() };
            let oracle_outcome = run(program, &Embedded, &spec, &watch, stop)?;
            let oracle: BTreeSet<Granule> = racy_granules(&oracle_outcome, |d| d.oracle.as_ref());
            let checker_outcome = match device {
                None => oracle_outcome,
                Some(device) => run(program, device, &spec, &Watch::default(), stop)?,
            };
            let warnings = checker_outcome.dispatches.iter().flat_map(|d| &d.warnings);
            result.warnings.extend(warnings.map(|given_up| warning(&program.source, given_up)));
            let found: BTreeSet<Granule> = racy_granules(&checker_outcome, |d| Some(&d.racy));
            result.differs |= self.differs(&checker_outcome, &spec)?;
            if oracle.is_empty() || found.is_empty() || !self.has_unstable_racy_words() {
                result.missed += oracle.difference(&found).count();
                result.false_alarms += found.difference(&oracle).count();
            }
            result.with_race |= !oracle.is_empty();
            if !found.is_empty() {
                result.by_schedule = !result.found && schedule > 0;
                result.found = true;
                result.wrong_sites.extend(self.wrong_sites(&spec, stop)?);
            }
            // The order of a device does not depend on the schedule.
            if device.is_some() || result.found {
                break;
            }
        }
        if variant.label() == Label::Racy && !result.with_race {
            result.unreached = Some(self.why_unreached(&spec)?);
        }
        for peer in peers {
            let launch = build_launch(program, &spec)?;
            let peer_result = peer.check(program, self.subject.parsed.wgsl().text(), &launch);
            result.peers.push(peer_result.map_err(|error| error.to_string()));
        }
        Ok(result)
    }

    /// Returns whether the racy words may differ from those of the oracle and from run to run. This is the case on a
    /// device, which has its own order of invocations, if this order determines the racy words.
    fn has_unstable_racy_words(&self) -> bool {
        self.options.device.is_some() && self.subject.variant.racy_words_depend_on_order()
    }

    /// Returns whether the results of `checker_outcome` are wrong.
    fn differs(&self, checker_outcome: &Outcome, spec: &LaunchSpec) -> Result<bool> {
        let Subject { variant, program, race_free, .. } = self.subject;
        let is_list = variant.form.pattern == "populate_worklist";
        let watch = Watch { only: vec!["nothing".to_owned()], ..Watch::default() };
        let expected = run(race_free, &Embedded, spec, &watch, self.options.stop)?;
        Ok(results::of(program, checker_outcome, is_list)
            != results::of(race_free, &expected, is_list))
    }

    /// Returns the reported races at source locations at which no race is possible.
    fn wrong_sites(&self, spec: &LaunchSpec, stop: Option<&AtomicBool>) -> Result<Vec<String>> {
        let executor: &dyn Executor = match self.options.device {
            Some(device) => device,
            None => &Embedded,
        };
        let mut session = Session::new(executor).with_stop(stop);
        let options = hirace_core::check::Options {
            launches: vec![spec.clone()],
            ..hirace_core::check::Options::default()
        };
        let CheckOutcome { launches, failures, .. } =
            check_launches(&self.subject.parsed, &options, &mut session)?;
        if let Some(failure) = failures.into_iter().next() {
            return Err(Box::new(failure));
        }
        let findings = launches.iter().flat_map(|launch| {
            launch.findings.iter().map(move |finding| (Context::of(launch), finding))
        });
        let races = findings.filter(|(_, finding)| finding.kind() == Kind::DataRace);
        let mut wrong = Vec::new();
        let mut has_race = false;
        for (context, race) in races {
            has_race = true;
            let lines: Vec<u32> = race.places().iter().map(|place| place.at.line).collect();
            let is_racing = |line| self.subject.rendered.racing.contains(line);
            let has_both_lines =
                lines.len() == 2 || (lines.len() == 1 && self.has_unstable_racy_words());
            if !has_both_lines || !lines.iter().all(is_racing) {
                let message = finding(context, race).message;
                wrong.push(format!("{message} at lines {lines:?}"));
            }
        }
        if !has_race {
            wrong.push("no race was reported".to_owned());
        }
        Ok(wrong)
    }

    /// Returns why the planted race did not occur.
    fn why_unreached(&self, spec: &LaunchSpec) -> Result<String> {
        let Subject { program, rendered, .. } = self.subject;
        let outcome = run(program, &Embedded, spec, &Watch::default(), self.options.stop)?;
        let executed = &outcome.dispatches[0].run.executed;
        let racing_sites = program.sites.accesses().filter(|(_, site, _)| {
            let line = program.source.position(site.span.start).line;
            rendered.racing.contains(&line)
        });
        let counts: Vec<_> =
            racing_sites.filter_map(|(id, _, _)| executed.get(id.0 as usize)).collect();
        Ok(if !counts.iter().any(|site| site.count > 0) {
            "no invocation reaches the bug"
        } else if !counts.iter().any(|site| site.by_several_invocations) {
            "only one invocation reaches the bug"
        } else {
            "the invocations that reach the bug access different words"
        }
        .to_owned())
    }
}

#[cfg(test)]
impl Case<'_> {
    /// Returns the words on which the oracle finds a race under a schedule.
    pub fn words(&self, schedule: u64) -> Result<BTreeSet<Granule>> {
        let Subject { variant, program, .. } = self.subject;
        let spec = launch(program, variant, &self.input.graph, self.options.seed, 8);
        let watch = Watch { oracle: true, ..Watch::default() };
        let spec = LaunchSpec { schedule, ..spec };
        Ok(racy_granules(&run(program, &Embedded, &spec, &watch, None)?, |d| d.oracle.as_ref()))
    }
}

fn build_launch(program: &Program, spec: &LaunchSpec) -> Result<Launch> {
    let candidates = candidates(program, spec, 0)?;
    build::launch(program, spec, &candidates[0], &Grown::new())
}

fn run(
    program: &Program,
    executor: &dyn Executor,
    spec: &LaunchSpec,
    watch: &Watch,
    stop: Option<&AtomicBool>,
) -> Result<Outcome> {
    executor.run(program, &build_launch(program, spec)?, watch, stop)
}

fn racy_granules<'a>(
    outcome: &'a Outcome,
    select: impl Fn(&'a hirace_core::exec::DispatchOutcome) -> Option<&'a RacyGranules>,
) -> BTreeSet<Granule> {
    outcome.dispatches.iter().filter_map(select).flat_map(|racy| racy.keys().copied()).collect()
}
