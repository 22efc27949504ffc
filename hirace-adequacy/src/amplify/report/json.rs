//! Results as `hirace.amplify/1`.

use hirace_core::amplify::results::Results;

/// The results as JSON.
pub fn report(results: &Results) -> String {
    let text = serde_json::to_string_pretty(results);
    // Nothing in it can fail to be JSON: no maps with keys that are no text, no numbers that are none.
    text.unwrap_or_default() + "\n"
}
