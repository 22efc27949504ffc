//! Tables of detection counts: a row for each judge and graph, and one for all graphs.

use super::{CaseResult, Input};
use crate::pattern::Label;
use crate::peers::Peer;
use serde::Serialize;
use std::collections::BTreeMap;

/// The counts of a judge for the launches on one graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The judge.
    pub executor: String,
    /// The graph.
    pub input: String,
    /// The number of launches, each of another kernel. A judge may not support all kernels.
    pub launches: usize,
    /// The number of launches of kernels with a planted data race.
    pub planted: usize,
    /// The number of launches with a data race, by the exact oracle.
    pub with_race: usize,
    /// The number of launches in which the judge found a race.
    pub found: usize,
    /// The number of launches in which the judge missed a race; for the checker, with at least one missed word.
    pub missed: usize,
    /// The number of launches with a false positive; for the checker, with at least one such word.
    pub false_alarms: usize,
    /// The number of launches with a race reported at locations at which the planted bugs cause none.
    pub wrong_site: usize,
}

/// The result of a judge for one launch.
struct JudgeResult {
    found: bool,
    missed: bool,
    false_alarm: bool,
    wrong_site: bool,
}

fn checker_result(judged: &CaseResult) -> Option<JudgeResult> {
    Some(JudgeResult {
        found: judged.found,
        missed: judged.missed > 0,
        false_alarm: judged.false_alarms > 0,
        wrong_site: !judged.wrong_sites.is_empty(),
    })
}

fn comparison_result(judged: &CaseResult) -> Option<JudgeResult> {
    Some(JudgeResult::of_launch(judged.differs, judged.with_race))
}

fn peer_result(judged: &CaseResult, peer: usize) -> Option<JudgeResult> {
    let found = judged.peers.get(peer)?.as_ref().ok()?;
    let is_racing = |line| judged.racing.contains(line);
    let wrong_site = found.lines.iter().any(|(one, two)| !is_racing(one) || !is_racing(two));
    Some(JudgeResult { wrong_site, ..JudgeResult::of_launch(found.races > 0, judged.with_race) })
}

impl JudgeResult {
    fn of_launch(found: bool, with_race: bool) -> Self {
        Self {
            found,
            missed: with_race && !found,
            false_alarm: found && !with_race,
            wrong_site: false,
        }
    }
}

impl Row {
    fn add(&mut self, judged: &CaseResult, result: &JudgeResult) {
        self.launches += 1;
        self.planted += usize::from(judged.variant.label() == Label::Racy);
        self.with_race += usize::from(judged.with_race);
        self.found += usize::from(result.found);
        self.missed += usize::from(result.missed);
        self.false_alarms += usize::from(result.false_alarm);
        self.wrong_site += usize::from(result.wrong_site);
    }

    /// Returns whether the judge agrees with the oracle, and all locations are correct.
    pub fn is_right(&self) -> bool {
        self.missed == 0 && self.false_alarms == 0 && self.wrong_site == 0
    }
}

/// Returns a table with a row for each input, and a last one for all.
fn rows(
    judge: &str,
    inputs: &[Input],
    results: &[CaseResult],
    judge_result: impl Fn(&CaseResult) -> Option<JudgeResult>,
) -> Vec<Row> {
    let row =
        |input: &str| Row { executor: judge.to_owned(), input: input.to_owned(), ..Row::default() };
    let mut rows: Vec<Row> = inputs.iter().map(|input| row(&input.name)).collect();
    rows.push(row("all"));
    for launch in results {
        if let Some(result) = judge_result(launch) {
            for at in [launch.input, inputs.len()] {
                rows[at].add(launch, &result);
            }
        }
    }
    rows
}

/// Returns the tables of the checker on `executor`, of the comparison of results, and of the peers.
pub fn tables(
    executor: &str,
    peers: &[Peer],
    inputs: &[Input],
    judged: &[CaseResult],
) -> Vec<Vec<Row>> {
    let mut tables = vec![
        rows(executor, inputs, judged, checker_result),
        rows("comparison with the correct result", inputs, judged, comparison_result),
    ];
    tables.extend(
        peers
            .iter()
            .enumerate()
            .map(|(at, peer)| rows(peer.name(), inputs, judged, |judged| peer_result(judged, at))),
    );
    tables
}

/// Counts the reasons why planted races did not occur, by input.
pub fn unreached_lines<'a>(
    inputs: &'a [Input],
    judged: &'a [CaseResult],
) -> BTreeMap<(&'a str, &'a str), usize> {
    let mut counts = BTreeMap::new();
    for judged in judged {
        if let Some(reason) = &judged.unreached {
            *counts.entry((&*inputs[judged.input].name, reason.as_str())).or_default() += 1;
        }
    }
    counts
}

/// Counts the differences of a peer from the oracle and from the planted bugs, by pattern and bugs.
pub fn differences(judged: &[CaseResult], peer: usize) -> BTreeMap<(&'static str, String), usize> {
    let mut counts = BTreeMap::new();
    for judged in judged {
        let Some(result) = peer_result(judged, peer) else { continue };
        let difference = match result {
            JudgeResult { missed: true, .. } => "missed race",
            JudgeResult { false_alarm: true, .. } => "false positive",
            JudgeResult { wrong_site: true, .. } => "wrong location",
            _ => continue,
        };
        let form = judged.variant.form;
        let bugs = judged.variant.tags.each().filter(|tag| form.bugs.contains(tag));
        let bugs: Vec<&str> = bugs.map(|tag| tag.name()).collect();
        let name = format!("{} {} {}", form.pattern, form.granularity.name(), bugs.join(" "));
        *counts.entry((difference, name.trim_end().to_owned())).or_default() += 1;
    }
    counts
}

/// Counts the reasons why a peer has no result.
pub fn count_unanswered(judged: &[CaseResult], peer: usize) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for judged in judged {
        if let Some(Err(reason)) = judged.peers.get(peer) {
            *counts.entry(reason.as_str()).or_default() += 1;
        }
    }
    counts
}
