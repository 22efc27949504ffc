//! The similarity of devices: the cosine between their results, over all tests and environments that both ran
//! (GPUHarbor, Sec. 5). The vector of a device has, for each run, the number of interleaved instances and the number
//! that met the condition.

use crate::results::table::Table;

/// Returns the cosine, from 0 to 1; `None` if the devices share no run, or one of them showed nothing in the shared
/// runs.
pub fn cosine(first: &Table, second: &Table) -> Option<f64> {
    let (mut product, mut of_first, mut of_second) = (0.0, 0.0, 0.0);
    for column in &first.tests {
        let Some(other) = second.test(&column.name) else { continue };
        for (environment, run) in &column.runs {
            let Some(same) = other.run(*environment) else { continue };
            for (a, b) in [(run.interleaved, same.interleaved), (run.found, same.found)] {
                let (a, b) = (a as f64, b as f64);
                product += a * b;
                of_first += a * a;
                of_second += b * b;
            }
        }
    }
    (of_first > 0.0 && of_second > 0.0)
        .then(|| (product / (of_first.sqrt() * of_second.sqrt())).min(1.0))
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
    fn it_is_the_cosine_of_what_both_ran() {
        let first = table("a", &[(0, "rr", 3, 4), (1, "rr", 100, 0), (0, "rw", 1, 1)]);
        let second = table("b", &[(0, "rr", 4, 3), (2, "rr", 0, 100)]);
        assert_eq!(cosine(&first, &second), Some(24.0 / 25.0));
        assert_eq!(cosine(&first, &first), Some(1.0));
        let across = table("c", &[(0, "rr", 0, 7)]);
        let along = table("d", &[(0, "rr", 5, 0)]);
        assert_eq!(cosine(&across, &along), Some(0.0));
        assert_eq!(matrix(&[&across, &along]), Some(vec![vec![1.0, 0.0], vec![0.0, 1.0]]));
    }

    #[test]
    fn devices_that_share_nothing_have_none() {
        let first = table("a", &[(0, "rr", 3, 4)]);
        assert_eq!(cosine(&first, &table("b", &[(1, "rr", 3, 4)])), None);
        assert_eq!(cosine(&first, &table("b", &[(0, "rr", 0, 0)])), None);
        assert_eq!(matrix(&[]), Some(vec![]));
    }
}
