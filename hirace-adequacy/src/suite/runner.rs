//! What cargo runs in the stead of a test binary: it runs each of its tests by itself.
//!
//! Cargo lets a *runner* run what it has built, in the folder and with the environment of the package. So whatever ends up
//! with cargo running tests (`cargo test` with any flags, `cargo nextest run`, a script) can be followed, and nothing has
//! to know what cargo does.
//!
//! A binary is asked for its tests as test runners do, by `--list --format terse`. One that does not answer is one test.

use super::call;
use hirace_core::cover::hash;
use hirace_core::cover::record;
use hirace_core::shard::Shard;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, thread};

/// The environment variable that names the folder of the suite.
pub const SUITE: &str = "HIRACE_SUITE";

/// The environment variable that names the shard of whose tests alone are run: `2/3`.
pub const SHARD: &str = "HIRACE_SUITE_SHARD";

/// How the files of a suite's folder end that list tests, a line each: all of a binary, of whatever shard.
pub const LISTED: &str = "listed";

/// The file in which the folder of a test says how it went, what it is called, and in a second line the folder of its
/// package.
pub const RESULT: &str = "test";

/// What libtest ends with if a test fails.
const FAILED: u8 = 101;

/// Runs `binary` with these arguments, as cargo would.
pub fn run(binary: &OsStr, arguments: &[OsString]) -> ExitCode {
    let Some(folder) = env::var_os(SUITE).map(PathBuf::from) else {
        return through(binary, arguments);
    };
    // Others list and run single tests by themselves; the tests in documents are binaries without a name to find.
    let is = |name: &str| arguments.iter().any(|argument| argument == name);
    if is("--list") || is_of_documents(Path::new(binary)) {
        return through(binary, arguments);
    }
    let shard = env::var(SHARD).ok().and_then(|shard| shard.parse().ok());
    let suite = Suite { binary, arguments, folder: &folder, shard };
    match suite.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => {
            eprintln!("error: the tests of {} cannot be run: {error}", binary.to_string_lossy());
            ExitCode::from(FAILED)
        }
    }
}

/// Runs it, and nothing else.
fn through(binary: &OsStr, arguments: &[OsString]) -> ExitCode {
    match Command::new(binary).args(arguments).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("error: cannot run {}: {error}", binary.to_string_lossy());
            ExitCode::from(FAILED)
        }
    }
}

/// Whether it is a test of a document: rustdoc makes these in folders of its own.
fn is_of_documents(binary: &Path) -> bool {
    let is_of_rustdoc = |part: &OsStr| part.to_string_lossy().starts_with("rustdoctest");
    binary.iter().any(is_of_rustdoc) || binary.file_stem().is_some_and(|stem| stem == "rust_out")
}

/// The tests of one binary.
struct Suite<'a> {
    binary: &'a OsStr,
    arguments: &'a [OsString],
    folder: &'a Path,
    /// The part that is run; nothing, for all.
    shard: Option<Shard>,
}

impl Suite<'_> {
    fn is_given(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument == name)
    }

    /// Whether all tests passed.
    fn run(&self) -> io::Result<bool> {
        let Some(mut tests) = self.tests()? else { return self.whole() };
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

    /// The names of the tests that the arguments mean; nothing, if the binary does not say.
    fn tests(&self) -> io::Result<Option<Vec<String>>> {
        let Some(all) = self.list(&[])? else { return Ok(None) };
        if self.is_given("--include-ignored") || self.is_given("--ignored") {
            return Ok(Some(all));
        }
        // Listed with the others, and run by none.
        let ignored = self.list(&["--ignored"])?.unwrap_or_default();
        let ignored: BTreeSet<String> = ignored.into_iter().collect();
        Ok(Some(all.into_iter().filter(|test| !ignored.contains(test)).collect()))
    }

    /// What the binary prints that is asked for its tests, if it succeeds.
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
        // A binary that prints nothing has no tests, or takes no notice of what it is asked.
        if text.trim().is_empty() && more.is_empty() {
            let text = self.listed(&["--list"])?.unwrap_or_default();
            return Ok(text.contains("0 tests").then(Vec::new));
        }
        let mut tests = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match line.rsplit_once(": ") {
                Some((name, "test")) => tests.push(name.to_owned()),
                Some((_, "benchmark" | "bench")) => {}
                // It does something else when it is asked.
                _ => return Ok(None),
            }
        }
        Ok(Some(tests))
    }

    /// Runs one test, and says whether it passed.
    fn test(&self, name: &str) -> io::Result<bool> {
        let folder = self.folder_of_test()?;
        let mut command = Command::new(self.binary);
        command.args([name, "--exact"]);
        for kept in ["--include-ignored", "--ignored"] {
            if self.is_given(kept) {
                command.arg(kept);
            }
        }
        call::Call::of(&command)?.write(&folder)?;
        command.env(record::FOLDER, &folder).stdin(Stdio::null());
        let output = command.output()?;
        let passed = output.status.success();
        if !passed {
            let said =
                [output.stdout, output.stderr].map(|of| String::from_utf8_lossy(&of).into_owned());
            eprintln!("---- {name}\n{}", said.concat());
        }
        self.note(&folder, name, passed)?;
        Ok(passed)
    }

    /// Runs a binary that does not say which tests it has.
    fn whole(&self) -> io::Result<bool> {
        let name = if self.is_given("--exact") { self.filter() } else { String::new() };
        self.note_listed(std::slice::from_ref(&name))?;
        if !self.is_in_shard(&name) {
            return Ok(true);
        }
        let folder = self.folder_of_test()?;
        let mut command = Command::new(self.binary);
        command.args(self.arguments);
        call::Call::of(&command)?.write(&folder)?;
        let status = command.env(record::FOLDER, &folder).status()?;
        self.note(&folder, &name, status.success())?;
        Ok(status.success())
    }

    /// The first argument that is no flag.
    fn filter(&self) -> String {
        let mut arguments = self.arguments.iter().map(|argument| argument.to_string_lossy());
        arguments.find(|argument| !argument.starts_with('-')).unwrap_or_default().into_owned()
    }

    /// The binary without the hash that cargo adds.
    fn name(&self) -> String {
        let stem = Path::new(self.binary).file_stem().unwrap_or_default().to_string_lossy();
        match stem.rsplit_once('-') {
            Some((name, hash)) if hash.len() == 16 => name.to_owned(),
            _ => stem.into_owned(),
        }
    }

    /// What reports call a test.
    fn shown(&self, test: &str) -> String {
        [self.name().as_str(), test].join(" ").trim().to_owned()
    }

    fn is_in_shard(&self, test: &str) -> bool {
        self.shard.is_none_or(|shard| shard.has(&hash(&self.shown(test))))
    }

    /// A path that nobody else has.
    fn path(&self) -> PathBuf {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}-{number}", std::process::id()))
    }

    /// A folder that no other test has.
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
