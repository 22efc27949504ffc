//! Output formats of schedule amplification results. `words` holds the wording.

pub mod github;
pub(crate) mod groups;
pub mod json;
pub mod text;
pub(crate) mod words;
