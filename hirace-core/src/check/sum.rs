//! One report of the several launches that were tried for an entry point.
//!
//! A finding is kept as it was first made, which is on the smallest launch that shows it, unless a
//! later launch makes certain what was only possible.

use super::ladder::Subject;
use crate::diagnostic::{Diagnostic, Result};
use crate::finding::coverage::Coverage;
use crate::finding::{Certainty, Finding, Kind, LaunchReport, verdict};
use crate::launch::grid;
use crate::launch::infer::{Parameters, Rung};

/// The sum so far.
pub(super) struct Sum<'a> {
    subject: &'a Subject<'a>,
    report: Option<LaunchReport>,
    coverage: Coverage,
    grids: Vec<[u32; 3]>,
    grid_guessed: bool,
    parameters: Vec<Parameters>,
    warnings: Vec<String>,
    cut_short: bool,
}

impl<'a> Sum<'a> {
    pub fn new(subject: &'a Subject<'a>) -> Self {
        Self {
            subject,
            report: None,
            coverage: Coverage::default(),
            grids: Vec::new(),
            grid_guessed: false,
            parameters: Vec::new(),
            warnings: Vec::new(),
            cut_short: false,
        }
    }

    pub fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.report.is_none()
    }

    /// The check was stopped before all launches were tried.
    pub fn cut_short(&mut self) {
        self.cut_short = true;
    }

    /// Adds the report of one launch.
    pub fn add(&mut self, mut report: LaunchReport, coverage: Coverage, rung: &Rung) {
        self.coverage.join(coverage);
        self.grid_guessed |= rung.grid_guessed;
        if let Some(dispatch) = rung.dispatches.first()
            && !self.grids.contains(&dispatch.workgroups)
        {
            self.grids.push(dispatch.workgroups);
        }
        if !self.parameters.contains(&rung.parameters) {
            self.parameters.push(rung.parameters);
        }
        for warning in std::mem::take(&mut report.warnings) {
            self.warn(warning);
        }
        if rung.grid_guessed {
            question_bounds(&mut report);
        }
        let Some(sum) = &mut self.report else {
            self.report = Some(report);
            return;
        };
        if sum.findings.is_empty() && volume(&report) > volume(sum)
            || sum.findings.is_empty() && !report.findings.is_empty()
        {
            sum.workgroups = report.workgroups;
            sum.inferred = report.inferred;
        }
        sum.guessed |= report.guessed;
        join(&mut sum.device.shadow, report.device.shadow);
        join(&mut sum.unwatched, report.unwatched);
        for finding in report.findings {
            add_finding(&mut sum.findings, finding);
        }
        let stats = &mut sum.stats;
        stats.words_watched = stats.words_watched.max(report.stats.words_watched);
        stats.accesses_checked += report.stats.accesses_checked;
        stats.racy_words = stats.racy_words.max(report.stats.racy_words);
        stats.racy_words_unexplained =
            stats.racy_words_unexplained.max(report.stats.racy_words_unexplained);
        stats.cut_short |= report.stats.cut_short;
    }

    /// The report of all of them.
    pub fn report(self) -> Result<LaunchReport> {
        let inferred = self.inferred();
        let mut report =
            self.report.ok_or_else(|| Box::new(Diagnostic::new("there is no launch to run")))?;
        report.inferred = inferred;
        report.warnings = self.warnings;
        report.stats.cut_short |= self.cut_short;
        self.coverage.put_into(&mut report.stats, self.subject.program);
        report.findings.sort_by_key(|finding| {
            let at = finding.accesses.first().map(|place| (place.line, place.column));
            (finding.certainty, finding.kind, at)
        });
        report.verdict = verdict::of_launch(&report);
        Ok(report)
    }

    /// What was guessed: of the launch reported, with all grids and values tried.
    fn inferred(&self) -> Vec<String> {
        let mut inferred = self.subject.inferred.to_vec();
        if self.grid_guessed {
            let grids: Vec<String> = self.grids.iter().map(|&grid| grid::show(grid)).collect();
            inferred.push(format!("workgroups: {}", in_turn(&grids)));
        }
        let values: Vec<String> = self
            .parameters
            .iter()
            .map(|parameters| match parameters {
                Parameters::Extent => "the number of invocations".to_owned(),
                Parameters::One => "1".to_owned(),
                Parameters::Zero => "0".to_owned(),
            })
            .collect();
        for line in self.report.iter().flat_map(|report| &report.inferred) {
            match line.split_once(": every scalar is ") {
                Some((name, _)) if values.len() > 1 => {
                    inferred.push(format!("{name}: every scalar is {}", in_turn(&values)));
                }
                _ if line.starts_with("grid: ") => {}
                _ => inferred.push(line.clone()),
            }
        }
        inferred
    }
}

/// Adds to `list` what it has not.
fn join<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// `a`, `a, then b, then c`.
fn in_turn(list: &[String]) -> String {
    list.join(", then ")
}

fn volume(report: &LaunchReport) -> u64 {
    report.workgroups.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
}

/// An index out of bounds that shows on several workgroups and not on one: the kernel may be meant
/// for as many as its arrays have room for, and the number was guessed. So are races at the same
/// places, where clamped accesses meet.
fn question_bounds(report: &mut LaunchReport) {
    let workgroups = volume(report);
    if workgroups <= 1 {
        return;
    }
    let places = |finding: &Finding| -> Vec<(u32, u32)> {
        finding.accesses.iter().map(|place| (place.line, place.column)).collect()
    };
    let out: Vec<(u32, u32)> = report
        .findings
        .iter()
        .filter(|finding| finding.kind == Kind::OutOfBounds)
        .flat_map(places)
        .collect();
    for finding in &mut report.findings {
        let why = match finding.kind {
            Kind::OutOfBounds => "it takes",
            Kind::DataRace if places(finding).iter().any(|at| out.contains(at)) => {
                "an index here is out of bounds, which takes"
            }
            _ => continue,
        };
        finding.question(format!("{why} {workgroups} workgroups, a number that was guessed"));
    }
}

fn add_finding(findings: &mut Vec<Finding>, finding: Finding) {
    match findings.iter_mut().find(|known| known.is_same_as(&finding)) {
        None => findings.push(finding),
        Some(known) => {
            if known.certainty == Certainty::Possible && finding.certainty == Certainty::Certain {
                *known = finding;
            } else if known.certainty == finding.certainty {
                known.widen(&finding);
            }
        }
    }
}
