//! Launches of a kernel with increasing sizes, until the bare kernel takes long enough to be timed.

use super::corpus::{Kernel, Launches};
use crate::detect::{self, Input};
use crate::graph::published::{LARGE, SMALL};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{Executor, Outcome, Shortcuts, Watch};
use hirace_core::launch::Launch;
use hirace_core::launch::build::{self, Grown};
use hirace_core::launch::candidates::{Candidate, FillStrategy, candidates};
use hirace_core::launch::grid;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::program::Program;
use hirace_core::vm::schedule::Limits;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time limit of a dispatch: kernels that take longer are not measured.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum number of invocations of a launch.
const MAX_INVOCATIONS: u64 = 1 << 22;

/// The maximum number of workgroups in a dimension: the limit of WebGPU.
const MAX_WORKGROUPS: u32 = 65_535;

/// The maximum number of times that inferred buffers are enlarged.
const GROWTHS: usize = 6;

/// The maximum size of a buffer.
const MAX_BYTES: u64 = 1 << 28;

/// A launch and its input.
pub(super) struct SizedLaunch {
    pub launch: Launch,
    /// The graph, or the grid.
    pub input: String,
}

/// The parameters of launches.
#[derive(Clone, Copy)]
pub(super) struct LaunchParams<'a> {
    pub graphs: &'a Graphs,
    pub subgroup_size: u32,
    pub stop: Option<&'a AtomicBool>,
}

impl Kernel {
    /// Returns the launch of this size, counted from 0; `None` if it is too large, or if there is no such size.
    pub(super) fn launch(
        &self,
        size: u32,
        params: LaunchParams<'_>,
    ) -> Result<Option<SizedLaunch>> {
        match self.launches {
            Launches::OnGraphs(variant) => {
                let Some(input) = params.graphs.get(size)? else { return Ok(None) };
                let (graph, seed) = (&input.graph, params.graphs.seed);
                let spec =
                    detect::launch(&self.program, &variant, graph, seed, params.subgroup_size);
                let spec = LaunchSpec { timeout: Some(TIMEOUT), ..spec };
                let all = candidates(&self.program, &spec, self.entry)?;
                let Some(first) = all.first() else { return Ok(None) };
                let launch = build::launch(&self.program, &spec, first, &Grown::new())?;
                Ok(Some(SizedLaunch { launch, input: input.name.clone() }))
            }
            Launches::Guessed => {
                let Some(workgroups) = self.grid(size)? else { return Ok(None) };
                let launch = self.guessed(workgroups, params)?;
                Ok(Some(SizedLaunch { launch, input: grid::show(workgroups) }))
            }
        }
    }

    /// Returns a grid with 4 times as many workgroups as the previous size, in the dimensions that the kernel uses to
    /// distinguish workgroups. A kernel that uses none is for one workgroup.
    fn grid(&self, size: u32) -> Result<Option<[u32; 3]>> {
        let all = candidates(&self.program, &LaunchSpec::default(), self.entry)?;
        let of_several = all.get(1).or(all.first()).and_then(|several| several.dispatches.first());
        let used = of_several.map_or([false; 3], |one| one.workgroups.map(|count| count > 1));
        let Some(workgroups) = grid_of(used, size) else { return Ok(None) };
        let entry = &self.program.module.entry_points[self.entry];
        let extent = grid::extent(workgroups, entry).map(u64::from);
        let fits = extent.iter().product::<u64>() <= MAX_INVOCATIONS
            && workgroups.iter().all(|&count| count <= MAX_WORKGROUPS);
        Ok(fits.then_some(workgroups))
    }

    /// Returns a launch of this grid that stays within its memory and terminates, with everything that this needs
    /// inferred.
    fn guessed(&self, workgroups: [u32; 3], params: LaunchParams<'_>) -> Result<Launch> {
        let spec = LaunchSpec {
            workgroups: Some(workgroups),
            seed: params.graphs.seed,
            subgroup_size: Some(params.subgroup_size),
            step_limit: Some(Limits::default().steps),
            timeout: Some(TIMEOUT),
            ..LaunchSpec::default()
        };
        let all = candidates(&self.program, &spec, self.entry)?;
        let first = all.first().into_iter();
        let filled = [FillStrategy::Few, FillStrategy::Zeros];
        let tame =
            first.flat_map(|first| filled.map(|filling| Candidate { filling, ..first.clone() }));
        for candidate in all.iter().take(1).cloned().chain(tame).chain(all.iter().skip(1).cloned())
        {
            if let Some(launch) = find_safe_launch(&self.program, &spec, &candidate, params.stop)? {
                return Ok(launch);
            }
        }
        let message =
            "no inferred memory keeps the kernel within its buffers and lets it terminate";
        Err(Box::new(Diagnostic::new(message)))
    }
}

