//! What a process launches, recorded for whoever runs it.
//!
//! `hirace cover -- COMMAND` runs tests with [`FOLDER`] set to a folder of their own. Each check then adds what it ran to a
//! file there, which is whole at any time: a test may end whenever it likes.

use super::collect::Collector;
use super::coverage::{Coverage, NeverSeen, Test};
use crate::report::found::Found;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, fs, io, process};

/// The environment variable that names the folder.
pub const FOLDER: &str = "HIRACE_COVER";

/// The environment variable that asks for hits instead of counts.
pub const HITS: &str = "HIRACE_COVER_HITS";

/// The ending of files with what was found.
const FOUND: &str = "found";

/// What this process has launched so far.
#[derive(Debug)]
pub struct Record {
    folder: PathBuf,
    hits: bool,
    so_far: Mutex<SoFar>,
}

static RECORD: OnceLock<Option<Record>> = OnceLock::new();

#[derive(Debug, Default)]
struct SoFar {
    coverage: Coverage,
    launches: u64,
    kernels: BTreeSet<(String, String)>,
    /// Kernels whose text was handed out, by file and entry point.
    handed_out: BTreeSet<(String, String)>,
    found: BTreeSet<Found>,
}

impl Record {
    /// The record of this process, if somebody asks for one.
    pub fn of_process() -> Option<&'static Self> {
        RECORD.get_or_init(Self::of_environment).as_ref()
    }

    /// Has this process recorded in `folder`, if nobody asks for a record elsewhere, and nothing was launched so far. The
    /// folder of the record.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn begin(folder: &Path) -> io::Result<&'static Path> {
        let own = || Self { folder: folder.to_owned(), hits: false, so_far: Mutex::default() };
        let record = RECORD.get_or_init(|| Some(Self::of_environment().unwrap_or_else(own)));
        let folder = record.as_ref().map_or(Path::new(""), |record| &record.folder);
        fs::create_dir_all(folder)?;
        Ok(folder)
    }

    fn of_environment() -> Option<Self> {
        let folder = env::var_os(FOLDER).filter(|folder| !folder.is_empty())?;
        let hits = env::var_os(HITS).is_some_and(|hits| hits == "1");
        Some(Self { folder: folder.into(), hits, so_far: Mutex::default() })
    }

    /// Whether hits are asked for instead of counts.
    pub fn hits(&self) -> bool {
        self.hits
    }

    /// Adds what was collected.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn add(&self, collector: Collector<'_>) -> io::Result<()> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.coverage.add(collector.coverage);
        so_far.launches += collector.launches;
        so_far.kernels.extend(collector.kernels);
        self.write(&so_far)
    }

    /// Notes that the text of a kernel was handed out: what a host does with it is not seen.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn handed_out(&self, file: &str, kernel: &str) -> io::Result<()> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        match so_far.handed_out.insert((file.to_owned(), kernel.to_owned())) {
            true => self.write(&so_far),
            false => Ok(()),
        }
    }

    /// Notes what was found on a launch.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn found(&self, found: &[Found]) -> io::Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.found.extend(found.iter().cloned());
        let text = serde_json::to_string(&so_far.found).map_err(io::Error::other)?;
        self.replace(&self.folder.join(format!("{}.{FOUND}", process::id())), &text)
    }

    fn replace(&self, file: &Path, text: &str) -> io::Result<()> {
        let mut beside = file.as_os_str().to_owned();
        beside.push(".part");
        fs::write(&beside, text)?;
        fs::rename(beside, file)
    }

    fn write(&self, so_far: &SoFar) -> io::Result<()> {
        let mut coverage = so_far.coverage.clone();
        let kernels = so_far.kernels.iter().map(|(_, kernel)| kernel.clone());
        let (name, launches) = (String::new(), so_far.launches);
        coverage.tests = vec![Test { name, launches, kernels: kernels.collect() }];
        let unseen = so_far.handed_out.difference(&so_far.kernels);
        coverage.never_seen = unseen
            .map(|(file, kernel)| NeverSeen {
                file: file.clone(),
                kernel: kernel.clone(),
                test: String::new(),
            })
            .collect();
        let text = serde_json::to_string(&coverage).map_err(io::Error::other)?;
        self.replace(&self.folder.join(format!("{}.json", process::id())), &text)
    }
}

/// What the processes recorded that were given this folder.
///
/// # Errors
/// It cannot be read, or holds something else.
pub fn read(folder: &Path) -> io::Result<Coverage> {
    let mut coverage = Coverage::default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let recorded = Coverage::read(&fs::read_to_string(&path)?);
            coverage.add(recorded.map_err(io::Error::other)?);
        }
    }
    Ok(coverage)
}

/// What was found on launches of the processes that were given this folder.
///
/// # Errors
/// It cannot be read, or holds something else.
pub fn read_found(folder: &Path) -> io::Result<BTreeSet<Found>> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == FOUND) {
            let text = fs::read_to_string(&path)?;
            let found: Vec<Found> = serde_json::from_str(&text).map_err(io::Error::other)?;
            all.extend(found);
        }
    }
    Ok(all)
}
