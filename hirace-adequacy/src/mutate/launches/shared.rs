//! Mutants of launches on a device, in programs of many ([`Schemata`]): what such a run says is taken where the mutant's own
//! text would say the same, and otherwise that runs too.
//!
//! With a mutant on, a program of many reads and writes what the mutant's text does, in the same order, so that its races and
//! indices out of bounds are the same. Where nothing is guessed each racy word is a certain finding, whoever raced for it, so
//! that nobody asks for that, unless only some races count. What may not be the same:
//! - whether something is certain, where launches are guessed, since guesses are followed through all of the program;
//! - barriers that not all invocations reach, and loops without an end, which show by the program's text and by steps;
//! - what a race leaves, if it is what is to be left: then the mutant's own text is asked;
//! - how floats are rounded: a driver may put a multiplication and an addition together in one program and not in another.

use super::{Launches, checked_of};
use crate::mutate::campaign::Subject;
use crate::mutate::judge::{Attempt, Attempted, Came, Mutated};
use crate::mutate::results::How;
use crate::mutate::schemata::{Chosen, Schemata};
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::{Checked, Options};
use hirace_core::diagnostic::Result;
use hirace_core::exec::EMBEDDED;
use hirace_core::facts::{Certainty, Kind, LaunchFacts, Warning};
use hirace_core::finding::suppress::Allows;

/// What a test leaves and says without a mutant.
#[derive(Debug)]
pub struct Left {
    pub memories: Vec<FinalMemory>,
    /// Whether programs of many may stand for its mutants: nothing of its launches was guessed, no race is expected, whose
    /// outcome is by chance, and no comment allows any.
    is_plain: bool,
    warnings: Vec<Warning>,
}

impl Left {
    pub fn of(checked: Checked) -> Self {
        let launches = checked.launches.iter();
        Self {
            is_plain: launches.clone().all(|launch| {
                is_given(launch) && !races(launch) && Allows::read(&launch.source).is_empty()
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
    /// From now on, these mutants run in programs of many, where launches run on a device. The embedded executor needs no
    /// pipelines.
    pub fn share(&mut self, subjects: &[Subject]) {
        if self.executor.device().name != EMBEDDED {
            self.schemata = Schemata::of(self.sources, subjects);
        }
    }

    /// What a test says of a mutant in a program of many; nothing, if there is no such program, or it may not be believed.
    pub(super) fn in_many(
        &self,
        test: usize,
        mutant: Mutated<'_>,
        attempt: Attempt<'_>,
        options: &Options,
    ) -> Result<Option<Attempted>> {
        let of = &self.tests[test];
        let Some(left) = self.left[test].get().filter(|left| left.is_plain) else {
            return Ok(None);
        };
        if !options.watch.relations.is_empty() {
            return Ok(None);
        }
        let keep = |program: &_| self.executor.keep(program);
        let chosen = self.schemata.choose(self.sources, of, mutant.text, options, keep);
        let Some(Chosen { program, options }) = chosen else { return Ok(None) };
        let mut session = self.session().without_explanation();
        let Ok(checked) = checked_of(&program, &options, &mut session) else { return Ok(None) };
        if !is_believed(&checked, left) || self.is_stopped() {
            return Ok(None);
        }
        let is_by_chance = attempt.lenient && checked.launches.iter().any(races);
        let is_rounded = are_close(&left.memories, &checked.memories);
        let judged = self.judged(test, attempt, checked)?;
        let is_sure = match judged.came {
            Came::Failed(How::Assertion) => !is_rounded,
            _ => !is_by_chance,
        };
        Ok(is_sure.then_some(judged))
    }
}

/// Whether the mutant's own text would have these findings, and no others.
fn is_believed(checked: &Checked, left: &Left) -> bool {
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
    checked.failures.is_empty() && checked.ended() && checked.launches.iter().all(is_same)
}

/// How far a float may be off by rounding.
const ROUNDING: f32 = 1e-3;

/// Whether memory is the same, but for how floats may be rounded. What are integers are looked at as if they were floats:
/// then large ones that differ by little are close, and the mutant's own text runs.
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
    // Small integers are subnormal.
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