/// Returns the grid of a size: four times as many workgroups per size, spread over the used dimensions by powers of
/// two.
fn grid_of(used: [bool; 3], size: u32) -> Option<[u32; 3]> {
    let dimensions: Vec<usize> = (0..3).filter(|&at| used[at]).collect();
    if dimensions.is_empty() {
        return (size == 0).then_some([1; 3]);
    }
    let mut workgroups = [1u32; 3];
    // The smallest useful grid has two workgroups per dimension; each size doubles twice.
    for &at in &dimensions {
        workgroups[at] = 2;
    }
    for doubling in 0..2 * size as usize {
        let at = dimensions[doubling % dimensions.len()];
        workgroups[at] = workgroups[at].checked_mul(2)?;
    }
    Some(workgroups)
}

/// Returns the launch of this candidate, with buffers of the necessary lengths; `None` if it does not stay within its
/// memory or does not terminate.
fn find_safe_launch(
    program: &Program,
    spec: &LaunchSpec,
    candidate: &Candidate,
    stop: Option<&AtomicBool>,
) -> Result<Option<Launch>> {
    let ignore = vec!["*".to_owned()];
    let unwatched = Watch { ignore, shortcuts: Shortcuts::NONE, ..Watch::default() };
    let mut grown = Grown::new();
    for _ in 0..=GROWTHS {
        let launch = build::launch(program, spec, candidate, &grown)?;
        let outcome = Embedded.run(program, &launch, &unwatched, stop)?;
        match required_sizes(&outcome) {
            None => return Ok(None),
            Some(longer) if longer.is_empty() => {
                let inside = outcome.dispatches.iter().all(|d| d.run.out_of_bounds.is_empty());
                return Ok(inside.then_some(launch));
            }
            Some(longer) => grown.extend(longer),
        }
    }
    Ok(None)
}

/// Returns the necessary sizes of buffers that are too short; `None` if some would be too long, or if the launch did
/// not terminate.
fn required_sizes(outcome: &Outcome) -> Option<Grown> {
    let mut grown = Grown::new();
    for dispatched in &outcome.dispatches {
        if !dispatched.run.is_complete() {
            return None;
        }
        for &(memory, wanted) in &dispatched.run.wanted_lengths {
            let bytes = wanted.checked_next_power_of_two().filter(|&bytes| bytes <= MAX_BYTES)?;
            grown.insert(memory, u32::try_from(bytes).ok()?);
        }
    }
    Some(grown)
}

/// The graphs that patterns run on, from small to large. Each is generated when it is first needed.
#[derive(Debug)]
pub struct Graphs {
    names: Vec<String>,
    seed: u64,
    made: RefCell<Vec<Option<Rc<Input>>>>,
}

impl Graphs {
    /// Returns the published graphs, by number of edges: the largest of the small ones, and the large ones up to a
    /// maximum number of edges.
    pub fn published(most_edges: u32, seed: u64) -> Self {
        let small = SMALL.last().into_iter().map(|name| (*name).to_owned());
        let mut large: Vec<_> = LARGE.iter().filter(|large| large.edges <= most_edges).collect();
        large.sort_by_key(|large| large.edges);
        let names = small.chain(large.into_iter().map(|large| large.name.to_owned()));
        Self::new(names.collect(), seed)
    }

    fn new(names: Vec<String>, seed: u64) -> Self {
        let made = RefCell::new(vec![None; names.len()]);
        Self { names, seed, made }
    }

    fn get(&self, at: u32) -> Result<Option<Rc<Input>>> {
        let at = at as usize;
        let Some(name) = self.names.get(at) else { return Ok(None) };
        if let Some(Some(made)) = self.made.borrow().get(at) {
            return Ok(Some(Rc::clone(made)));
        }
        let made = Input::of(name, self.seed);
        let made = made.map_err(|error| Box::new(Diagnostic::new(error.to_string())))?;
        let made = Rc::new(made);
        self.made.borrow_mut()[at] = Some(Rc::clone(&made));
        Ok(Some(made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_grow_fourfold_in_the_dimensions_that_are_used() {
        let sizes = |used| [0, 1, 2].map(|size| grid_of(used, size));
        let [x, xy] = [[true, false, false], [true, true, false]];
        assert_eq!(sizes(x), [Some([2, 1, 1]), Some([8, 1, 1]), Some([32, 1, 1])]);
        assert_eq!(sizes(xy), [Some([2, 2, 1]), Some([4, 4, 1]), Some([8, 8, 1])]);
        assert_eq!(grid_of([true; 3], 2), Some([8, 4, 4]));
        assert_eq!(grid_of(x, 16), None);
    }

    #[test]
    fn a_kernel_that_does_not_tell_workgroups_apart_has_one_size() {
        assert_eq!([0, 1].map(|size| grid_of([false; 3], size)), [Some([1; 3]), None]);
    }

    #[test]
    fn graphs_are_those_that_fit_from_small_to_large() {
        let graphs = Graphs::published(1_000_000, 0);
        let expected = ["power_law_200n_1000e", "internet", "USA-road-d.NY", "rmat16.sym"];
        assert_eq!(graphs.names, expected);
        let first = graphs.get(0).unwrap().unwrap();
        assert_eq!((first.graph.vertices(), first.graph.edges()), (200, 1000));
        assert!(Rc::ptr_eq(&first, &graphs.get(0).unwrap().unwrap()));
        assert!(graphs.get(4).unwrap().is_none());
    }
}
