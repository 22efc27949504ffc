//! What is analysed: what one device showed, of either kind of file.

use crate::results::Document;
use crate::results::published::{Miscounted, Published};
use crate::results::table::{Side, Table, Twice};
use crate::test::Specification;
use hirace_core::diagnostic::{Diagnostic, Result};

/// The results of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The file.
    pub file: String,
    /// What it has.
    pub table: Table,
    /// Runs of which not every instance was counted.
    pub miscounted: Vec<Miscounted>,
}

impl Source {
    /// Of a campaign, by a version of the specification, or else by that which the campaign was judged by.
    ///
    /// # Errors
    /// There is no such version, or a test is in an environment twice.
    pub fn of_campaign(
        file: String,
        document: &Document,
        side: Side,
        specification: Option<Specification>,
    ) -> Result<Self> {
        let judge = specification.or_else(|| Specification::of_name(&document.specification));
        let Some(judge) = judge else {
            let name = &document.specification;
            let error = format!("{file}: no version of the specification is called `{name}`");
            return Err(Box::new(Diagnostic::new(error)));
        };
        let table = Table::of_campaign(document, side, judge);
        let table = table.map_err(|error| twice(&file, &error))?;
        Ok(Self { file, table, miscounted: Vec::new() })
    }

    /// Of what others published, on a device of this name if it has no other; by a version of the specification, or else by
    /// that whose tests they are.
    ///
    /// # Errors
    /// A test is in an environment twice.
    pub fn of_published(
        file: String,
        published: &Published,
        device: &str,
        side: Side,
        specification: Option<Specification>,
    ) -> Result<Self> {
        let judge = specification.unwrap_or(Specification::Wgsl2022);
        let table = Table::of_published(published, device, side, judge);
        let table = table.map_err(|error| twice(&file, &error))?;
        Ok(Self { file, table, miscounted: published.miscounted() })
    }
}

fn twice(file: &str, error: &Twice) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("{file}: {error}")))
}
