//! Atomic writing of files.
//!
//! The text is written to a temporary file in the same folder, which is then renamed. A reader, or an interruption of
//! the process, finds either the old file or the new one. Symbolic links are followed and kept. Permissions and, if
//! that is allowed, the owner are preserved.
//!
//! A path that is not a regular file (a terminal, a pipe, `/dev/null`) is written directly, and so is a file that can
//! be written but not replaced: one in a folder that is not writable, or one that is a mount point.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The maximum length of a chain of symbolic links.
const MAX_LINKS: usize = 40;

/// The destination of a write.
#[derive(Debug)]
pub enum Target {
    /// A regular file, with its metadata if it exists.
    File(PathBuf, Option<Metadata>),
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// Another file that the process has open, a device or a pipe.
    Stream(PathBuf),
}

impl Target {
    /// Resolves `path`.
    ///
    /// # Errors
    /// The path cannot be written: it is a folder, its folder does not exist, or permissions are missing.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            if let Some(open) = open_file(&path) {
                return Ok(open);
            }
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => {
                    let to = fs::read_link(&path)?;
                    path = path.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
                }
                Ok(metadata) if metadata.is_dir() => {
                    return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
                }
                Ok(metadata) if metadata.is_file() => {
                    // A file that is not writable must not be replaced either.
                    OpenOptions::new().write(true).open(&path)?;
                    return Ok(Self::File(path, Some(metadata)));
                }
                Ok(_) => return Ok(Self::Stream(path)),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    if path.file_name().is_none() {
                        return Err(io::Error::new(ErrorKind::InvalidInput, "it has no name"));
                    }
                    let folder = folder(&path);
                    return match fs::metadata(folder) {
                        Ok(metadata) if metadata.is_dir() => Ok(Self::File(path, None)),
                        Ok(_) => Err(io::Error::new(
                            ErrorKind::NotADirectory,
                            format!("{} is not a folder", folder.display()),
                        )),
                        Err(error) if error.kind() == ErrorKind::NotFound => Err(io::Error::new(
                            ErrorKind::NotFound,
                            format!("the folder {} does not exist", folder.display()),
                        )),
                        Err(error) => Err(error),
                    };
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("it is a symbolic link that leads to itself"))
    }

    /// Writes `text` to the destination.
    pub fn write(&self, text: &[u8]) -> io::Result<()> {
        let all = |to: &mut dyn Write| to.write_all(text).and_then(|()| to.flush());
        let written = match self {
            Self::Stdout => all(&mut io::stdout().lock()),
            Self::Stderr => all(&mut io::stderr().lock()),
            Self::Stream(path) => all(&mut OpenOptions::new().write(true).open(path)?),
            Self::File(path, old) => {
                return match (replace(path, old.as_ref(), text), old) {
                    (Err(error), Some(_)) if is_refused(&error) => all(&mut File::create(path)?),
                    (replaced, _) => replaced,
                };
            }
        };
        match written {
            // A closed pipe is not an error.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// Writes the file at `path`; see the [module](self).
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    Target::of(path)?.write(text)
}

/// Returns whether an error keeps a file from being replaced but not from being written.
fn is_refused(error: &io::Error) -> bool {
    use ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), CrossesDevices | PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

/// Returns the target of a path that names an open file of the process.
fn open_file(path: &Path) -> Option<Target> {
    let text = path.to_str()?;
    let number = match text {
        "/dev/stdin" => "0",
        "/dev/stdout" => "1",
        "/dev/stderr" => "2",
        _ => {
            let own = format!("/proc/{}/fd/", std::process::id());
            let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", &own];
            folders.iter().find_map(|folder| text.strip_prefix(folder))?
        }
    };
    match number {
        "1" => Some(Target::Stdout),
        "2" => Some(Target::Stderr),
        other if other.parse::<u32>().is_ok() => Some(Target::Stream(path.to_path_buf())),
        _ => None,
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Replaces the file at `path` by a new file with this text.
fn replace(path: &Path, old: Option<&Metadata>, text: &[u8]) -> io::Result<()> {
    let mut new = temporary_file_in(folder(path))?;
    new.write_all(text)?;
    if let Some(old) = old {
        copy_metadata(old, &new)?;
    }
    new.as_file().sync_data()?;
    new.persist(path).map(|_| ()).map_err(|error| error.error)
}

/// Creates a temporary file in `folder`, with the permissions that new files have.
fn temporary_file_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hirace-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The process's umask is applied to this mode.
        builder.permissions(fs::Permissions::from_mode(0o666));
        builder.tempfile_in(folder)
    }
    #[cfg(not(unix))]
    builder.tempfile_in(folder)
}

/// Gives `new` the owner and the permissions of `old`.
fn copy_metadata(old: &Metadata, new: &NamedTempFile) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let now = new.as_file().metadata()?;
        if (now.uid(), now.gid()) != (old.uid(), old.gid()) {
            fchown(new, Some(old.uid()), Some(old.gid()))?;
        }
    }
    new.as_file().set_permissions(old.permissions())
}

#[cfg(test)]
mod tests;
