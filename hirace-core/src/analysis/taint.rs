//! Taint analysis of guesses: finds the sites whose address or control flow depends on contents that were not given.
//!
//! Neither the address of a racing access nor its control flow may depend on a guess, nor whether a barrier is reached
//! that could order the accesses: a host may never use the value that was guessed. Values assigned under control flow
//! that depends on a guess depend on it too. Guessed lengths of buffers and sizes of textures count as guesses like
//! contents. [`crate::contract::settle`] then decides which of these findings no host avoids.
//!
//! If the grid was guessed, the number of workgroups that a kernel reads is a guess, and given contents may be meant for another
//! grid. The latter makes addresses doubtful. It does not make control flow doubtful: the guards of a kernel on `n` are there so
//! that any grid fits.
//!
//! The analysis is that of [`super::flow`].

pub use super::flow::{Marks as Guesses, SiteMarks as SiteTaint};

use super::flow::{Flow, Sources};
use crate::facts::{self, Doubt};
use crate::ir::sites::{SiteId, SiteKind};
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::run::{BrokenClaim, OutOfBounds};
use naga::{GlobalVariable, Handle};
use rustc_hash::{FxHashMap, FxHashSet};

/// The guesses that the sites of a program depend on, for one choice of guessed variables.
#[derive(Clone, Debug, Default)]
pub struct Taint {
    flow: Flow,
    /// What was guessed, and of which variable, by its index in [`Guesses`].
    guessed: Vec<(InferredAspect, String)>,
    /// The guesses that the execution of a site must not depend on for a race there to be certain.
    decisive: Guesses,
    /// The guesses that decide which barriers are reached.
    barriers: Guesses,
}

impl Taint {
    /// Computes the guesses that the sites reachable from the entry points of `launch` depend on. `given_members` are members
    /// of uniforms that were given. `inferred_workgroups` is the number of workgroups if it was guessed. If there are several, given
    /// buffers may be meant for another grid.
    pub fn analyze(
        program: &Program,
        launch: &Launch,
        given_members: FxHashSet<(Handle<GlobalVariable>, u32)>,
        inferred_workgroups: Option<u64>,
    ) -> Self {
        let entries: Vec<usize> = launch.dispatches.iter().map(|dispatch| dispatch.entry).collect();
        let has_several = inferred_workgroups.is_some_and(|workgroups| workgroups > 1);
        let given = launch.resources.by_global.iter().map(|bound| has_several && bound.is_some());
        let guesses = ByVariable {
            given_members,
            contents: &launch.inferred_contents,
            lengths: &launch.inferred_lengths,
            given: &given.collect::<Vec<_>>(),
            num_workgroups: inferred_workgroups.is_some(),
        };
        Self::new(program, &entries, guesses)
    }

    /// Computes the guesses that the sites reachable from these entry points depend on.
    fn new(program: &Program, entries: &[usize], guesses: ByVariable<'_>) -> Self {
        let module = &program.module;
        let (mut guessed, mut decisive) = (Vec::new(), Guesses::NONE);
        let (mut globals, mut sizes) = (FxHashMap::default(), FxHashMap::default());
        let mut guess = |what: InferredAspect, name: &Option<String>| {
            guessed.push((what, name.clone().unwrap_or_default()));
            Guesses::from_index(guessed.len() - 1)
        };
        for (handle, variable) in module.global_variables.iter() {
            let is_guessed = |list: &[bool]| list.get(handle.index()) == Some(&true);
            if is_guessed(guesses.contents) {
                let guess = guess(InferredAspect::Contents, &variable.name);
                decisive |= guess;
                globals.insert(handle, guess);
            } else if is_guessed(guesses.given) {
                globals.insert(handle, guess(InferredAspect::Given, &variable.name));
            }
            if is_guessed(guesses.lengths) {
                let guess = guess(InferredAspect::Length, &variable.name);
                decisive |= guess;
                sizes.insert(handle, guess);
            }
        }
        let mut num_workgroups = Guesses::NONE;
        if guesses.num_workgroups {
            num_workgroups = guess(InferredAspect::NumWorkgroups, &None);
            decisive |= num_workgroups;
        }
        let sources = Sources {
            globals,
            num_workgroups,
            unmarked_members: guesses.given_members,
            sizes,
            by_control: decisive,
            ..Sources::default()
        };
        let flow = Flow::analyze(program, entries, &sources);
        let sites = program.sites.list.iter().zip(&flow.sites);
        let barriers = sites.filter(|(site, _)| matches!(site.kind, SiteKind::Barrier(_)));
        let barriers = barriers.fold(Guesses::NONE, |all, (_, marks)| all | marks.control);
        Self { flow, guessed, decisive, barriers: barriers & decisive }
    }

