//! `spmv` of Parboil: a sparse matrix times a vector, in jagged diagonal storage.

/// One invocation per row. Rows are sorted by descending length, so that neighbors in a subgroup have a similar
/// number of elements; diagonal `d` has the `d`-th element of each row that is long enough.
#[hirace::monitor]
pub mod spmv {
    use hirace::prelude::*;

    /// Multiplies the rows of the sorted matrix; the product is in the original order.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        lengths: &[u32],
        diagonals: &[u32],
        permutation: &[u32],
        columns: &[u32],
        values: &[f32],
        vector: &[f32],
        product: &mut [f32],
    ) {
        let row = id.x;
        if row >= lengths.len() {
            return;
        }
        let mut sum = 0.0;
        for diagonal in 0..lengths[row] {
            let place = diagonals[diagonal] + row;
            sum += values[place] * vector[columns[place]];
        }
        product[permutation[row]] = sum;
    }

    /// Uses one invocation per element, which needs no sorting, but adds to rows with plain accesses.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        rows: &[u32],
        columns: &[u32],
        values: &[f32],
        vector: &[f32],
        product: &mut [f32],
    ) {
        if id.x < values.len() {
            product[rows[id.x]] += values[id.x] * vector[columns[id.x]];
//          ^^^^^^^^^^^^^^^^^^^ race: read/write on product[..]
//          ^^^^^^^^^^^^^^^^^^^ race: write/read on product[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spmv;
    use crate::support::{assert_close, below, clean, floats, racy};
    use hirace::Launch;

    /// The columns and values of each row of a square matrix.
    type Rows = Vec<Vec<(u32, f32)>>;

    fn rows(lengths: &[u32]) -> Rows {
        let row = |(&length, seed): (&u32, u32)| {
            let columns = below(lengths.len() as u32, length as usize, 2 * seed);
            columns.into_iter().zip(floats(length as usize, 2 * seed + 1)).collect()
        };
        lengths.iter().zip(40..).map(row).collect()
    }

    fn holds(rows: &Rows) {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|row| std::cmp::Reverse(rows[*row].len()));
        let (mut diagonals, mut elements) = (vec![0], Vec::new());
        for diagonal in 0..rows[order[0]].len() {
            elements.extend(order.iter().filter_map(|row| rows[*row].get(diagonal)));
            diagonals.push(elements.len() as u32);
        }
        // A buffer has at least one element.
        elements.push((0, 0.0));
        let (columns, values): (Vec<u32>, Vec<f32>) = elements.into_iter().unzip();
        let lengths: Vec<u32> = order.iter().map(|row| rows[*row].len() as u32).collect();
        let permutation: Vec<u32> = order.iter().map(|row| *row as u32).collect();
        let vector = floats(rows.len(), 39);
        let launch = Launch::new()
            .workgroups(rows.len().div_ceil(16) as u32)
            .buffer("lengths", &lengths)
            .buffer("diagonals", &diagonals)
            .buffer("permutation", &permutation)
            .buffer("columns", &columns)
            .buffer("values", &values)
            .buffer("vector", &vector)
            .zeros("product", rows.len());
        let run = clean(&spmv::clean::kernel(), launch);
        let sum = |row: &Vec<(u32, f32)>| -> f32 {
            row.iter().map(|(column, value)| value * vector[*column as usize]).sum()
        };
        let expected: Vec<f32> = rows.iter().map(sum).collect();
        assert_close(&run.read::<f32>("product"), &expected, 1e-5);
    }

    #[test]
    fn rows_of_all_lengths_are_summed() {
        holds(&rows(&below(9, 40, 38)));
    }

    #[test]
    fn a_full_row_among_empty_ones_is_summed() {
        let mut lengths = [0; 20];
        lengths[13] = 20;
        holds(&rows(&lengths));
    }

    #[test]
    fn an_empty_matrix_gives_zeros() {
        holds(&rows(&[0; 5]));
    }

    #[test]
    fn elements_of_a_row_need_an_atomic_sum() {
        let elements = 3 * 24;
        let launch = Launch::new()
            .workgroups(5)
            .buffer("rows", &(0..elements).map(|i| i / 3).collect::<Vec<u32>>())
            .buffer("columns", &below(24, elements as usize, 37))
            .buffer("values", &floats(elements as usize, 36))
            .buffer("vector", &floats(24, 35))
            .zeros("product", 24);
        racy(&spmv::racy::kernel(), launch, include_str!("spmv.rs"));
    }
}
