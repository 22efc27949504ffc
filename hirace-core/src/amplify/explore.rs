//! Runs one dispatch in many orders and collects the findings.

use super::families::{FAMILIES, Family, Plan, PlanInput};
use super::locations::Places;
use super::outputs::{Comparison, OutputDifference};
use super::progress::Progress;
use super::reordered::{Pair, find_reordered_pair};
use super::results::{
    AmplifiedDispatch, DivergentBarrier, Finding, FindingFacts, Judgement, ReorderedAccesses,
    SkipReason, StrategyRuns,
};
use super::settings::Settings;
use super::stage::{DispatchStage, StageRun};
use super::waits::no_progress;
use crate::diagnostic::Result;
use crate::facts::{DispatchOrder, Grid};
use crate::finding::{element, progress};
use crate::ir::sites::SiteId;
use crate::observe::Granule;
use crate::observe::trace::{self, Trace};
use crate::vm::interleave::{Choices, Interleaving, shrink};
use crate::vm::order::Order;
use crate::vm::run::{Divergence, NoProgress};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// The maximum number of steps of a dispatch for strategies that choose each single step.
const MAX_STEPS: u64 = 1 << 16;

/// The maximum number of invocations of a dispatch for strategies that choose each single step.
const MAX_UNITS: u32 = 1 << 12;

/// The number of runs with a finding of one kind that are examined in detail; further ones are only counted.
const MAX_EXAMINED: u64 = 8;

/// The maximum number of attempts to shorten a schedule.
const MAX_SHRINK_ATTEMPTS: u64 = 400;

/// The maximum number of racy words that are examined in a run.
const MAX_RACY_WORDS: usize = 64;

/// The result of comparing a run with the run in the serial order.
enum RunComparison {
    /// The same as the serial order.
    Nothing,
    /// Unknown, because a limit ended the run.
    CutOff,
    /// Differences from the serial order.
    Different(Vec<Observation>),
}

enum Observation {
    Differs(OutputDifference),
    Stuck(NoProgress),
    /// A later dispatch, by its index, that makes no progress.
    StuckLater(usize, NoProgress),
    Races(Vec<Granule>),
    Diverges(Divergence),
}

/// The key by which findings are deduplicated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Differs(String, Option<[SiteId; 2]>),
    Stuck(SiteId),
    Races([SiteId; 2]),
    Diverges(SiteId),
}

/// Explores one dispatch, as the module describes.
pub(super) struct Explorer<'a> {
    pub places: Places<'a>,
    pub stage: &'a DispatchStage<'a>,
    /// The expected contents of memory, if the launch terminates in the serial order.
    pub comparison: Option<&'a Comparison<'a>>,
    pub settings: &'a Settings,
    /// The judgement of the test on differing outputs.
    pub judgement: Judgement,
    progress: Progress,
    reference: StageRun,
    log: OnceCell<Trace>,
    racing: OnceCell<FxHashSet<[SiteId; 2]>>,
    known: FxHashSet<Key>,
    looks: FxHashMap<(u8, String), u64>,
    findings: Vec<Finding>,
}

impl<'a> Explorer<'a> {
    /// Creates an explorer, and runs the dispatch in the serial order for reference.
    pub fn new(
        places: Places<'a>,
        stage: &'a DispatchStage<'a>,
        comparison: Option<&'a Comparison<'a>>,
        settings: &'a Settings,
        judgement: Judgement,
    ) -> Result<Self> {
        let reference = stage.run(&Order::default())?;
        Ok(Self {
            places,
            stage,
            comparison,
            settings,
            judgement,
            progress: Progress::default(),
            reference,
            log: OnceCell::new(),
            racing: OnceCell::new(),
            known: FxHashSet::default(),
            looks: FxHashMap::default(),
            findings: Vec::new(),
        })
    }

    /// Sets the progress callback.
    pub fn with_progress(self, progress: &Progress) -> Self {
        Self { progress: progress.clone(), ..self }
    }

    /// Runs the dispatch in the orders of all selected strategies, or in the order to be replayed.
    pub fn explore(mut self) -> Result<AmplifiedDispatch> {
        let dispatch = self.stage.dispatch();
        let mut tried = Vec::new();
        let is_over = self.serial(&mut tried)?;
        let replay = self.settings.replay.as_ref();
        match replay {
            Some(replay) if replay.dispatch == self.stage.number() => {
                let order = replay.order.clone();
                tried.push(self.orders("replay", vec![order])?);
            }
            Some(_) => {}
            None if is_over => {}
            None => self.strategies(&mut tried)?,
        }
        let entry = &self.places.program.module.entry_points[dispatch.entry];
        Ok(AmplifiedDispatch {
            kernel: entry.name.clone(),
            workgroups: dispatch.workgroups,
            strategies: tried,
            findings: self.findings,
        })
    }