    /// Returns the guesses that `site` depends on.
    pub fn site(&self, site: SiteId) -> SiteTaint {
        self.flow.site(site)
    }

    /// Returns whether an event at `site` may be due to a guess, so that a finding there (a race, a divergence, an
    /// index out of bounds) is `possible` and not certain.
    pub fn is_possible(&self, site: SiteId) -> bool {
        let SiteTaint { address, control } = self.site(site);
        address.has_any() || (control & self.decisive).has_any()
    }

    /// Returns whether the duration of a loop or wait at `site` may be due to a guess. For example, a guessed
    /// step of 0 makes a loop that always terminates endless.
    pub fn may_be_endless(&self, site: SiteId) -> bool {
        let SiteTaint { address, control } = self.site(site);
        (address | control).has_any()
    }

    /// Returns why a finding at `site` may be due to a guess; `None` if it is not.
    pub fn doubt(&self, program: &Program, site: SiteId) -> Option<Doubt> {
        let SiteTaint { address, control } = self.site(site);
        match program.sites.get(site).map(|site| &site.kind) {
            Some(SiteKind::Loop) => return self.named(address | control).map(Doubt::LoopEnd),
            // A divergence depends only on which invocations reach the barrier.
            Some(SiteKind::Barrier(..)) => return self.named(control).map(Doubt::Control),
            _ => {}
        }
        let of_address = self.named(address).map(Doubt::Address);
        of_address.or_else(|| self.named(control & self.decisive).map(Doubt::Control))
    }

    /// Returns why a race within a workgroup may be due to a guess that decides which barriers are reached; `None` if no
    /// guess does.
    pub fn doubt_of_barriers(&self) -> Option<Doubt> {
        self.named(self.barriers).map(Doubt::Barriers)
    }

    /// Returns the guesses that a site depends on in any way.
    pub fn inferred_inputs(&self, site: SiteId) -> Option<facts::InferredInputs> {
        let SiteTaint { address, control } = self.site(site);
        self.named(address | control)
    }

    /// Returns why an index out of bounds may be due to a guess. However the guess affects the kernel, it counts: a
    /// loop up to a guessed `n` runs past the end of an array that the real `n` fits.
    pub fn doubt_out_of_bounds(&self, found: &OutOfBounds) -> Option<Doubt> {
        let taint = match found.site {
            SiteId::NONE => self.flow.spans.get(&found.span).copied().unwrap_or_default(),
            site => self.site(site),
        };
        let of_index = self.named(taint.address).map(Doubt::Index);
        of_index.or_else(|| self.named(taint.control).map(Doubt::Control))
    }

    /// Returns why a claim that did not hold may be due to a guess: an assertion states which values are intended.
    pub fn doubt_of_claim(&self, broken: &BrokenClaim) -> Option<Doubt> {
        let taint = self.flow.spans.get(&broken.span).copied().unwrap_or_default();
        let of_value = self.named(taint.address).map(Doubt::Value);
        of_value.or_else(|| self.named(taint.control).map(Doubt::Control))
    }

    /// Returns the variables that these guesses concern, if there are any.
    fn named(&self, guesses: Guesses) -> Option<facts::InferredInputs> {
        let variables_with = |what: InferredAspect| -> Vec<String> {
            let is_included = |&(index, guessed): &(usize, &(InferredAspect, String))| {
                guessed.0 == what && (guesses & Guesses::from_index(index)).has_any()
            };
            let found = self.guessed.iter().enumerate().filter(is_included);
            found.map(|(_, (_, name))| name.clone()).collect()
        };
        let (contents, lengths) =
            (variables_with(InferredAspect::Contents), variables_with(InferredAspect::Length));
        let given = variables_with(InferredAspect::Given);
        let workgroups = !variables_with(InferredAspect::NumWorkgroups).is_empty();
        let inputs = facts::InferredInputs { contents, lengths, given, workgroups };
        (inputs != facts::InferredInputs::default()).then_some(inputs)
    }
}

/// What was guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InferredAspect {
    Contents,
    Length,
    /// No aspect: the variable was given, but the grid was guessed.
    Given,
    /// Not of a variable: the number of workgroups, which entry points get as an argument.
    NumWorkgroups,
}

/// For each aspect, whether it was guessed; by index of the global variable if it is one of variables.
#[derive(Clone, Default)]
struct ByVariable<'a> {
    /// Members of uniforms that were given, by index. Other members may be guessed.
    given_members: FxHashSet<(Handle<GlobalVariable>, u32)>,
    contents: &'a [bool],
    lengths: &'a [bool],
    /// Whether the bound resource has to fit a grid that was guessed.
    given: &'a [bool],
    /// Whether the number of workgroups was guessed.
    num_workgroups: bool,
}

#[cfg(test)]
mod tests;
