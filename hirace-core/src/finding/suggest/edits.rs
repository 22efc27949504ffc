//! Edits of the source text for changes that suggestions describe.
//!
//! Nothing here judges whether an edit is right: the edited text is parsed and checked before it is shown or written. An edit that
//! cannot be derived from the text is `None`.

mod atomic_syntax;
pub mod atomics;
mod barriers;
mod declared;
mod guard;

pub(crate) use barriers::{insert_barriers, move_barrier, read_first};
pub(crate) use guard::guard;
