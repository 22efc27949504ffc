//! Measures one kernel on one executor in three ways: bare, with all checks at run time, and with only the checks that remain after
//! static proofs. The three ways alternate, so that other activity of the machine affects all of them equally.

use super::Options;
use super::corpus::Kernel;
use super::launches::{Graphs, LaunchParams, SizedLaunch};
use super::report::{FirstRun, OclgrindComparison, Row, Slowdown};
use super::statistics::{Ratio, median};
use super::words::{WatchedCounts, monitored};
use crate::peers::{PeerError, oclgrind, opencl};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::timing::{RunDuration, Stopwatch};
use hirace_core::exec::{Executor, Shortcuts, Watch};
use hirace_core::launch::Launch;
use std::time::{Duration, Instant};

/// The minimum number of rounds, however long they take.
const MIN_ROUNDS: usize = 3;

/// The number of runs to estimate the time of a launch.
const PROBES: usize = 3;

/// The three ways to run a kernel, in the order of [`Times`].
const BARE: usize = 0;
const DYNAMIC: usize = 1;
const CHECKED: usize = 2;

/// Measures `kernel`. Returns `None` if the measurement was stopped.
///
/// # Errors
/// The reason why it cannot be measured.
pub(super) fn measure(
    executor: &dyn Executor,
    kernel: &Kernel,
    graphs: &Graphs,
    options: &Options<'_>,
) -> Result<Option<Row>> {
    let Some((SizedLaunch { launch, input }, is_long)) =
        find_long_enough_launch(executor, kernel, graphs, options)?
    else {
        return Ok(None);
    };
    let watches = [
        None,
        Some(Watch { shortcuts: Shortcuts::NONE, ..Watch::default() }),
        Some(Watch::default()),
    ];
    let Some(first) = measure_first_run(executor, kernel, &launch, &watches, options)? else {
        return Ok(None);
    };
    let mut ways = Vec::new();
    for watch in &watches {
        let way = executor.stopwatch(&kernel.program, &launch, watch.as_ref(), options.stop)?;
        let Some(way) = way else { return Ok(None) };
        ways.push(way);
    }
    let Some(times) = time_alternately(&mut ways, options)? else { return Ok(None) };
    let (beside_oclgrind, not_beside_oclgrind) = match options.oclgrind {
        true => match compare_with_oclgrind(kernel, &launch, &times[DYNAMIC]) {
            Ok(beside) => (Some(beside), None),
            Err(error) => (None, Some(error.to_string())),
        },
        false => (None, None),
    };
    let WatchedCounts { words, sites } = monitored(&kernel.program, &launch);
    let [dynamic, checked] = [DYNAMIC, CHECKED].map(|way| ways[way].watched());
    let per = |bytes: u64, words: u64| (words > 0).then(|| bytes as f64 / words as f64);
    Ok(Some(Row {
        name: kernel.name.clone(),
        corpus: kernel.corpus,
        category: kernel.category,
        input,
        is_long,
        pairs: times[BARE].len(),
        bare_ms: median_ms(&times[BARE], |took| took.kernel),
        dynamic: slowdown(&times, DYNAMIC)?,
        checked: slowdown(&times, CHECKED)?,
        first,
        beside_oclgrind,
        not_beside_oclgrind,
        words,
        words_watched: checked.words,
        shadow_bytes_per_word: per(checked.shadow_bytes, words),
        shadow_bytes_per_watched_word: per(checked.shadow_bytes, checked.words),
        dynamic_shadow_bytes_per_word: per(dynamic.shadow_bytes, words),
        sites: sites.len(),
        sites_proved: sites.iter().filter(|site| !checked.sites.contains(site)).count(),
    }))
}

