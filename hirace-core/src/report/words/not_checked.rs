//! Why something was not checked, in words.

use crate::facts::Why;

/// The reason, as a sentence without its end.
pub fn not_checked(why: &Why) -> String {
    match why {
        Why::StoppedBefore => "the check was stopped before it".to_owned(),
        Why::StoppedWithin => "the check was stopped within it: only a part was checked".to_owned(),
        Why::Error(error) => error.message.clone(),
    }
}
