//! How much has to be covered for a run to pass.

use hirace_core::cover::coverage::{Part, Summary};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::fmt;

/// How many of a hundred have to be covered.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gate(f64);

impl Gate {
    /// The gate that `text` says: a number from 0 to 100.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self> {
        let percent = text.trim().trim_end_matches('%').trim().parse::<f64>();
        match percent {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Self(percent)),
            _ => Err(Box::new(Diagnostic::new(format!("expected 0 to 100 percent, got `{text}`")))),
        }
    }
}

impl Gate {
    /// Whether so many of a hundred are enough.
    pub fn is_met(self, percent: f64) -> bool {
        percent >= self.0
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What has to be covered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gates {
    /// Of lines.
    pub lines: Option<Gate>,
    /// Of the arms of branches.
    pub branches: Option<Gate>,
    /// Of the cases of loops.
    pub loops: Option<Gate>,
    /// Of barriers.
    pub barriers: Option<Gate>,
}

impl Gates {
    /// An error for each gate that is not met. Where there is nothing to be covered, none is: nobody knows then that
    /// what was meant was looked at.
    pub fn missed(&self, summary: &Summary) -> Vec<Diagnostic> {
        let all = [
            ("lines", self.lines, summary.lines),
            ("branches", self.branches, summary.branches),
            ("loops", self.loops, summary.loops),
            ("barriers", self.barriers, summary.barriers),
        ];
        let missed = all.into_iter().filter_map(|(what, gate, part)| missed(what, gate?, part));
        missed.collect()
    }
}

fn missed(what: &str, Gate(least): Gate, part: Part) -> Option<Diagnostic> {
    match part.percent() {
        Some(percent) if percent >= least => None,
        Some(percent) => Some(Diagnostic::new(format!(
            "{:.2} % of {what} are covered ({} of {}), and {least} % have to be",
            // Never rounded up to what it is not.
            (percent * 100.0).floor() / 100.0,
            part.covered,
            part.total
        ))),
        None => Some(Diagnostic::new(format!(
            "there are no {what} to be covered, and {least} % have to be"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_met_by_what_is_equal_and_by_nothing_less() {
        let summary = Summary { lines: Part { covered: 3, total: 4 }, ..Summary::default() };
        let missed = |percent: &str| {
            let lines = Some(Gate::parse(percent).unwrap());
            Gates { lines, ..Gates::default() }.missed(&summary).len()
        };
        assert_eq!([missed("75"), missed("75.1"), missed("0"), missed("100 %")], [0, 1, 0, 1]);
    }

    #[test]
    fn what_there_is_none_of_meets_no_gate() {
        let gates = Gates { barriers: Some(Gate::parse("0").unwrap()), ..Gates::default() };
        assert_eq!(gates.missed(&Summary::default()).len(), 1);
        assert!(Gates::default().missed(&Summary::default()).is_empty());
    }

    #[test]
    fn a_gate_is_a_percentage() {
        for text in ["", "x", "-1", "101", "NaN", "inf"] {
            assert!(Gate::parse(text).is_err(), "{text}");
        }
    }
}
