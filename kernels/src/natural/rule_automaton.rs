//! Cellular automata on a line: many generations in one launch, with one of several rules.

/// One line per workgroup.
#[hirace::monitor]
pub mod rule_automaton {
    use hirace::prelude::*;

    const CELLS: usize = 64;

    /// The rule that determines a cell from itself and its neighbors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Rule {
        /// A rule by its Wolfram number.
        Elementary(u8),
        /// The cell lives if the mask has the bit for the number of live cells among the three.
        Totalistic { mask: u8 },
        /// A cell changes to its successor state if a neighbor has that state; states form a ring.
        Cyclic { states: u32 },
    }

    impl Rule {
        const fn decode(code: [u32; 2]) -> Self {
            let [kind, argument] = code;
            match kind {
                0 => Self::Elementary(argument as u8),
                1 => Self::Totalistic { mask: argument as u8 },
                _ => Self::Cyclic { states: argument },
            }
        }

        fn next(self, left: u32, own: u32, right: u32) -> u32 {
            match self {
                Self::Elementary(number) => {
                    let pattern = left << 2 | own << 1 | right;
                    (number >> pattern & 1).into()
                }
                Self::Totalistic { mask } => (mask >> (left + own + right) & 1) as u32,
                Self::Cyclic { states } => {
                    let successor = (own + 1) % states;
                    if [left, right].contains(&successor) { successor } else { own }
                }
            }
        }
    }

    fn neighbors(i: usize) -> (usize, usize) {
        ((i + CELLS - 1) % CELLS, (i + 1) % CELLS)
    }

    /// Alternates between two lines in workgroup memory.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] generations: u32,
        rules: &[[u32; 2]],
        cells: &mut [u32],
        #[workgroup] lines: &mut [[u32; CELLS]; 2],
    ) {
        let own = lane as usize;
        let rule = Rule::decode(rules[group.x as usize]);
        let (left, right) = neighbors(own);
        let mut current = 0;
        lines[current][own] = cells[id.x as usize];
        workgroup_barrier();
        for _ in 0..generations {
            let line = &lines[current];
            let next = rule.next(line[left], line[own], line[right]);
            current = 1 - current;
            lines[current][own] = next;
            workgroup_barrier();
        }
        cells[id.x as usize] = lines[current][own];
    }

    /// Uses one line, in which a generation is written while it is read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        cells: &mut [u32],
        #[workgroup] line: &mut [u32; CELLS],
    ) {
        let own = lane as usize;
        line[own] = cells[id.x as usize];
        workgroup_barrier();
        let (_, right) = neighbors(own);
        let next = line[right] ^ line[own];
//                 ^^^^^^^^^^^ race: read/write on line[..]
        line[own] = next;
//      ^^^^^^^^^ race: write/read on line[..]
        workgroup_barrier();
        cells[id.x as usize] = line[own];
    }
}

#[cfg(test)]
mod tests {
    use super::rule_automaton;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn lines_follow_their_rules() {
        let rules = [[0u32, 110], [1, 0b0110], [2, 5], [0, 30]];
        let mut cells = below(2, 256, 400);
        cells[128..192].copy_from_slice(&below(5, 64, 401));
        let launch = Launch::new().workgroups(4).buffer("generations", &13u32);
        let launch = launch.buffer("rules", &rules).buffer("cells", &cells);
        let run = clean(&rule_automaton::clean::kernel(), launch);
        let mut expected = Vec::new();
        for (line, [kind, argument]) in cells.chunks(64).zip(rules) {
            let mut line = line.to_vec();
            for _ in 0..13 {
                let next = |i: usize| {
                    let (a, b, c) = (line[(i + 63) % 64], line[i], line[(i + 1) % 64]);
                    match kind {
                        0 => argument / 2u32.pow(4 * a + 2 * b + c) % 2,
                        1 => u32::from(matches!(a + b + c, 1 | 2)),
                        _ if a == (b + 1) % 5 || c == (b + 1) % 5 => (b + 1) % 5,
                        _ => b,
                    }
                };
                line = (0..64).map(next).collect();
            }
            expected.extend(line);
        }
        assert_eq!(run.read::<u32>("cells"), expected);
    }

    #[test]
    fn a_line_in_place_races() {
        let launch = Launch::new().workgroups(2).buffer("cells", &below(2, 128, 402));
        racy(&rule_automaton::racy::kernel(), launch, include_str!("rule_automaton.rs"));
    }
}
