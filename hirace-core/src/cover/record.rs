//! Records the coverage of a process, for the process that started it.
//!
//! `hirace cover -- COMMAND` runs each test with a folder of its own ([`CoverageRequest`]). Each check adds what it ran to
//! a file there. The file is complete at any time, because a test may end at any time.

use super::collect::Collector;
use super::coverage::{Coverage, Test, UnobservedKernel};
use crate::diagnostic::{Diagnostic, Result};
use crate::process_request::{CoverageRequest, ProcessRequest, Role};
use crate::report::finding_summary::FindingSummary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{fs, io, path, process};

/// The extension of files with findings.
const FOUND: &str = "found";

/// The extension of files about the device of an application.
const DEVICE: &str = "device";

/// The coverage that this process has recorded so far.
#[derive(Debug)]
pub struct Record {
    folder: PathBuf,
    hits: bool,
    so_far: Mutex<RecordState>,
}

/// The record that the process has begun itself.
static OWN: OnceLock<Record> = OnceLock::new();

#[derive(Debug, Default)]
struct RecordState {
    coverage: Coverage,
    launches: u64,
    kernels: BTreeSet<(String, String)>,
    /// Kernels whose text was handed out, by file and entry point.
    handed_out: BTreeSet<(String, String)>,
    found: BTreeSet<FindingSummary>,
    device: Option<DeviceUse>,
}

/// The use of a device with a driver by an application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceUse {
    /// The features it uses that the embedded device lacks, such as textures.
    pub beyond_embedded: BTreeSet<String>,
}

impl DeviceUse {
    /// Adds the use of another process.
    pub fn add(&mut self, other: Self) {
        self.beyond_embedded.extend(other.beyond_embedded);
    }
}

impl Record {
    /// Returns the record of this process, if a command requests one or the process has begun one.
    ///
    /// # Errors
    /// The request to this process is refused.
    pub fn of_process() -> Result<Option<&'static Self>> {
        Ok(Self::requested()?.or_else(|| OWN.get()))
    }

    /// Starts recording in `folder`, unless a command requests another folder or recording has already started. Returns
    /// the folder of the record.
    ///
    /// # Errors
    /// The request to this process is refused, or the folder cannot be written to.
    pub fn begin(folder: &Path) -> Result<&'static Path> {
        let cannot = |error: io::Error| {
            let shown = folder.display();
            let error = Diagnostic::new(format!("cannot record coverage in {shown}: {error}"));
            let help = "set HIRACE_COVER to a folder that can be created and written to";
            Box::new(error.help(help).of_device())
        };
        if let Some(record) = Self::requested()? {
            return Ok(&record.folder);
        }
        // The process may change its working folder.
        let whole = path::absolute(folder).map_err(cannot)?;
        fs::create_dir_all(&whole).map_err(cannot)?;
        require_writable(&whole).map_err(cannot)?;
        let own = || Self { folder: whole, hits: false, so_far: Mutex::default() };
        Ok(&OWN.get_or_init(own).folder)
    }

    /// Returns the record that a command requests.
    fn requested() -> Result<Option<&'static Self>> {
        static REQUESTED: OnceLock<Result<Option<Record>>> = OnceLock::new();
        let requested = REQUESTED.get_or_init(|| {
            let Some(Role::Covered(request)) = &ProcessRequest::of_process()?.role else {
                return Ok(None);
            };
            let CoverageRequest { folder, hits } = request.clone();
            Ok(Some(Self { folder, hits, so_far: Mutex::default() }))
        });
        requested.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// Returns whether hits are recorded instead of counts.
    pub fn hits(&self) -> bool {
        self.hits
    }

    /// Adds the coverage of a collector.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written to.
    pub fn add(&self, collector: Collector<'_>) -> io::Result<()> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.coverage.add(collector.coverage);
        so_far.launches += collector.launches;
        so_far.kernels.extend(collector.kernels);
        self.write(&so_far)
    }

    /// Records that the text of a kernel was handed out. hirace does not observe what a host does with it.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written to.
    pub fn handed_out(&self, file: &str, kernel: &str) -> io::Result<()> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        match so_far.handed_out.insert((file.to_owned(), kernel.to_owned())) {
            true => self.write(&so_far),
            false => Ok(()),
        }
    }

    /// Records the findings of a launch.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written to.
    pub fn add_findings(&self, found: &[FindingSummary]) -> io::Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.found.extend(found.iter().cloned());
        let text = serde_json::to_string(&so_far.found).map_err(io::Error::other)?;
        self.replace(&self.folder.join(format!("{}.{FOUND}", process::id())), &text)
    }

    /// Records that the application uses a device that has a driver, and something on it that the embedded device does not
    /// have.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written to.
    pub fn add_device(&self, beyond_embedded: Option<&str>) -> io::Result<()> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let before = so_far.device.clone();
        let device = so_far.device.get_or_insert_default();
        device.beyond_embedded.extend(beyond_embedded.map(str::to_owned));
        if so_far.device == before {
            return Ok(());
        }
        let text = serde_json::to_string(&so_far.device).map_err(io::Error::other)?;
        self.replace(&self.folder.join(format!("{}.{DEVICE}", process::id())), &text)
    }

    fn replace(&self, file: &Path, text: &str) -> io::Result<()> {
        let mut temporary = file.as_os_str().to_owned();
        temporary.push(".part");
        fs::create_dir_all(&self.folder)?;
        fs::write(&temporary, text)?;
        fs::rename(temporary, file)
    }

    fn write(&self, so_far: &RecordState) -> io::Result<()> {
        let mut coverage = so_far.coverage.clone();
        let kernels = so_far.kernels.iter().map(|(_, kernel)| kernel.clone());
        let (name, launches) = (String::new(), so_far.launches);
        coverage.tests = vec![Test { name, launches, kernels: kernels.collect() }];
        let unseen = so_far.handed_out.difference(&so_far.kernels);
        coverage.unobserved = unseen
            .map(|(file, kernel)| UnobservedKernel {
                file: file.clone(),
                kernel: kernel.clone(),
                test: String::new(),
            })
            .collect();
        let text = serde_json::to_string(&coverage).map_err(io::Error::other)?;
        self.replace(&self.folder.join(format!("{}.json", process::id())), &text)
    }
}

/// Creates and removes a file in a folder.
fn require_writable(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!("{}.part", process::id()));
    fs::write(&file, "")?;
    fs::remove_file(file)
}

/// Reads the coverage that processes recorded in this folder.
///
/// # Errors
/// Returns an error if the folder cannot be read or contains other data.
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

/// Reads the device use that processes recorded in this folder. Returns `None` if no process used a device.
///
/// # Errors
/// Returns an error if the folder cannot be read or contains other data.
pub fn read_device(folder: &Path) -> io::Result<Option<DeviceUse>> {
    let mut all: Option<DeviceUse> = None;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == DEVICE) {
            let text = fs::read_to_string(&path)?;
            let device = serde_json::from_str(&text).map_err(io::Error::other)?;
            all.get_or_insert_default().add(device);
        }
    }
    Ok(all)
}

/// Reads the findings that processes recorded in this folder.
///
/// # Errors
/// Returns an error if the folder cannot be read or contains other data.
pub fn read_found(folder: &Path) -> io::Result<BTreeSet<FindingSummary>> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == FOUND) {
            let text = fs::read_to_string(&path)?;
            let found: Vec<FindingSummary> =
                serde_json::from_str(&text).map_err(io::Error::other)?;
            all.extend(found);
        }
    }
    Ok(all)
}
