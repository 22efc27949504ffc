//! What one device showed: by test, in each environment that the test ran in. All scores are of such tables, whatever file
//! they come from.

use super::document::{Document, Observed, Run};
use super::published::Published;
use super::role::{self, Role};
use crate::test::{Class, Specification, published};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How often instances of a test ended in each way in an environment, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Buckets {
    /// As one thread after the other may end.
    pub sequential: u64,
    /// As an interleaving of the threads may end, and no such order.
    pub interleaved: u64,
    /// As the test looks for: of a mutant, that is to be killed. Counted in none of the others.
    pub found: u64,
    /// As the specification forbids, and the test does not look for.
    pub forbidden: u64,
    /// Otherwise.
    pub other: u64,
    /// Seconds: finite, and not negative.
    pub seconds: f64,
}

/// How tests were run, by the folder that MC Mutants kept such results in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Single instances, without stress: `site_baseline`.
    SiteBaseline,
    /// Single instances, with stress: `site`.
    Site,
    /// Parallel instances, without stress: `pte_baseline`.
    PteBaseline,
    /// Parallel instances, with stress: `pte`.
    Pte,
    /// Failing conformance tests beside their mutants: `correlation_analysis`.
    #[serde(rename = "correlation_analysis")]
    Correlation,
    /// Results by themselves.
    #[serde(rename = "results")]
    Plain,
}

/// The device that tests ran on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Device {
    /// What it is called.
    pub name: String,
    /// Whose it is, where that is known.
    pub vendor: Option<String>,
}

/// What one device showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The device.
    pub device: Device,
    /// How tests were run.
    pub side: Side,
    /// By which version tests are conformance tests.
    pub specification: Specification,
    /// Each test, in the order in which results have them.
    pub tests: Vec<Column>,
}

/// What one test showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Our name of the test, or that of the results if we have none.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// What it showed in each environment that it ran in, by the number of that, which rises.
    pub runs: Vec<(u32, Buckets)>,
}

/// A test is in one environment twice: by two names, or in two rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{test}` is in environment {environment} twice")]
pub struct Twice {
    /// The environment.
    pub environment: u32,
    /// Our name of the test.
    pub test: String,
}

impl Buckets {
    /// Of a test of a campaign.
    pub fn of(run: &Run) -> Self {
        let mut all = Self { other: run.other, seconds: run.seconds, ..Self::default() };
        for Observed { found, class, count, .. } in &run.outcomes {
            let bucket = match class {
                _ if *found => &mut all.found,
                Class::Sequential => &mut all.sequential,
                Class::Interleaved => &mut all.interleaved,
                Class::Forbidden => &mut all.forbidden,
                Class::Weak | Class::Other => &mut all.other,
            };
            *bucket = bucket.saturating_add(*count);
        }
        all
    }

    /// How many instances there were.
    pub fn instances(&self) -> u64 {
        let but_one = self.sequential.saturating_add(self.interleaved).saturating_add(self.found);
        but_one.saturating_add(self.forbidden).saturating_add(self.other)
    }
}

impl Side {
    /// All, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::SiteBaseline,
        Self::Site,
        Self::PteBaseline,
        Self::Pte,
        Self::Correlation,
        Self::Plain,
    ];

    /// The side whose results a folder of this name has.
    pub fn of_folder(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.folder() == Some(name))
    }

    /// How the results of a file were run, by the nearest folder whose name says so.
    pub fn of_path(path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let folders = path.ancestors().skip(1).filter_map(Path::file_name);
        let mut named = folders.filter_map(|name| Self::of_folder(name.to_str()?));
        named.next().unwrap_or(Self::Plain)
    }

    /// The name of the folder for its results.
    pub fn folder(self) -> Option<&'static str> {
        match self {
            Self::SiteBaseline => Some("site_baseline"),
            Self::Site => Some("site"),
            Self::PteBaseline => Some("pte_baseline"),
            Self::Pte => Some("pte"),
            Self::Correlation => Some("correlation_analysis"),
            Self::Plain => None,
        }
    }
}

impl Table {
    /// Of rows: the number of an environment, our name of a test, and what it showed there.
    ///
    /// # Errors
    ///
    /// If a test is in an environment twice.
    pub fn of_rows(
        device: Device,
        side: Side,
        specification: Specification,
        rows: impl IntoIterator<Item = (u32, String, Buckets)>,
    ) -> Result<Self, Twice> {
        let role = role::roles(specification);
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut tests: Vec<Column> = Vec::new();
        for (environment, name, buckets) in rows {
            let number = *numbers.entry(name).or_insert_with_key(|name| {
                let role = role(name);
                tests.push(Column { name: name.clone(), role, runs: Vec::new() });
                tests.len() - 1
            });
            tests[number].runs.push((environment, buckets));
        }
        for column in &mut tests {
            column.runs.sort_by_key(|(environment, _)| *environment);
            let twice = column.runs.windows(2).find(|pair| pair[0].0 == pair[1].0);
            if let Some(pair) = twice {
                return Err(Twice { environment: pair[0].0, test: column.name.clone() });
            }
        }
        Ok(Self { device, side, specification, tests })
    }

