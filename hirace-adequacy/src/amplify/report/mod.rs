//! What the results of schedules are shown as. `words` is how all is said.

pub mod github;
pub(crate) mod groups;
pub mod json;
pub mod text;
pub(crate) mod words;
