//! The output formats of merged reports. Each kind of report supports some of them and rejects the others.

use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};
use std::path::PathBuf;

/// An output format of `hirace merge`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MergedFormat {
    /// A table and a list of what is missing
    #[default]
    Text,
    /// JSON, as in the input files
    Json,
    /// The JSON that GPUHarbor published, for litmus tests
    Published,
    /// An HTML page
    Html,
    /// Sources with counts, for coverage
    Annotated,
    /// An LCOV tracefile, for coverage
    Lcov,
    /// Cobertura XML, for coverage
    Cobertura,
    /// Stryker's JSON report, for mutants
    Stryker,
    /// SARIF for code scanning: findings of checks, or surviving mutants
    Sarif,
    /// JUnit XML with a test case per mutant
    Junit,
    /// GitHub annotations: surviving mutants, or findings of schedules or checks
    Github,
}

impl MergedFormat {
    /// Converts to the format of the same name that reports of `what` have.
    ///
    /// # Errors
    /// Reports of `what` have no such format.
    pub fn of<F: ValueEnum>(self, what: &str) -> Result<F> {
        let name = self.to_possible_value().map(|value| value.get_name().to_owned());
        let name = name.unwrap_or_default();
        F::from_str(&name, false).map_err(|_| {
            let error = Diagnostic::new(format!("{what} has no format `{name}`"));
            Box::new(error.help("see `hirace merge --help` for the formats of each kind"))
        })
    }
}

/// Converts the formats of all report files.
pub fn all<F: ValueEnum>(
    reports: &[(MergedFormat, PathBuf)],
    what: &str,
) -> Result<Vec<(F, PathBuf)>> {
    reports.iter().map(|(form, path)| Ok((form.of(what)?, path.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args, coverage_report, mutant_report, schedule_report};

    #[test]
    fn every_form_of_every_kind_is_there() {
        let names = |all: &mut dyn Iterator<Item = Option<clap::builder::PossibleValue>>| {
            let mut names: Vec<String> =
                all.flatten().map(|value| value.get_name().to_owned()).collect();
            names.sort();
            names.dedup();
            names
        };
        let coverage =
            coverage_report::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let mutants =
            mutant_report::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let schedules =
            schedule_report::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let checks = args::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let campaigns = [Some(clap::builder::PossibleValue::new("published"))].into_iter();
        let forms = MergedFormat::value_variants().iter().map(ValueEnum::to_possible_value);
        assert_eq!(
            names(&mut { forms }),
            names(&mut coverage.chain(mutants).chain(schedules).chain(checks).chain(campaigns))
        );
    }

    #[test]
    fn unsupported_formats_are_rejected() {
        assert!(MergedFormat::Sarif.of::<coverage_report::Format>("a coverage report").is_err());
        assert!(MergedFormat::Html.of::<schedule_report::Format>("a report of schedules").is_err());
        assert!(MergedFormat::Lcov.of::<mutant_report::Format>("a report of mutants").is_err());
        assert_eq!(
            MergedFormat::Html.of::<mutant_report::Format>("").unwrap(),
            mutant_report::Format::Html
        );
    }
}
