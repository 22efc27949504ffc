//! `--explain-static`: lists the accesses to shared, written memory, and whether each was proved race-free or is
//! monitored.

use hirace_core::check::Follower;
use hirace_core::diagnostic::Result;
use hirace_core::exec::{DispatchContext, Executor, Shortcuts, Watch, watch_plan};
use hirace_core::launch::Launch;
use hirace_core::program::Program;
use hirace_core::report::words::not_watched;
use hirace_core::watch::{NotWatched, Scope};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// An access in a source file: file, line, column and text.
type Place = (String, u32, u32, String);

/// The accesses of all launches that ran.
#[derive(Debug, Default)]
pub struct StaticExplanation {
    /// The reason why an access is not monitored, or `None` if some launch monitors it.
    sites: BTreeMap<Place, Option<NotWatched>>,
}

impl Follower for StaticExplanation {
    fn ran(&mut self, program: &Program, launch: &Launch, _: &dyn Executor) -> Result<()> {
        for dispatch in &launch.dispatches {
            let known = DispatchContext::new(program, launch, dispatch);
            let plan = watch_plan(&known, &Watch::default(), Scope::MayRace);
            for (site, watched) in plan.sites() {
                let reason = match watched {
                    Ok(()) => None,
                    Err(proven @ NotWatched::Proven(_)) => Some(proven),
                    // The access is not to shared, written memory.
                    Err(_) => continue,
                };
                let Some(site) = program.sites.get(site) else { continue };
                let at = program.source.position(site.span.start);
                let file = program.source.file(site.span.start).to_owned();
                let text = program.source.snippet(site.span);
                let text = text.lines().next().unwrap_or_default().to_owned();
                match self.sites.entry((file, at.line, at.column, text)) {
                    Entry::Vacant(entry) => drop(entry.insert(reason)),
                    Entry::Occupied(entry) if reason.is_none() => *entry.into_mut() = None,
                    Entry::Occupied(_) => {}
                }
            }
        }
        Ok(())
    }
}

impl StaticExplanation {
    /// Returns a line for each access, and a summary line that says whether proofs were used as a shortcut.
    pub fn lines(&self, shortcuts: Shortcuts) -> impl Iterator<Item = String> {
        let line = |((file, line, column, text), reason): (&Place, &Option<NotWatched>)| {
            let said = match reason {
                Some(reason) => format!("proved: {}", not_watched(*reason)),
                None => "watched".to_owned(),
            };
            format!("{file}:{line}:{column}: `{text}`: {said}")
        };
        let proved = self.sites.values().flatten().count();
        let of = self.sites.len();
        let but = if shortcuts.proofs { "" } else { ", but monitored because of --shortcuts" };
        let sum = format!("{proved} of {of} accesses to shared, written memory are proved{but}");
        self.sites.iter().map(line).chain([sum])
    }
}
