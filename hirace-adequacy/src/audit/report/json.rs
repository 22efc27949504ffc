//! An audit as `hirace.audit/1`.

use crate::audit::results::Audit;

/// The audit as JSON.
pub fn report(audit: &Audit) -> String {
    let text = serde_json::to_string_pretty(audit);
    // Nothing in it can fail to be JSON: no maps with keys that are no text, no numbers that are none.
    text.unwrap_or_default() + "\n"
}
