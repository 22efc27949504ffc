//! Amplifies the launches of a process, such as a test, on request of the command that runs the process.
//!
//! `hirace amplify -- COMMAND` runs tests as [`Role::Amplified`], with a folder per test that has a [`Task`] in it. Each
//! check then does the task with its launches, and adds the results to a file there. The file is replaced atomically,
//! so that it is complete whenever the test ends.

use super::amplifier::{self, Amplifier};
use super::outputs::Outputs;
use super::results::{AmplifiedLaunch, File};
use super::settings::Settings;
use crate::check::Follower;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::Executor;
use crate::facts::DispatchOrder;
use crate::launch::Launch;
use crate::process_request::{ProcessRequest, Role};
use crate::program::Program;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{fs, io, process};

/// The name of the file with the task.
const TASK: &str = "task.json";

/// The task of a process: what to do with its launches.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Run each launch in many orders.
    Explore(ExploreSettings),
    /// Run one launch in one given order, and all others as usual.
    Replay(ReplayedLaunch),
}

/// The [`Settings`] and [`Outputs`] that a command line can give.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExploreSettings {
    /// [`Settings::strategies`]
    pub strategies: Vec<String>,
    /// [`Settings::runs`]
    pub runs: u32,
    /// [`Settings::seed`]
    pub seed: u64,
    /// [`Settings::depth`]
    pub depth: u32,
    /// [`Settings::most`]
    pub most: u64,
    /// [`Settings::replay`], as text
    pub replay: Option<String>,
    /// [`Outputs::tolerance`]
    pub tolerance: f64,
    /// [`Outputs::as_set`]
    pub as_set: Vec<String>,
    /// [`Outputs::same`]
    pub same: Option<Vec<String>>,
}

/// A launch of a process, and the order to run it in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplayedLaunch {
    /// [`AmplifiedLaunch::file`]
    pub file: String,
    /// [`AmplifiedLaunch::kernel`]
    pub kernel: String,
    /// [`AmplifiedLaunch::number`]
    pub number: u32,
    /// The order, as text.
    pub schedule: String,
}

/// The results of a process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// The results of its launches, in order.
    pub launches: Vec<AmplifiedLaunch>,
    /// The files of the launched kernels.
    pub files: Vec<File>,
    /// The names of the buffers that the process read after a launch.
    pub looked_at: BTreeSet<String>,
}

impl ExploreSettings {
    /// Creates the serializable form of `settings` and `outputs`.
    pub fn new(settings: &Settings, outputs: &Outputs) -> Self {
        let Settings { strategies, runs, seed, depth, most, replay } = settings.clone();
        let Outputs { tolerance, as_set, same, .. } = outputs.clone();
        let replay = replay.map(|replay| replay.to_string());
        Self { strategies, runs, seed, depth, most, replay, tolerance, as_set, same }
    }

    fn amplifier(self) -> Amplifier<'static> {
        let Self { strategies, runs, seed, depth, most, replay, tolerance, as_set, same } = self;
        let replay = replay.and_then(|replay| replay.parse().ok());
        let settings = Settings { strategies, runs, seed, depth, most, replay };
        let outputs = Outputs { tolerance, as_set, same, is_flag: true, expect: Vec::new() };
        Amplifier::new(settings, outputs, None).locating()
    }
}

/// Writes the task of a process to `folder`.
///
/// # Errors
/// The folder is not writable.
pub fn write_task(folder: &Path, task: &Task) -> io::Result<()> {
    let text = serde_json::to_string(task).map_err(io::Error::other)?;
    fs::write(folder.join(TASK), text)
}

/// Reads the results of the processes that were given this folder.
///
/// # Errors
/// The folder cannot be read, or its files are not results.
pub fn read(folder: &Path) -> io::Result<Record> {
    let mut all = Record::default();
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_of_process = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .is_some_and(|stem| stem.parse::<u32>().is_ok());
        if is_of_process && path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let Record { launches, files, looked_at } =
            serde_json::from_str(&text).map_err(io::Error::other)?;
        all.launches.extend(launches);
        all.files
            .extend(files.into_iter().filter(|file| !all.files.contains(file)).collect::<Vec<_>>());
        all.looked_at.extend(looked_at);
    }
    Ok(all)
}

/// The task of this process, with its results so far.
#[derive(Debug)]
pub struct ProcessTask {
    folder: PathBuf,
    task: Task,
    so_far: Mutex<Record>,
    /// The number of launches of each kernel so far, if one launch is to be replayed.
    launched: Mutex<BTreeMap<(String, String), u32>>,
}

