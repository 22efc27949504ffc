//! A sparse matrix times a vector, in compressed sparse rows.

/// One row per invocation.
#[hirace::monitor]
pub mod spmv {
    use hirace::prelude::*;

    /// A non-zero element.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Entry {
        /// Column of the element.
        pub column: u32,
        /// Value of the element.
        pub value: f32,
    }

    /// Multiplies the matrix; `starts` has one element more than there are rows.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        starts: &[u32],
        entries: &[Entry],
        vector: &[f32],
        product: &mut [f32],
    ) {
        let row = id.x as usize;
        if row >= product.len() {
            return;
        }
        let range = starts[row] as usize..starts[row + 1] as usize;
        product[row] = entries[range]
            .iter()
            .map(|&Entry { column, value }| value * vector[column as usize])
            .sum();
    }

    /// Multiplies the transposed matrix: several rows add to the same element.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        starts: &[u32],
        columns: &[u32],
        vector: &[u32],
        product: &mut [u32],
    ) {
        let row = id.x as usize;
        if let (Some(&start), Some(&end)) = (starts.get(row), starts.get(row + 1)) {
            for i in start..end {
                product[columns[i as usize] as usize] += vector[row];
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on product[..]
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on product[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spmv::{self, Entry};
    use crate::support::{assert_close, below, clean, floats, racy};
    use hirace::Launch;

    const ROWS: usize = 100;

    fn starts(seed: u32) -> Vec<u32> {
        let mut starts = vec![0];
        for length in below(6, ROWS, seed) {
            starts.push(starts.last().unwrap() + length);
        }
        starts
    }

    #[test]
    fn rows_are_multiplied() {
        let starts = starts(30);
        let count = starts[ROWS] as usize;
        let entries: Vec<Entry> = below(50, count, 31)
            .into_iter()
            .zip(floats(count, 32))
            .map(|(column, value)| Entry { column, value })
            .collect();
        let vector = floats(50, 33);
        let launch = Launch::new().workgroups(2).buffer("starts", &starts);
        let launch = launch.buffer("entries", &entries).buffer("vector", &vector);
        let run = clean(&spmv::clean::kernel(), launch.zeros("product", ROWS));
        let mut expected = vec![0.0; ROWS];
        for row in 0..ROWS {
            for i in starts[row]..starts[row + 1] {
                let entry = entries[i as usize];
                expected[row] += entry.value * vector[entry.column as usize];
            }
        }
        assert_close(&run.read::<f32>("product"), &expected, 1e-5);
    }

    #[test]
    fn columns_shared_by_rows_race() {
        let starts = starts(34);
        let columns = below(5, starts[ROWS] as usize, 35);
        let launch = Launch::new().workgroups(2).buffer("starts", &starts);
        let launch = launch.buffer("columns", &columns).buffer("vector", &below(9, ROWS, 36));
        racy(&spmv::racy::kernel(), launch.zeros("product", 5), include_str!("spmv.rs"));
    }
}
