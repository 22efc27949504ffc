use super::*;
use crate::environment::{Layout, Preset};
use crate::results::FailureKind;
use crate::run::{Iteration, Target, TargetInfo};
use crate::test::{self, Kind};

/// A target whose outcomes depend on the random numbers, and which fails as requested.
struct FakeTarget {
    ready: usize,
    fails: fn(usize) -> Option<Failure>,
}

impl Target for FakeTarget {
    type Ready = (u64, usize);

    fn about(&self) -> TargetInfo {
        TargetInfo {
            name: "target".to_owned(),
            vendor: "none".to_owned(),
            driver: "none".to_owned(),
            max_workgroups: 1024,
            max_workgroup_size: 256,
            max_words: 1 << 30,
        }
    }

    fn ready(&mut self, setup: &Setup<'_>) -> std::result::Result<Self::Ready, Failure> {
        self.ready += 1;
        Ok((setup.instances(), self.ready))
    }

    fn iterate(
        &mut self,
        &mut (instances, number): &mut Self::Ready,
        iteration: &Iteration,
        counts: &mut [u64],
        _: &AtomicBool,
    ) -> std::result::Result<(), Failure> {
        if let Some(failure) = (self.fails)(number) {
            return Err(failure);
        }
        let last = counts.len() - 1;
        let drawn = u64::from(iteration.workgroups + iteration.targets[0]) % instances;
        counts[drawn as usize % last] += drawn;
        counts[0] += instances - drawn;
        Ok(())
    }
}