    /// Records a dispatch that does not terminate even in the serial order, and returns `true` in this case. Other orders
    /// then have nothing to be compared with.
    fn serial(&mut self, tried: &mut Vec<StrategyRuns>) -> Result<bool> {
        let Some(stuck) = self.reference.stuck.clone() else { return Ok(false) };
        let mut serial = StrategyRuns::new("serial");
        serial.runs = 1;
        if progress::is_sure(self.places.program, &stuck) {
            (serial.found, serial.first) = (1, Some(1));
            self.note(&Order::default(), &Observation::Stuck(stuck), None)?;
        } else {
            serial.cut_off = 1;
        }
        tried.push(serial);
        Ok(true)
    }

    fn strategies(&mut self, tried: &mut Vec<StrategyRuns>) -> Result<()> {
        let workgroups = self.stage.dispatch().workgroups;
        let workgroups = workgroups.iter().fold(1u32, |product, &n| product.saturating_mul(n));
        let Settings { runs, seed, depth, most, .. } = *self.settings;
        let entry = &self.places.program.module.entry_points[self.stage.dispatch().entry];
        let size = entry.workgroup_size.iter().product::<u32>();
        let is_small = workgroups.checked_mul(size).is_some_and(|units| units <= MAX_UNITS);
        let steps = is_small.then(|| self.stage.steps(MAX_STEPS)).flatten();
        let all_were_run = false;
        let mut asked = PlanInput { workgroups, steps, runs, seed, depth, most, all_were_run };
        let families = FAMILIES.iter().filter(|family| self.settings.asks_for(family));
        for Family { name, plan, .. } in families {
            if self.stage.is_stopped() {
                break;
            }
            self.looks.clear();
            let ran = match plan(&asked) {
                Plan::Orders(orders) => self.orders(name, orders)?,
                Plan::All(mut search) => {
                    let mut tried = StrategyRuns::new(name);
                    tried.bound = Some(search.bound().to_string());
                    let mut is_whole = true;
                    while search.advance() && !self.stage.is_stopped() {
                        let (stepped, ran) = self.stage.step(&mut search)?;
                        if stepped.cut_short {
                            // All unfinished invocations had used up their steps, so the run has no result to compare. The
                            // schedules that need more steps are not explored.
                            is_whole = false;
                            tried.runs += 1;
                            tried.cut_off += 1;
                            continue;
                        }
                        let order = Order::from(Interleaving::choices(stepped.choices));
                        self.examine(&order, &ran, &mut tried)?;
                    }
                    tried.all = is_whole && tried.cut_off == 0 && !self.stage.is_stopped();
                    asked.all_were_run = tried.all;
                    tried
                }
                Plan::Skipped(why) => {
                    StrategyRuns { skipped: Some(why), ..StrategyRuns::new(name) }
                }
            };
            tried.push(ran);
        }
        Ok(())
    }

    fn orders(&mut self, name: &str, orders: Vec<Order>) -> Result<StrategyRuns> {
        let mut tried = StrategyRuns::new(name);
        for order in orders {
            if self.stage.is_stopped() {
                break;
            }
            match self.stage.run(&order) {
                Ok(ran) => self.examine(&order, &ran, &mut tried)?,
                Err(error) => {
                    tried.skipped = Some(SkipReason::Refused { reason: error.message.clone() });
                    break;
                }
            }
        }
        Ok(tried)
    }

    /// Counts a run and records its findings.
    fn examine(&mut self, order: &Order, ran: &StageRun, tried: &mut StrategyRuns) -> Result<()> {
        if self.stage.is_stopped() {
            return Ok(());
        }
        tried.runs += 1;
        let StrategyRuns { strategy, runs, found, .. } = tried;
        let entry = &self.places.program.module.entry_points[self.stage.dispatch().entry].name;
        self.progress.report(|| format!("{entry}: {strategy}, {runs} runs, {found} with findings"));
        match self.shown(ran)? {
            RunComparison::Nothing => {}
            RunComparison::CutOff => tried.cut_off += 1,
            RunComparison::Different(all) => {
                let mut is_found = false;
                for something in &all {
                    let looks = self.looks.entry(something.sort()).or_default();
                    *looks += 1;
                    let is_new = match *looks <= MAX_EXAMINED {
                        true => self.note(order, something, ran.choices.as_ref())?,
                        false => true,
                    };
                    // If two sites also race in the serial order, the order does not cause their races, even on other words.
                    is_found |= is_new || !matches!(something, Observation::Races(_));
                }
                if is_found {
                    tried.found += 1;
                    tried.first.get_or_insert(tried.runs);
                }
            }
        }
        Ok(())
    }

