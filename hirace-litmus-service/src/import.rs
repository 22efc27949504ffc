//! Import of results from files: published ones, and those of the command line.

use crate::store::{Store, submissions};
use crate::submission::{self, ReadOptions};
use hirace_core::bounded::REPORT;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::results::check::Checker;
use hirace_litmus::results::table::Side;
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of imported files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Files that are new.
    pub new: usize,
    /// Files that were already stored.
    pub known: usize,
}

/// Imports files, and folders of them. The name of the nearest enclosing folder determines how tests were run, as for
/// `hirace litmus analyze`.
///
/// # Errors
/// A file cannot be read or has no results. The files before it are stored.
pub async fn import(store: &Store, paths: &[PathBuf]) -> Result<ImportCounts> {
    let checker = Checker::default();
    let mut imported = ImportCounts::default();
    let mut files = Vec::new();
    for path in paths {
        find(path, &mut files).map_err(|error| {
            Box::new(Diagnostic::new(format!("cannot read {}: {error}", path.display())))
        })?;
    }
    files.sort();
    for path in files {
        let text = REPORT.text(&path)?;
        let side = Side::of_path(&path);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let how = ReadOptions {
            side,
            file: Some(name(&path, side)),
            device: Some(stem),
            miscounted: true,
        };
        let new = submission::read(text.as_bytes(), &checker, &how).map_err(|problem| {
            let at = problem.location.map(|at| format!("{at}: ")).unwrap_or_default();
            let error = format!("{}: {at}{}", path.display(), problem.detail);
            Box::new(Diagnostic::new(error))
        })?;
        let kept = store.write(move |to| submissions::keep(to, &new)).await;
        let (_, is_new) = kept.map_err(|error| {
            Box::new(
                Diagnostic::new(format!("cannot store {}: {error}", path.display())).of_device(),
            )
        })?;
        *if is_new { &mut imported.new } else { &mut imported.known } += 1;
    }
    Ok(imported)
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        // Links to folders are skipped, since they may form a cycle.
        let is_folder = entry.file_type()?.is_dir();
        let path = entry.path();
        if is_folder
            || (!path.is_dir() && path.extension().is_some_and(|extension| extension == "json"))
        {
            find(&path, files)?;
        }
    }
    Ok(())
}

/// Returns the name of a file, with the folder that determines how tests were run.
fn name(path: &Path, side: Side) -> String {
    let own = path.file_name().unwrap_or_default().to_string_lossy();
    match side.folder() {
        Some(folder) => format!("{folder}/{own}"),
        None => own.into_owned(),
    }
}
