//! Texts that explain why findings are only possible.

use super::assumption::host;
use super::names::join_in_sentence;
use crate::facts::{Doubt, InferredInputs};

/// Returns the note that states what a finding depends on.
pub fn doubt(doubt: &Doubt) -> String {
    format!("only possible: {}", describe_doubt(doubt))
}

/// Describes what a finding depends on.
pub(super) fn describe_doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Address(on) => format!("the accessed memory depends on {}", list_inferred(on)),
        Doubt::Control(on) => format!("whether it runs depends on {}", list_inferred(on)),
        Doubt::Barriers(on) => format!("which barriers are reached depends on {}", list_inferred(on)),
        Doubt::LoopEnd(on) => format!("when the loop ends depends on {}", list_inferred(on)),
        Doubt::Index(on) => format!("the index depends on {}", list_inferred(on)),
        Doubt::Value(on) => format!("the checked value depends on {}", list_inferred(on)),
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
        Doubt::Overrides(values) => {
            let shown = values.iter().map(|(name, value)| format!("`{name}` = {value}"));
            let shown: Vec<String> = shown.collect();
            format!("{} was guessed, and another value may avoid it", shown.join(", "))
        }
    }
}

/// Lists the inferred inputs: "the contents of `a` and `b` and the length of `c`, which were guessed".
fn list_inferred(inputs: &InferredInputs) -> String {
    let InferredInputs { contents, lengths, given, workgroups } = inputs;
    let mut parts = Vec::new();
    if !contents.is_empty() {
        parts.push(format!("the contents of {}", join_quoted(contents)));
    }
    match lengths.len() {
        0 => {}
        1 => parts.push(format!("the length of {}", join_quoted(lengths))),
        _ => parts.push(format!("the lengths of {}", join_quoted(lengths))),
    }
    if *workgroups {
        parts.push("the number of workgroups".to_owned());
    }
    if parts.is_empty() {
        let are = if given.len() == 1 { "is" } else { "are" };
        return format!("{}, which {are} given, but the grid is guessed", join_quoted(given));
    }
    let is_one = parts.len() == 1 && contents.is_empty() && lengths.len() <= 1;
    let were = if is_one { "was" } else { "were" };
    format!("{}, which {were} guessed", join_in_sentence(&parts))
}

/// Lists names: `a`, `b` and `c`.
fn join_quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    join_in_sentence(&names)
}
