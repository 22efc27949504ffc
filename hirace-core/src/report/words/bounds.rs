//! Texts of accesses out of bounds.

use super::context::qualify_message;
use super::finding_text::{FindingContext, FindingText, LabeledPlace};
use super::names::{count, invocation};
use super::race;
use crate::facts::OutOfBounds;
use crate::program::Language;
use crate::report::label::Label;

/// Returns the texts of accesses out of bounds.
pub(super) fn finding_text(setting: &FindingContext<'_>, found: &OutOfBounds) -> FindingText {
    let places = found.accesses.iter().map(|access| LabeledPlace {
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
    let is_used = found.accesses.iter().any(|access| access.is_used);
    let unused = if is_used { "" } else { ", but the value that is read is not used" };
    let mut after = Vec::new();
    if !is_used {
        after.push(
            "this is a warning, because nothing depends on the value: it is an error only with --strict"
                .to_owned(),
        );
        // WGSL defines what such a read does, and kernels in Rust become WGSL.
        if !matches!(setting.context.language, Language::Wgsl | Language::Rust) {
            after.push(
                "a device without robust buffer access may fail at such a read all the same"
                    .to_owned(),
            );
        }
    }
    let message = format!(
        "index {} is out of bounds of `{}`, which has {}{unused}",
        found.memory.index,
        found.memory.variable,
        count(found.length.into(), "element", "elements")
    );
    FindingText {
        message: qualify_message(setting.is_possible, message),
        reason: match found.length.checked_sub(1) {
            Some(last) => format!(
                "the last element has index {last}; implementations clamp such an access, drop it or read zero"
            ),
            None => "the array has no elements".to_owned(),
        },
        before: more.into_iter().collect(),
        after,
        last: None,
        places: places.collect(),
    }
}
