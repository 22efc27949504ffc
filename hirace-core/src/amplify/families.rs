//! The strategies of schedule amplification: the orders that each tries for a dispatch.
//!
//! A new strategy is a function in this module and an entry in [`FAMILIES`].

use super::results::SkipReason;
use crate::vm::interleave::{Exhaustive, Interleaving, interleavings};
use crate::vm::order::Order;
use crate::vm::schedule::Schedule;
use crate::vm::strategy::targets;

/// A strategy, with the function that plans its orders.
pub struct Family {
    /// The name in reports and flags.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    pub(super) plan: fn(&PlanInput) -> Plan,
}

/// All strategies, in the order in which they are run. A finding is not reported again for later strategies.
pub static FAMILIES: &[Family] = &[
    Family {
        name: "exhaustive",
        about: "every schedule of single steps, for small grids",
        plan: exhaustive,
    },
    Family {
        name: "target-first",
        about: "one workgroup runs to completion before all others start",
        plan: target_first,
    },
    Family {
        name: "occupancy",
        about: "a fixed number of workgroups is resident, and the next starts when one ends",
        plan: occupancy,
    },
    Family {
        name: "seeded",
        about: "a random order of workgroups, subgroups and instructions",
        plan: seeded,
    },
    Family { name: "random", about: "each step is that of a random invocation", plan: random },
    Family {
        name: "pct",
        about: "random priorities of invocations with few changes: finds bugs of small depth with a known probability",
        plan: pct,
    },
];

/// Returns the strategy with this name.
pub fn find_family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// The input of a plan.
#[derive(Clone, Debug)]
pub(super) struct PlanInput {
    pub workgroups: u32,
    /// The number of steps of each invocation in the serial order; `None` if there are too many to choose each.
    pub steps: Option<Vec<u64>>,
    pub runs: u32,
    pub seed: u64,
    /// The greatest depth of a bug that PCT looks for.
    pub depth: u32,
    /// The maximum number of schedules for an exhaustive run.
    pub most: u64,
    /// Whether all schedules of single steps were run.
    pub all_were_run: bool,
}

/// The plan of a strategy.
#[derive(Debug)]
pub(super) enum Plan {
    Orders(Vec<Order>),
    All(Exhaustive),
    Skipped(SkipReason),
}

fn exhaustive(asked: &PlanInput) -> Plan {
    let Some(steps) = &asked.steps else { return Plan::Skipped(SkipReason::TooLong) };
    let bound = interleavings(steps);
    if bound <= u128::from(asked.most) {
        return Plan::All(Exhaustive::new(steps.clone()));
    }
    let schedules = (bound < u128::MAX).then(|| bound.to_string());
    Plan::Skipped(SkipReason::TooMany { schedules, most: asked.most })
}

fn target_first(asked: &PlanInput) -> Plan {
    let PlanInput { workgroups, runs, seed, .. } = *asked;
    if workgroups <= 1 {
        return Plan::Skipped(SkipReason::OneWorkgroup);
    }
    let targets = draw_targets(workgroups, runs, seed);
    Plan::Orders(targets.into_iter().map(|target| Schedule::target_first(target).into()).collect())
}

/// Returns `runs` target workgroups, or all workgroups if there are no more. First one of each ten is drawn by the
/// seed, then further ones by the next seeds. If there are more groups of ten than runs, the targets are spread over
/// the groups.
pub(super) fn draw_targets(workgroups: u32, runs: u32, seed: u64) -> Vec<u32> {
    if workgroups <= runs {
        return (0..workgroups).collect();
    }
    let mut all: Vec<u32> = targets(workgroups, seed).collect();
    if all.len() > runs as usize {
        let sets = all.len() as u64;
        let nth = |run: u32| all[(u64::from(run) * sets / u64::from(runs)) as usize];
        return (0..runs).map(nth).collect();
    }
    let more = (1..10).flat_map(|more| targets(workgroups, seed.wrapping_add(more)));
    for target in more.chain(0..workgroups) {
        if all.len() < runs as usize && !all.contains(&target) {
            all.push(target);
        }
    }
    all
}