/// Returns the smallest launch on which the bare kernel takes the required time, or the largest possible one; and
/// whether it takes the required time.
fn find_long_enough_launch(
    executor: &dyn Executor,
    kernel: &Kernel,
    graphs: &Graphs,
    options: &Options<'_>,
) -> Result<Option<(SizedLaunch, bool)>> {
    let subgroup_size = executor.subgroup_size().unwrap_or(32);
    let params = LaunchParams { graphs, subgroup_size, stop: options.stop };
    let mut largest = None;
    for size in 0.. {
        if options.stopped() {
            return Ok(None);
        }
        match time_launch(executor, kernel, size, params) {
            Ok(Some((sized, took))) if took.kernel >= options.least => {
                return Ok(Some((sized, true)));
            }
            Ok(Some((sized, _))) => largest = Some((sized, false)),
            Ok(None) if options.stopped() => return Ok(None),
            Ok(None) => break,
            // A smaller launch was possible.
            Err(_) if largest.is_some() => break,
            Err(error) => return Err(error),
        }
    }
    match largest {
        Some(largest) => Ok(Some(largest)),
        None => Err(Box::new(Diagnostic::new("no launch of the kernel is possible"))),
    }
}

/// Returns the launch of this size and its bare time; `None` if there is no such launch, or if the measurement was stopped.
fn time_launch(
    executor: &dyn Executor,
    kernel: &Kernel,
    size: u32,
    params: LaunchParams<'_>,
) -> Result<Option<(SizedLaunch, RunDuration)>> {
    let Some(sized) = kernel.launch(size, params)? else { return Ok(None) };
    let took = {
        let bare = executor.stopwatch(&kernel.program, &sized.launch, None, params.stop)?;
        let Some(mut bare) = bare else { return Ok(None) };
        quickest(&mut *bare)?
    };
    Ok(took.map(|took| (sized, took)))
}

/// Returns the shortest of a few times, since other activity of the machine can only increase them; `None` if it was
/// stopped.
fn quickest(bare: &mut dyn Stopwatch) -> Result<Option<RunDuration>> {
    let Some(mut quickest) = bare.time()? else { return Ok(None) };
    for _ in 1..PROBES {
        let Some(took) = bare.time()? else { return Ok(None) };
        if took.kernel < quickest.kernel {
            quickest = took;
        }
    }
    Ok(Some(quickest))
}

