//! The settings: what is watched, where it is checked, and what is reported. They are given in code or by the
//! environment.

use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::report::document::Report;
use hirace_core::report::text::Style;
use hirace_core::report::{github, html, json, sarif, text};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What is done with dispatches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Dispatches are checked.
    #[default]
    Check,
    /// Dispatches are checked, and coverage is recorded in [`Settings::coverage`].
    Cover,
    /// Dispatches are checked, and the shader with this mutant runs as mutated. The ID is from `hirace mutate --list`. This
    /// needs the feature `mutants`, and no other command may run the tests of the process.
    Mutant(String),
    /// Nothing is watched: the instance is wgpu's own.
    Off,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text, as on a terminal.
    Text,
    /// JSON, with the schema `hirace.check/2`.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Annotations for GitHub Actions.
    Github,
    /// An HTML page.
    Html,
}

impl Form {
    const ALL: [(&str, Self); 5] = [
        ("text", Self::Text),
        ("json", Self::Json),
        ("sarif", Self::Sarif),
        ("github", Self::Github),
        ("html", Self::Html),
    ];

    pub(crate) fn render(self, report: &Report) -> String {
        match self {
            Self::Text => text::report(report, Style::default()),
            Self::Json => json::report(report),
            Self::Sarif => sarif::report(report),
            Self::Github => github::report(report),
            Self::Html => html::report(report),
        }
    }
}

impl FromStr for Form {
    type Err = Box<Diagnostic>;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text.trim());
        found.map(|(_, form)| *form).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            let error = Diagnostic::new(format!("unknown report kind `{text}`"));
            Box::new(error.help(format!("expected one of: {}", names.join(", "))))
        })
    }
}

/// The settings of watching: what is watched, where it is checked, and what is reported.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is done with dispatches (`HIRACE=check|cover|mutant=ID|off`).
    pub mode: Mode,
    /// Whether compute runs on hirace's embedded executor, which needs no driver (`HIRACE_BACKEND=embedded`). With
    /// [`Mode::Off`] it still does, without checks.
    pub embedded: bool,
    /// The pipelines to watch, by their labels, the labels of their modules, or their entry points; empty for all. `*`
    /// matches any text (`HIRACE_WATCH`, separated by commas).
    pub only: Vec<String>,
    /// The pipelines to exclude, in the same form (`HIRACE_IGNORE`).
    pub ignore: Vec<String>,
    /// The interval of checked dispatches: of each pipeline, the first dispatch is checked, and then every `every`th
    /// (`HIRACE_EVERY`).
    pub every: u64,
    /// The maximum memory for copies of bindings per device, in bytes. Dispatches that exceed it are not watched, and
    /// the summary says so (`HIRACE_BUDGET`, in MiB).
    pub budget: u64,
    /// The timeout for checking one dispatch (`HIRACE_TIMEOUT`, in seconds).
    pub timeout: Duration,
    /// The executor that checks dispatches: a device that hirace opens, by a part of its name, or `None` for the
    /// embedded executor. The embedded executor starts at once, whereas a device compiles each kernel again
    /// (`HIRACE_DEVICE`).
    pub device: Option<String>,
    /// The report files, which are rewritten when there is a new finding (`HIRACE_REPORT=KIND=FILE`, separated by
    /// commas). In the variable, `{pid}` in FILE is replaced by the process ID, because a test suite has many
    /// processes.
    pub reports: Vec<(Form, PathBuf)>,
    /// The folder for coverage records, one file per process, which `hirace merge` reads. It is used in
    /// [`Mode::Cover`]; under `hirace cover`, the folder of that command is used instead (`HIRACE_COVER`).
    pub coverage: PathBuf,
    /// Whether to panic at the first finding (`HIRACE_PANIC=1`).
    pub panics: bool,
    /// The folder for shader texts that are not in a file (`HIRACE_SHADERS`).
    pub shaders: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Check,
            embedded: false,
            only: Vec::new(),
            ignore: Vec::new(),
            every: 1,
            budget: 1 << 30,
            timeout: Duration::from_secs(60),
            device: None,
            reports: Vec::new(),
            coverage: PathBuf::from("target/hirace/cover"),
            panics: false,
            shaders: PathBuf::from("target/hirace/shaders"),
        }
    }
}

