//! The output formats of merged reports. Each kind of report supports some of them and rejects the others.

use crate::report::{ReportArgs, ReportFormat};
use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};

/// An output format of `hirace merge`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MergedFormat {
    /// A table and a list of what is missing
    #[default]
    Text,
    /// JSON, as in the input files
    Json,
    /// A table with a row for each test and environment, for litmus tests
    Csv,
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

impl ReportFormat for MergedFormat {}

/// Converts report arguments to those of reports of `what`.
///
/// # Errors
/// Reports of `what` have no such format.
pub fn report_args<F: ReportFormat>(
    args: &ReportArgs<MergedFormat>,
    what: &str,
) -> Result<ReportArgs<F>> {
    let files = args.report.iter();
    Ok(ReportArgs {
        format: args.format.of(what)?,
        report: files
            .map(|(form, path)| Ok((form.of(what)?, path.clone())))
            .collect::<Result<_>>()?,
        quiet: args.quiet,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::report as mutants;
    use crate::{amplify, check, cover};

    #[test]
    fn merged_formats_cover_the_formats_of_all_verbs() {
        let names = |all: &mut dyn Iterator<Item = Option<clap::builder::PossibleValue>>| {
            let mut names: Vec<String> =
                all.flatten().map(|value| value.get_name().to_owned()).collect();
            names.sort();
            names.dedup();
            names
        };
        let coverage = cover::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let mutated = mutants::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let schedules = amplify::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let checks = check::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let campaigns = ["csv", "published"].map(clap::builder::PossibleValue::new).map(Some);
        let forms = MergedFormat::value_variants().iter().map(ValueEnum::to_possible_value);
        assert_eq!(
            names(&mut { forms }),
            names(&mut coverage.chain(mutated).chain(schedules).chain(checks).chain(campaigns))
        );
    }

    #[test]
    fn unsupported_formats_are_rejected() {
        assert!(MergedFormat::Sarif.of::<cover::Format>("a coverage report").is_err());
        assert!(MergedFormat::Html.of::<amplify::Format>("a report of schedules").is_err());
        assert!(MergedFormat::Lcov.of::<mutants::Format>("a report of mutants").is_err());
        assert_eq!(MergedFormat::Html.of::<mutants::Format>("").unwrap(), mutants::Format::Html);
    }
}
