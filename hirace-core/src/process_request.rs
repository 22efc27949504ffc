//! The request of a command to the processes that it starts: tests, applications, and the runner of test binaries.
//!
//! `hirace cover`, `mutate`, `amplify`, `run` and `test` say in one environment variable, [`VARIABLE`], what a process does
//! with its launches. Its value is a [`ProcessRequest`] in JSON, with the version of its format, because the command and
//! the library in the process may come from different versions of hirace. A process refuses a request that it cannot
//! follow: if it ignored the request, its tests would judge something else.
//!
//! **Architecture invariant:** only this module reads and writes the variable, and no setting of users is part of the
//! request.

use crate::diagnostic::{Diagnostic, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The environment variable with the request. Only commands of hirace set it.
pub const VARIABLE: &str = "HIRACE_PROCESS_REQUEST";

/// The version of the format.
const VERSION: u32 = 1;

/// What a command asks of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ProcessRequest {
    /// The role of the process in a suite, if a command runs the suite.
    pub role: Option<Role>,
    /// The folder for reports of findings, if `hirace run` or `hirace test` started the process.
    pub findings: Option<PathBuf>,
}

/// The role of a process in a suite that a command runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Role {
    /// The process starts test binaries by the runner, or runs one as the runner.
    Suite(SuiteRequest),
    /// The process is a test whose coverage is recorded.
    Covered(CoverageRequest),
    /// The process is a test that judges a mutant, or the original for comparison.
    Mutated(MutationRequest),
    /// The process is a test whose launches run under many schedules. The folder has the task, and gets the results.
    Amplified {
        /// The folder.
        folder: PathBuf,
    },
}

/// How the runner records the tests of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SuiteRequest {
    /// The folder of the suite.
    pub folder: PathBuf,
    /// Whether to record hits instead of counts.
    pub hits: bool,
    /// The part of the tests to run, such as `2/3`; `None` for all.
    pub shard: Option<String>,
}

/// Where a process records its coverage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CoverageRequest {
    /// The folder, which exists.
    pub folder: PathBuf,
    /// Whether to record hits instead of counts.
    pub hits: bool,
}

/// The changes that a process makes to its checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MutationRequest {
    /// The mutant to run; `None` for the original.
    pub mutant: Option<MutantFile>,
    /// The record, a file to append to.
    pub record: PathBuf,
    /// The schedule of launches that name none.
    pub schedule: u64,
    /// The step limit of a subgroup for launches that set none.
    pub steps: Option<u64>,
    /// Whether findings do not fail tests.
    pub lenient: bool,
    /// Whether the accesses that race are not searched for.
    pub unexplained: bool,
}

/// A mutant of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MutantFile {
    /// The hash of the text that the mutant replaces.
    pub original: String,
    /// The file with the text of the mutant.
    pub text: PathBuf,
}

/// The value of the variable.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    version: u32,
    request: T,
}

impl ProcessRequest {
    /// Returns the request to this process. It is empty if no command of hirace runs the process.
    ///
    /// # Errors
    /// The request is malformed or of another version.
    pub fn of_process() -> Result<&'static Self> {
        static REQUEST: OnceLock<Result<ProcessRequest>> = OnceLock::new();
        REQUEST
            .get_or_init(|| Self::parse(env::var_os(VARIABLE).as_deref()))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Returns the value of the variable for this request.
    ///
    /// # Errors
    /// A path is not Unicode.
    pub fn to_value(&self) -> Result<String> {
        let envelope = Envelope { version: VERSION, request: self };
        serde_json::to_string(&envelope).map_err(|error| {
            let error = Diagnostic::new(format!("a path cannot be passed to processes: {error}"));
            let help = "set TMPDIR to a folder whose path is Unicode, and run the command in such a folder";
            Box::new(error.help(help).of_device())
        })
    }

