//! The context of texts, and phrases that several facts share.

use super::spelling;
use crate::facts::{Barrier, BarrierClass, HostDispatch, LaunchFacts, Place};
use crate::program::Language;
use crate::source_map::SourceMap;

/// The properties of a launch on which texts depend, in addition to the fact.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The source.
    pub source: &'a SourceMap,
    /// The language of the source.
    pub language: Language,
    /// The dispatch of the host program, if the launch comes from a running program.
    pub host: Option<&'a HostDispatch>,
}

impl<'a> Context<'a> {
    /// Returns the context of facts about `launch`.
    pub fn of(launch: &'a LaunchFacts) -> Self {
        Self { source: &launch.source, language: launch.language, host: launch.host.as_ref() }
    }

    /// Returns the barrier as the source writes it.
    pub(super) fn barrier(&self, barrier: &Barrier) -> String {
        let text = self.source.snippet(barrier.place.span);
        if !text.is_empty() && text.len() <= 60 && !text.contains('\n') {
            return text.to_owned();
        }
        match barrier.class {
            Some(class) => spelling::barrier(self.language, class).to_owned(),
            None => "a barrier".to_owned(),
        }
    }
}

/// Writes a source location: `source.rs:14:13`.
pub fn location(source: &SourceMap, place: Place) -> String {
    format!("{}:{}:{}", source.file(place.span.start), place.at.line, place.at.column)
}

/// Returns the memory that a class of barriers orders.
pub(super) fn ordered_by(class: BarrierClass) -> &'static str {
    match class {
        BarrierClass::Workgroup => "workgroup memory",
        BarrierClass::Texture => "textures",
        BarrierClass::Storage | BarrierClass::Subgroup => "storage memory",
    }
}

/// Writes a grid as a user would: `4`, `8,8`, `2,2,2`.
pub(super) fn grid(workgroups: [u32; 3]) -> String {
    crate::launch::grid::show(workgroups)
}

/// Joins a list in order: `a`, `a, then b, then c`.
pub(super) fn join_in_order(list: &[String]) -> String {
    list.join(", then ")
}

/// Prefixes `message` with "possibly" if the finding is only possible.
pub(super) fn qualify_message(is_possible: bool, message: String) -> String {
    if is_possible { format!("possibly, {message}") } else { message }
}
