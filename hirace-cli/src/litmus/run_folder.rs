//! The folders of litmus campaigns. Each run has a folder of its own, named by verb, device and time, so that no run
//! replaces the results of another one.

use crate::output_folder::output_folder;
use hirace_core::bounded::REPORT;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::folder::{self, Folder, Piece};
use hirace_litmus::campaign::Campaign;
use hirace_litmus::results::{self, Document, Run, Software, Verb};
use hirace_litmus::run::TargetInfo;
use hirace_terminal::Output;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The maximum length of the device's name in the name of a folder.
const DEVICE_LENGTH: usize = 32;

/// Opens the folder of a run, with the path of the folder. `given` is the value of `--output`. Without it, a run of the
/// same campaign that is not complete is continued; if there is none, a new folder is created.
///
/// # Errors
/// The folder is not writable, or contains a run with other settings.
pub fn open(
    given: Option<&Path>,
    campaign: &Campaign,
    device: &TargetInfo,
) -> Result<(PathBuf, Folder<Run>)> {
    let settings = settings(campaign, device);
    let of = serde_json::to_string(&settings).unwrap_or_default();
    let path = match given {
        Some(given) => given.to_owned(),
        None => {
            let top = output_folder(None, "litmus")?;
            let open = runs(&top).into_iter().rev().filter(|run| !is_complete(run));
            let same = open.filter(|run| folder::identity(run).as_deref() == Some(&of));
            if let Some(opened) = open_incomplete(same, &of) {
                return Ok(opened);
            }
            create(&top, &name(campaign, device))?
        }
    };
    let refusal = |known: &str| {
        let error = Diagnostic::new(format!("the run in {} has other settings", path.display()));
        let known = serde_json::from_str(known).unwrap_or_default();
        let error = differences(&known, &settings).into_iter().fold(error, Diagnostic::note);
        Some(
            error.help(
                "give the same settings to continue it, or choose another folder with --output",
            ),
        )
    };
    let opened = Folder::open_unless(&path, &of, &refusal)?;
    Ok((path, opened))
}

/// Opens the first of these folders whose run is not complete. A folder that cannot be opened is in use by another process,
/// and another process may have completed the run of a folder before this one opened it.
fn open_incomplete(
    runs: impl Iterator<Item = PathBuf>,
    of: &str,
) -> Option<(PathBuf, Folder<Run>)> {
    let opened = runs.filter_map(|path| Some((Folder::open(&path, of).ok()?, path)));
    let mut incomplete = opened.filter(|(_, path)| !is_complete(path));
    incomplete.next().map(|(folder, path)| (path, folder))
}

/// Returns everything that the results depend on, as a value for each setting.
fn settings(campaign: &Campaign, device: &TargetInfo) -> BTreeMap<String, String> {
    let identity = campaign.identity().into_iter();
    let mut settings: BTreeMap<_, _> =
        identity.map(|(name, value)| (name.to_owned(), value)).collect();
    let TargetInfo { name, vendor, driver, max_workgroups, max_workgroup_size, max_words } = device;
    settings.insert("device".to_owned(), format!("{name} ({vendor}, {driver})"));
    let limits = format!("{max_workgroups}, {max_workgroup_size}, {max_words}");
    settings.insert("limits of the device".to_owned(), limits);
    settings.insert("operating system".to_owned(), Software::operating_system().to_string());
    settings
}

/// Describes each setting that differs.
fn differences(
    known: &BTreeMap<String, String>,
    settings: &BTreeMap<String, String>,
) -> Vec<String> {
    let names: BTreeSet<&String> = known.keys().chain(settings.keys()).collect();
    let differing = names.into_iter().filter(|name| known.get(*name) != settings.get(*name));
    let value = |of: &BTreeMap<String, String>, name| {
        of.get(name).cloned().unwrap_or_else(|| "nothing".to_owned())
    };
    let described = differing.map(|name| {
        format!("{name}: {} in the folder, {} now", value(known, name), value(settings, name))
    });
    described.collect()
}

/// Returns the name of the folder of a run that starts now.
fn name(campaign: &Campaign, device: &TargetInfo) -> String {
    let verb = campaign.verb.name();
    let words: Vec<String> = device
        .name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let device: String = words.join("-").chars().take(DEVICE_LENGTH).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{verb}-{}-{}", device.trim_end_matches('-'), utc(now.as_secs()))
}

/// Formats a number of seconds since 1970 in UTC: `20261128T154411Z`.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of the year 0, in eras of 400 years (Howard Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// Creates a folder below `top` with this name, or with a number after it if the name is taken.
fn create(top: &Path, name: &str) -> Result<PathBuf> {
    let cannot = |error| {
        let error =
            Diagnostic::new(format!("cannot create a folder in {}: {error}", top.display()));
        Box::new(error.help("choose another folder with --output").of_device())
    };
    fs::create_dir_all(top).map_err(cannot)?;
    let mut number = 1_u32;
    loop {
        let path = match number {
            1 => top.join(name),
            _ => top.join(format!("{name}-{number}")),
        };
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(cannot(error)),
        }
    }
}

