//! Texts of accesses out of bounds.

use super::context::perhaps;
use super::finding_text::{FindingContext, FindingText, LabelledPlace};
use super::names::{count, invocation};
use super::race;
use crate::facts::OutOfBounds;
use crate::report::label::Label;

/// Returns the texts of accesses out of bounds.
pub(super) fn finding_text(setting: &FindingContext<'_>, found: &OutOfBounds) -> FindingText {
    let places = found.accesses.iter().map(|access| LabelledPlace {
        place: access.place,
        kind: access.action.map_or("index", |action| race::action(action).0),
        label: Label::new(
            "index",
            &format!("{} by {}", access.index, invocation(&setting.grid, access.by)),
        ),
        who: Some(access.by),
    });
    let more = setting.count.saturating_sub(found.accesses.len() as u64);
    let more = (more > 0)
        .then(|| format!("{} out of bounds here", count(more, "more access", "more accesses")));
    let message = format!(
        "index {} is out of bounds of `{}`, which has {}",
        found.memory.index,
        found.memory.variable,
        count(found.length.into(), "element", "elements")
    );
    FindingText {
        message: perhaps(setting.is_possible, message),
        reason: match found.length.checked_sub(1) {
            Some(last) => format!(
                "the last element has index {last}; implementations clamp such an access, drop it or read zero"
            ),
            None => "the array has no elements".to_owned(),
        },
        before: more.into_iter().collect(),
        after: Vec::new(),
        last: None,
        places: places.collect(),
    }
}
