//! Mutants that somebody should look at.

use crate::mutate::results::{Mutant, Says, Status};

/// Why somebody should look at a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// No test fails.
    Survived,
    /// A test fails in some of its runs.
    Undecided,
    /// No test runs what it changes.
    NotRun,
    /// Tests find it, and a directive in the source says otherwise of it.
    Directive,
}

impl Missed {
    /// In the order in which they matter.
    pub(super) const ALL: [Self; 4] =
        [Self::Survived, Self::Undecided, Self::NotRun, Self::Directive];
}

/// Why somebody should look at `mutant`, if there is a reason.
pub(crate) fn missed(mutant: &Mutant) -> Option<Missed> {
    if is_expected(mutant) {
        return None;
    }
    match mutant.status? {
        Status::Survived => Some(Missed::Survived),
        Status::Undecided => Some(Missed::Undecided),
        Status::NoCoverage => Some(Missed::NotRun),
        _ => is_refuted(mutant).then_some(Missed::Directive),
    }
}

/// Whether the source says that tests do not notice it, and they do not.
pub(super) fn is_expected(mutant: &Mutant) -> bool {
    let lives = mutant.status.is_some_and(|status| status.counts() && !status.is_found());
    let directive = mutant.directive.as_ref();
    lives && directive.is_some_and(|of| of.says == Says::ExpectSurvived && of.holds)
}

/// Whether it is not as the source says.
pub(super) fn is_refuted(mutant: &Mutant) -> bool {
    mutant.status.is_some() && mutant.directive.as_ref().is_some_and(|of| !of.holds)
}
