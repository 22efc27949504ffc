//! Counts of what was found: a row for each graph, and one for all.

use super::{Input, Judged};
use crate::pattern::Label;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was found of the launches on one graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What ran them.
    pub executor: String,
    /// The graph.
    pub input: String,
    /// Launches: each of another kernel.
    pub launches: usize,
    /// Kernels in which a data race was planted.
    pub planted: usize,
    /// Launches that have one, by the exact oracle.
    pub with_race: usize,
    /// Launches of which the checker says so.
    pub found: usize,
    /// Of those: under a seeded schedule, and not in the plain order.
    pub by_schedule: usize,
    /// Launches with a racy word that the checker does not name.
    pub missed: usize,
    /// Launches with a word that the checker names and that is not racy.
    pub false_alarms: usize,
    /// Launches with a race that is reported at places where the planted bugs make none.
    pub wrong_site: usize,
}

impl Row {
    fn add(&mut self, judged: &Judged) {
        self.launches += 1;
        self.planted += usize::from(judged.variant.label() == Label::Racy);
        self.with_race += usize::from(judged.with_race);
        self.found += usize::from(judged.found);
        self.by_schedule += usize::from(judged.by_schedule);
        self.missed += usize::from(judged.missed > 0);
        self.false_alarms += usize::from(judged.false_alarms > 0);
        self.wrong_site += usize::from(!judged.wrong_sites.is_empty());
    }

    /// Whether checker and oracle agree, and the places are right.
    pub fn is_right(&self) -> bool {
        self.missed == 0 && self.false_alarms == 0 && self.wrong_site == 0
    }
}

/// A row for each input, and a last one for all.
pub fn rows(executor: &str, inputs: &[Input], judged: &[Judged]) -> Vec<Row> {
    let row = |input: &str| Row {
        executor: executor.to_owned(),
        input: input.to_owned(),
        ..Row::default()
    };
    let mut rows: Vec<Row> = inputs.iter().map(|input| row(&input.name)).collect();
    rows.push(row("all"));
    let last = inputs.len();
    for judged in judged {
        rows[judged.input].add(judged);
        rows[last].add(judged);
    }
    rows
}

/// Why planted races did not happen, and of how many launches on which input that is so.
pub fn unreached<'a>(
    inputs: &'a [Input],
    judged: &'a [Judged],
) -> BTreeMap<(&'a str, &'a str), usize> {
    let mut counts = BTreeMap::new();
    for judged in judged {
        if let Some(reason) = &judged.unreached {
            *counts.entry((&*inputs[judged.input].name, reason.as_str())).or_default() += 1;
        }
    }
    counts
}
