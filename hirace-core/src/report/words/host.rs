//! Texts of dispatches of a host program.

use crate::facts::HostDispatch;

/// Describes a dispatch: `dispatched by the application: number 14, pipeline "fine", pass "frame"`.
pub fn host(dispatch: &HostDispatch) -> String {
    let HostDispatch { pipeline, pass, number } = dispatch;
    let labeled = |what: &str, label: &Option<String>| {
        label.as_ref().map(|label| format!(", {what} \"{label}\"")).unwrap_or_default()
    };
    let (pipeline, pass) = (labeled("pipeline", pipeline), labeled("pass", pass));
    format!("dispatched by the application: number {number}{pipeline}{pass}")
}