/// Returns the folders of runs in a folder, oldest first.
fn runs(top: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(top).into_iter().flatten().flatten();
    let of_runs = entries.filter_map(|entry| {
        let path = entry.path();
        folder::identity(&path)?;
        // The modification time of the identity is that of the last start.
        let started = fs::metadata(path.join(folder::RUN)).and_then(|of| of.modified()).ok()?;
        Some((started, path))
    });
    let mut runs: Vec<_> = of_runs.collect();
    runs.sort();
    runs.into_iter().map(|(_, path)| path).collect()
}

fn is_complete(run: &Path) -> bool {
    run.join(Run::RESULTS).is_file()
}

/// Returns the verb of a run, by its settings.
fn verb(run: &Path) -> Option<String> {
    let of = folder::identity(run)?;
    let mut settings: BTreeMap<String, String> = serde_json::from_str(&of).ok()?;
    settings.remove("verb")
}

/// Returns the results file that `path` stands for: of the folder of a run, its results; of a folder of runs, the results of
/// the newest complete run, with a note. `None` for any other path.
///
/// # Errors
/// The folder contains runs, and none of them is complete.
pub fn results_file(path: &Path, output: &Output) -> Result<Option<PathBuf>> {
    if folder::identity(path).is_some() {
        return match is_complete(path) {
            true => Ok(Some(path.join(Run::RESULTS))),
            false => Err(incomplete(path, "the run")),
        };
    }
    newest(path, &runs(path), "run", output)
}

/// Returns the results file of the newest complete one of `runs`, which are below `top`, or `None` if there are no runs.
fn newest(top: &Path, runs: &[PathBuf], what: &str, output: &Output) -> Result<Option<PathBuf>> {
    if runs.is_empty() {
        return Ok(None);
    }
    let newest = runs.iter().rev().find(|run| is_complete(run));
    let newest = newest.ok_or_else(|| incomplete(top, &format!("every {what}")))?;
    output.note(&format!("using the newest complete {what}: {}", newest.display()));
    Ok(Some(newest.join(Run::RESULTS)))
}

fn incomplete(folder: &Path, what: &str) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("{what} in {} is incomplete", folder.display()));
    Box::new(error.help("run the same command again to continue it"))
}

/// Reads the results of a tuning run from a file, the folder of the run, or a folder of runs.
pub fn read_tuned(path: &Path, output: &Output) -> Result<Document> {
    let mut tuned = runs(path);
    tuned.retain(|run| verb(run).as_deref() == Some(Verb::Tune.name()));
    match newest(path, &tuned, "tuning run", output)? {
        Some(file) => read(&file),
        None => read(&results_file(path, output)?.unwrap_or_else(|| path.to_owned())),
    }
}

/// Reads the results of a campaign from a file.
pub fn read(path: &Path) -> Result<Document> {
    let text = REPORT.text(path)?;
    results::read(&text).map_err(|error| {
        let message = format!("{} is not a report of litmus tests: {error}", path.display());
        let help = "give a file written by `hirace litmus tune --report json=FILE`";
        Box::new(Diagnostic::new(message).help(help))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc() {
        assert_eq!(utc(0), "19700101T000000Z");
        assert_eq!(utc(951_782_399), "20000228T235959Z");
        assert_eq!(utc(951_782_400), "20000229T000000Z");
        assert_eq!(utc(1_795_880_651), "20261128T154411Z");
        assert_eq!(utc(1_798_761_599), "20261231T235959Z");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let top = tempfile::tempdir().unwrap();
        let names = [(); 3].map(|()| create(top.path(), "tune").unwrap());
        let names = names.map(|path| path.file_name().unwrap().to_owned());
        assert_eq!(names, ["tune", "tune-2", "tune-3"]);
    }

    #[test]
    fn a_run_that_another_process_completed_is_not_opened() {
        let top = tempfile::tempdir().unwrap();
        let [complete, incomplete] = ["1", "2"].map(|name| top.path().join(name));
        for path in [&complete, &incomplete] {
            drop(Folder::<Run>::open(path, "of").unwrap());
        }
        fs::write(complete.join(Run::RESULTS), "{}").unwrap();
        let opened = |paths: &[&PathBuf]| {
            open_incomplete(paths.iter().map(|path| (*path).clone()), "of").map(|(path, _)| path)
        };
        assert_eq!(opened(&[&complete, &incomplete]), Some(incomplete));
        assert_eq!(opened(&[&complete]), None);
    }

    #[test]
    fn only_settings_that_differ_are_named() {
        let of = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let known = of(&[("seed", "`a`"), ("verb", "tune")]);
        assert!(differences(&known, &known).is_empty());
        let now = of(&[("seed", "`b`"), ("verb", "tune"), ("shard", "1/2")]);
        assert_eq!(
            differences(&known, &now),
            ["seed: `a` in the folder, `b` now", "shard: nothing in the folder, 1/2 now"]
        );
    }
}
