//! Results as `hirace.amplify/1`.

use hirace_core::amplify::results::Results;

/// Returns the results as JSON.
pub fn report(results: &Results) -> String {
    let text = serde_json::to_string_pretty(results);
    // Serialization cannot fail: there are no maps with non-string keys and no non-finite numbers.
    text.unwrap_or_default() + "\n"
}
