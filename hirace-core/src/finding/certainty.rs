//! What hangs on guesses: a guess is never a verdict.

use super::Certainty;
use crate::ir::sites::SiteId;
use crate::launch::Launch;
use crate::observe::trace::Pair;
use crate::program::Program;
use naga::{Binding, BuiltIn, TypeInner};

/// What of a launch was guessed, as far as findings hang on it.
pub struct Guesses<'a> {
    /// Whether the grid was.
    pub grid: bool,
    /// What guess a site hangs on, by its address or by whether it runs: a clause like «its index
    /// depends on the contents of `params`, which were guessed». `None` for what hangs on none.
    pub taint: &'a dyn Fn(SiteId) -> Option<String>,
}

impl Guesses<'_> {
    /// For a launch of which all was given.
    pub const NONE: Guesses<'static> = Guesses { grid: false, taint: &|_| None };

    /// Whether a finding at these sites is certain, and if not, why, a note for each reason.
    pub(crate) fn judge(
        &self,
        sites: impl IntoIterator<Item = SiteId>,
    ) -> (Certainty, Vec<String>) {
        let mut notes = Vec::new();
        for site in sites {
            if let Some(clause) = (self.taint)(site) {
                let note = format!("only possible: {clause}");
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        let certainty = if notes.is_empty() { Certainty::Certain } else { Certainty::Possible };
        (certainty, notes)
    }

    /// Likewise for a race. One between two workgroups of a guessed grid is not certain if the kernel
    /// does not ask which workgroup it is: it may be meant for one alone.
    pub(crate) fn judge_race(
        &self,
        program: &Program,
        launch: &Launch,
        dispatch: usize,
        pair: &Pair,
    ) -> (Certainty, Vec<String>) {
        let (mut certainty, mut notes) = self.judge([pair.earlier.site, pair.later.site]);
        let entry = launch.dispatches.get(dispatch).map(|dispatch| dispatch.entry);
        let across = pair.earlier.invocation.workgroup != pair.later.invocation.workgroup;
        if self.grid && across && !entry.is_some_and(|entry| tells_workgroups_apart(program, entry))
        {
            certainty = Certainty::Possible;
            notes.push(
                "races if dispatched with more than one workgroup; the kernel reads neither a global \
                 nor a workgroup id, so it may be meant for one alone"
                    .to_owned(),
            );
        }
        (certainty, notes)
    }
}

/// Whether the entry point takes a built-in value by which workgroups differ, or that tells how many
/// there are.
fn tells_workgroups_apart(program: &Program, entry: usize) -> bool {
    let Some(entry) = program.module.entry_points.get(entry) else { return false };
    let tells = |binding: Option<&Binding>| {
        matches!(
            binding,
            Some(Binding::BuiltIn(
                BuiltIn::GlobalInvocationId | BuiltIn::WorkGroupId | BuiltIn::NumWorkGroups
            ))
        )
    };
    entry.function.arguments.iter().any(|argument| {
        let member = match &program.module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => {
                members.iter().any(|member| tells(member.binding.as_ref()))
            }
            _ => false,
        };
        member || tells(argument.binding.as_ref())
    })
}
