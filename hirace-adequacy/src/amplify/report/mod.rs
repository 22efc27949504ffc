//! What the results of schedules are shown as. `words` is how all is said.

pub mod github;
mod groups;
pub mod json;
pub mod text;
mod words;
