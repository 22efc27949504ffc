//! The similarity of devices: the cosine between their results, over all tests and environments that both ran
//! (GPUHarbor, Sec. 5). The vector of a device has, for each run, the number of interleaved instances and the number
//! that met the condition.

use crate::results::table::Table;

/// Returns the cosine, from 0 to 1; `None` if the devices share no run, or if all counts of one of them are 0 in the
/// shared runs.
pub fn cosine(first: &Table, second: &Table) -> Option<f64> {
    let (mut product, mut first_square, mut second_square) = (0.0, 0.0, 0.0);
    for column in &first.tests {
        let Some(other) = second.test(&column.name) else { continue };
        for (environment, run) in &column.runs {
            let Some(other_run) = other.run(*environment) else { continue };
            for (a, b) in [(run.interleaved, other_run.interleaved), (run.found, other_run.found)] {
                let (a, b) = (a as f64, b as f64);
                product += a * b;
                first_square += a * a;
                second_square += b * b;
            }
        }
    }
    (first_square > 0.0 && second_square > 0.0)
        .then(|| (product / (first_square.sqrt() * second_square.sqrt())).min(1.0))
}

/// Returns the cosines of all pairs of devices; `None` if one of them is undefined.
pub fn matrix(tables: &[&Table]) -> Option<Vec<Vec<f64>>> {
    let row = |first: &&Table| tables.iter().map(|second| cosine(first, second)).collect();
    tables.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Buckets;
    use crate::results::table::{Device, Side};
    use crate::test::Specification;

    fn table(name: &str, rows: &[(u32, &str, u64, u64)]) -> Table {
        let name = name.to_owned();
        let device = Device { name, vendor: None, operating_system: None, browser: None };
        let rows = rows.iter().map(|(environment, test, interleaved, found)| {
            let (interleaved, found) = (*interleaved, *found);
            let buckets = Buckets { interleaved, found, ..Buckets::default() };
            (*environment, (*test).to_owned(), buckets)
        });
        Table::of_rows(device, Side::Plain, Specification::default(), rows).unwrap()
    }

    #[test]
    fn cosine_counts_only_shared_runs() {
        let first = table("a", &[(0, "rr", 3, 4), (1, "rr", 100, 0), (0, "rw", 1, 1)]);
        let second = table("b", &[(0, "rr", 4, 3), (2, "rr", 0, 100)]);
        assert_eq!(cosine(&first, &second), Some(24.0 / 25.0));
        assert_eq!(cosine(&first, &first), Some(1.0));
        let only_found = table("c", &[(0, "rr", 0, 7)]);
        let only_interleaved = table("d", &[(0, "rr", 5, 0)]);
        assert_eq!(cosine(&only_found, &only_interleaved), Some(0.0));
        assert_eq!(
            matrix(&[&only_found, &only_interleaved]),
            Some(vec![vec![1.0, 0.0], vec![0.0, 1.0]])
        );
    }

    #[test]
    fn devices_without_shared_runs_have_no_cosine() {
        let first = table("a", &[(0, "rr", 3, 4)]);
        assert_eq!(cosine(&first, &table("b", &[(1, "rr", 3, 4)])), None);
        assert_eq!(cosine(&first, &table("b", &[(0, "rr", 0, 0)])), None);
        assert_eq!(matrix(&[]), Some(vec![]));
    }
}
