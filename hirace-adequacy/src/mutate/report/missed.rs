//! Mutants that need attention.

use crate::mutate::results::{DirectiveKind, Mutant, Status};

/// The reason why a mutant needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissReason {
    /// No test fails.
    Survived,
    /// A test fails in some of its runs.
    Undecided,
    /// No test runs the mutated code.
    NotRun,
    /// The outcome contradicts a directive in the source.
    Directive,
}

impl MissReason {
    /// All reasons, the most important first.
    pub(super) const ALL: [Self; 4] =
        [Self::Survived, Self::Undecided, Self::NotRun, Self::Directive];
}

/// Returns why `mutant` needs attention, or `None` if it does not.
pub(crate) fn missed(mutant: &Mutant) -> Option<MissReason> {
    if is_expected(mutant) {
        return None;
    }
    match mutant.status? {
        Status::Survived => Some(MissReason::Survived),
        Status::Undecided => Some(MissReason::Undecided),
        Status::NoCoverage => Some(MissReason::NotRun),
        _ => is_refuted(mutant).then_some(MissReason::Directive),
    }
}

/// Returns whether a mutant survives and the source expects that.
pub(super) fn is_expected(mutant: &Mutant) -> bool {
    let lives = mutant.status.is_some_and(|status| status.counts() && !status.is_found());
    let directive = mutant.directive.as_ref();
    lives && directive.is_some_and(|of| of.kind == DirectiveKind::ExpectSurvived && of.holds)
}

/// Returns whether the outcome contradicts the directive in the source.
pub(super) fn is_refuted(mutant: &Mutant) -> bool {
    mutant.status.is_some() && mutant.directive.as_ref().is_some_and(|of| !of.holds)
}
