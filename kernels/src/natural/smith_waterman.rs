//! Cells on a diagonal of the Smith–Waterman table, with affine gaps.

/// One cell per invocation.
#[hirace::monitor]
pub mod smith_waterman {
    use hirace::prelude::*;

    const GAP_OPEN: i32 = 3;
    const GAP_EXTEND: i32 = 1;

    /// Best scores of alignments that end here.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Cell {
        /// Best score of all alignments.
        pub score: i32,
        /// Best score of alignments that end with a gap in the first sequence.
        pub gap_in_first: i32,
        /// Best score of alignments that end with a gap in the second sequence.
        pub gap_in_second: i32,
        /// The step that led here: 0 for none, then diagonal, up and left.
        pub step: u32,
    }

    /// Lengths of both sequences, and the diagonal to compute.
    #[derive(Clone, Copy, Debug)]
    pub struct Task {
        /// Length of the first sequence.
        pub rows: u32,
        /// Length of the second sequence.
        pub columns: u32,
        /// Sum of the row and the column of the cells on the diagonal.
        pub diagonal: u32,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Step {
        Stop = 0,
        Diagonal = 1,
        Up = 2,
        Left = 3,
    }

    fn similarity(a: u32, b: u32) -> i32 {
        match a ^ b {
            0 => 2,
            // Substitutions within purines and within pyrimidines.
            2 => -1,
            _ => -2,
        }
    }

    impl Cell {
        fn following(diagonal: Self, up: Self, left: Self, similarity: i32) -> Self {
            let gap_in_second = (up.score - GAP_OPEN).max(up.gap_in_second - GAP_EXTEND);
            let gap_in_first = (left.score - GAP_OPEN).max(left.gap_in_first - GAP_EXTEND);
            let matched = diagonal.score + similarity;
            let (score, step) =
                [(matched, Step::Diagonal), (gap_in_second, Step::Up), (gap_in_first, Step::Left)]
                    .into_iter()
                    .fold((0, Step::Stop), |best, next| if next.0 > best.0 { next } else { best });
            Self { score, gap_in_first, gap_in_second, step: step as u32 }
        }
    }

    /// Computes the diagonal; row 0 and column 0 of the table are zeros.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] task: Task,
        first: &[u32],
        second: &[u32],
        table: &mut [Cell],
    ) {
        let Task { rows, columns, diagonal } = task;
        let row = id.x + 1;
        if row > rows || row >= diagonal || diagonal - row > columns {
            return;
        }
        let (row, column) = (row as usize, (diagonal - row) as usize);
        let width = columns as usize + 1;
        let here = row * width + column;
        let similarity = similarity(first[row - 1], second[column - 1]);
        table[here] = Cell::following(
            table[here - width - 1],
            table[here - width],
            table[here - 1],
            similarity,
        );
    }

    /// Computes a whole row at once.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(global_invocation_id)] id: UVec3, scores: &mut [i32]) {
        let i = id.x as usize;
        if i == 0 || i >= scores.len() {
            return;
        }
        let left = scores[i - 1];
//                 ^^^^^^^^^^^^^ race: read/write on scores[..]
        scores[i] = (left - GAP_EXTEND).max(0);
//      ^^^^^^^^^ race: write/read on scores[..]
    }
}

#[cfg(test)]
mod tests {
    use super::smith_waterman::{self, Cell, Task};
    use crate::support::{below, clean, integers, racy};
    use hirace::Launch;

    #[test]
    fn tables_are_filled_by_diagonals() {
        let (rows, columns) = (17usize, 12usize);
        let (first, second) = (below(4, rows, 230), below(4, columns, 231));
        let width = columns + 1;
        let mut table = vec![Cell::default(); (rows + 1) * width];
        for diagonal in 2..=(rows + columns) as u32 {
            let task = Task { rows: 17, columns: 12, diagonal };
            let launch = Launch::new().workgroups(1).buffer("task", &task);
            let launch = launch.buffer("first", &first).buffer("second", &second);
            let run = clean(&smith_waterman::clean::kernel(), launch.buffer("table", &table));
            table = run.read("table");
        }
        let mut score = vec![vec![0i32; width]; rows + 1];
        let (mut down, mut right) = (score.clone(), score.clone());
        for i in 1..=rows {
            for j in 1..=columns {
                down[i][j] = (score[i - 1][j] - 3).max(down[i - 1][j] - 1);
                right[i][j] = (score[i][j - 1] - 3).max(right[i][j - 1] - 1);
                let (a, b) = (first[i - 1], second[j - 1]);
                let alike = if a == b {
                    2
                } else if a % 2 == b % 2 {
                    -1
                } else {
                    -2
                };
                let best = [0, score[i - 1][j - 1] + alike, down[i][j], right[i][j]];
                score[i][j] = *best.iter().max().unwrap();
                let step = best.iter().position(|n| *n == score[i][j]).unwrap() as u32;
                let found = table[i * width + j];
                assert_eq!((found.score, found.step), (score[i][j], step));
                assert_eq!((found.gap_in_second, found.gap_in_first), (down[i][j], right[i][j]));
            }
        }
    }

    #[test]
    fn a_row_at_once_races() {
        let launch = Launch::new().workgroups(2).buffer("scores", &integers(9, 128, 232));
        racy(&smith_waterman::racy::kernel(), launch, include_str!("smith_waterman.rs"));
    }
}
