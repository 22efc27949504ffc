//! The engine of hirace: front end, embedded executor, observers, findings and reports.

pub mod analysis;
pub mod check;
pub mod config;
pub mod diagnostic;
pub mod exec;
pub mod finding;
pub mod front;
pub mod ir;
pub mod launch;
pub mod observe;
pub mod pass;
pub mod program;
pub mod report;
pub mod shadow;
pub mod source_map;
pub mod vm;

pub use check::check;
