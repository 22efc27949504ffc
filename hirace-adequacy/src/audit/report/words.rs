//! The wording of audits in all formats for people.

use crate::audit::point::{Point, PointKind as At};
use crate::audit::proposal::Proposal;
use crate::audit::results::{Advice, AdviceKind, Audit, BarrierNeed, Change, Gain};
use crate::mutate::report::words::changed;
use crate::mutate::results::Summary;
use crate::report::words::{count, shown};
use hirace_core::cover::coverage::{BranchKind, Part};

/// The text when there is nothing to audit.
pub const EMPTY: &str = "there is no kernel to audit";

/// The text for a stopped audit.
pub const STOPPED: &str = "stopped early: there may be more to do than this";

/// The text when there is no advice.
pub const NOTHING: &str = "no improvement of these tests was found";

/// Describes a point, with the source text that decides it: `` `if x > 3` is true ``.
pub fn point(point: &Point, condition: Option<&str>) -> String {
    let code = |otherwise: &str| match condition {
        Some(condition) => format!("`{}`", shown(condition)),
        None => otherwise.to_owned(),
    };
    match &point.what {
        At::Function { name } => format!("`{}` is called", shown(name)),
        At::Barrier => "all invocations of a workgroup reach the barrier".to_owned(),
        At::Iterations { case } => match &case[..] {
            "boundary" => format!("{} ends by its condition", code("the loop")),
            "0 iterations" => format!("{} does not run", code("the loop")),
            "1 iteration" => format!("{} runs exactly once", code("the loop")),
            _ => format!("{} runs more than once", code("the loop")),
        },
        At::Arm { branch, arm, .. } => {
            let otherwise = match branch {
                BranchKind::If => "the condition",
                BranchKind::Switch => "the switch",
                BranchKind::Select => "the selection",
                BranchKind::And | BranchKind::Or => "the operand",
            };
            match branch {
                BranchKind::Switch => format!("{} takes {}", code(otherwise), shown(arm)),
                BranchKind::And | BranchKind::Or => match &arm[..] {
                    "right operand" => format!("{} is evaluated", code(otherwise)),
                    _ => format!("{} is skipped", code(otherwise)),
                },
                _ => format!("{} is {}", code(otherwise), shown(arm)),
            }
        }
    }
}

/// Describes a change of the source.
pub fn change(change: &Change) -> String {
    changed(&change.original, &change.replacement)
}

/// Returns the advice in one line.
pub fn title(advice: &Advice) -> String {
    let kernel = advice.kernel.as_deref().map(shown).unwrap_or_default();
    match &advice.action {
        AdviceKind::Fix { found } => {
            format!("fix {} in `{kernel}`: {}", found.rule, shown(&found.message))
        }
        AdviceKind::Order { test, message, .. } => {
            format!("find out why {} (test {})", shown(message), shown(test))
        }
        AdviceKind::AddTest { test, gains } => {
            format!("add a test of `{kernel}` that {}", gain(test, gains))
        }
        AdviceKind::Barrier { barrier, needed } => match needed {
            BarrierNeed::ByFindings { .. } => format!(
                "assert the effect of `{}`: no compared output changes when it is removed",
                shown(barrier.trim_end_matches(';'))
            ),
            BarrierNeed::ByNothing { .. } => format!(
                "find out whether `{}` is needed: no test fails without it",
                shown(barrier.trim_end_matches(';'))
            ),
        },
        AdviceKind::Look { mutants, .. } => match &mutants[..] {
            [one] => format!("check a mutant that no launch detects: {}", change(one)),
            all => format!("check {} mutants on a line that no launch detects", all.len()),
        },
        AdviceKind::Reach { point: at, condition, .. } => {
            format!("find a launch for which {}, if one exists", point(at, condition.as_deref()))
        }
    }
}

