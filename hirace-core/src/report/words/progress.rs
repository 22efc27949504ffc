//! Texts of kernels that do not terminate.

use super::context::qualify_message;
use super::divergence::elsewhere_phrase;
use super::finding_text::{FindingContext, FindingText, LabeledPlace};
use super::names::invocation;
use crate::facts::NoProgress;
use crate::report::label::Label;

/// Returns the texts of a kernel that does not terminate.
pub(super) fn finding_text(setting: &FindingContext<'_>, found: &NoProgress) -> FindingText {
    let grid = &setting.grid;
    let label =
        format!("{} is still here after {} steps", invocation(grid, found.stuck), found.steps);
    let mut places = vec![LabeledPlace {
        place: found.place,
        kind: "loop",
        label: Label::without_verb(label),
        who: Some(found.stuck),
    }];
    let mut after = Vec::new();
    for waiting in &found.waiting {
        let name = invocation(grid, waiting.invocation);
        let names = if waiting.is_only { name } else { format!("{name} and others") };
        match waiting.same_line {
            true => {
                let are = if waiting.is_only { "is" } else { "are" };
                after.push(format!("{names} {are} on this line too"));
            }
            false => places.extend(elsewhere_phrase(
                waiting.at,
                &names,
                waiting.is_only,
                waiting.invocation,
            )),
        }
    }
    let unfinished = match found.unfinished {
        1 => "1 invocation never finishes".to_owned(),
        n => format!("{n} invocations never finish"),
    };
    let message = "the kernel does not terminate: this loop makes no progress";
    FindingText {
        message: qualify_message(setting.is_possible, message.to_owned()),
        reason: unfinished,
        before: Vec::new(),
        after,
        last: None,
        places,
    }
}