    fn shown(&self, ran: &StageRun) -> Result<RunComparison> {
        let program = self.places.program;
        let mut all = Vec::new();
        let (mut stuck, mut is_cut_off) = (false, false);
        for (later, found) in ran
            .stuck
            .iter()
            .map(|found| (None, found))
            .chain(ran.later.iter().map(|(number, found)| (Some(*number), found)))
        {
            match (progress::is_sure(program, found), later) {
                (true, None) => all.push(Observation::Stuck(found.clone())),
                // If the serial order does not terminate either, the order changes nothing.
                (true, Some(number)) if self.comparison.is_some() => {
                    all.push(Observation::StuckLater(number, found.clone()));
                }
                _ => is_cut_off = true,
            }
            stuck = true;
        }
        // The results of a barrier that not all invocations reach are undefined.
        let is_known = |found: &&Divergence| {
            self.reference.divergences.iter().any(|known| known.site == found.site)
        };
        let diverged = ran.divergences.iter().filter(|found| !is_known(found));
        all.extend(diverged.cloned().map(Observation::Diverges));
        if let (Some(left), Some(comparison)) = (&ran.left, self.comparison)
            && ran.divergences.iter().all(|found| is_known(&found))
        {
            all.extend(comparison.differs(left)?.into_iter().map(Observation::Differs));
        }
        let is_new = |granule: &&Granule| !self.reference.racy.contains_key(granule);
        let racy: Vec<Granule> =
            ran.racy.keys().filter(is_new).take(MAX_RACY_WORDS).copied().collect();
        if !racy.is_empty() {
            all.push(Observation::Races(racy));
        }
        Ok(match all.is_empty() {
            false => RunComparison::Different(all),
            true if is_cut_off || stuck || ran.left.is_none() => RunComparison::CutOff,
            true => RunComparison::Nothing,
        })
    }

    /// Records a finding of a run in this order, unless it is known. Returns `false` if the serial order shows the same,
    /// so that the order is not the cause.
    fn note(
        &mut self,
        order: &Order,
        something: &Observation,
        choices: Option<&Choices>,
    ) -> Result<bool> {
        let Some((key, what, reordered)) = self.explained(order, something)? else {
            return Ok(false);
        };
        if self.known.contains(&key) {
            return Ok(true);
        }
        self.known.insert(key.clone());
        let found = (order.clone(), what, reordered);
        let (shortest, what, reordered) = match (order, choices) {
            (Order::Interleaving(_), Some(choices)) => self.shortest(choices, something, found)?,
            _ => found,
        };
        let dispatch = self.stage.number();
        let text = |order: &Order| DispatchOrder { dispatch, order: order.clone() }.to_string();
        let (schedule, found_by) = (text(&shortest), text(order));
        self.findings.push(Finding {
            test: match what {
                FindingFacts::OutputsDiffer(_) => self.judgement,
                _ => Judgement::Silent,
            },
            what,
            found_by: (found_by != schedule).then_some(found_by),
            schedule,
            reordered,
        });
        Ok(true)
    }

    /// Returns the shortest order found that shows a similar finding, and that finding.
    fn shortest(
        &mut self,
        choices: &Choices,
        like: &Observation,
        found: (Order, FindingFacts, Option<ReorderedAccesses>),
    ) -> Result<(Order, FindingFacts, Option<ReorderedAccesses>)> {
        let shows = |choices: &Choices| -> Result<Option<Observation>> {
            let order = Order::from(Interleaving::choices(choices.clone()));
            Ok(match self.shown(&self.stage.run(&order)?)? {
                RunComparison::Different(all) => all.into_iter().find(|it| it.is_like(like)),
                _ => None,
            })
        };
        let fails = |choices: &Choices| {
            !self.stage.is_stopped() && shows(choices).is_ok_and(|it| it.is_some())
        };
        let shrunk = shrink(choices, MAX_SHRINK_ATTEMPTS, fails).choices;
        let order = Order::from(Interleaving::choices(shrunk.clone()));
        let Some(shown) = shows(&shrunk)? else { return Ok(found) };
        Ok(match self.explained(&order, &shown)? {
            Some((key, what, reordered)) => {
                self.known.insert(key);
                (order, what, reordered)
            }
            None => found,
        })
    }

