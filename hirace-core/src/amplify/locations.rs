//! Converts sites, invocations and accesses of a run to source locations and ids.

use super::results::{Access, AccessKind, InvocationIds, Place};
use crate::facts::{Grid, place};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::trace::Event;
use crate::program::Program;
use crate::vm::run::Invocation;

/// The source of a launch and the grid of a dispatch.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub program: &'a Program,
    pub grid: Grid,
    /// The name of the source file, which may differ from the program's name for it.
    pub file: &'a str,
}

impl Places<'_> {
    pub fn place(&self, site: SiteId) -> Place {
        let source = &self.program.source;
        let place = place::Place::of(self.program, site);
        let (at, end) = (place.at, source.position(place.span.end));
        let own = source.file(place.span.start);
        let file = if own == source.name() { self.file } else { own };
        let file = file.to_owned();
        let (line, column, end_line, end_column) = (at.line, at.column, end.line, end.column);
        Place { file, line, column, end_line, end_column }
    }

    pub fn invocation_ids(&self, invocation: Invocation) -> InvocationIds {
        InvocationIds {
            workgroup: self.grid.workgroup_id(invocation.workgroup),
            invocation: self.grid.local_id(invocation.local),
        }
    }

    pub fn access(&self, event: &Event) -> Access {
        let kind = match event.action {
            Action::Read => AccessKind::Read,
            Action::Write => AccessKind::Write,
            Action::Atomic | Action::AtomicInWorkgroup => AccessKind::Atomic,
        };
        Access {
            place: self.place(event.site),
            kind,
            invocation: self.invocation_ids(event.invocation),
        }
    }
}
