//! Restoring Cargo.lock, which cargo changes for a patched wgpu.

use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_terminal::file;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Restores Cargo.lock when dropped. If the process is killed first, the next `keep` in the same folder restores it.
pub struct Lock {
    lock: PathBuf,
    backup: PathBuf,
}

/// The contents of the backup if there was no Cargo.lock.
const NO_LOCK: &[u8] = b"";

impl Lock {
    /// Backs up the Cargo.lock of the workspace to `folder`. A backup of a killed run is restored first, if Cargo.lock
    /// is still as that run left it.
    pub fn keep(workspace: &Path, folder: &Path) -> Result<Self> {
        let (lock, backup) = (workspace.join("Cargo.lock"), folder.join("Cargo.lock.before"));
        let guard = Self { lock, backup };
        let back_up = || -> io::Result<()> {
            if fs::read(&guard.lock).is_ok_and(|lock| is_patched(&lock)) {
                guard.restore()?;
            }
            let text = read(&guard.lock)?;
            file::write(&guard.backup, text.as_deref().unwrap_or(NO_LOCK))
        };
        match back_up() {
            Ok(()) => Ok(guard),
            Err(error) => Err(guard.backup_error(&error)),
        }
    }

    /// Removes the packages with these names from Cargo.lock, so that cargo may choose other versions until the file is
    /// restored.
    pub fn remove_wgpu_versions(&mut self, names: &[&str]) -> Result<()> {
        let remove = || {
            let text = read(&self.lock)?.and_then(|text| without_packages(&text, names));
            text.map_or(Ok(()), |text| file::write(&self.lock, text.as_bytes()))
        };
        remove().map_err(|error| self.backup_error(&error))
    }

    fn backup_error(&self, error: &io::Error) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(format!("cannot keep {}: {error}", self.lock.display())))
    }

    fn restore(&self) -> io::Result<()> {
        let Some(text) = read(&self.backup)? else { return Ok(()) };
        let current = read(&self.lock)?;
        match text.as_slice() {
            NO_LOCK if current.is_some() => fs::remove_file(&self.lock)?,
            NO_LOCK => {}
            text if current.as_deref() == Some(text) => {}
            text => file::write(&self.lock, text)?,
        }
        fs::remove_file(&self.backup)
    }
}

/// Returns the contents of a file, or `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// Returns whether a Cargo.lock comes from a patched run: its wgpu has no source, or it has no wgpu between two steps.
fn is_patched(lock: &[u8]) -> bool {
    let lock = std::str::from_utf8(lock).ok().and_then(|text| text.parse::<toml::Table>().ok());
    let packages = lock.as_ref().and_then(|lock| lock.get("package")?.as_array());
    let mut packages = packages.into_iter().flatten();
    let wgpu =
        packages.find(|package| package.get("name").and_then(toml::Value::as_str) == Some("wgpu"));
    wgpu.is_none_or(|wgpu| wgpu.get("source").is_none())
}

/// Returns the text of a Cargo.lock without the packages with these names.
fn without_packages(lock: &[u8], names: &[&str]) -> Option<String> {
    let mut lock: toml::Table = std::str::from_utf8(lock).ok()?.parse().ok()?;
    let packages = lock.get_mut("package")?.as_array_mut()?;
    packages.retain(|package| {
        let name = package.get("name").and_then(toml::Value::as_str).unwrap_or_default();
        !names.contains(&name)
    });
    Some(lock.to_string())
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.restore() {
            let (lock, kept) = (self.lock.display(), self.backup.display());
            eprintln!(
                "hirace: cannot restore {lock}: {error}; its original contents are in {kept}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "version = 4\n\n[[package]]\nname = \"wgpu\"\nversion = \"30.0.2\"\nsource = \"registry\"\n\n[[package]]\nname = \"wgpu_sort\"\nversion = \"1.0.0\"\n";
    const PATCHED: &str = "version = 4\n\n[[package]]\nname = \"wgpu\"\nversion = \"30.0.2\"\n";

    #[test]
    fn restores_lock_after_killed_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        fs::write(&path, BEFORE).unwrap();
        std::mem::forget(Lock::keep(folder.path(), folder.path()).unwrap());
        fs::write(&path, PATCHED).unwrap();
        let next = Lock::keep(folder.path(), folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), BEFORE);
        fs::write(&path, PATCHED).unwrap();
        drop(next);
        assert_eq!(fs::read_to_string(&path).unwrap(), BEFORE);
        assert!(!folder.path().join("Cargo.lock.before").exists());
    }

    #[test]
    fn keeps_user_changes_after_killed_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        fs::write(&path, BEFORE).unwrap();
        std::mem::forget(Lock::keep(folder.path(), folder.path()).unwrap());
        let updated = BEFORE.replace("30.0.2", "30.0.3");
        fs::write(&path, &updated).unwrap();
        drop(Lock::keep(folder.path(), folder.path()).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), updated);
    }

    #[test]
    fn removes_lock_that_did_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        let lock = Lock::keep(folder.path(), folder.path()).unwrap();
        fs::write(&path, PATCHED).unwrap();
        drop(lock);
        assert!(!path.exists());
    }

    #[test]
    fn packages_are_removed_until_the_lock_is_restored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        fs::write(&path, BEFORE).unwrap();
        let mut lock = Lock::keep(folder.path(), folder.path()).unwrap();
        lock.remove_wgpu_versions(&["wgpu"]).unwrap();
        let now = fs::read_to_string(&path).unwrap();
        assert!(!now.contains("\"wgpu\"") && now.contains("wgpu_sort"), "{now}");
        drop(lock);
        assert_eq!(fs::read_to_string(&path).unwrap(), BEFORE);
    }
}
