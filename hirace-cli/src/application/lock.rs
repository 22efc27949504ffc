//! Cargo.lock, which cargo changes for a patched wgpu, put back as it was.

use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_terminal::file;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Puts it back when it is dropped. If this process is killed before, whoever keeps it next does.
pub struct Lock {
    lock: PathBuf,
    kept: PathBuf,
}

/// What stands in what is kept if there was no Cargo.lock.
const NONE: &[u8] = b"";

impl Lock {
    /// Keeps the Cargo.lock of the workspace in `folder`. Until it is put back, cargo may choose the versions anew of
    /// packages whose names begin so.
    pub fn keep(workspace: &Path, folder: &Path, free: &[&str]) -> Result<Self> {
        let (lock, kept) = (workspace.join("Cargo.lock"), folder.join("Cargo.lock.before"));
        let own = Self { lock, kept };
        let keep = || -> io::Result<()> {
            own.put_back()?;
            let text = match fs::read(&own.lock) {
                Err(error) if error.kind() == ErrorKind::NotFound => NONE.to_vec(),
                read => read?,
            };
            file::write(&own.kept, &text)?;
            match without(&text, free) {
                Some(text) => file::write(&own.lock, text.as_bytes()),
                None => Ok(()),
            }
        };
        match keep() {
            Ok(()) => Ok(own),
            Err(error) => {
                let error = format!("cannot keep {}: {error}", own.lock.display());
                Err(Box::new(Diagnostic::new(error)))
            }
        }
    }

    fn put_back(&self) -> io::Result<()> {
        let text = match fs::read(&self.kept) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            read => read?,
        };
        match text.as_slice() {
            NONE => fs::remove_file(&self.lock).or_else(|error| match error.kind() {
                ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })?,
            text if fs::read(&self.lock).is_ok_and(|now| now == text) => {}
            text => file::write(&self.lock, text)?,
        }
        fs::remove_file(&self.kept)
    }
}

/// What a Cargo.lock says, but for packages whose names begin so.
fn without(lock: &[u8], free: &[&str]) -> Option<String> {
    let mut lock: toml::Table = std::str::from_utf8(lock).ok()?.parse().ok()?;
    let packages = lock.get_mut("package")?.as_array_mut()?;
    packages.retain(|package| {
        let name = package.get("name").and_then(toml::Value::as_str).unwrap_or_default();
        !free.iter().any(|free| name.starts_with(free))
    });
    Some(lock.to_string())
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Err(error) = self.put_back() {
            let (lock, kept) = (self.lock.display(), self.kept.display());
            eprintln!("hirace: cannot put {lock} back: {error}; as it was, it is {kept}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_put_back_even_if_who_kept_it_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        fs::write(&path, "before").unwrap();
        std::mem::forget(Lock::keep(folder.path(), folder.path(), &[]).unwrap());
        fs::write(&path, "patched").unwrap();
        let next = Lock::keep(folder.path(), folder.path(), &[]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        fs::write(&path, "patched").unwrap();
        drop(next);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert!(!folder.path().join("Cargo.lock.before").exists());
    }

    #[test]
    fn where_there_was_none_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        let kept = Lock::keep(folder.path(), folder.path(), &[]).unwrap();
        fs::write(&path, "patched").unwrap();
        drop(kept);
        assert!(!path.exists());
    }

    #[test]
    fn packages_are_free_until_it_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.lock");
        let text = "version = 4\n\n[[package]]\nname = \"naga\"\nversion = \"30.0.2\"\n\n[[package]]\nname = \"log\"\nversion = \"0.4.1\"\n";
        fs::write(&path, text).unwrap();
        let kept = Lock::keep(folder.path(), folder.path(), &["naga"]).unwrap();
        let now = fs::read_to_string(&path).unwrap();
        assert!(!now.contains("naga") && now.contains("log"), "{now}");
        drop(kept);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}
