//! `pathfinder` of Rodinia: the cheapest path through a grid, row by row.

/// A workgroup advances by several rows: it starts with more columns than it can finish.
#[hirace::monitor]
pub mod pathfinder {
    use hirace::prelude::*;

    const BLOCK: usize = 32;
    const ROWS: u32 = 4;
    /// Number of columns that a workgroup finishes.
    const INNER: u32 = BLOCK as u32 - 2 * ROWS;

    /// Returns the lowest cost of the three predecessors of a column.
    fn cheapest(costs: &mut [i32; BLOCK], lane: u32, column: i32, columns: i32) -> i32 {
        let mut least = costs[lane];
        if column > 0 {
            least = min(least, costs[lane - 1]);
        }
        if column + 1 < columns {
            least = min(least, costs[lane + 1]);
        }
        least
    }

    /// Computes the costs of the `ROWS` rows after row `done`. One barrier follows the reads of a row's costs, and one the
    /// writes. `costs` holds the row of costs before the launch and the one after it, which alternate.
    #[kernel(workgroup_size(BLOCK))]
    pub fn climb(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] columns: u32,
        wall: &[i32],
        done: &mut u32,
        costs: &mut [i32],
        #[workgroup] row: &mut [i32; BLOCK],
    ) {
        let column = (group.x * INNER + lane) as i32 - ROWS as i32;
        let inside = column >= 0 && column < columns as i32;
        let turn = *done / ROWS % 2;
        if inside {
            row[lane] = costs[turn * columns + column as u32];
        }
        workgroup_barrier();
        for step in 1..=ROWS {
            let mut cost = row[lane];
            let place = (*done + step) * columns + column as u32;
            let reached = lane >= step && lane < BLOCK as u32 - step;
            if inside && reached && place < wall.len() {
                cost = wall[place] + cheapest(row, lane, column, columns as i32);
            }
            workgroup_barrier();
            row[lane] = cost;
            workgroup_barrier();
        }
        if inside && lane >= ROWS && lane < BLOCK as u32 - ROWS {
            costs[(1 - turn) * columns + column as u32] = row[lane];
        }
    }

    /// Advances by one step, with one invocation.
    #[kernel(workgroup_size(1))]
    pub fn advance(done: &mut u32) {
        *done += ROWS;
    }

    /// Overwrites a row's costs while neighbors still read them.
    #[rustfmt::skip]
    #[kernel(workgroup_size(BLOCK))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] columns: u32,
        wall: &[i32],
        costs: &mut [i32],
        #[workgroup] row: &mut [i32; BLOCK],
    ) {
        let column = (group.x * INNER + lane) as i32 - ROWS as i32;
        let inside = column >= 0 && column < columns as i32;
        if inside {
            row[lane] = costs[column];
        }
        workgroup_barrier();
        for step in 1..=ROWS {
            if inside && lane >= step && lane < BLOCK as u32 - step {
                let left = if column > 0 { row[lane - 1] } else { row[lane] };
//                                         ^^^^^^^^^^^^^ race: read/write on row[..]
                let right = if column + 1 < columns as i32 { row[lane + 1] } else { row[lane] };
//                                                           ^^^^^^^^^^^^^ race: read/write on row[..]
                row[lane] = wall[step * columns + column as u32] + min(row[lane], min(left, right));
//              ^^^^^^^^^ race: write/read on row[..]
            }
            workgroup_barrier();
        }
        if inside && lane >= ROWS && lane < BLOCK as u32 - ROWS {
            costs[columns + column as u32] = row[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pathfinder;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    fn wall(columns: usize, rows: usize) -> Vec<i32> {
        below(10, columns * rows, 71).into_iter().map(|cost| cost as i32).collect()
    }

    fn launch(wall: &[i32], columns: usize) -> Launch {
        let mut costs = wall[..columns].to_vec();
        costs.resize(2 * columns, 0);
        Launch::new()
            .buffer("columns", &(columns as u32))
            .buffer("wall", wall)
            .buffer("done", &0u32)
            .buffer("costs", &costs)
    }

    fn holds(columns: usize, rows: usize) {
        let wall = wall(columns, rows);
        let mut expected = wall[..columns].to_vec();
        for row in wall.chunks(columns).skip(1) {
            let least =
                |i: usize| expected[i.saturating_sub(1)..=(i + 1).min(columns - 1)].iter().min();
            expected = (0..columns).map(|i| row[i] + least(i).unwrap()).collect();
        }
        let steps = (rows - 1).div_ceil(4).max(1);
        let groups = columns.div_ceil(24) as u32;
        let step = |launch: Launch, _| launch.dispatch("climb", groups).dispatch("advance", 1);
        let run =
            clean(&pathfinder::climb::kernel(), (0..steps).fold(launch(&wall, columns), step));
        let costs = run.read::<i32>("costs");
        assert_eq!(costs[steps % 2 * columns..][..columns], expected);
    }

    #[test]
    fn ways_cross_the_edges_of_workgroups() {
        holds(100, 9);
    }

    #[test]
    fn the_last_rows_and_columns_fill_no_step_and_no_workgroup() {
        holds(30, 7);
        holds(5, 3);
    }

    #[test]
    fn a_single_column_is_added_up_and_a_single_row_stays() {
        holds(1, 12);
        holds(40, 1);
    }

    #[test]
    fn costs_must_be_read_before_they_are_overwritten() {
        let launch = launch(&wall(60, 5), 60).workgroups(3);
        racy(&pathfinder::racy::kernel(), launch, include_str!("pathfinder.rs"));
    }
}