#[derive(Default)]
struct CountingWatcher {
    ended: usize,
    stop_after: Option<(usize, &'static AtomicBool)>,
}

impl Watcher for CountingWatcher {
    fn begins(&mut self, _: &Environment, _: &Test, _: &[Class]) {}
    fn counted(&mut self, _: &Test, _: &RunResult) {}
    fn ended(&mut self, _: &Run) -> Result<()> {
        self.ended += 1;
        if let Some((after, stop)) = self.stop_after {
            stop.store(self.ended >= after, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn campaign() -> Campaign {
    let tests: Vec<Test> = test::all().into_iter().take(7).collect();
    assert_eq!(tests.len(), 7);
    let environments: Vec<Environment> = [Preset::Interleave, Preset::Stress]
        .map(|preset| Environment { layout: Layout::Parallel, parameters: preset.parameters() })
        .to_vec();
    Campaign {
        verb: Verb::Tune,
        pieces: Campaign::product(tests.len(), environments.len()),
        tests,
        environments,
        settings: Settings::new("seed", 3, None),
        specification: Specification::default(),
        shard: None,
        budget: None,
    }
}

fn run_campaign(
    campaign: &Campaign,
    fails: fn(usize) -> Option<Failure>,
) -> (Document, Option<EarlyEnd>) {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let mut target = FakeTarget { ready: 0, fails };
    let (runs, early) =
        campaign.run(&mut target, &|_| None, &mut CountingWatcher::default(), &NEVER).unwrap();
    (campaign.document(target.about().into(), runs, early.is_some()), early)
}

/// Returns the document without its times.
fn timeless(document: Document) -> Document {
    document.without_timing()
}

#[test]
fn merged_shards_equal_the_unsharded_campaign() {
    let whole = timeless(run_campaign(&campaign(), |_| None).0);
    assert_eq!(whole.runs.len(), 14);
    let instances =
        |run: &Run| run.outcomes.iter().map(|outcome| outcome.count).sum::<u64>() + run.other;
    assert!(whole.runs.iter().all(|run| run.instances > 0 && run.instances == instances(run)));
    for n in [1, 2, 7] {
        let mut merged = crate::results::ResultMerger::default();
        let mut counts = Vec::new();
        for k in (1..=n).rev() {
            let shard = Some(format!("{k}/{n}").parse().unwrap());
            let (document, _) = run_campaign(&Campaign { shard, ..campaign() }, |_| None);
            counts.push(document.runs.len());
            merged.add(timeless(document)).unwrap();
        }
        assert_eq!(counts.iter().sum::<usize>(), 14);
        assert_eq!(timeless(merged.document().unwrap()), whole);
    }
}

#[test]
fn shards_of_different_campaigns_cannot_be_merged() {
    let (one, _) =
        run_campaign(&Campaign { shard: Some("1/2".parse().unwrap()), ..campaign() }, |_| None);
    let other = |change: fn(&mut Campaign)| {
        let mut other = Campaign { shard: Some("2/2".parse().unwrap()), ..campaign() };
        change(&mut other);
        let mut merged = crate::results::ResultMerger::default();
        merged.add(one.clone()).unwrap();
        merged.add(run_campaign(&other, |_| None).0)
    };
    assert_eq!(other(|_| {}), Ok(()));
    assert!(other(|campaign| campaign.settings.seed = "other".to_owned()).is_err());
    assert!(other(|campaign| campaign.environments[0].parameters.mem_stride = 5).is_err());
    assert!(other(|campaign| campaign.tests.swap(0, 1)).is_err());
}

#[test]
fn a_campaign_continues_after_a_lost_device_a_hang_and_a_wrong_count() {
    let fails = |number| match number {
        2 => Some(Failure::Lost("gone".to_owned())),
        3 => Some(Failure::Hangs(10)),
        5 => Some(Failure::Checksum { counted: 1, run: 2 }),
        _ => None,
    };
    let (document, early) = run_campaign(&campaign(), fails);
    assert_eq!((document.runs.len(), early), (14, None));
    let failed: Vec<Option<FailureKind>> = document
        .runs
        .iter()
        .take(6)
        .map(|run| run.failure.as_ref().map(|failure| failure.kind))
        .collect();
    use FailureKind::{Checksum, Hangs, Lost};
    assert_eq!(failed, [None, Some(Lost), Some(Hangs), None, Some(Checksum), None]);
    assert_eq!(document.summary.failures, 3);
}

#[test]
fn a_campaign_ends_after_the_device_was_lost_three_times_in_a_row() {
    let (document, early) = run_campaign(&campaign(), |_| Some(Failure::Lost("gone".to_owned())));
    assert_eq!((document.runs.len(), early), (3, Some(EarlyEnd::DeviceLost(3))));
}

#[test]
fn a_run_with_fewer_outcomes_than_instances_fails() {
    let mut setup = campaign();
    setup.settings.iterations = 1;
    struct MiscountingTarget(FakeTarget);
    impl Target for MiscountingTarget {
        type Ready = (u64, usize);
        fn about(&self) -> TargetInfo {
            self.0.about()
        }
        fn ready(&mut self, setup: &Setup<'_>) -> std::result::Result<Self::Ready, Failure> {
            self.0.ready(setup)
        }
        fn iterate(
            &mut self,
            ready: &mut Self::Ready,
            _: &Iteration,
            counts: &mut [u64],
            _: &AtomicBool,
        ) -> std::result::Result<(), Failure> {
            counts[0] += ready.0 - 1;
            Ok(())
        }
    }
    let mut miscounting = MiscountingTarget(FakeTarget { ready: 0, fails: |_| None });
    let stop = AtomicBool::new(false);
    let (runs, _) =
        setup.run(&mut miscounting, &|_| None, &mut CountingWatcher::default(), &stop).unwrap();
    let kinds = runs.iter().filter_map(|run| run.failure.as_ref()).map(|failed| failed.kind);
    assert_eq!(kinds.collect::<Vec<_>>(), [FailureKind::Checksum; 14]);
    assert!(runs.iter().all(|run| run.instances == 0));
}

#[test]
fn a_stopped_campaign_resumes_with_the_pieces_that_were_not_run() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let campaign = campaign();
    let mut target = FakeTarget { ready: 0, fails: |_| None };
    let mut watcher = CountingWatcher { ended: 0, stop_after: Some((5, &STOP)) };
    let (first, early) = campaign.run(&mut target, &|_| None, &mut watcher, &STOP).unwrap();
    assert_eq!((first.len(), early), (5, Some(EarlyEnd::Stopped)));
    STOP.store(false, Ordering::Relaxed);
    let known = |piece: &Piece| {
        let name = &campaign.tests[piece.test].name;
        let is_it = |run: &&Run| run.environment == piece.environment && run.test == *name;
        first.iter().find(is_it).cloned()
    };
    let mut watcher = CountingWatcher::default();
    let (all, early) = campaign.run(&mut target, &known, &mut watcher, &STOP).unwrap();
    assert_eq!((watcher.ended, all.len(), early), (9, 14, None));
    let document = campaign.document(target.about().into(), all, false);
    assert_eq!(timeless(document), timeless(run_campaign(&campaign, |_| None).0));
}

#[test]
fn conformance_tests_run_in_the_environments_that_kill_the_most_mutants() {
    let tests = test::all();
    let conformance: Vec<Test> = tests
        .iter()
        .filter(|test| test.kind_by(Specification::Today) == Kind::Conformance)
        .cloned()
        .collect();
    let (mut tuned, _) = run_campaign(&campaign(), |_| None);
    let timing = tuned.timing.take();
    assert_eq!(choices(&conformance, Specification::Today, &tuned), Err(TuningError::NoTimes));
    tuned.timing = timing.map(|timing| Timing { best: Vec::new(), ..timing });
    assert_eq!(
        choices(&conformance, Specification::Today, &tuned),
        Err(TuningError::NothingKilled)
    );
    let mutant = tuned.tests.iter().find(|tested| tested.is_mutant()).unwrap().clone();
    let best = |environment| crate::results::BestEnvironment {
        test: mutant.name.clone(),
        environment,
        rate: 1.0,
    };
    tuned.timing.as_mut().unwrap().best.push(best(1));
    let (chosen, left_out) = choices(&conformance, Specification::Today, &tuned).unwrap();
    let (with, without): (Vec<_>, Vec<_>) =
        chosen.iter().partition(|choice| !choice.mutants.is_empty());
    let [choice] = &with[..] else { panic!("{with:?}") };
    assert_eq!(Some(&choice.test.name), mutant.conformance_test.as_ref());
    // Tests without mutants run where the most mutants died.
    assert!(chosen.iter().all(|choice| choice.environment == tuned.environments[1]));
    let has_mutants = |test: &Test| {
        tests.iter().any(|other| matches!(&other.kind, Kind::Mutant { of } if *of == test.name))
    };
    assert!(without.iter().all(|choice| !has_mutants(&choice.test)));
    assert_eq!(without.len(), conformance.iter().filter(|test| !has_mutants(test)).count());
    assert!(!without.is_empty());
    assert_eq!(left_out.len() + chosen.len(), conformance.len());
}

#[test]
fn an_exploration_lists_only_the_environments_that_it_reached() {
    let budget = Some(Duration::ZERO);
    let none = Campaign { verb: Verb::Explore, budget, ..campaign() };
    let (document, early) = run_campaign(&none, |_| None);
    assert_eq!((document.environments.len(), early), (0, Some(EarlyEnd::Budget)));
    let pieces = Campaign::product(7, 1);
    let (document, _) =
        run_campaign(&Campaign { verb: Verb::Explore, pieces, ..campaign() }, |_| None);
    assert_eq!((document.environments.len(), document.runs.len()), (1, 7));
}
