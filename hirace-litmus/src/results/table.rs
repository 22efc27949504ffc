//! Tables of the results of one device, by test and environment. All scores are computed from such tables, whatever the
//! format of the results.

use super::published::PublishedResults;
use super::role::{self, Role};
use super::{Buckets, Document, Software};
use crate::test::{Specification, published};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How tests were run, by the folders in which MC Mutants published such results.
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
    /// Failing conformance tests together with their mutants: `correlation_analysis`.
    #[serde(rename = "correlation_analysis")]
    Correlation,
    /// Any other results.
    #[serde(rename = "results")]
    Plain,
}

/// The device that tests ran on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Device {
    /// The name.
    pub name: String,
    /// The vendor, if known.
    pub vendor: Option<String>,
    /// The operating system, if known.
    pub operating_system: Option<Software>,
    /// The browser, if the tests ran in one.
    pub browser: Option<Software>,
}

/// The results of one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The device.
    pub device: Device,
    /// How tests were run.
    pub side: Side,
    /// The version of the specification that determines which tests are conformance tests.
    pub specification: Specification,
    /// The results of each test, in the order of the file.
    pub tests: Vec<Column>,
}

/// The results of one test.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Our name of the test, or that of the file if we have none.
    pub name: String,
    /// The role of the test.
    pub role: Role,
    /// The results in each environment, in ascending order of the environments' numbers.
    pub runs: Vec<(u32, Buckets)>,
}

/// An error: a test has two results in one environment, under two names or in two rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{test}` has two results in environment {environment}")]
pub struct DuplicateRun {
    /// The environment.
    pub environment: u32,
    /// Our name of the test.
    pub test: String,
}

impl Side {
    /// All sides, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::SiteBaseline,
        Self::Site,
        Self::PteBaseline,
        Self::Pte,
        Self::Correlation,
        Self::Plain,
    ];

    /// Returns the side whose results a folder of this name has.
    pub fn of_folder(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.folder() == Some(name))
    }

    /// Returns the side of a file, by the nearest enclosing folder with a known name.
    pub fn of_path(path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let folders = path.ancestors().skip(1).filter_map(Path::file_name);
        let mut named = folders.filter_map(|name| Self::of_folder(name.to_str()?));
        named.next().unwrap_or(Self::Plain)
    }

    /// Returns the name of the folder for the results of this side.
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
    /// Creates a table from rows: the number of an environment, our name of a test, and its results there.
    ///
    /// # Errors
    ///
    /// A test has two results in one environment.
    pub fn of_rows(
        device: Device,
        side: Side,
        specification: Specification,
        rows: impl IntoIterator<Item = (u32, String, Buckets)>,
    ) -> Result<Self, DuplicateRun> {
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
                return Err(DuplicateRun { environment: pair[0].0, test: column.name.clone() });
            }
        }
        Ok(Self { device, side, specification, tests })
    }

    /// Creates a table from a published file. `name` is the name of the device if the file has none.
    ///
    /// # Errors
    ///
    /// Those of [`Self::of_rows`].
    pub fn of_published(
        file: &PublishedResults,
        name: &str,
        side: Side,
        specification: Specification,
    ) -> Result<Self, DuplicateRun> {
        let said = file.gpu("description").or(file.gpu("device")).or(file.gpu("architecture"));
        let device = Device {
            name: said.unwrap_or(name).to_owned(),
            vendor: file.gpu("vendor").map(str::to_owned),
            operating_system: file.software("os"),
            browser: file.software("browser"),
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

    /// Creates a table from a campaign.
    ///
    /// # Errors
    ///
    /// Those of [`Self::of_rows`].
    pub fn of_campaign(
        document: &Document,
        side: Side,
        specification: Specification,
    ) -> Result<Self, DuplicateRun> {
        let super::Target { name, vendor, operating_system, browser, .. } = document.target.clone();
        let vendor = (!vendor.is_empty()).then_some(vendor);
        let ran = document.timed_runs().filter(|(run, _)| run.instances > 0);
        let rows = ran.map(|(run, seconds)| {
            (run.environment as u32, run.test.clone(), Buckets::of(run, seconds))
        });
        let device = Device { name, vendor, operating_system, browser };
        Self::of_rows(device, side, specification, rows)
    }

    /// Returns the column of a test.
    pub fn test(&self, name: &str) -> Option<&Column> {
        self.tests.iter().find(|column| column.name == name)
    }

    /// Returns the mutants.
    pub fn mutants(&self) -> impl Iterator<Item = &Column> {
        self.tests.iter().filter(|column| column.mutator().is_some())
    }

    /// Returns the total time in seconds.
    pub fn seconds(&self) -> f64 {
        self.tests.iter().flat_map(|column| &column.runs).map(|(_, run)| run.seconds).sum()
    }

    /// Returns the number of environments.
    pub fn environments(&self) -> usize {
        let runs = self.tests.iter().flat_map(|column| &column.runs);
        runs.map(|(environment, _)| environment).collect::<BTreeSet<_>>().len()
    }
}

impl Column {
    /// Returns the mutator, if the test is a mutant.
    pub fn mutator(&self) -> Option<crate::test::Mutator> {
        match self.role {
            Role::Mutant(mutator) => Some(mutator),
            Role::Conformance(_) | Role::Other => None,
        }
    }

    /// Returns whether the condition was met in some environment.
    pub fn is_found(&self) -> bool {
        self.runs.iter().any(|(_, run)| run.found > 0)
    }

    /// Returns the results in an environment.
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
        let name = "d".to_owned();
        let device = Device { name, vendor: None, operating_system: None, browser: None };
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
        assert_eq!(twice, DuplicateRun { environment: 1, test: "rr".to_owned() });
    }
}
