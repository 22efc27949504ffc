//! What hangs on a guess: which sites have an address, or control flow, that depends on contents
//! nobody gave.
//!
//! Two classes are told apart, because guards on them mean different things:
//! - *parameters* (uniforms and blocks like them): `if (i >= params.n) { return; }` is there so that
//!   some grid and some `n` fit each other. A kernel is run with values for which its code runs, so
//!   that *whether* a site runs may hang on parameters and a race there is still certain; *which*
//!   word it touches may not, since a guessed stride of 1 makes invocations overlap that never do.
//! - *contents* (storage buffers, textures): a branch or an index taken from data may be guarded by
//!   what a host puts there, so neither may hang on it.
//!
//! The analysis is that of [`super::flow`]. Values assigned under control flow that hangs on contents hang on them too; such that
//! are assigned under a guard on parameters do not, for the reason above (a loop counter of `for
//! (i = 0; i < params.n; i++)` takes the values it would take anyway). Guessed lengths of buffers and
//! sizes of textures count as parameters.

pub use super::flow::{Marks as Guesses, SiteMarks as SiteTaint};

use super::flow::{Flow, Sources};
use crate::facts::{self, Doubt};
use crate::ir::globals::{Role, role};
use crate::ir::sites::{SiteId, SiteKind};
use crate::launch::Launch;
use crate::program::Program;
use crate::vm::run::{Broken, OutOfBounds};
use rustc_hash::FxHashMap;

/// What the sites of a program hang on, for one choice of guessed variables.
#[derive(Clone, Debug, Default)]
pub struct Taint {
    flow: Flow,
    /// What was guessed, of which variable, by its place in [`Guesses`].
    guessed: Vec<(Guessed, String)>,
    /// Those of them that whether a site runs may not hang on, if a race there is to be certain.
    decisive: Guesses,
}

/// How a launch was guessed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Its grid was guessed and has several workgroups: what was given may be meant for another.
    pub several: bool,
    /// Numbers that were not given have values that a host need not ever give.
    pub unlikely: bool,
}

impl Taint {
    /// What the sites reached from the entry points of `launch` hang on.
    pub fn of(program: &Program, launch: &Launch, manner: Manner) -> Self {
        let entries: Vec<usize> = launch.dispatches.iter().map(|dispatch| dispatch.entry).collect();
        let given =
            launch.resources.by_global.iter().map(|bound| manner.several && bound.is_some());
        let guesses = ByVariable {
            contents: &launch.guessed_contents,
            lengths: &launch.guessed_lengths,
            given: &given.collect::<Vec<_>>(),
        };
        let mut taint = Self::new(program, &entries, guesses);
        if manner.unlikely {
            taint.decisive = Guesses(u64::MAX);
        }
        taint
    }

    /// What the sites reached from these entry points hang on.
    fn new(program: &Program, entries: &[usize], guesses: ByVariable<'_>) -> Self {
        let module = &program.module;
        let mut taint = Self::default();
        let (mut globals, mut sizes) = (FxHashMap::default(), FxHashMap::default());
        let mut guess = |what: Guessed, name: &Option<String>| {
            taint.guessed.push((what, name.clone().unwrap_or_default()));
            Guesses::nth(taint.guessed.len() - 1)
        };
        for (handle, variable) in module.global_variables.iter() {
            let is = |list: &[bool]| list.get(handle.index()) == Some(&true);
            if is(guesses.contents) {
                let guess = guess(Guessed::Contents, &variable.name);
                if role(module, handle) != Role::Parameters {
                    taint.decisive |= guess;
                }
                globals.insert(handle, guess);
            } else if is(guesses.given) {
                globals.insert(handle, guess(Guessed::Given, &variable.name));
            }
            if is(guesses.lengths) {
                sizes.insert(handle, guess(Guessed::Length, &variable.name));
            }
        }
        let sources = Sources {
            globals,
            sizes,
            // Parameters that decide whether something is assigned are left out, as said above.
            by_control: taint.decisive,
            ..Sources::default()
        };
        Self { flow: Flow::of(program, entries, &sources), ..taint }
    }

