//! Runs mutants of launches on a device in schemata ([`Schemata`]). The outcome is used if the mutant's own text would
//! have the same one; otherwise that text runs too.
//!
//! A schema with a mutant enabled reads and writes what the mutant's text does, in the same order, so its races and
//! out-of-bounds indices are the same. If nothing is guessed, each racy word is a certain finding whatever the other
//! access is, so the other access is not determined, unless only some races count. The following may differ:
//! - certainty, if launches are guessed, since guesses are tracked through the whole program;
//! - divergent barriers and infinite loops, which depend on the program's text and on step counts;
//! - the outputs of a race, if they are compared: then the mutant's own text decides;
//! - rounding of floats: a driver may fuse a multiplication and an addition in one program but not in another.

use super::{Launches, checked_of};
use crate::mutate::campaign::Subject;
use crate::mutate::judge::{Attempt, AttemptResult, MutantText, TestOutcome};
use crate::mutate::results::KillCause;
use crate::mutate::schemata::{EnabledMutant, Schemata};
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::{CheckOutcome, Options};
use hirace_core::diagnostic::Result;
use hirace_core::exec::EMBEDDED;
use hirace_core::facts::{Certainty, Kind, LaunchFacts, Warning};
use hirace_core::finding::suppress::Suppressions;

/// The outputs and findings of a test without a mutant.
#[derive(Debug)]
pub struct BaselineRun {
    pub memories: Vec<FinalMemory>,
    /// Whether schemata can represent its mutants: nothing in its launches was guessed, no race is expected, whose
    /// outputs would be random, and no comment suppresses one.
    supports_schemata: bool,
    warnings: Vec<Warning>,
}

impl BaselineRun {
    pub fn of(checked: CheckOutcome) -> Self {
        let launches = checked.launches.iter();
        Self {
            supports_schemata: launches.clone().all(|launch| {
                is_given(launch) && !races(launch) && Suppressions::read(&launch.source).is_empty()
            }),
            warnings: launches.flat_map(|launch| launch.warnings.clone()).collect(),
            memories: checked.memories,
        }
    }
}

fn is_given(launch: &LaunchFacts) -> bool {
    !launch.guessed && launch.assumptions.is_empty()
}

fn races(launch: &LaunchFacts) -> bool {
    launch.findings.iter().any(|finding| finding.kind() == Kind::DataRace)
}

impl Launches<'_> {
    /// Makes these mutants run in schemata from now on, if launches run on a device. The embedded executor has no
    /// compilation to save.
    pub fn enable_schemata(&mut self, subjects: &[Subject]) {
        if self.executor.device().name != EMBEDDED {
            self.schemata = Schemata::of(self.sources, subjects);
        }
    }

    /// Runs a test on a mutant in a schema. Returns `None` if there is no schema, or if its outcome cannot be trusted.
    pub(super) fn run_in_schema(
        &self,
        test: usize,
        mutant: MutantText<'_>,
        attempt: Attempt<'_>,
        options: &Options,
    ) -> Result<Option<AttemptResult>> {
        let of = &self.tests[test];
        let Some(left) = self.baselines[test].get().filter(|left| left.supports_schemata) else {
            return Ok(None);
        };
        if !options.watch.relations.is_empty() {
            return Ok(None);
        }
        let keep = |program: &_| self.executor.keep(program);
        let chosen = self.schemata.choose(self.sources, of, mutant.text, options, keep);
        let Some(EnabledMutant { program, options }) = chosen else { return Ok(None) };
        let mut session = self.session().without_explanation();
        let Ok(checked) = checked_of(&program, &options, &mut session) else { return Ok(None) };
        if !has_exact_findings(&checked, left) || self.is_stopped() {
            return Ok(None);
        }
        let is_by_chance = attempt.lenient && checked.launches.iter().any(races);
        let is_rounded = are_close(&left.memories, &checked.memories);
        // Sites of the schema refer to the original text.
        let attempt = Attempt { mutant: Some(MutantText { edits: &[], ..mutant }), ..attempt };
        let judged = self.judged(test, attempt, checked)?;
        let is_sure = match judged.outcome {
            TestOutcome::Failed(KillCause::Assertion) => !is_rounded,
            _ => !is_by_chance,
        };
        Ok(is_sure.then_some(judged))
    }
}

/// Returns whether the mutant's own text would have exactly these findings.
fn has_exact_findings(checked: &CheckOutcome, left: &BaselineRun) -> bool {
    let is_known = |warning: &Warning| {
        matches!(warning, Warning::ScheduleNotFollowed(_)) || left.warnings.contains(warning)
    };
    let is_same = |launch: &LaunchFacts| {
        let mut findings = launch.findings.iter();
        is_given(launch)
            && launch.unwatched.is_empty()
            && launch.warnings.iter().all(is_known)
            && findings.all(|finding| {
                matches!(finding.kind(), Kind::DataRace | Kind::OutOfBounds)
                    && finding.certainty() == Certainty::Certain
            })
    };
    checked.failures.is_empty() && checked.all_terminated() && checked.launches.iter().all(is_same)
}

/// The relative tolerance for rounding of floats.
const ROUNDING: f32 = 1e-3;

/// Returns whether two memories are equal up to rounding of floats. Integers are compared as floats too: large integers
/// with a small difference count as close, and then the mutant's own text runs.
fn are_close(left: &[FinalMemory], memories: &[FinalMemory]) -> bool {
    let of = |memory: &FinalMemory, name: &str| memory.contents(name).unwrap_or_default();
    left.len() == memories.len()
        && left.iter().zip(memories).all(|(left, memory)| {
            let written = super::written_by(left);
            written.iter().all(|name| all_close(&of(left, name), &of(memory, name)))
        })
}

fn all_close(a: &[u8], b: &[u8]) -> bool {
    let words = |bytes: &[u8]| -> Vec<f32> {
        let words = bytes.chunks_exact(4);
        words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    // Small integers are subnormal floats.
    let is_number = |a: f32| a == 0.0 || a.is_normal();
    let close = |a: f32, b: f32| {
        a.to_bits() == b.to_bits()
            || (a.is_nan() && b.is_nan())
            || (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
            || (is_number(a) && is_number(b) && (a - b).abs() <= ROUNDING)
    };
    a.len() == b.len() && words(a).into_iter().zip(words(b)).all(|(a, b)| close(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_close_and_other_numbers_are_not() {
        let bytes =
            |floats: &[f32]| floats.iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<_>>();
        assert!(all_close(&bytes(&[1.0, f32::NAN]), &bytes(&[1.000_001, f32::NAN])));
        assert!(!all_close(&bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.1])));
        assert!(!all_close(&bytes(&[1.0]), &bytes(&[1.0, 1.0])));
        assert!(!all_close(&1u32.to_le_bytes(), &2u32.to_le_bytes()));
        assert!(!all_close(&1u32.to_le_bytes(), &0x3f80_0000u32.to_le_bytes()));
    }
}
