//! Texts of barriers that not all invocations reach.

use super::context::qualify_message;
use super::finding_text::{FindingContext, FindingText, LabeledPlace};
use super::names::{count, invocations, workgroup};
use crate::facts::{Divergence, InvocationLocation, MissingInvocations, UnlocatedDivergence};
use crate::report::label::Label;
use crate::vm::run::Invocation;

/// Returns the texts of a divergence.
pub(super) fn finding_text(setting: &FindingContext<'_>, found: &Divergence) -> FindingText {
    let FindingContext { context, grid, .. } = setting;
    let arrived = found.arrived_sorted();
    let first = found.arrived.first().copied().unwrap_or(0);
    let who = |local| Invocation { workgroup: found.workgroup, local };
    let waits = if arrived.len() == 1 { "waits" } else { "wait" };
    let workgroup = workgroup(grid, found.workgroup);
    let label = format!("{} of workgroup {workgroup} {waits} here", invocations(&arrived));
    let mut places = vec![LabeledPlace {
        place: found.barrier.place,
        kind: "barrier",
        label: Label::without_verb(label),
        who: Some(who(first)),
    }];
    let mut after = Vec::new();
    for MissingInvocations { at, invocations: locals } in &found.missing {
        let names = invocations(locals);
        let first = locals.first().copied().unwrap_or(0);
        match elsewhere_phrase(*at, &names, locals.len() == 1, who(first)) {
            Some(pointed) => places.push(pointed),
            None => after.push(format!("{names} ran to the end of the entry point")),
        }
    }
    if setting.count > 1 {
        let more = count(setting.count - 1, "more time", "more times");
        after.push(format!("{more} at this barrier"));
    }
    let message = format!(
        "`{}` is not reached by all invocations of the workgroup",
        context.barrier(&found.barrier)
    );
    FindingText {
        message: qualify_message(setting.is_possible, message),
        reason: format!(
            "a barrier must be reached by all {} invocations of the workgroup; {} did not reach it",
            grid.invocations_per_workgroup(),
            invocations(&found.absent())
        ),
        before: Vec::new(),
        after,
        last: None,
        places,
    }
}

/// Returns the texts of a divergence of which a device reports only the workgroup.
pub(super) fn unlocated_finding_text(
    setting: &FindingContext<'_>,
    found: &UnlocatedDivergence,
) -> FindingText {
    let FindingContext { context, grid, .. } = setting;
    let workgroup = workgroup(grid, found.workgroup);
    let (what, label) = match &found.barriers[..] {
        [barrier] => (format!("`{}`", context.barrier(barrier)), "not reached by all invocations"),
        _ => ("one of these barriers".to_owned(), "possibly not reached by all invocations"),
    };
    let label = Label::without_verb(format!("{label} of workgroup {workgroup}"));
    let places = found.barriers.iter().map(|barrier| LabeledPlace {
        place: barrier.place,
        kind: "barrier",
        label: label.clone(),
        who: None,
    });
    let others = setting.count - 1;
    let others = (others > 0).then(|| {
        let others = count(others, "more workgroup", "more workgroups");
        format!("the same happens in {others}")
    });
    let message = format!("{what} is not reached by all invocations of the workgroup");
    FindingText {
        message: qualify_message(setting.is_possible, message),
        reason: "on the device, not all invocations of the workgroup reached the same barriers; which ones did not is \
                 not known, because the divergence did not occur on the embedded executor"
            .to_owned(),
        before: Vec::new(),
        after: others.into_iter().collect(),
        last: None,
        places: places.collect(),
    }
}

/// Returns the location of the invocations called `names`; `None` at the end of the entry point.
pub(super) fn elsewhere_phrase(
    at: InvocationLocation,
    names: &str,
    one: bool,
    who: Invocation,
) -> Option<LabeledPlace> {
    let (kind, what) = match (at, one) {
        (InvocationLocation::Barrier(_), true) => ("barrier", "waits here"),
        (InvocationLocation::Barrier(_), false) => ("barrier", "wait here"),
        (InvocationLocation::Running(_), true) => ("running", "is here"),
        (InvocationLocation::Running(_), false) => ("running", "are here"),
        (InvocationLocation::Returned(_) | InvocationLocation::AtEnd, _) => {
            ("return", "returned here")
        }
    };
    let label = Label::without_verb(format!("{names} {what}"));
    Some(LabeledPlace { place: at.place()?, kind, label, who: Some(who) })
}
