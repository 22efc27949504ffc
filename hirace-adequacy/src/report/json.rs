//! A coverage as `hirace.cover/1`.

use hirace_core::cover::Coverage;

/// The coverage as JSON.
pub fn report(coverage: &Coverage) -> String {
    let text = serde_json::to_string_pretty(coverage);
    // Nothing in it can fail to be JSON: no maps with keys that are no text, no numbers that are none.
    text.unwrap_or_default() + "\n"
}
