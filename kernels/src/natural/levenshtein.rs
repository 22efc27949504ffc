//! The edit distance of two words, by the diagonals of its table.

/// One workgroup per pair of words, and one invocation per row.
#[hirace::monitor]
pub mod levenshtein {
    use hirace::prelude::*;

    /// Maximum length of a word.
    pub const LONGEST: usize = 63;
    const ROWS: usize = LONGEST + 1;

    /// A word with its length.
    #[derive(Clone, Copy, Debug)]
    pub struct Word {
        /// Number of letters.
        pub len: u32,
        /// The letters; those after `len` are ignored.
        pub letters: [u32; LONGEST],
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Edit {
        Keep,
        Change,
    }

    impl Edit {
        fn cost(self) -> u32 {
            match self {
                Edit::Keep => 0,
                Edit::Change => 1,
            }
        }
    }

    /// Computes distances with three diagonals in memory.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        words: &[[Word; 2]],
        distances: &mut [u32],
        #[workgroup] diagonals: &mut [[u32; ROWS]; 3],
    ) {
        let row = lane as usize;
        let pair = group.x as usize;
        let [a, b] = &words[pair];
        let (rows, columns) = (a.len as usize, b.len as usize);
        let (mut oldest, mut previous, mut current) = (0, 1, 2);

        for diagonal in 0..=rows + columns {
            let column = diagonal.checked_sub(row).filter(|&c| c <= columns && row <= rows);
            if let Some(column) = column {
                diagonals[current][row] = if row == 0 || column == 0 {
                    (row + column) as u32
                } else {
                    let same = a.letters[row - 1] == b.letters[column - 1];
                    let edit = if same { Edit::Keep } else { Edit::Change };
                    let replaced = diagonals[oldest][row - 1] + edit.cost();
                    let removed = diagonals[previous][row - 1] + 1;
                    let inserted = diagonals[previous][row] + 1;
                    replaced.min(removed).min(inserted)
                };
                if (row, column) == (rows, columns) {
                    distances[pair] = diagonals[current][row];
                }
            }
            workgroup_barrier();
            (oldest, previous, current) = (previous, current, oldest);
        }
    }

    /// Returns the length of the common prefix of words.
    #[kernel(workgroup_size(64))]
    pub fn common_prefix(
        #[builtin(global_invocation_id)] id: UVec3,
        words: &[[Word; 2]],
        lengths: &mut [u32],
    ) {
        let i = id.x as usize;
        if let Some([a, b]) = words.get(i) {
            let shorter = a.len.min(b.len) as usize;
            let letters = a.letters[..shorter].iter().zip(&b.letters[..shorter]);
            lengths[i] = letters.take_while(|(x, y)| x == y).count() as u32;
        }
    }

    /// Keeps one row, which is overwritten while it is read.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        costs: &[u32],
        totals: &mut [u32],
        #[workgroup] row: &mut [u32; ROWS],
    ) {
        let lane = lane as usize;
        let left = row[lane.saturating_sub(1)];
//                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on row[..]
        row[lane] = left + costs[lane];
//      ^^^^^^^^^ race: write/read on row[..]
        workgroup_barrier();
        totals[lane] = row[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::levenshtein::{self, LONGEST, Word};
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    fn word(letters: &[u32]) -> Word {
        let mut word = Word { len: letters.len() as u32, letters: [99; LONGEST] };
        word.letters[..letters.len()].copy_from_slice(letters);
        word
    }

    fn distance(a: &[u32], b: &[u32]) -> u32 {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = match (i, j) {
                    (0, n) | (n, 0) => n as u32,
                    _ => {
                        let change = table[i - 1][j - 1] + u32::from(a[i - 1] != b[j - 1]);
                        change.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                    }
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn words_are_edits_apart() {
        let letters = below(4, 100, 220);
        let pairs = [
            (&letters[..20], &letters[3..30]),
            (&letters[..0], &letters[..7]),
            (&letters[10..63], &letters[30..90]),
        ];
        let words: Vec<[Word; 2]> = pairs.iter().map(|(a, b)| [word(a), word(b)]).collect();
        let launch = Launch::new().workgroups(3).buffer("words", &words).zeros("distances", 3);
        let run = clean(&levenshtein::clean::kernel(), launch);
        let expected: Vec<u32> = pairs.iter().map(|(a, b)| distance(a, b)).collect();
        assert_eq!(run.read::<u32>("distances"), expected);
    }

    #[test]
    fn words_begin_alike() {
        let letters = below(4, 40, 222);
        let mut other = letters.clone();
        other[17] = 9;
        let words = [
            [word(&letters), word(&other)],
            [word(&letters[..9]), word(&letters)],
            [word(&other[17..]), word(&letters)],
        ];
        let launch = Launch::new().workgroups(1).buffer("words", &words).zeros("lengths", 3);
        let run = clean(&levenshtein::common_prefix::kernel(), launch);
        assert_eq!(run.read::<u32>("lengths"), [17, 9, 0]);
    }

    #[test]
    fn a_row_in_place_races() {
        let launch = Launch::new().workgroups(1).buffer("costs", &below(9, 64, 221));
        let launch = launch.zeros("totals", 64);
        racy(&levenshtein::racy::kernel(), launch, include_str!("levenshtein.rs"));
    }
}
