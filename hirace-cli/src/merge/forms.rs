//! The forms that merged reports of any kind have. Each kind has some of them, and refuses the others.

use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};
use std::path::PathBuf;

/// A form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A table, and what is missing
    #[default]
    Text,
    /// JSON, as the files have it that are merged
    Json,
    /// The JSON that GPUHarbor published, of litmus tests
    Published,
    /// A page
    Html,
    /// Sources with counts, of a coverage
    Annotated,
    /// A tracefile, of a coverage
    Lcov,
    /// Cobertura's XML, of a coverage
    Cobertura,
    /// The JSON of Stryker's reports, of mutants
    Stryker,
    /// Findings of checks for code scanning, or mutants that survive
    Sarif,
    /// A test case for each of mutants
    Junit,
    /// GitHub annotations of mutants that survive, or of what schedules or checks show
    Github,
}

impl Form {
    /// The same among the forms that reports of `what` have.
    ///
    /// # Errors
    /// They have no such form.
    pub fn of<F: ValueEnum>(self, what: &str) -> Result<F> {
        let name = self.to_possible_value().map(|value| value.get_name().to_owned());
        let name = name.unwrap_or_default();
        F::from_str(&name, false).map_err(|_| {
            let error = Diagnostic::new(format!("{what} has no report `{name}`"));
            Box::new(error.help("`hirace merge --help` says which form is of what"))
        })
    }
}

/// The same of reports that go to files.
pub fn all<F: ValueEnum>(reports: &[(Form, PathBuf)], what: &str) -> Result<Vec<(F, PathBuf)>> {
    reports.iter().map(|(form, path)| Ok((form.of(what)?, path.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args, coverage, mutants, schedules};

    #[test]
    fn every_form_of_every_kind_is_there() {
        let names = |all: &mut dyn Iterator<Item = Option<clap::builder::PossibleValue>>| {
            let mut names: Vec<String> =
                all.flatten().map(|value| value.get_name().to_owned()).collect();
            names.sort();
            names.dedup();
            names
        };
        let coverage = coverage::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let mutants = mutants::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let schedules =
            schedules::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let checks = args::Format::value_variants().iter().map(ValueEnum::to_possible_value);
        let campaigns = [Some(clap::builder::PossibleValue::new("published"))].into_iter();
        let forms = Form::value_variants().iter().map(ValueEnum::to_possible_value);
        assert_eq!(
            names(&mut { forms }),
            names(&mut coverage.chain(mutants).chain(schedules).chain(checks).chain(campaigns))
        );
    }

    #[test]
    fn what_a_kind_has_no_form_of_is_refused() {
        assert!(Form::Sarif.of::<coverage::Format>("a coverage").is_err());
        assert!(Form::Html.of::<schedules::Format>("a report of schedules").is_err());
        assert!(Form::Lcov.of::<mutants::Format>("a report of mutants").is_err());
        assert_eq!(Form::Html.of::<mutants::Format>("").unwrap(), mutants::Format::Html);
    }
}
