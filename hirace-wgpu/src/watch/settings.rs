//! What is watched, where it is checked, and what is said of it: given in code, or by the environment.

use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::report::document::Report;
use hirace_core::report::text::Style;
use hirace_core::report::{github, html, json, sarif, text};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Whether anything is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Dispatches are checked.
    #[default]
    Check,
    /// So they are, and what of the kernels runs is recorded too, in [`Settings::coverage`].
    Cover,
    /// They are checked, and the shader that has the mutant with this id runs with it: by the ids of
    /// `hirace mutate --list`.
    Mutant(String),
    /// Nothing is watched: the instance is wgpu's own.
    Off,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is printed on a terminal.
    Text,
    /// `hirace.check/1`.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Annotations of GitHub.
    Github,
    /// A page.
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
            let error = Diagnostic::new(format!("there is no report of the kind `{text}`"));
            Box::new(error.help(format!("there are: {}", names.join(", "))))
        })
    }
}

/// What is watched, where it is checked, and what is said of it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether anything is watched (`HIRACE=check|cover|mutant=ID|off`).
    pub mode: Mode,
    /// Whether compute runs on hirace's embedded executor, so that no driver is needed
    /// (`HIRACE_BACKEND=embedded`). It does with mode [`Mode::Off`] too, unchecked.
    pub embedded: bool,
    /// The pipelines to watch, by their labels, those of their modules, or their entry points; empty: all. `*` stands for
    /// anything (`HIRACE_WATCH`, with commas between).
    pub only: Vec<String>,
    /// Likewise those not to watch (`HIRACE_IGNORE`).
    pub ignore: Vec<String>,
    /// Of each pipeline the first dispatch is checked, and then every so many (`HIRACE_EVERY`).
    pub every: u64,
    /// Bytes of copies of what dispatches bind, of a device, at any time. What does not fit is not watched, and the
    /// summary says so (`HIRACE_BUDGET`, in MiB).
    pub budget: u64,
    /// How long the check of one dispatch may take (`HIRACE_TIMEOUT`, in seconds).
    pub timeout: Duration,
    /// What dispatches are checked on: a device of hirace's own, by a part of its name; `None`: the embedded executor, which
    /// begins at once, while a device compiles each kernel anew (`HIRACE_DEVICE`).
    pub device: Option<String>,
    /// Reports that are written to files, whenever there is something new (`HIRACE_REPORT=KIND=FILE`, with commas between);
    /// `{pid}` in the variable's FILE is the number of the process, of which a suite of tests has many.
    pub reports: Vec<(Form, PathBuf)>,
    /// A folder for the findings of this process, for who runs it: `hirace run` (`HIRACE_FOUND`).
    pub found: Option<PathBuf>,
    /// Where coverage is recorded, a file for each process, which `hirace merge` reads. If somebody runs the process who
    /// records it (`hirace cover`), that is recorded there (`HIRACE_COVER`).
    pub coverage: PathBuf,
    /// Whether the first finding is a panic (`HIRACE_PANIC=1`).
    pub panics: bool,
    /// Where texts of shaders go that no file has (`HIRACE_SHADERS`).
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
            found: None,
            coverage: PathBuf::from("target/hirace/cover"),
            panics: false,
            shaders: PathBuf::from("target/hirace/shaders"),
        }
    }
}

impl Settings {
    /// Those of the environment.
    ///
    /// # Errors
    /// A variable says something that it cannot.
    pub fn of_environment() -> Result<Self> {
        Self::read(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// Those that `variable` gives.
    pub(crate) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let mut read = Self::default();
        let list = |text: String| text.split(',').map(|one| one.trim().to_owned()).collect();
        if let Some(mode) = variable("HIRACE") {
            read.mode = match (mode.as_str(), mode.strip_prefix("mutant=")) {
                ("check", _) => Mode::Check,
                ("cover", _) => Mode::Cover,
                ("off", _) => Mode::Off,
                (_, Some(id)) if !id.is_empty() && cfg!(feature = "mutants") => {
                    Mode::Mutant(id.to_owned())
                }
                (_, Some(id)) if !id.is_empty() => {
                    let error = "HIRACE=mutant=ID needs hirace-wgpu with the feature `mutants`";
                    return Err(Box::new(Diagnostic::new(error)));
                }
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
        read.found = variable("HIRACE_FOUND").map(PathBuf::from);
        if let Some(folder) = variable("HIRACE_SHADERS") {
            read.shaders = folder.into();
        }
        Ok(read)
    }
}

/// A number of at least 1.
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
    let error = Diagnostic::new(format!("the environment variable {name} is `{given}`"));
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
    fn the_environment_says_what_is_watched_and_where_it_is_said() {
        let plain = read(&[]).unwrap();
        assert_eq!((plain.mode, plain.every, plain.panics), (Mode::Check, 1, false));
        let given = [
            ("HIRACE", "off"),
            ("HIRACE_WATCH", "fine*, coarse"),
            ("HIRACE_EVERY", "10"),
            ("HIRACE_BUDGET", "64"),
            ("HIRACE_REPORT", "json=a.json,sarif=b-{pid}.sarif"),
            ("HIRACE_PANIC", "1"),
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
    }

    #[test]
    fn what_a_variable_cannot_say_is_refused_with_what_it_can() {
        for (name, value, help) in [
            ("HIRACE", "chek", "expected check, cover, mutant=ID, off"),
            ("HIRACE", "mutant=", "expected check, cover, mutant=ID, off"),
            ("HIRACE_EVERY", "0", "expected a number of dispatches"),
            ("HIRACE_REPORT", "json", "expected KIND=FILE"),
            ("HIRACE_REPORT", "xml=a", "there are: text, json, sarif, github, html"),
            ("HIRACE_PANIC", "yes", "expected 0, 1"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert_eq!(error.help.as_deref(), Some(help), "{name}={value}");
        }
    }
}
