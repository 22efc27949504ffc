//! What words depend on beside the fact, and turns of phrase that several facts share.

use super::spelling;
use crate::facts::{Barrier, Class, HostDispatch, LaunchFacts, Place};
use crate::program::Language;
use crate::source_map::SourceMap;

/// What words for a fact of a launch depend on beside the fact.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The source.
    pub source: &'a SourceMap,
    /// What it is written in.
    pub language: Language,
    /// Who dispatched it, if a program did that runs.
    pub host: Option<&'a HostDispatch>,
}

impl<'a> Context<'a> {
    /// That of facts about `launch`.
    pub fn of(launch: &'a LaunchFacts) -> Self {
        Self { source: &launch.source, language: launch.language, host: launch.host.as_ref() }
    }

    /// The barrier as the source calls it.
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

/// `source.rs:14:13`.
pub fn location(source: &SourceMap, place: Place) -> String {
    format!("{}:{}:{}", source.file(place.span.start), place.at.line, place.at.column)
}

/// What a class of barriers orders.
pub(super) fn ordered_by(class: Class) -> &'static str {
    match class {
        Class::Workgroup => "workgroup memory",
        Class::Texture => "textures",
        Class::Storage | Class::Subgroup => "storage memory",
    }
}

/// A grid as a user writes it: `4`, `8,8`, `2,2,2`.
pub(super) fn grid(workgroups: [u32; 3]) -> String {
    crate::launch::grid::show(workgroups)
}

/// `a`, `a, then b, then c`.
pub(super) fn in_turn(list: &[String]) -> String {
    list.join(", then ")
}

/// `message`, with «possibly» before it where the finding is only that.
pub(super) fn perhaps(is_possible: bool, message: String) -> String {
    if is_possible { format!("possibly, {message}") } else { message }
}
