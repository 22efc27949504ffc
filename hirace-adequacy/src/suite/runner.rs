//! The program that cargo runs in place of a test binary: it runs each of its tests in a separate process.
//!
//! Cargo can run what it has built through a *runner*, in the folder and with the environment of the package. Therefore
//! anything that makes cargo run tests (`cargo test` with any flags, `cargo nextest run`, a script) can be recorded,
//! without knowledge of what cargo does.
//!
//! A binary lists its tests with `--list --format terse`, as for other test runners. A binary that does not support
//! this counts as one test.

use super::call::Call;
use hirace_core::cover::hash;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::process_request::{self, CoverageRequest, ProcessRequest, Role, SuiteRequest};
use hirace_core::shard::Shard;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, thread};

/// The extension of the files in a suite's folder that list the tests of a binary, one per line, including those of
/// other shards.
pub const LISTED: &str = "listed";

/// The file in the folder of a test. Its first line has the result and the name of the test, its second line the folder
/// of the package.
pub const RESULT: &str = "test";

/// The exit status of libtest if a test fails.
const FAILED: u8 = 101;

/// Runs the tests of `binary` that these arguments select, and records them. Runs `binary` as cargo would if no suite is
/// recorded, if the arguments contain `--list`, or if it is a doctest.
pub fn run(binary: &OsStr, arguments: &[OsString]) -> ExitCode {
    let request = match ProcessRequest::of_process() {
        Ok(request) => request,
        Err(error) => return refuse(binary, &error),
    };
    // A test that runs cargo uses this runner, too, but is not the suite.
    let Some(suite) = request.suite() else { return run_unfollowed(binary, arguments) };
    // Other tools list and run single tests themselves. Doctest binaries have no stable names.
    let is = |name: &str| arguments.iter().any(|argument| argument == name);
    if is("--list") || is_doctest(Path::new(binary)) {
        return run_unfollowed(binary, arguments);
    }
    let shard = match suite.shard.as_deref().map(str::parse::<Shard>).transpose() {
        Ok(shard) => shard,
        Err(error) => return refuse(binary, &Diagnostic::new(error)),
    };
    let SuiteRequest { folder, hits, .. } = suite;
    let suite = Suite { binary, arguments, request, folder, hits: *hits, shard };
    match suite.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => {
            eprintln!("error: cannot run the tests of {}: {error}", binary.to_string_lossy());
            ExitCode::from(FAILED)
        }
    }
}

fn refuse(binary: &OsStr, error: &Diagnostic) -> ExitCode {
    eprintln!("error: cannot run the tests of {}: {error}", binary.to_string_lossy());
    error.help.iter().for_each(|help| eprintln!("  = help: {help}"));
    ExitCode::from(FAILED)
}

/// Runs the binary without recording its tests.
fn run_unfollowed(binary: &OsStr, arguments: &[OsString]) -> ExitCode {
    match Command::new(binary).args(arguments).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("error: cannot run {}: {error}", binary.to_string_lossy());
            ExitCode::from(FAILED)
        }
    }
}

/// Returns whether a binary is a doctest, which rustdoc creates in folders of its own.
fn is_doctest(binary: &Path) -> bool {
    let is_of_rustdoc = |part: &OsStr| part.to_string_lossy().starts_with("rustdoctest");
    binary.iter().any(is_of_rustdoc) || binary.file_stem().is_some_and(|stem| stem == "rust_out")
}

/// The tests of one binary.
struct Suite<'a> {
    binary: &'a OsStr,
    arguments: &'a [OsString],
    request: &'a ProcessRequest,
    folder: &'a Path,
    /// Whether to record hits instead of counts.
    hits: bool,
    /// The part of the tests to run; `None` for all.
    shard: Option<Shard>,
}