    /// Of a published file. Of the device it says less than its path: `name` is used where it says nothing.
    ///
    /// # Errors
    ///
    /// As [`Self::of_rows`].
    pub fn of_published(
        file: &Published,
        name: &str,
        side: Side,
        specification: Specification,
    ) -> Result<Self, Twice> {
        let said = file.gpu("description").or(file.gpu("device")).or(file.gpu("architecture"));
        let device = Device {
            name: said.unwrap_or(name).to_owned(),
            vendor: file.gpu("vendor").map(str::to_owned),
        };
        let known = published::all().into_iter().map(|known| (known.published, known.name));
        let names: BTreeMap<String, String> = known.collect();
        let rows = file.entries.iter().flat_map(|entry| {
            entry.runs.iter().map(|(name, run)| {
                let buckets = Buckets {
                    sequential: run.sequential,
                    interleaved: run.interleaved,
                    found: run.weak,
                    seconds: run.duration_seconds,
                    ..Buckets::default()
                };
                (entry.number, names.get(name).unwrap_or(name).clone(), buckets)
            })
        });
        Self::of_rows(device, side, specification, rows)
    }

    /// Of a campaign.
    ///
    /// # Errors
    ///
    /// As [`Self::of_rows`].
    pub fn of_campaign(
        document: &Document,
        side: Side,
        specification: Specification,
    ) -> Result<Self, Twice> {
        let super::Target { name, vendor, .. } = document.target.clone();
        let vendor = (!vendor.is_empty()).then_some(vendor);
        let ran = document.runs.iter().filter(|run| run.instances > 0);
        let rows = ran.map(|run| (run.environment as u32, run.test.clone(), Buckets::of(run)));
        Self::of_rows(Device { name, vendor }, side, specification, rows)
    }

    /// The column of a test.
    pub fn test(&self, name: &str) -> Option<&Column> {
        self.tests.iter().find(|column| column.name == name)
    }

    /// The mutants.
    pub fn mutants(&self) -> impl Iterator<Item = &Column> {
        self.tests.iter().filter(|column| column.mutator().is_some())
    }

    /// How long all of it took, in seconds.
    pub fn seconds(&self) -> f64 {
        self.tests.iter().flat_map(|column| &column.runs).map(|(_, run)| run.seconds).sum()
    }

    /// How many environments there were.
    pub fn environments(&self) -> usize {
        let runs = self.tests.iter().flat_map(|column| &column.runs);
        runs.map(|(environment, _)| environment).collect::<BTreeSet<_>>().len()
    }
}

impl Column {
    /// What made it, if it is a mutant.
    pub fn mutator(&self) -> Option<crate::test::Mutator> {
        match self.role {
            Role::Mutant(mutator) => Some(mutator),
            Role::Conformance(_) | Role::Other => None,
        }
    }

    /// Whether what it looks for was there in some environment.
    pub fn is_found(&self) -> bool {
        self.runs.iter().any(|(_, run)| run.found > 0)
    }

    /// What it showed in an environment.
    pub fn run(&self, environment: u32) -> Option<&Buckets> {
        let at = self.runs.binary_search_by_key(&environment, |(number, _)| *number).ok()?;
        Some(&self.runs[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::Mutator;

    #[test]
    fn rows_become_columns_with_environments_in_order() {
        let device = Device { name: "d".to_owned(), vendor: None };
        let row = |environment, name: &str, found| {
            (environment, name.to_owned(), Buckets { found, ..Buckets::default() })
        };
        let rows = [row(2, "rr-reversed", 1), row(1, "rr", 0), row(0, "rr-reversed", 0)];
        let judge = Specification::default();
        let table = Table::of_rows(device.clone(), Side::Plain, judge, rows.clone()).unwrap();
        assert_eq!(table.environments(), 3);
        assert_eq!(table.mutants().count(), 1);
        let column = table.test("rr-reversed").unwrap();
        assert_eq!(column.mutator(), Some(Mutator::ReversingPoLoc));
        assert_eq!(column.run(2).map(|run| run.found), Some(1));
        assert_eq!(column.run(1), None);
        assert!(column.is_found() && !table.test("rr").unwrap().is_found());
        let twice = rows.into_iter().chain([row(1, "rr", 5)]);
        let twice = Table::of_rows(device, Side::Plain, judge, twice).unwrap_err();
        assert_eq!(twice, Twice { environment: 1, test: "rr".to_owned() });
    }
}