fn occupancy(asked: &PlanInput) -> Plan {
    let PlanInput { workgroups, runs, .. } = *asked;
    if workgroups <= 1 {
        return Plan::Skipped(SkipReason::OneWorkgroup);
    }
    let rooms = (0..u32::BITS).map(|power| 1u32 << power).take_while(|room| *room < workgroups);
    let rooms = rooms.take(runs as usize);
    Plan::Orders(rooms.map(|room| Schedule::occupancy(room).into()).collect())
}

/// Returns the seeds of the runs. None is 0, which stands for the serial order.
fn seeds(asked: &PlanInput) -> impl Iterator<Item = u64> {
    let first = asked.seed.wrapping_mul(u64::from(u32::MAX));
    (1..=u64::from(asked.runs)).map(move |run| first.wrapping_add(run).max(1))
}

fn seeded(asked: &PlanInput) -> Plan {
    Plan::Orders(seeds(asked).map(|seed| Schedule::seeded(seed).into()).collect())
}

/// Plans a strategy that chooses single steps.
fn stepped(asked: &PlanInput, order: impl Fn(u64, u64) -> Interleaving) -> Plan {
    match &asked.steps {
        None => Plan::Skipped(SkipReason::TooLong),
        Some(_) if asked.all_were_run => Plan::Skipped(SkipReason::AllWereRun),
        Some(steps) => {
            let steps = steps.iter().sum();
            Plan::Orders(seeds(asked).map(|seed| order(seed, steps).into()).collect())
        }
    }
}

fn random(asked: &PlanInput) -> Plan {
    stepped(asked, |seed, _| Interleaving::random(seed))
}

fn pct(asked: &PlanInput) -> Plan {
    let depths = u64::from(asked.depth.max(1));
    stepped(asked, |seed, steps| Interleaving::pct(seed, 1 + seed % depths, steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn asked(workgroups: u32, runs: u32) -> PlanInput {
        let steps = Some(vec![2, 2]);
        PlanInput { workgroups, steps, runs, seed: 3, depth: 3, most: 5, all_were_run: false }
    }

    fn texts(planned: &Plan) -> Vec<String> {
        match planned {
            Plan::Orders(orders) => orders.iter().map(ToString::to_string).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn targets_differ_and_are_of_the_whole_grid() {
        for (workgroups, runs) in [(2, 20), (20, 20), (25, 20), (400, 20), (65_535, 20), (30, 29)] {
            let targets = draw_targets(workgroups, runs, 7);
            assert_eq!(targets.len() as u32, runs.min(workgroups));
            assert_eq!(targets.iter().collect::<BTreeSet<_>>().len(), targets.len());
            assert!(targets.iter().all(|target| *target < workgroups));
            let last = targets.iter().max().unwrap();
            assert!((last + 1) * 10 >= workgroups * 7, "{workgroups} {runs}: {last}");
        }
        assert_ne!(draw_targets(400, 20, 1), draw_targets(400, 20, 2));
    }

    #[test]
    fn rooms_are_smaller_than_the_grid() {
        assert_eq!(
            texts(&occupancy(&asked(9, 20))),
            ["occupancy:1", "occupancy:2", "occupancy:4", "occupancy:8"]
        );
        assert_eq!(texts(&occupancy(&asked(8, 2))), ["occupancy:1", "occupancy:2"]);
        assert!(matches!(occupancy(&asked(1, 2)), Plan::Skipped(SkipReason::OneWorkgroup)));
    }

    #[test]
    fn all_schedules_are_run_if_they_are_few() {
        match exhaustive(&asked(2, 1)) {
            Plan::Skipped(SkipReason::TooMany { schedules, most }) => {
                assert_eq!((schedules.as_deref(), most), (Some("6"), 5));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(exhaustive(&PlanInput { most: 6, ..asked(2, 1) }), Plan::All(_)));
    }

    #[test]
    fn seeds_are_never_that_of_the_serial_order_and_depths_take_turns() {
        for seed in [0, 1, u64::MAX] {
            let asked = PlanInput { seed, ..asked(2, 3) };
            let seeds: BTreeSet<u64> = seeds(&asked).collect();
            assert!(seeds.len() == 3 && !seeds.contains(&0));
        }
        let texts = texts(&pct(&asked(2, 6)));
        for depth in 1..=3 {
            let own = texts.iter().filter(|text| text.ends_with(&format!(":{depth}:4")));
            assert_eq!(own.count(), 2, "{texts:?}");
        }
    }
}