    /// What `site` hangs on.
    pub fn site(&self, site: SiteId) -> SiteTaint {
        self.flow.site(site)
    }

    /// Whether what happened at `site` may be owed to a guess, so that a finding there (a race, a
    /// divergence, an index out of bounds) is `possible` and not certain.
    pub fn possible(&self, site: SiteId) -> bool {
        let SiteTaint { address, control } = self.site(site);
        address.any() || (control & self.decisive).any()
    }

    /// Whether how long a loop or wait at `site` takes may be owed to a guess. Here parameters count:
    /// a guessed step of 0 makes a loop endless that never is.
    pub fn possibly_endless(&self, site: SiteId) -> bool {
        let SiteTaint { address, control } = self.site(site);
        (address | control).any()
    }

    /// Why a finding at `site`, of this kind, may be owed to a guess. `None` if it is owed to none.
    pub fn doubt(&self, program: &Program, site: SiteId) -> Option<Doubt> {
        let SiteTaint { address, control } = self.site(site);
        match program.sites.get(site).map(|site| &site.kind) {
            Some(SiteKind::Loop) => return self.named(address | control).map(Doubt::LoopEnd),
            // That some reach it and others do not is all there is to a divergence.
            Some(SiteKind::Barrier(..)) => return self.named(control).map(Doubt::Control),
            _ => {}
        }
        let of_address = self.named(address).map(Doubt::Address);
        of_address.or_else(|| self.named(control & self.decisive).map(Doubt::Control))
    }

    /// The guesses that a site hangs on in any way.
    pub fn guesses(&self, site: SiteId) -> Option<facts::Guessed> {
        let SiteTaint { address, control } = self.site(site);
        self.named(address | control)
    }

    /// Why an index out of bounds may be owed to a guess. Here parameters count however they steer the
    /// kernel: a loop up to a guessed `n` runs past the end of an array that a true `n` fits.
    pub fn doubt_out_of_bounds(&self, found: &OutOfBounds) -> Option<Doubt> {
        let taint = match found.site {
            SiteId::NONE => self.flow.spans.get(&found.span).copied().unwrap_or_default(),
            site => self.site(site),
        };
        let of_index = self.named(taint.address).map(Doubt::Index);
        of_index.or_else(|| self.named(taint.control).map(Doubt::Control))
    }

    /// Why a claim that did not hold may be owed to a guess. Parameters count here too: an assertion is what says
    /// which of their values are meant.
    pub fn doubt_of_claim(&self, broken: &Broken) -> Option<Doubt> {
        let taint = self.flow.spans.get(&broken.span).copied().unwrap_or_default();
        let of_value = self.named(taint.address).map(Doubt::Value);
        of_value.or_else(|| self.named(taint.control).map(Doubt::Control))
    }

    /// The variables that these guesses are of, if there are any.
    fn named(&self, guesses: Guesses) -> Option<facts::Guessed> {
        let of = |what: Guessed| -> Vec<String> {
            let among = |&(index, guessed): &(usize, &(Guessed, String))| {
                guessed.0 == what && (guesses & Guesses::nth(index)).any()
            };
            let found = self.guessed.iter().enumerate().filter(among);
            found.map(|(_, (_, name))| name.clone()).collect()
        };
        let (contents, lengths) = (of(Guessed::Contents), of(Guessed::Length));
        let given = of(Guessed::Given);
        let any = !contents.is_empty() || !lengths.is_empty() || !given.is_empty();
        any.then_some(facts::Guessed { contents, lengths, given })
    }
}

/// What of a variable was guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guessed {
    Contents,
    Length,
    /// Nothing: it was given, for a grid that was guessed.
    Given,
}

/// What of each global variable, by index, was guessed.
#[derive(Clone, Copy, Default)]
struct ByVariable<'a> {
    contents: &'a [bool],
    lengths: &'a [bool],
    /// What was bound to it, given or not, has to fit a grid that was guessed.
    given: &'a [bool],
}

#[cfg(test)]
mod tests;