impl Settings {
    /// Reads the settings from the environment.
    ///
    /// # Errors
    /// Returns an error if a variable has an invalid value.
    pub fn of_environment() -> Result<Self> {
        Self::read(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// Reads the settings from `variable`.
    pub(crate) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let mut read = Self::default();
        let list = |text: String| text.split(',').map(|one| one.trim().to_owned()).collect();
        if let Some(mode) = variable("HIRACE") {
            read.mode = match (mode.as_str(), mode.strip_prefix("mutant=")) {
                ("check", _) => Mode::Check,
                ("cover", _) => Mode::Cover,
                ("off", _) => Mode::Off,
                (_, Some(id)) if !id.is_empty() => Mode::Mutant(id.to_owned()),
                _ => return Err(wrong("HIRACE", &mode, "check, cover, mutant=ID, off")),
            };
        }
        if let Some(backend) = variable("HIRACE_BACKEND") {
            read.embedded = match backend.as_str() {
                "embedded" => true,
                "wgpu" => false,
                _ => return Err(wrong("HIRACE_BACKEND", &backend, "embedded, wgpu")),
            };
        }
        if let Some(patterns) = variable("HIRACE_WATCH") {
            read.only = list(patterns);
        }
        if let Some(patterns) = variable("HIRACE_IGNORE") {
            read.ignore = list(patterns);
        }
        if let Some(every) = number(variable, "HIRACE_EVERY", "a number of dispatches")? {
            read.every = every;
        }
        if let Some(budget) = number(variable, "HIRACE_BUDGET", "a number of MiB")? {
            read.budget = budget.saturating_mul(1 << 20);
        }
        if let Some(seconds) = number(variable, "HIRACE_TIMEOUT", "a number of seconds")? {
            read.timeout = Duration::from_secs(seconds);
        }
        read.device = variable("HIRACE_DEVICE");
        if let Some(reports) = variable("HIRACE_REPORT") {
            for report in reports.split(',') {
                let parts = report.split_once('=').filter(|(_, file)| !file.is_empty());
                let (form, file) =
                    parts.ok_or_else(|| wrong("HIRACE_REPORT", report, "KIND=FILE"))?;
                let file = file.replace("{pid}", &std::process::id().to_string());
                read.reports.push((form.parse()?, file.into()));
            }
        }
        if let Some(panics) = variable("HIRACE_PANIC") {
            read.panics = match panics.as_str() {
                "1" => true,
                "0" => false,
                _ => return Err(wrong("HIRACE_PANIC", &panics, "0, 1")),
            };
        }
        if let Some(folder) = variable("HIRACE_COVER") {
            read.coverage = folder.into();
        }
        if let Some(folder) = variable("HIRACE_SHADERS") {
            read.shaders = folder.into();
        }
        Ok(read)
    }
}

/// Reads a number of at least 1.
fn number(
    variable: &dyn Fn(&str) -> Option<String>,
    name: &str,
    expected: &str,
) -> Result<Option<u64>> {
    let Some(text) = variable(name) else { return Ok(None) };
    let number = text.trim().parse().ok().filter(|&number| number > 0);
    number.map(Some).ok_or_else(|| wrong(name, &text, expected))
}

fn wrong(name: &str, given: &str, expected: &str) -> Box<Diagnostic> {
    let error =
        Diagnostic::new(format!("invalid value `{given}` for the environment variable {name}"));
    Box::new(error.help(format!("expected {expected}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &[(&str, &str)]) -> Result<Settings> {
        let find = |name: &str| given.iter().find(|(known, _)| *known == name);
        Settings::read(&|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn settings_are_read_from_the_environment() {
        let plain = read(&[]).unwrap();
        assert_eq!((plain.mode, plain.every, plain.panics), (Mode::Check, 1, false));
        let given = [
            ("HIRACE", "off"),
            ("HIRACE_WATCH", "fine*, coarse"),
            ("HIRACE_EVERY", "10"),
            ("HIRACE_BUDGET", "64"),
            ("HIRACE_REPORT", "json=a.json,sarif=b-{pid}.sarif"),
            ("HIRACE_PANIC", "1"),
            ("HIRACE_COVER", "a folder"),
        ];
        let read = read(&given).unwrap();
        assert_eq!(read.mode, Mode::Off);
        assert_eq!(self::read(&[("HIRACE", "cover")]).unwrap().mode, Mode::Cover);
        let mutant = self::read(&[("HIRACE", "mutant=1f-2")]).unwrap().mode;
        assert_eq!(mutant, Mode::Mutant("1f-2".to_owned()));
        assert_eq!(read.only, ["fine*", "coarse"]);
        assert_eq!((read.every, read.budget, read.panics), (10, 64 << 20, true));
        let own = format!("b-{}.sarif", std::process::id());
        let reports = [(Form::Json, "a.json".into()), (Form::Sarif, own.into())];
        assert_eq!(read.reports, reports);
        assert_eq!(read.coverage, PathBuf::from("a folder"));
    }

    #[test]
    fn invalid_variables_are_rejected_with_help() {
        for (name, value, help) in [
            ("HIRACE", "chek", "expected check, cover, mutant=ID, off"),
            ("HIRACE", "mutant=", "expected check, cover, mutant=ID, off"),
            ("HIRACE_EVERY", "0", "expected a number of dispatches"),
            ("HIRACE_REPORT", "json", "expected KIND=FILE"),
            ("HIRACE_REPORT", "xml=a", "expected one of: text, json, sarif, github, html"),
            ("HIRACE_PANIC", "yes", "expected 0, 1"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert_eq!(error.help.as_deref(), Some(help), "{name}={value}");
        }
    }
}
