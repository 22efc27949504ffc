//! Texts of barriers that not all invocations reach.

use super::context::perhaps;
use super::label::Label;
use super::said::{Pointed, Said, Setting};
use super::who::{count, invocations, workgroup};
use crate::facts::{Divergence, DivergenceAlone, Elsewhere, Missing};
use crate::vm::run::Invocation;

/// Returns the texts of a divergence.
pub(super) fn said(setting: &Setting<'_>, found: &Divergence) -> Said {
    let Setting { context, grid, .. } = setting;
    let arrived = found.arrived();
    let first = found.arrived.first().copied().unwrap_or(0);
    let who = |local| Invocation { workgroup: found.workgroup, local };
    let waits = if arrived.len() == 1 { "waits" } else { "wait" };
    let workgroup = workgroup(grid, found.workgroup);
    let label = format!("{} of workgroup {workgroup} {waits} here", invocations(&arrived));
    let mut places = vec![Pointed {
        place: found.barrier.place,
        kind: "barrier",
        label: Label::without_verb(label),
        who: Some(who(first)),
    }];
    let mut after = Vec::new();
    for Missing { at, invocations: locals } in &found.missing {
        let names = invocations(locals);
        let first = locals.first().copied().unwrap_or(0);
        match elsewhere(*at, &names, locals.len() == 1, who(first)) {
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
    Said {
        message: perhaps(setting.is_possible, message),
        reason: format!(
            "a barrier must be reached by all {} invocations of the workgroup; {} did not reach it",
            grid.invocations_a_workgroup(),
            invocations(&found.absent())
        ),
        before: Vec::new(),
        after,
        last: None,
        places,
    }
}

/// Returns the texts of a divergence of which a device reports only the workgroup.
pub(super) fn alone(setting: &Setting<'_>, found: &DivergenceAlone) -> Said {
    let Setting { context, grid, .. } = setting;
    let workgroup = workgroup(grid, found.workgroup);
    let (what, label) = match &found.barriers[..] {
        [barrier] => (format!("`{}`", context.barrier(barrier)), "not reached by all invocations"),
        _ => ("one of these barriers".to_owned(), "possibly not reached by all invocations"),
    };
    let label = Label::without_verb(format!("{label} of workgroup {workgroup}"));
    let places = found.barriers.iter().map(|barrier| Pointed {
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
    Said {
        message: perhaps(setting.is_possible, message),
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
pub(super) fn elsewhere(at: Elsewhere, names: &str, one: bool, who: Invocation) -> Option<Pointed> {
    let (kind, what) = match (at, one) {
        (Elsewhere::Barrier(_), true) => ("barrier", "waits here"),
        (Elsewhere::Barrier(_), false) => ("barrier", "wait here"),
        (Elsewhere::Running(_), true) => ("running", "is here"),
        (Elsewhere::Running(_), false) => ("running", "are here"),
        (Elsewhere::Returned(_) | Elsewhere::AtEnd, _) => ("return", "returned here"),
    };
    let label = Label::without_verb(format!("{names} {what}"));
    Some(Pointed { place: at.place()?, kind, label, who: Some(who) })
}
