//! The facts about an entry point, of the several launches that were tried for it.
//!
//! A finding is kept as it was first made, which is on the smallest launch that shows it, unless a
//! later launch makes certain what was only possible.

use super::subject::Subject;
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::{
    Assumption, Certainty, Doubt, Finding, Kind, LaunchFacts, ParameterValue, Warning,
};
use crate::finding::coverage::Coverage;
use crate::launch::candidates::Candidate;
use crate::source_map::LineColumn;

/// The sum so far.
pub(super) struct Sum<'a> {
    subject: &'a Subject<'a>,
    launch: Option<LaunchFacts>,
    coverage: Coverage,
    grids: Vec<[u32; 3]>,
    grid_guessed: bool,
    parameters: Vec<ParameterValue>,
    warnings: Vec<Warning>,
    cut_short: bool,
}

impl<'a> Sum<'a> {
    pub fn new(subject: &'a Subject<'a>) -> Self {
        Self {
            subject,
            launch: None,
            coverage: Coverage::default(),
            grids: Vec::new(),
            grid_guessed: false,
            parameters: Vec::new(),
            warnings: Vec::new(),
            cut_short: false,
        }
    }

    pub fn warn(&mut self, warning: Warning) {
        join(&mut self.warnings, [warning]);
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.launch.is_none()
    }

    /// The check was stopped before all launches were tried.
    pub fn cut_short(&mut self) {
        self.cut_short = true;
    }

    /// Adds the facts about one launch.
    pub fn add(&mut self, mut launch: LaunchFacts, coverage: Coverage, candidate: &Candidate) {
        self.coverage.join(coverage);
        self.grid_guessed |= candidate.grid_guessed;
        let first = candidate.dispatches.first();
        join(&mut self.grids, first.map(|dispatch| dispatch.workgroups));
        join(&mut self.parameters, [candidate.parameters]);
        join(&mut self.warnings, std::mem::take(&mut launch.warnings));
        if candidate.grid_guessed {
            doubt_bounds(&mut launch);
        }
        let Some(sum) = &mut self.launch else {
            self.launch = Some(launch);
            return;
        };
        let is_larger = launch.grid.workgroup_count() > sum.grid.workgroup_count();
        if sum.findings.is_empty() && (is_larger || !launch.findings.is_empty()) {
            sum.grid = launch.grid;
            sum.assumptions = launch.assumptions;
        }
        sum.guessed |= launch.guessed;
        join(&mut sum.device.shadow, launch.device.shadow);
        join(&mut sum.unwatched, launch.unwatched);
        for finding in launch.findings {
            add_finding(&mut sum.findings, finding);
        }
        let (stats, more) = (&mut sum.stats, launch.stats);
        stats.words_watched = stats.words_watched.max(more.words_watched);
        stats.accesses_checked += more.accesses_checked;
        stats.racy_words = stats.racy_words.max(more.racy_words);
        stats.racy_words_unexplained =
            stats.racy_words_unexplained.max(more.racy_words_unexplained);
        stats.cut_short |= more.cut_short;
    }

    /// The facts of all of them.
    pub fn launch(self) -> Result<LaunchFacts> {
        let assumptions = self.assumptions();
        let mut launch =
            self.launch.ok_or_else(|| Box::new(Diagnostic::new("there is no launch to run")))?;
        launch.assumptions = assumptions;
        launch.warnings = self.warnings;
        launch.stats.cut_short |= self.cut_short;
        self.coverage.put_into(&mut launch.stats, self.subject.program);
        launch.findings.sort_by_key(|finding| {
            let at = finding.places().first().map(|place| place.at);
            (finding.certainty(), finding.kind(), at)
        });
        Ok(launch)
    }

    /// What was guessed: of the launch that is shown, with all grids and values tried.
    fn assumptions(&self) -> Vec<Assumption> {
        let mut all = self.subject.assumptions.to_vec();
        if self.grid_guessed {
            all.push(Assumption::Grids(self.grids.clone()));
        }
        for assumption in self.launch.iter().flat_map(|launch| &launch.assumptions) {
            let mut assumption = assumption.clone();
            if let Assumption::Parameters { values, .. } = &mut assumption {
                values.clone_from(&self.parameters);
            }
            all.push(assumption);
        }
        all
    }
}

/// Adds to `list` what it has not.
fn join<T: PartialEq>(list: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// An index out of bounds that shows on several workgroups and not on one: the kernel may be meant
/// for as many as its arrays have room for, and the number was guessed. So are races at the same
/// places, where clamped accesses meet.
fn doubt_bounds(launch: &mut LaunchFacts) {
    let workgroups = launch.grid.workgroup_count();
    if workgroups <= 1 {
        return;
    }
    let places = |finding: &Finding| -> Vec<LineColumn> {
        finding.places().iter().map(|place| place.at).collect()
    };
    let out = launch.findings.iter().filter(|finding| finding.kind() == Kind::OutOfBounds);
    let out: Vec<LineColumn> = out.flat_map(places).collect();
    for finding in &mut launch.findings {
        let clamped = match finding.kind() {
            Kind::OutOfBounds => false,
            Kind::DataRace if places(finding).iter().any(|at| out.contains(at)) => true,
            _ => continue,
        };
        finding.doubts.push(Doubt::Grid { workgroups, clamped });
    }
}

fn add_finding(findings: &mut Vec<Finding>, finding: Finding) {
    match findings.iter_mut().find(|known| known.is_same_as(&finding)) {
        None => findings.push(finding),
        Some(known) => match (known.certainty(), finding.certainty()) {
            (Certainty::Possible, Certainty::Certain) => *known = finding,
            (before, now) if before == now => known.widen(&finding),
            _ => {}
        },
    }
}
