//! Compares exhaustive search with a model of tiny programs that shares no code with it.

use super::Small;
use super::exhaustive::all;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Number of words of memory.
const WORDS: usize = 3;

/// A statement of a tiny program.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// Writes a number: one step.
    Set(usize, u32),
    /// Writes the value of a word, plus a number, to a word: two steps.
    Copy { from: usize, to: usize, plus: u32 },
    /// Writes a number if a word is even: one or two steps.
    If { even: usize, to: usize, number: u32 },
    /// Does nothing: no step.
    Skip,
}

impl Does {
    fn wgsl(self) -> String {
        match self {
            Self::Set(to, number) => format!("m[{to}] = {number}u;"),
            Self::Copy { from, to, plus } => format!("m[{to}] = m[{from}] + {plus}u;"),
            Self::If { even, to, number } => {
                format!("if ((m[{even}] & 1u) == 0u) {{ m[{to}] = {number}u; }}")
            }
            Self::Skip => String::new(),
        }
    }

    fn most_steps(self) -> u64 {
        match self {
            Self::Set(..) => 1,
            Self::Copy { .. } | Self::If { .. } => 2,
            Self::Skip => 0,
        }
    }
}

/// A unit of the model: its remaining statements, and the write that its last read determined.
#[derive(Clone, Debug)]
struct Model {
    rest: Vec<Does>,
    write: Option<(usize, u32)>,
}

/// Performs one step of a unit; returns `false` if it has none.
fn step(unit: &mut Model, memory: &mut [u32; WORDS]) -> bool {
    if let Some((to, value)) = unit.write.take() {
        memory[to] = value;
        return true;
    }
    while !unit.rest.is_empty() {
        match unit.rest.remove(0) {
            Does::Set(to, number) => memory[to] = number,
            Does::Copy { from, to, plus } => unit.write = Some((to, memory[from] + plus)),
            Does::If { even, to, number } => {
                unit.write = memory[even].is_multiple_of(2).then_some((to, number));
            }
            Does::Skip => continue,
        }
        return true;
    }
    false
}

/// Collects the final memories of all interleavings.
fn outcomes(units: &[Model], memory: [u32; WORDS], found: &mut BTreeSet<Vec<u32>>) {
    let mut ended = true;
    for unit in 0..units.len() {
        let (mut units, mut memory) = (units.to_vec(), memory);
        if step(&mut units[unit], &mut memory) {
            ended = false;
            outcomes(&units, memory, found);
        }
    }
    if ended {
        found.insert(memory.to_vec());
    }
}

fn does() -> impl Strategy<Value = Does> {
    let word = 0..WORDS;
    prop_oneof![
        (word.clone(), 1u32..9).prop_map(|(to, number)| Does::Set(to, number)),
        (word.clone(), word.clone(), 0u32..5).prop_map(|(from, to, plus)| Does::Copy {
            from,
            to,
            plus
        }),
        (word.clone(), word, 1u32..9).prop_map(|(even, to, number)| Does::If { even, to, number }),
        Just(Does::Skip),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]
    #[test]
    fn the_outcomes_of_all_interleavings_are_those_of_the_model(
        units in prop::collection::vec(prop::collection::vec(does(), 1..4), 2..4),
        before in prop::array::uniform3(0u32..3),
    ) {
        let texts: Vec<String> =
            units.iter().map(|unit| unit.iter().map(|does| does.wgsl()).collect()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let steps: Vec<u64> =
            units.iter().map(|unit| unit.iter().map(|does| does.most_steps()).sum()).collect();
        prop_assume!(crate::vm::interleave::interleavings(&steps) <= 2_000);
        let small = Small::new(&texts, 1, &before);
        let found: BTreeSet<Vec<u32>> =
            all(&small, &steps).into_iter().map(|(_, words)| words).collect();
        let mut expected = BTreeSet::new();
        let models: Vec<Model> =
            units.iter().map(|unit| Model { rest: unit.clone(), write: None }).collect();
        outcomes(&models, before, &mut expected);
        prop_assert_eq!(found, expected);
    }
}
