//! The random choices of each dispatch.

use super::Setup;
use crate::environment::Parameters;
use hirace_engine::random::Random;
use std::collections::BTreeSet;

/// The random choices of one dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The number of workgroups.
    pub workgroups: u32,
    /// The words of the uniform buffer.
    pub uniform: [u32; 12],
    /// The shuffled id of each workgroup.
    pub shuffled_ids: Vec<u32>,
    /// The word of the scratch memory that each workgroup stresses.
    pub targets: Vec<u32>,
}

impl Iteration {
    /// Draws the next iteration.
    pub fn draw(random: &mut Random, setup: &Setup<'_>) -> Self {
        let parameters = setup.parameters;
        let mut often = |percent: u32| random.below(100u32) < percent;
        let is_shuffled = often(parameters.shuffle_pct);
        let in_turns = often(parameters.stress_strategy_balance_pct);
        let uniform = [
            often(parameters.barrier_pct).into(),
            often(parameters.mem_stress_pct).into(),
            parameters.mem_stress_iterations,
            pattern(
                often(parameters.mem_stress_store_first_pct),
                often(parameters.mem_stress_store_second_pct),
            ),
            often(parameters.pre_stress_pct).into(),
            parameters.pre_stress_iterations,
            pattern(
                often(parameters.pre_stress_store_first_pct),
                often(parameters.pre_stress_store_second_pct),
            ),
            setup.permutation.first,
            setup.second(),
            parameters.testing_workgroups,
            parameters.mem_stride,
            setup.offset(),
        ];
        let least = parameters.testing_workgroups;
        let workgroups = least + random.below(parameters.max_workgroups - least + 1);
        let mut shuffled: Vec<u32> = (0..workgroups).collect();
        if is_shuffled {
            shuffle(random, &mut shuffled);
        }
        Self {
            workgroups,
            uniform,
            shuffled_ids: shuffled,
            targets: targets(random, parameters, workgroups, in_turns),
        }
    }
}

/// Returns the number of a pattern of two accesses: 0 is two stores, 3 is two loads.
fn pattern(first_stores: bool, second_stores: bool) -> u32 {
    2 * u32::from(!first_stores) + u32::from(!second_stores)
}

/// Shuffles the items (Fisher-Yates).
fn shuffle<T>(random: &mut Random, items: &mut [T]) {
    for at in (1..items.len()).rev() {
        items.swap(at, random.below(at + 1));
    }
}

/// Returns the word that each workgroup stresses. One word is chosen in each of a few regions. These words are assigned
/// to workgroups round-robin, or each to a contiguous range of workgroups.
fn targets(
    random: &mut Random,
    parameters: &Parameters,
    workgroups: u32,
    in_turns: bool,
) -> Vec<u32> {
    let line = parameters.stress_line_size;
    let regions =
        some_of(random, parameters.scratch_memory_size / line, parameters.stress_target_lines);
    let words: Vec<u32> =
        regions.into_iter().map(|region| region * line + random.below(line)).collect();
    let count = words.len() as u64;
    let target = |workgroup: u64| match in_turns {
        true => words[(workgroup % count) as usize],
        false => words[(workgroup * count / u64::from(workgroups)) as usize],
    };
    (0..workgroups.into()).map(target).collect()
}

/// Returns `count` distinct numbers below `all`; `count` must not exceed `all` (Floyd's sampling).
fn some_of(random: &mut Random, all: u32, count: u32) -> BTreeSet<u32> {
    let mut chosen = BTreeSet::new();
    for last in all - count..all {
        let number = random.below(last + 1);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Preset;
    use std::collections::BTreeMap;

    #[test]
    fn each_pattern_has_its_number() {
        let patterns = [(true, true), (true, false), (false, true), (false, false)];
        assert_eq!(patterns.map(|(first, second)| pattern(first, second)), [0, 1, 2, 3]);
    }

    #[test]
    fn a_shuffle_keeps_all() {
        let mut items: Vec<u32> = (0..100).collect();
        shuffle(&mut Random::new(1), &mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    /// This also holds if neither number divides the other.
    #[test]
    fn workgroups_stress_all_targets_alike() {
        let parameters = Parameters { stress_target_lines: 7, ..Preset::Stress.parameters() };
        for in_turns in [true, false] {
            let targets = targets(&mut Random::new(3), &parameters, 100, in_turns);
            let mut count: BTreeMap<u32, u32> = BTreeMap::new();
            for target in &targets {
                assert!(*target < parameters.scratch_memory_size);
                *count.entry(*target).or_default() += 1;
            }
            let lines = count.keys().map(|target| target / parameters.stress_line_size);
            assert_eq!(lines.collect::<BTreeSet<_>>().len(), 7);
            assert!(count.values().all(|n| (14..=15).contains(n)), "{count:?}");
            assert_eq!(targets[0] == targets[1], !in_turns);
        }
    }
}
