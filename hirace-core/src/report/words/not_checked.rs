//! Texts that explain why an input was not checked.

use crate::facts::NotCheckedReason;

/// Returns the reason, without a full stop.
pub fn not_checked(why: &NotCheckedReason) -> String {
    match why {
        NotCheckedReason::StoppedBefore => "the check was stopped before this input".to_owned(),
        NotCheckedReason::StoppedWithin => {
            "the check was stopped during this input: only a part was checked".to_owned()
        }
        NotCheckedReason::Error(error) => error.message.clone(),
    }
}
