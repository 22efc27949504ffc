//! Decides which findings depend on guesses. A finding that depends on a guess is not certain, unless no host avoids it.
//!
//! Guesses are contents, lengths, a number of workgroups that the kernel's text does not imply, and the subgroup size. If the
//! grid was guessed, contents that were given may be meant for another grid. Tests of `crate::check` run a correct and
//! a wrong kernel for each kind of guess, with every combination of given and guessed values.

use crate::facts::Doubt;
use crate::ir::sites::SiteId;
use crate::vm::run::{BrokenClaim, OutOfBounds};

/// The guessed parts of a launch, as queries about what a finding depends on.
pub struct InferredParts<'a> {
    /// Whether the grid was guessed.
    pub grid: bool,
    /// Returns the guess that a site depends on, through its address or its control flow; `None` if there is none.
    pub taint: &'a dyn Fn(SiteId) -> Option<Doubt>,
    /// The guess that decides which barriers are reached, and thereby which accesses of a workgroup are ordered.
    pub barriers: Option<Doubt>,
    /// Returns the guess that an index out of bounds depends on. It may depend on guesses that do not affect races.
    pub bounds: &'a dyn Fn(&OutOfBounds) -> Option<Doubt>,
    /// Returns the guess that a failed claim depends on, through the values it checks.
    pub claims: &'a dyn Fn(&BrokenClaim) -> Option<Doubt>,
}

impl InferredParts<'_> {
    /// The guesses of a launch that was fully given.
    pub const NONE: InferredParts<'static> = InferredParts {
        grid: false,
        taint: &|_| None,
        barriers: None,
        bounds: &|_| None,
        claims: &|_| None,
    };

    /// Returns the doubts about a finding at these sites; empty if it is certain.
    pub(crate) fn judge(&self, sites: impl IntoIterator<Item = SiteId>) -> Vec<Doubt> {
        each_once(sites.into_iter().filter_map(|site| (self.taint)(site)))
    }

    /// Returns the doubts about a finding with these indices out of bounds.
    pub(crate) fn judge_bounds(&self, found: &[&OutOfBounds]) -> Vec<Doubt> {
        each_once(found.iter().filter_map(|found| (self.bounds)(found)))
    }

    /// Returns the doubts about a claim that did not hold.
    pub(crate) fn judge_claim(&self, broken: &BrokenClaim) -> Vec<Doubt> {
        (self.claims)(broken).into_iter().collect()
    }
}

fn each_once(all: impl Iterator<Item = Doubt>) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for doubt in all {
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Certainty, Finding, InferredInputs, Verdict};
    use crate::ir::access::Action::Write;
    use crate::tests::fixture::{Fixture, by};

    /// Checks a kernel with these arguments in which two workgroups write one word.
    fn across(arguments: &str, guesses: &InferredParts<'_>) -> (Finding, Verdict) {
        let text = format!(
            "struct Ids {{ @builtin(local_invocation_index) lane: u32, @builtin(num_workgroups) n: vec3<u32> }}
             @group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(64)
             fn main({arguments}) {{ data[0] = 1u; }}"
        );
        let mut fixture = Fixture::new(&text, [2, 1, 1]);
        let write = fixture.access(Write, 4, 0);
        fixture.race([0], by(0, 0, write), by(1, 0, write));
        let mut launch = fixture.launch(guesses);
        let verdict = launch.verdict();
        (launch.findings.remove(0), verdict)
    }

    #[test]
    fn a_tainted_site_makes_a_finding_possible_and_says_why_once() {
        let doubt = Doubt::Address(InferredInputs {
            contents: vec!["a".to_owned()],
            ..InferredInputs::default()
        });
        let taint = |_| Some(doubt.clone());
        let guesses = InferredParts { taint: &taint, ..InferredParts::NONE };
        let (finding, _) = across("@builtin(workgroup_id) id: vec3<u32>", &guesses);
        assert_eq!(finding.certainty(), Certainty::Possible);
        assert_eq!(finding.doubts, [doubt]);
    }
}