impl Suite<'_> {
    fn is_given(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument == name)
    }

    /// Runs the tests. Returns whether all passed.
    fn run(&self) -> io::Result<bool> {
        let Some(mut tests) = self.tests()? else { return self.run_as_one_test() };
        self.note_listed(&tests)?;
        tests.retain(|test| self.is_in_shard(test));
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        let work = || {
            while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                if !self.test(test).unwrap_or_else(|error| {
                    eprintln!("error: {test}: {error}");
                    false
                }) && let Ok(mut failed) = failed.lock()
                {
                    failed.push(test.clone());
                }
            }
        };
        let threads = self.threads().min(tests.len()).max(1);
        thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        let mut failed = failed.into_inner().unwrap_or_default();
        failed.sort_unstable();
        let passed = tests.len() - failed.len();
        println!("{passed} of {} tests of {} passed", tests.len(), self.name());
        failed.iter().for_each(|test| println!("    failed: {test}"));
        Ok(failed.is_empty())
    }

    fn threads(&self) -> usize {
        let mut arguments = self.arguments.iter().map(|argument| argument.to_string_lossy());
        let given = arguments.clone().find_map(|argument| {
            argument.strip_prefix("--test-threads=").and_then(|threads| threads.parse().ok())
        });
        let given = given.or_else(|| {
            arguments.find(|argument| argument == "--test-threads");
            arguments.next().and_then(|threads| threads.parse().ok())
        });
        let asked = env::var("RUST_TEST_THREADS").ok().and_then(|threads| threads.parse().ok());
        given.or(asked).unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into))
    }

    /// Returns the names of the tests that the arguments select, or `None` if the binary cannot list them.
    fn tests(&self) -> io::Result<Option<Vec<String>>> {
        let Some(all) = self.list(&[])? else { return Ok(None) };
        if self.is_given("--include-ignored") || self.is_given("--ignored") {
            return Ok(Some(all));
        }
        // Ignored tests are listed with the others, but are not run.
        let ignored = self.list(&["--ignored"])?.unwrap_or_default();
        let ignored: BTreeSet<String> = ignored.into_iter().collect();
        Ok(Some(all.into_iter().filter(|test| !ignored.contains(test)).collect()))
    }

    /// Runs the binary with `how` added to the arguments, without those that change the output format. Returns its output if
    /// it succeeds.
    fn listed(&self, how: &[&str]) -> io::Result<Option<String>> {
        let mut command = Command::new(self.binary);
        let forms = ["--format", "--nocapture", "--no-capture", "--show-output", "-q", "--quiet"];
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy();
            match forms.iter().any(|form| text == *form) || text.starts_with("--format=") {
                true if text == "--format" => drop(arguments.next()),
                true => {}
                false => drop(command.arg(argument)),
            }
        }
        let output = command.args(how).stdin(Stdio::null()).stderr(Stdio::null()).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(output.status.success().then_some(text))
    }

    fn list(&self, more: &[&str]) -> io::Result<Option<Vec<String>>> {
        let terse = [more, &["--list", "--format", "terse"]].concat();
        let Some(text) = self.listed(&terse)? else { return Ok(None) };
        // A binary that prints nothing has no tests, or ignores the request.
        if text.trim().is_empty() && more.is_empty() {
            let text = self.listed(&["--list"])?.unwrap_or_default();
            return Ok(text.contains("0 tests").then(Vec::new));
        }
        let mut tests = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match line.rsplit_once(": ") {
                Some((name, "test")) => tests.push(name.to_owned()),
                Some((_, "benchmark" | "bench")) => {}
                // The output is not a list of tests.
                _ => return Ok(None),
            }
        }
        Ok(Some(tests))
    }

    /// Runs one test. Returns whether it passed.
    fn test(&self, name: &str) -> io::Result<bool> {
        let folder = self.folder_of_test()?;
        let mut command = Command::new(self.binary);
        command.args([name, "--exact"]);
        for kept in ["--include-ignored", "--ignored"] {
            if self.is_given(kept) {
                command.arg(kept);
            }
        }
        self.prepare(&mut command, &folder)?;
        let output = command.stdin(Stdio::null()).output()?;
        let passed = output.status.success();
        if !passed {
            let said =
                [output.stdout, output.stderr].map(|of| String::from_utf8_lossy(&of).into_owned());
            eprintln!("---- {name}\n{}", said.concat());
        }
        self.note(&folder, name, passed)?;
        Ok(passed)
    }

    /// Runs a binary that cannot list its tests.
    fn run_as_one_test(&self) -> io::Result<bool> {
        let name = if self.is_given("--exact") { self.filter() } else { String::new() };
        self.note_listed(std::slice::from_ref(&name))?;
        if !self.is_in_shard(&name) {
            return Ok(true);
        }
        let folder = self.folder_of_test()?;
        let mut command = Command::new(self.binary);
        command.args(self.arguments);
        self.prepare(&mut command, &folder)?;
        let status = command.status()?;
        self.note(&folder, &name, status.success())?;
        Ok(status.success())
    }

    /// Writes the call of a test into its folder, and makes the test record its coverage there.
    fn prepare(&self, command: &mut Command, folder: &Path) -> io::Result<()> {
        Call::of(command, self.request)?.write(folder)?;
        let covered = CoverageRequest { folder: folder.to_owned(), hits: self.hits };
        let request = ProcessRequest { role: Some(Role::Covered(covered)), ..self.request.clone() };
        command.env(process_request::VARIABLE, request.to_value().map_err(io::Error::other)?);
        Ok(())
    }

    /// Returns the first argument that is not a flag.
    fn filter(&self) -> String {
        let mut arguments = self.arguments.iter().map(|argument| argument.to_string_lossy());
        arguments.find(|argument| !argument.starts_with('-')).unwrap_or_default().into_owned()
    }

    /// Returns the name of the binary without the hash that cargo adds.
    fn name(&self) -> String {
        let stem = Path::new(self.binary).file_stem().unwrap_or_default().to_string_lossy();
        match stem.rsplit_once('-') {
            Some((name, hash)) if hash.len() == 16 => name.to_owned(),
            _ => stem.into_owned(),
        }
    }

    /// Returns the name of a test in reports.
    fn shown(&self, test: &str) -> String {
        [self.name().as_str(), test].join(" ").trim().to_owned()
    }

    fn is_in_shard(&self, test: &str) -> bool {
        self.shard.is_none_or(|shard| shard.has(&hash(&self.shown(test))))
    }

    /// Returns a unique path in the suite's folder.
    fn path(&self) -> PathBuf {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}-{number}", std::process::id()))
    }

    /// Creates a unique folder for a test.
    fn folder_of_test(&self) -> io::Result<PathBuf> {
        let folder = self.path();
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn note_listed(&self, tests: &[String]) -> io::Result<()> {
        let lines: String = tests.iter().map(|test| self.shown(test) + "\n").collect();
        fs::write(self.path().with_extension(LISTED), lines)
    }

    fn note(&self, folder: &Path, test: &str, passed: bool) -> io::Result<()> {
        let word = if passed { "passed" } else { "failed" };
        let shown = self.shown(test);
        let package = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        fs::write(folder.join(RESULT), format!("{word} {shown}\n{package}"))
    }
}