fn gain(test: &Proposal, gains: &[Gain]) -> String {
    let reaches = gains.iter().filter(|gain| matches!(gain, Gain::Reaches { .. })).count();
    let notices = gains.len() - reaches;
    let reaches = (reaches > 0).then(|| match reaches {
        1 => "reaches a point that no other test reaches".to_owned(),
        n => format!("reaches {n} points that no other test reaches"),
    });
    let notices = (notices > 0).then(|| match notices {
        1 => "detects a mutant that no other test does".to_owned(),
        n => format!("detects {n} mutants that no other test does"),
    });
    let finds = (!test.rules.is_empty()).then(|| format!("finds {}", test.rules.join(", ")));
    let all: Vec<String> = [reaches, notices, finds].into_iter().flatten().collect();
    all.join(" and ")
}

/// Returns further details of the advice, one per line.
pub fn details(advice: &Advice) -> Vec<String> {
    match &advice.action {
        AdviceKind::Fix { found } => found.command.iter().map(|command| shown(command)).collect(),
        AdviceKind::Order { schedule, test, .. } => {
            vec![format!("hirace amplify --test {} --replay {}", shown(test), shown(schedule))]
        }
        AdviceKind::AddTest { test, gains } => {
            let mut lines: Vec<String> = gains
                .iter()
                .map(|gain| match gain {
                    Gain::Reaches { point: at, condition } => {
                        format!("{}: {}", at.line, point(at, condition.as_deref()))
                    }
                    Gain::Notices { line, change: of } => format!("{line}: {}", change(of)),
                })
                .collect();
            for name in &test.unsteady {
                let name = shown(name);
                lines.push(format!("`{name}` depends on the schedule, so it is not compared"));
            }
            lines
        }
        AdviceKind::Barrier { needed: BarrierNeed::ByFindings { test, rules }, .. } => {
            vec![format!(
                "without it {} finds {}: it is needed, but a test that runs only on a device would not detect its removal",
                shown(test),
                rules.join(", ")
            )]
        }
        AdviceKind::Barrier { needed: BarrierNeed::ByNothing { tried }, .. } => vec![format!(
            "without it there is no finding and no different output in {}: delete it, or add `expect survived(barrier): why`",
            count(*tried, "launch", "launches")
        )],
        AdviceKind::Look { mutants, nearest, tried } => {
            let mut lines: Vec<String> = match &mutants[..] {
                [_] => Vec::new(),
                all => all.iter().map(change).collect(),
            };
            lines.push(format!(
                "{} were tried: the result may always be the same, or differ only for inputs that were not tried",
                count(*tried, "launch", "launches")
            ));
            lines.extend(
                nearest.as_ref().map(|test| format!("{} is the closest test", shown(test))),
            );
            lines
        }
        AdviceKind::Reach { tried, .. } => {
            vec![format!("{} were tried", count(*tried, "launch", "launches"))]
        }
    }
}

/// Returns the detected mutants, of those that count.
pub fn detected_part(summary: &Summary) -> Part {
    let all = summary.by_status.iter().filter(|(status, _)| status.counts());
    let found = summary.by_status.iter().filter(|(status, _)| status.is_found());
    Part { covered: found.map(|(_, n)| n).sum(), total: all.map(|(_, n)| n).sum() }
}

/// Returns the percentage of detected mutants, rounded down, so that it never exceeds a threshold that the exact value
/// misses.
pub fn percent(noticed: Part) -> Option<u64> {
    let of_hundred = u128::from(noticed.covered) * 100;
    u64::try_from(of_hundred.checked_div(noticed.total.into())?).ok()
}

/// Describes the findings on launches and the effect of schedules, in one line each.
pub fn verdicts(audit: &Audit) -> [String; 2] {
    let certain = audit.found.iter().filter(|found| found.certain).count() as u64;
    let found = match certain {
        0 => "none on the launches of the tests".to_owned(),
        n => count(n, "finding", "findings"),
    };
    let findings = audit.schedules.findings();
    let orders = findings
        .filter(|(_, launched, _, finding)| finding.counts() && launched.guessed.is_empty())
        .count() as u64;
    let launches = audit.schedules.tests.iter().map(|test| test.launches.len() as u64).sum();
    let orders = match (orders, launches) {
        (_, 0) => "no launch was run under other schedules".to_owned(),
        (0, n) => {
            format!("nothing depends on the schedule in {}", count(n, "launch", "launches"))
        }
        (n, _) => format!("{} on the schedule", count(n, "thing depends", "things depend")),
    };
    [found, orders]
}
