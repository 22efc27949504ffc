//! The report of a check, and its formats.
//!
//! A [`Report`] is what `hirace check --report json` prints, in the schema `hirace.check/2`. A later version may add fields. The
//! formats are functions of a report.

pub use hirace_core::report::document::{
    Cause, CausedFinding, Condition, Contract, DangerousUse, Device, Edit, Error, ErrorPlace,
    ExceededLimit, Finding, Fix, Host, LaunchReport, Memory, NotChecked, Note, Place,
    RaceConsequences, Report, Stats, SuppressedFinding, Tool, Unwatched, Violation, Word,
    WordAccess, WordAccesses,
};
pub use hirace_core::report::label::Label;

/// The report as text, in the form of rustc's diagnostics.
pub mod text {
    pub use hirace_core::report::text::{Style, report};
}

/// The report as JSON.
pub mod json {
    pub use hirace_core::report::json::{read, report};
}

/// The report in SARIF 2.1.0.
pub mod sarif {
    pub use hirace_core::report::sarif::report;
}

/// The report as workflow commands of GitHub Actions, which GitHub shows as annotations.
pub mod github {
    pub use hirace_core::report::github::report;
}

/// The report as a self-contained HTML page.
pub mod html {
    pub use hirace_core::report::html::report;
}
