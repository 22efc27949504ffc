//! Coverage and score thresholds that a run must reach.

use hirace_core::cover::coverage::{Part, Summary};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::fmt;

/// A minimum percentage.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gate(f64);

impl Gate {
    /// Parses a threshold: a number from 0 to 100.
    ///
    /// # Errors
    /// The text is not such a number.
    pub fn parse(text: &str) -> Result<Self> {
        let percent = text.trim().trim_end_matches('%').trim().parse::<f64>();
        match percent {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Self(percent)),
            _ => Err(Box::new(Diagnostic::new(format!("expected 0 to 100 percent, got `{text}`")))),
        }
    }
}

impl Gate {
    /// Returns whether a percentage reaches the threshold.
    pub fn is_met(self, percent: f64) -> bool {
        percent >= self.0
    }

    /// Returns an error if a mutation score misses the threshold. Without a mutant that counts there is no score, and the
    /// threshold is missed. `what` is what the score says of mutants: `are detected`.
    pub fn missed_score(self, score: Option<f64>, mutants: u64, what: &str) -> Option<Diagnostic> {
        let error = match score {
            Some(score) if self.is_met(score) => return None,
            // Rounded down, so that a score below a threshold never looks as if it reached it.
            Some(score) => format!(
                "{:.2} % of mutants {what}, but {self} % are required",
                (score * 100.0).floor() / 100.0
            ),
            None if mutants == 0 => {
                format!("there are no mutants, but a score of {self} % is required")
            }
            None => format!(
                "none of {mutants} mutants counts in the score, but a score of {self} % is required"
            ),
        };
        Some(Diagnostic::new(error))
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The thresholds of a coverage run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gates {
    /// For lines.
    pub lines: Option<Gate>,
    /// For arms of branches.
    pub branches: Option<Gate>,
    /// For cases of loops.
    pub loops: Option<Gate>,
    /// For barriers.
    pub barriers: Option<Gate>,
}

impl Gates {
    /// Returns an error for each missed threshold. A threshold without anything to cover is missed, since it is then
    /// unknown whether the intended code was measured.
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
            "{:.2} % of {what} are covered ({} of {}), but {least} % are required",
            // Rounded down, so that a missed threshold never looks reached.
            (percent * 100.0).floor() / 100.0,
            part.covered,
            part.total
        ))),
        None => Some(Diagnostic::new(format!(
            "there are no {what} to cover, but {least} % are required"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gate_is_met_from_its_threshold_upward() {
        let summary = Summary { lines: Part { covered: 3, total: 4 }, ..Summary::default() };
        let missed = |percent: &str| {
            let lines = Some(Gate::parse(percent).unwrap());
            Gates { lines, ..Gates::default() }.missed(&summary).len()
        };
        assert_eq!([missed("75"), missed("75.1"), missed("0"), missed("100 %")], [0, 1, 0, 1]);
    }

    #[test]
    fn a_score_of_nothing_misses_every_threshold() {
        let gate = Gate::parse("95").unwrap();
        let missed = |score, mutants| {
            gate.missed_score(score, mutants, "are detected").map(|error| error.message)
        };
        assert_eq!(missed(Some(95.0), 3), None);
        assert_eq!(
            missed(Some(94.999), 3).unwrap(),
            "94.99 % of mutants are detected, but 95 % are required"
        );
        assert!(missed(None, 0).unwrap().starts_with("there are no mutants"));
        assert!(missed(None, 3).unwrap().starts_with("none of 3 mutants counts"));
    }

    #[test]
    fn empty_coverage_misses_every_gate() {
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