impl ProcessTask {
    /// Returns the task of this process, if it has one.
    ///
    /// # Errors
    /// The request to this process is refused, or the task cannot be read.
    pub fn get() -> Result<Option<&'static Self>> {
        static OF_PROCESS: OnceLock<Result<Option<ProcessTask>>> = OnceLock::new();
        let of_process = OF_PROCESS.get_or_init(|| {
            let Some(Role::Amplified { folder }) = &ProcessRequest::of_process()?.role else {
                return Ok(None);
            };
            let path = folder.join(TASK);
            let text = fs::read_to_string(&path);
            let task = text.and_then(|text| serde_json::from_str(&text).map_err(io::Error::other));
            let task = task.map_err(|error| {
                let error = format!("cannot read the task in {}: {error}", path.display());
                Box::new(Diagnostic::new(error).of_device())
            })?;
            let (so_far, launched) = Default::default();
            Ok(Some(Self { folder: folder.clone(), task, so_far, launched }))
        });
        of_process.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// Returns the follower that does the task with the launches of one check.
    pub fn follower(&'static self) -> TaskFollower {
        match &self.task {
            Task::Explore(explore) => {
                TaskFollower::Exploring(Box::new(explore.clone().amplifier()))
            }
            Task::Replay(one) => TaskFollower::Replaying(ReplayFollower { of_process: self, one }),
        }
    }

    /// Adds the results of a check.
    ///
    /// # Errors
    /// The folder is not writable.
    pub fn add(&self, following: TaskFollower) -> io::Result<()> {
        let TaskFollower::Exploring(amplifier) = following else { return Ok(()) };
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        for mut launched in amplifier.launches {
            // Launches are numbered over the whole process.
            let is_same = |other: &&AmplifiedLaunch| {
                (&other.file, &other.kernel) == (&launched.file, &launched.kernel)
            };
            launched.number = so_far.launches.iter().filter(is_same).count() as u32 + 1;
            so_far.launches.push(launched);
        }
        for file in amplifier.files {
            if !so_far.files.contains(&file) {
                so_far.files.push(file);
            }
        }
        self.write(&so_far)
    }

    /// Records that the process reads the contents of a buffer after a launch.
    ///
    /// # Errors
    /// The folder is not writable.
    pub fn record_read(&self, name: &str) -> io::Result<()> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        match so_far.looked_at.insert(name.to_owned()) {
            true => self.write(&so_far),
            false => Ok(()),
        }
    }

    fn write(&self, so_far: &Record) -> io::Result<()> {
        let text = serde_json::to_string(so_far).map_err(io::Error::other)?;
        let file = self.folder.join(format!("{}.json", process::id()));
        let beside = file.with_extension("part");
        fs::write(&beside, text)?;
        fs::rename(beside, file)
    }
}

/// The follower of the launches of one check.
#[derive(Debug)]
pub enum TaskFollower {
    /// Runs the launches in many orders.
    Exploring(Box<Amplifier<'static>>),
    /// Replays one launch in another order.
    Replaying(ReplayFollower),
}

/// The state of [`TaskFollower::Replaying`].
#[derive(Debug)]
pub struct ReplayFollower {
    of_process: &'static ProcessTask,
    one: &'static ReplayedLaunch,
}

impl ReplayFollower {
    fn key(program: &Program, launch: &Launch) -> (String, String) {
        (amplifier::file(program, true).file, amplifier::kernel(program, launch))
    }
}

impl Follower for TaskFollower {
    fn arrange(&mut self, program: &Program, launch: &mut Launch) {
        let Self::Replaying(replaying) = self else { return };
        let key = ReplayFollower::key(program, launch);
        let launched = &replaying.of_process.launched;
        let launched = launched.lock().unwrap_or_else(PoisonError::into_inner);
        let number = launched.get(&key).copied().unwrap_or(0) + 1;
        let ReplayedLaunch { file, kernel, number: wanted, schedule } = replaying.one;
        if (&key.0, &key.1, number) == (file, kernel, *wanted) {
            launch.order = schedule.parse::<DispatchOrder>().ok();
        }
    }

    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()> {
        match self {
            Self::Exploring(amplifier) => amplifier.ran(program, launch, executor),
            Self::Replaying(replaying) => {
                let key = ReplayFollower::key(program, launch);
                let launched = &replaying.of_process.launched;
                *launched.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() +=
                    1;
                Ok(())
            }
        }
    }
}
