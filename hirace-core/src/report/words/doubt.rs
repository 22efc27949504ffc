//! Texts that explain why findings are only possible.

use super::assumption::host;
use crate::facts::{Doubt, InferredInputs};

/// Returns the note that states what a finding depends on.
pub fn doubt(doubt: &Doubt) -> String {
    format!("only possible: {}", describe_doubt(doubt))
}

/// Describes a doubt: what depends on which guess.
pub(super) fn describe_doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Address(on) => format!("the accessed memory depends on {}", guessed(on)),
        Doubt::Control(on) => format!("whether it runs depends on {}", guessed(on)),
        Doubt::Barriers(on) => format!("which barriers are reached depends on {}", guessed(on)),
        Doubt::LoopEnd(on) => format!("when the loop ends depends on {}", guessed(on)),
        Doubt::Index(on) => format!("the index depends on {}", guessed(on)),
        Doubt::Value(on) => format!("the checked value depends on {}", guessed(on)),
        Doubt::Grid { workgroups, clamped } => {
            let takes = match clamped {
                true => "an index here is out of bounds, which needs",
                false => "it needs",
            };
            format!("{takes} {workgroups} workgroups, a number that was guessed")
        }
        Doubt::SubgroupSizes(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!(
                "it occurs with subgroups of {}, but not with all sizes that were tried",
                sizes.join(", ")
            )
        }
        Doubt::OrderByAtomics => {
            "the module orders memory by atomics or fences, which this check does not follow: run `hirace verify --model scoped-rc11 FILE` to decide"
                .to_owned()
        }
        Doubt::Host(values) => host(values),
    }
}

/// Lists the guessed properties: "the contents of `a` and `b` and the length of `c`, which were guessed".
fn guessed(guessed: &InferredInputs) -> String {
    let InferredInputs { contents, lengths, given } = guessed;
    if contents.is_empty() && lengths.is_empty() {
        let are = if given.len() == 1 { "is" } else { "are" };
        return format!("{}, which {are} given, and the grid is guessed", listed(given));
    }
    match (contents.len(), lengths.len()) {
        (0, 1) => format!("the length of {}, which was guessed", listed(lengths)),
        (0, _) => format!("the lengths of {}, which were guessed", listed(lengths)),
        (_, 0) => format!("the contents of {}, which were guessed", listed(contents)),
        (_, _) => format!(
            "the contents of {} and the length of {}, which were guessed",
            listed(contents),
            listed(lengths)
        ),
    }
}

/// Joins names: `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
