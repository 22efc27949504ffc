//! An audit as `hirace.audit/1`.

use crate::audit::results::Audit;

/// Returns the audit as JSON.
pub fn report(audit: &Audit) -> String {
    let text = serde_json::to_string_pretty(audit);
    // Serialization cannot fail: there are no maps with non-string keys and no non-finite numbers.
    text.unwrap_or_default() + "\n"
}
