//! Sources of an analysis: the results of one device, from a file of either format.

use crate::results::Document;
use crate::results::published::{CountMismatch, PublishedResults};
use crate::results::table::{DuplicateRun, Side, Table};
use crate::test::Specification;
use hirace_core::diagnostic::{Diagnostic, Result};

/// The results of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The file.
    pub file: String,
    /// The results.
    pub table: Table,
    /// Runs in which not every instance was counted.
    pub miscounted_runs: Vec<CountMismatch>,
    /// Whether the file has the times of its runs.
    pub has_times: bool,
}

impl Source {
    /// Creates a source from a campaign. The default of `specification` is the version that classified the campaign.
    ///
    /// # Errors
    /// The version is unknown, or a test has two results in one environment.
    pub fn of_campaign(
        file: String,
        document: &Document,
        side: Side,
        specification: Option<Specification>,
    ) -> Result<Self> {
        let judge = specification.or_else(|| Specification::of_name(&document.specification));
        let Some(judge) = judge else {
            let name = &document.specification;
            let error = format!("{file}: unknown version `{name}` of the specification");
            return Err(Box::new(Diagnostic::new(error)));
        };
        let table = Table::of_campaign(document, side, judge);
        let table = table.map_err(|error| twice(&file, &error))?;
        let has_times = document.timing.is_some();
        Ok(Self { file, table, miscounted_runs: Vec::new(), has_times })
    }

    /// Creates a source from a published file. `device` is the name of the device if the file has none. The default of
    /// `specification` is the version of 2022, for which these tests were made.
    ///
    /// # Errors
    /// A test has two results in one environment.
    pub fn of_published(
        file: String,
        published: &PublishedResults,
        device: &str,
        side: Side,
        specification: Option<Specification>,
    ) -> Result<Self> {
        let judge = specification.unwrap_or(Specification::Wgsl2022);
        let table = Table::of_published(published, device, side, judge);
        let table = table.map_err(|error| twice(&file, &error))?;
        Ok(Self { file, table, miscounted_runs: published.find_miscounted(), has_times: true })
    }
}

fn twice(file: &str, error: &DuplicateRun) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("{file}: {error}")))
}
