//! A coverage report as `hirace.cover/1`.

use hirace_core::cover::Coverage;

/// Returns the coverage as JSON.
pub fn report(coverage: &Coverage) -> String {
    let text = serde_json::to_string_pretty(coverage);
    // Serialization cannot fail: there are no maps with non-string keys and no non-finite numbers.
    text.unwrap_or_default() + "\n"
}