/// Measures a first run with everything that it includes, in each of the ways. No caches are used.
fn measure_first_run(
    executor: &dyn Executor,
    kernel: &Kernel,
    launch: &Launch,
    watches: &[Option<Watch>; 3],
    options: &Options<'_>,
) -> Result<Option<FirstRun>> {
    let mut times = [Duration::ZERO; 3];
    for (time, watch) in times.iter_mut().zip(watches) {
        executor.forget();
        let started = Instant::now();
        let failure = match watch {
            None => {
                let ran = executor.run_unwatched(&kernel.program, launch, None, options.stop)?;
                let Some(ran) = ran else { return Ok(None) };
                ran.failure
            }
            Some(watch) => executor.run(&kernel.program, launch, watch, options.stop)?.failure,
        };
        *time = started.elapsed();
        if options.stopped() {
            return Ok(None);
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
    }
    let bare = times[BARE].as_secs_f64().max(f64::MIN_POSITIVE);
    Ok(Some(FirstRun {
        bare_ms: bare * 1e3,
        dynamic: times[DYNAMIC].as_secs_f64() / bare,
        checked: times[CHECKED].as_secs_f64() / bare,
    }))
}

/// The times of each of the ways, by round.
type Times = [Vec<RunDuration>; 3];

/// Times the ways alternately, starting with a different one in each round. Returns `None` if the measurement was stopped.
fn time_alternately(
    ways: &mut [Box<dyn Stopwatch + '_>],
    options: &Options<'_>,
) -> Result<Option<Times>> {
    let started = Instant::now();
    let mut times = Times::default();
    for round in 0..options.repeats.max(1) {
        if round >= MIN_ROUNDS && started.elapsed() > options.most {
            break;
        }
        for offset in 0..ways.len() {
            let way = (round + offset) % ways.len();
            match ways[way].time()? {
                Some(took) => times[way].push(took),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(times))
}

/// Returns the slowdown of a way relative to the bare kernel: the median of the ratios per round.
fn slowdown(times: &Times, way: usize) -> Result<Slowdown> {
    let ratios = |of: fn(RunDuration) -> Duration| -> Vec<f64> {
        let pairs = times[way].iter().zip(&times[BARE]);
        pairs.map(|(took, bare)| of(*took).as_secs_f64() / seconds(bare.kernel)).collect()
    };
    let nothing = || Box::new(Diagnostic::new("nothing was timed"));
    Ok(Slowdown {
        ratio: Ratio::of(&ratios(|took| took.kernel)).ok_or_else(nothing)?,
        with_clearing: median(&ratios(RunDuration::total)).ok_or_else(nothing)?,
        ms: median_ms(&times[way], |took| took.kernel),
        clearing_ms: median_ms(&times[way], |took| took.clearing),
    })
}

/// Measures the time of Oclgrind for the same launch, relative to a run with all checks.
fn compare_with_oclgrind(
    kernel: &Kernel,
    launch: &Launch,
    dynamic: &[RunDuration],
) -> std::result::Result<OclgrindComparison, PeerError> {
    let scratch = tempfile::tempdir()?;
    let printed = opencl::print(&kernel.program, kernel.entry)?;
    let size = kernel.program.module.entry_points[kernel.entry].workgroup_size;
    let took = oclgrind::time(&printed, launch, size, scratch.path())?;
    let ms = took.as_secs_f64() * 1e3;
    Ok(OclgrindComparison {
        ms,
        times_as_fast: ms / median_ms(dynamic, RunDuration::total).max(1e-6),
    })
}

/// Returns a nonzero number of seconds, since clocks do not resolve less than a nanosecond.
fn seconds(time: Duration) -> f64 {
    time.max(Duration::from_nanos(1)).as_secs_f64()
}

/// Returns the median in milliseconds.
fn median_ms(times: &[RunDuration], of: fn(RunDuration) -> Duration) -> f64 {
    let times: Vec<f64> = times.iter().map(|took| of(*took).as_secs_f64() * 1e3).collect();
    median(&times).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::exec::timing::WatchSize;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A stopwatch that reports a fixed number of milliseconds and records when it was used.
    struct FakeStopwatch(u64, Rc<RefCell<Vec<u64>>>, WatchSize);

    impl Stopwatch for FakeStopwatch {
        fn watched(&self) -> &WatchSize {
            &self.2
        }

        fn time(&mut self) -> Result<Option<RunDuration>> {
            self.1.borrow_mut().push(self.0);
            let kernel = Duration::from_millis(self.0);
            Ok(Some(RunDuration { kernel, clearing: Duration::from_millis(1) }))
        }
    }

    fn fakes(recorded: &Rc<RefCell<Vec<u64>>>) -> Vec<Box<dyn Stopwatch>> {
        let fake = |ms| Box::new(FakeStopwatch(ms, Rc::clone(recorded), WatchSize::default())) as _;
        [2, 6, 3].map(fake).into()
    }

    fn options(repeats: usize, most: Duration) -> Options<'static> {
        Options { repeats, least: Duration::ZERO, most, oclgrind: false, stop: None }
    }

    #[test]
    fn each_way_is_timed_first_in_one_of_three_rounds() {
        let recorded = Rc::default();
        time_alternately(&mut fakes(&recorded), &options(3, Duration::MAX)).unwrap();
        assert_eq!(*recorded.borrow(), [2, 6, 3, 6, 3, 2, 3, 2, 6]);
    }

    #[test]
    fn at_least_min_rounds_are_timed() {
        let recorded = Rc::default();
        let times = time_alternately(&mut fakes(&recorded), &options(100, Duration::ZERO))
            .unwrap()
            .unwrap();
        assert_eq!(times.map(|of| of.len()), [MIN_ROUNDS; 3]);
    }

    #[test]
    fn slowdown_is_the_median_ratio_and_excludes_clearing() {
        let recorded = Rc::default();
        let times =
            time_alternately(&mut fakes(&recorded), &options(3, Duration::MAX)).unwrap().unwrap();
        let slowdown = slowdown(&times, DYNAMIC).unwrap();
        assert_eq!(slowdown.ratio, Ratio { ratio: 3.0, low: 3.0, high: 3.0 });
        assert_eq!(slowdown.with_clearing, 3.5);
        assert!((slowdown.ms - 6.0).abs() < 1e-9 && (slowdown.clearing_ms - 1.0).abs() < 1e-9);
    }
}