    /// Returns the key and the facts of what a run in this order shows; `None` if the serial order shows it too.
    fn explained(
        &self,
        order: &Order,
        something: &Observation,
    ) -> Result<Option<(Key, FindingFacts, Option<ReorderedAccesses>)>> {
        let Self { places, stage, .. } = self;
        Ok(match something {
            Observation::Differs(OutputDifference { difference, granule, .. }) => {
                let log = stage.log(order)?;
                let pair = find_reordered_pair(self.log()?, &log, *granule);
                let mut sites = pair.map(|pair| [pair.first.site, pair.second.site]);
                sites.iter_mut().for_each(|sites| sites.sort_unstable());
                let key = Key::Differs(difference.variable.clone(), sites);
                let what = FindingFacts::OutputsDiffer(difference.clone());
                Some((key, what, pair.map(|pair| self.reordered_accesses(pair))))
            }
            Observation::Stuck(found) => {
                let log = stage.log(order)?;
                let said = no_progress(*places, stage.launch(), found, &log, self.log()?);
                Some((Key::Stuck(found.stuck.1), FindingFacts::NoProgress(said), None))
            }
            Observation::StuckLater(number, found) => {
                let Some(dispatch) = stage.launch().dispatches.get(*number) else {
                    return Ok(None);
                };
                let entry = &places.program.module.entry_points[dispatch.entry];
                let workgroup_size = entry.workgroup_size;
                let grid = Grid { workgroups: dispatch.workgroups, workgroup_size };
                let of_it = Places { grid, ..*places };
                // Accesses of the later dispatch are not logged, because the order only changes the memory that it starts with.
                let (none, launch) = (Trace::default(), stage.launch());
                let said = no_progress(of_it, launch, found, &none, &none);
                let reordered = find_reordered_pair(self.log()?, &stage.log(order)?, None);
                let reordered = reordered.map(|pair| self.reordered_accesses(pair));
                Some((Key::Stuck(found.stuck.1), FindingFacts::NoProgress(said), reordered))
            }
            Observation::Diverges(found) => {
                let said = DivergentBarrier {
                    place: places.place(found.site),
                    workgroup: places.grid.workgroup_id(found.workgroup),
                    arrived: found.arrived.len() as u64,
                    missing: found.missing.len() as u64,
                };
                Some((Key::Diverges(found.site), FindingFacts::Divergence(said), None))
            }
            Observation::Races(granules) => {
                let racing = self.racing()?;
                let trace = stage.trace(order, granules)?;
                let pairs = trace::pairs(&trace);
                let sites = |pair: &trace::Pair| {
                    let mut sites = [pair.earlier.site, pair.later.site];
                    sites.sort_unstable();
                    sites
                };
                pairs.iter().find(|pair| !racing.contains(&sites(pair))).map(|pair| {
                    let granule = pair.earlier.granule;
                    let element = element::memory(places.program, stage.launch(), granule).element;
                    let accesses = [places.access(&pair.earlier), places.access(&pair.later)];
                    (Key::Races(sites(pair)), FindingFacts::Race { element, accesses }, None)
                })
            }
        })
    }

    fn reordered_accesses(&self, pair: Pair) -> ReorderedAccesses {
        let granule = pair.first.granule;
        ReorderedAccesses {
            element: element::memory(self.places.program, self.stage.launch(), granule).element,
            first: self.places.access(&pair.first),
            second: self.places.access(&pair.second),
        }
    }

    /// Returns all accesses of the run in the serial order.
    fn log(&self) -> Result<&Trace> {
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let log = self.stage.log(&Order::default())?;
        Ok(self.log.get_or_init(|| log))
    }

    /// Returns the pairs of sites that race in the serial order.
    fn racing(&self) -> Result<&FxHashSet<[SiteId; 2]>> {
        if let Some(racing) = self.racing.get() {
            return Ok(racing);
        }
        let granules: Vec<Granule> = self.reference.racy.keys().copied().collect();
        let racing = match granules.is_empty() {
            true => FxHashSet::default(),
            false => {
                let trace = self.stage.trace(&Order::default(), &granules)?;
                let pairs = trace::all_site_pairs(&trace).pairs;
                let sites = pairs.iter().map(|pair| {
                    let mut sites = [pair.earlier.site, pair.later.site];
                    sites.sort_unstable();
                    sites
                });
                sites.collect()
            }
        };
        Ok(self.racing.get_or_init(|| racing))
    }
}

impl Observation {
    /// Returns the kind under which it is counted. The first findings of each kind are examined in detail.
    fn sort(&self) -> (u8, String) {
        let variable = match self {
            Self::Differs(differs) => differs.difference.variable.clone(),
            _ => String::new(),
        };
        let sort = match self {
            Self::Differs(_) => 0,
            Self::Stuck(_) => 1,
            Self::StuckLater(..) => 2,
            Self::Races(_) => 3,
            Self::Diverges(_) => 4,
        };
        (sort, variable)
    }

    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Differs(one), Self::Differs(other)) => {
                one.difference.variable == other.difference.variable
            }
            (Self::Stuck(_), Self::Stuck(_))
            | (Self::Races(_), Self::Races(_))
            | (Self::StuckLater(..), Self::StuckLater(..))
            | (Self::Diverges(_), Self::Diverges(_)) => true,
            _ => false,
        }
    }
}
