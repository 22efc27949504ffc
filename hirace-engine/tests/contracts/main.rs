//! A search for wrong proofs: launches of random kernels that meet the requirements of their contracts have no race, no index out
//! of bounds and no divergent barrier. Launches that meet conditions which suffice for a fault have one.

mod case;
mod generate;
mod launches;

use case::Case;
use hirace_engine::random::Random;
use hirace_program::prove::{self, Rule, Rules, SeenFault};
use hirace_testing::{Tier, runs, seeds};
use launches::LaunchInputs;
use std::collections::BTreeSet;

/// The number of kernels that the quick tier runs, and the full one.
const SAMPLE: [u64; 2] = [20, 6_000];
/// The number of launches of a kernel.
const LAUNCHES: usize = 6;
/// The number of kernels within which a missing rule must be noticed.
const NOTICED: u64 = 1_000;
/// The minimum number of proved kernels with a launch of several workgroups, in percent of all kernels.
const SHARE: u64 = 25;

/// The rules whose absence random kernels notice. WGSL has no plain accesses of atomics, and the kernels rarely depend on the other
/// rules, which have separate tests in the library.
const NOTICEABLE: [Rule; 10] = [
    Rule::Wrapping,
    Rule::Bounds,
    Rule::Extents,
    Rule::Workgroups,
    Rule::Neighbors,
    Rule::Classes,
    Rule::Divergence,
    Rule::Iterations,
    Rule::Ways,
    Rule::Reads,
];

/// A fault of a launch that meets all requirements.
struct WrongProof {
    given: LaunchInputs,
    fault: String,
}

/// The result for a kernel.
struct Judged {
    /// Whether the kernel was proved, and a launch of several workgroups ran.
    is_shared: bool,
    wrong: Option<WrongProof>,
}

fn judge(case: &Case, seed: u64, rules: Rules) -> Result<Judged, String> {
    let mut judged = Judged { is_shared: false, wrong: None };
    let Some(requirements) = case.requirements(rules) else { return Ok(judged) };
    for (number, given) in (0..).zip(case.launches(&requirements, seed, LAUNCHES)) {
        judged.is_shared |= given.workgroups.iter().product::<u32>() > 1;
        if let Some(fault) = case.fault(&given, seed * LAUNCHES as u64 + number)? {
            judged.wrong = Some(WrongProof { given, fault });
            break;
        }
    }
    Ok(judged)
}

#[test]
fn launches_that_meet_a_contract_have_no_fault() -> Result<(), String> {
    let seeds = seeds(SAMPLE[0], SAMPLE[1]);
    let kernels = seeds.end - seeds.start;
    let mut shared = 0;
    for seed in seeds {
        let Ok(case) = Case::new(seed) else { continue };
        let judged = judge(&case, seed, Rules::default())?;
        shared += u64::from(judged.is_shared);
        if let Some(WrongProof { given, fault }) = judged.wrong {
            return Err(format!("kernel {seed}: {fault}\n{given:?}\n{}", case.text));
        }
    }
    match shared * 100 >= kernels * SHARE {
        true => Ok(()),
        false => Err(format!("{shared} of {kernels} kernels were proved and launched")),
    }
}

/// A fault that a launch shows is in each launch that meets conditions which suffice for it.
#[test]
fn launches_that_meet_sufficient_conditions_have_a_fault() -> Result<(), String> {
    let seeds = seeds(SAMPLE[0], SAMPLE[1] / 8);
    let kernels = seeds.end - seeds.start;
    let mut confirmed = 0;
    for seed in seeds {
        let Ok(case) = Case::new(seed) else { continue };
        let mut random = Random::stream(seed, 50);
        let mut seen = BTreeSet::new();
        for (number, given) in (0..).zip(case.launches(&[], seed, LAUNCHES)) {
            let ran = case.run(&given, seed * LAUNCHES as u64 + number)?;
            let mut local = || case.local_id(random.below(case.invocations()));
            let races = ran.races.into_iter().flat_map(|[a, b]| {
                let accesses = [(a, local()), (b, local())];
                [None, Some(0)].map(|across| SeenFault::Race { accesses, across })
            });
            let races = races.filter(|race| match race {
                SeenFault::Race { accesses: [(_, first), (_, second)], across } => {
                    first != second || across.is_some()
                }
                SeenFault::OutOfBounds(..) => false,
            });
            seen.extend(races);
            let outside = ran.out_of_bounds.into_iter();
            seen.extend(outside.map(|(site, by)| SeenFault::OutOfBounds(site, by)));
        }
        for fault in seen {
            for conditions in case.sufficient_conditions(fault).into_iter().take(2) {
                for given in case.launches(&conditions, seed, 2) {
                    let ran = case.run(&given, seed)?;
                    confirmed += 1;
                    if ran.is_complete && ran.fault.is_none() && ran.out_of_bounds.is_empty() {
                        let text = &case.text;
                        return Err(format!(
                            "kernel {seed}: {fault:?} needs only {conditions:?}\n{given:?}\n{text}"
                        ));
                    }
                }
            }
        }
    }
    match 4 * confirmed >= kernels {
        true => Ok(()),
        false => {
            Err(format!("{confirmed} launches of {kernels} kernels had a fault that was expected"))
        }
    }
}

/// Tests the test: some kernel must be proved wrongly if a rule is missing.
#[test]
fn missing_rules_are_noticed() -> Result<(), String> {
    if !runs(Tier::Full) {
        return Ok(());
    }
    for rule in NOTICEABLE {
        let is_wrong = |seed| -> Result<bool, String> {
            let Ok(case) = Case::new(seed) else { return Ok(false) };
            Ok(judge(&case, seed, Rules::without(rule))?.wrong.is_some())
        };
        let mut noticed = false;
        for seed in 0..NOTICED {
            noticed = is_wrong(seed)?;
            if noticed {
                break;
            }
        }
        if !noticed {
            return Err(format!("{NOTICED} kernels do not show that {rule:?} is missing"));
        }
    }
    Ok(())
}
