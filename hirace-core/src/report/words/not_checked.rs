//! Texts that explain why an input was not checked.

use crate::facts::Why;

/// Returns the reason, without a full stop.
pub fn not_checked(why: &Why) -> String {
    match why {
        Why::StoppedBefore => "the check was stopped before this input".to_owned(),
        Why::StoppedWithin => {
            "the check was stopped during this input: only a part was checked".to_owned()
        }
        Why::Error(error) => error.message.clone(),
    }
}
