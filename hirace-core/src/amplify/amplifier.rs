//! Amplifies the launches of a session: runs each in many orders.

use super::explore::Explorer;
use super::locations::Places;
use super::on_device::DeviceAmplification;
use super::outputs::{Comparison, Outputs};
use super::progress::Progress;
use super::results::{AmplifiedDispatch, AmplifiedLaunch, File, Judgement};
use super::settings::Settings;
use super::stage::{DispatchCodes, DispatchStage};
use crate::check::Follower;
use crate::cover::located;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::{EMBEDDED, Executor};
use crate::facts::{DispatchOrder, Grid, Replay};
use crate::launch::Launch;
use crate::program::{Language, Program};
use crate::report::words;
use crate::vm::order::Order;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// A follower that runs each launch of a session in other orders too.
#[derive(Debug, Default)]
pub struct Amplifier<'a> {
    /// The strategies and limits.
    pub settings: Settings,
    /// The outputs to compare.
    pub outputs: Outputs,
    /// The name of the test of hirace.toml, if it is one. The test then defines the expected outputs.
    pub test: Option<String>,
    /// The names of the variables that launches may write.
    pub written: BTreeSet<String>,
    /// The progress callback.
    pub progress: Progress,
    /// The results of the launches, in order.
    pub launches: Vec<AmplifiedLaunch>,
    /// The files of the launched kernels.
    pub files: Vec<File>,
    locates: bool,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Amplifier<'a> {
    /// Creates an amplifier that compares `outputs` and ends when `stop` is set.
    pub fn new(settings: Settings, outputs: Outputs, stop: Option<&'a AtomicBool>) -> Self {
        Self { settings, outputs, stop, ..Self::default() }
    }

    /// Looks up the source files of kernels that a macro has read.
    #[must_use]
    pub fn locating(self) -> Self {
        Self { locates: true, ..self }
    }

    fn dispatches(
        &self,
        program: &Program,
        launch: &Launch,
        file: &str,
        judgement: Judgement,
    ) -> Result<Vec<AmplifiedDispatch>> {
        let codes = DispatchCodes::new(program, launch, self.stop)?;
        let left = launch.resources.clone();
        let ended = codes.rest(0, &left)?.is_none();
        let comparison = ended.then(|| Comparison::new(program, launch, &self.outputs, left));
        if comparison.as_ref().map_or(Ok(false), Comparison::differs_in_serial_order)? {
            // The test fails in the serial order, and reports that itself.
            return Ok(Vec::new());
        }
        let mut before = launch.resources.clone();
        let mut dispatches = Vec::new();
        for (number, dispatch) in launch.dispatches.iter().enumerate() {
            let Some(stage) = DispatchStage::new(program, &codes, number, before) else { break };
            if stage.is_stopped() {
                break;
            }
            let size = program.module.entry_points[dispatch.entry].workgroup_size;
            let grid = Grid { workgroups: dispatch.workgroups, workgroup_size: size };
            let places = Places { program, grid, file };
            let comparison = comparison.as_ref();
            let explorer = Explorer::new(places, &stage, comparison, &self.settings, judgement)?
                .with_progress(&self.progress);
            dispatches.push(explorer.explore()?);
            before = stage.into_before();
            if !codes.serial((number, dispatch), &before)?.is_complete() {
                break;
            }
        }
        Ok(dispatches)
    }
}

/// Checks that `launch` has the dispatch, and the dispatch the workgroup, that `replay` names: otherwise nothing would
/// be replayed.
fn check_replay(replay: &DispatchOrder, program: &Program, launch: &Launch) -> Result<()> {
    let Some(dispatch) = launch.dispatches.get(replay.dispatch) else {
        let kernel = kernel(program, launch);
        let (asked, of) = (replay.dispatch + 1, launch.dispatches.len());
        let error = format!("`{replay}` names dispatch {asked}, but `{kernel}` has {of}");
        return Err(Box::new(Diagnostic::new(error)));
    };
    let workgroups =
        dispatch.workgroups.iter().fold(1u64, |product, &n| product.saturating_mul(n.into()));
    match &replay.order {
        Order::Schedule(schedule)
            if schedule.target().is_some_and(|target| target >= workgroups) =>
        {
            let kernel = &program.module.entry_points[dispatch.entry].name;
            let error = format!("`{replay}` names a workgroup that `{kernel}` does not have");
            let error = Diagnostic::new(error);
            Err(Box::new(
                error.note(format!(
                    "its workgroups are numbered from 0, and there are {workgroups}"
                )),
            ))
        }
        _ => Ok(()),
    }
}

impl Follower for Amplifier<'_> {
    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()> {
        let device = executor.device().name;
        let file = file(program, self.locates);
        let kernel = kernel(program, launch);
        let same = self.launches.iter().filter(|l| l.file == file.file && l.kernel == kernel);
        let number = same.count() as u32 + 1;
        let judgement = if self.test.is_some() { Judgement::Fails } else { Judgement::Silent };
        if let Some(replay) = &self.settings.replay {
            check_replay(replay, program, launch)?;
        }
        let every = Outputs::default();
        let written = Comparison::new(program, launch, &every, Default::default());
        self.written.extend(written.names());
        let dispatches = match device == EMBEDDED {
            true => self.dispatches(program, launch, &file.file, judgement)?,
            false => {
                let Self { settings, outputs, progress, .. } = self;
                let stop = self.stop;
                DeviceAmplification {
                    program,
                    launch,
                    executor,
                    settings,
                    outputs,
                    progress,
                    judgement,
                    stop,
                }
                .explore()?
            }
        };
        let source = file.file.clone();
        let command = match &self.test {
            // The test defines the launch and the outputs to compare.
            Some(test) => {
                let replay = Replay { source, flags: executor.flags() };
                let test = words::quote(test);
                Some(format!("{} --test {test}", words::replay_by("amplify", &replay)))
            }
            None => launch.replay.as_ref().map(|flags| {
                let flags = flags.iter().cloned().chain(executor.flags()).collect();
                words::replay_by("amplify", &Replay { source, flags })
            }),
        };
        let command = command.map(|command| command + &self.outputs.flags());
        let guessed = launch.assumptions.iter().map(words::assumption);
        self.launches.push(AmplifiedLaunch {
            file: file.file.clone(),
            kernel,
            number,
            device,
            command,
            guessed: guessed.collect(),
            dispatches,
        });
        if !self.files.contains(&file) {
            self.files.push(file);
        }
        Ok(())
    }
}

/// Returns the name of a program's file and the hash of its text; with `locates`, the file that a macro has read.
pub(super) fn file(program: &Program, locates: bool) -> File {
    let (name, text) = (program.source.name(), program.source.text());
    let is_of_macro = locates && program.language == Language::Rust;
    match is_of_macro.then(|| located::find(name, text)).flatten() {
        Some(found) => File { file: found.file, text: found.text },
        None => File { file: name.to_owned(), text: crate::cover::hash(text) },
    }
}

/// Returns the names of the entry points of a launch, in order, separated by commas.
pub(super) fn kernel(program: &Program, launch: &Launch) -> String {
    let entries = launch.dispatches.iter().map(|dispatch| {
        let entries = &program.module.entry_points;
        entries.get(dispatch.entry).map_or("", |entry| entry.name.as_str())
    });
    let mut names: Vec<&str> = entries.collect();
    names.dedup();
    names.join(",")
}