    fn parse(value: Option<&OsStr>) -> Result<Self> {
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            return Ok(Self::default());
        };
        let malformed = |why: &str| {
            let error =
                Diagnostic::new(format!("the environment variable {VARIABLE} is malformed"));
            let help = format!("unset {VARIABLE}: only commands of hirace set it");
            Box::new(error.note(why.to_owned()).help(help).of_device())
        };
        let text = value.to_str().ok_or_else(|| malformed("it is not Unicode"))?;
        let envelope: Envelope<Value> =
            serde_json::from_str(text).map_err(|error| malformed(&error.to_string()))?;
        if envelope.version != VERSION {
            let version = envelope.version;
            let error = format!(
                "this process cannot follow the request of the command that runs it: the request has version {version}, but version {VERSION} is supported"
            );
            let help = "use the command `hirace` and the crates of hirace in the same version";
            return Err(Box::new(Diagnostic::new(error).help(help).of_device()));
        }
        serde_json::from_value(envelope.request).map_err(|error| malformed(&error.to_string()))
    }

    /// Returns the request to record a suite, if the process is part of one but not a test of it.
    pub fn suite(&self) -> Option<&SuiteRequest> {
        match &self.role {
            Some(Role::Suite(suite)) => Some(suite),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProcessRequest> {
        ProcessRequest::parse(Some(OsStr::new(text)))
    }

    #[test]
    fn requests_are_read_as_they_were_written() {
        let folder = PathBuf::from("a folder");
        let mutation = MutationRequest {
            mutant: Some(MutantFile { original: "0f".to_owned(), text: "1.text".into() }),
            record: "1.record".into(),
            schedule: u64::MAX,
            steps: Some(7),
            lenient: true,
            unexplained: false,
        };
        let shard = Some("2/3".to_owned());
        for role in [
            None,
            Some(Role::Suite(SuiteRequest { folder: folder.clone(), hits: true, shard })),
            Some(Role::Covered(CoverageRequest { folder: folder.clone(), hits: false })),
            Some(Role::Mutated(mutation.clone())),
            Some(Role::Mutated(MutationRequest { mutant: None, steps: None, ..mutation })),
            Some(Role::Amplified { folder: folder.clone() }),
        ] {
            for findings in [None, Some(folder.clone())] {
                let request = ProcessRequest { role: role.clone(), findings };
                assert_eq!(parse(&request.to_value().unwrap()).unwrap(), request);
            }
        }
    }

    #[test]
    fn processes_that_no_command_runs_have_an_empty_request() {
        assert_eq!(ProcessRequest::parse(None).unwrap(), ProcessRequest::default());
        assert_eq!(parse("").unwrap(), ProcessRequest::default());
    }

    #[test]
    fn malformed_requests_are_refused() {
        for text in [
            "1",
            "target/cover",
            "{}",
            r#"{"version":1}"#,
            r#"{"version":"1","request":{}}"#,
            r#"{"version":1,"request":{"role":"covered","findings":null}}"#,
            r#"{"version":1,"request":{"role":null,"findings":null,"more":1}}"#,
            r#"{"version":1,"request":{"role":{"covered":{"folder":"f"}},"findings":null}}"#,
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.ends_with("is malformed"), "{text}: {error}");
            assert!(error.help.as_deref().is_some_and(|help| help.starts_with("unset ")), "{text}");
        }
    }

    #[test]
    fn requests_of_other_versions_are_refused_whatever_they_contain() {
        for text in [
            r#"{"version":2,"request":{"role":null,"findings":null}}"#,
            r#"{"version":0,"request":"unknown"}"#,
            r#"{"version":2,"request":{"role":{"drawn":{}}}}"#,
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains("but version 1 is supported"), "{text}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn text_that_is_not_unicode_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let value = OsStr::from_bytes(b"\xff");
        let error = ProcessRequest::parse(Some(value)).unwrap_err();
        assert!(error.message.ends_with("is malformed"), "{error}");
        let request = ProcessRequest { findings: Some(value.into()), ..ProcessRequest::default() };
        assert!(request.to_value().is_err());
    }
}
