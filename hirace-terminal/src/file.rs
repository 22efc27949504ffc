//! Files that are written whole or not at all.
//!
//! The text goes to a temporary file in the same folder, which then takes the name: whoever reads, and whatever ends the
//! process, finds the old file or the new one. Links are followed, so that a link stays one; permissions and, where
//! that is allowed, the owner stay as they were.
//!
//! What is no regular file (a terminal, a pipe, `/dev/null`) is written as it is, and so is a file that cannot be
//! replaced but written: in a folder where nothing may be made, or mounted by itself.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Links that are followed from one to the next.
const MAX_LINKS: usize = 40;

/// Where something is to be written.
#[derive(Debug)]
pub enum Target {
    /// A regular file, which is there (with what is known of it) or will be.
    File(PathBuf, Option<Metadata>),
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// Another file that the process has open, a device or a pipe.
    Stream(PathBuf),
}

impl Target {
    /// What `path` leads to.
    ///
    /// # Errors
    /// Nothing can be written there: it is a folder, lies in a folder that is not there, or is not for us to write.
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
                    // What may not be written may not be replaced.
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
                            format!("{} is no folder", folder.display()),
                        )),
                        Err(error) if error.kind() == ErrorKind::NotFound => Err(io::Error::new(
                            ErrorKind::NotFound,
                            format!("there is no folder {}", folder.display()),
                        )),
                        Err(error) => Err(error),
                    };
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("it is a link that leads in a circle"))
    }

    /// Writes `text` there.
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
            // That a reader has had enough is no failure.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// Writes the file at `path`; see the [module](self).
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    Target::of(path)?.write(text)
}

/// Whether a file cannot be replaced for reasons that do not keep it from being written.
fn is_refused(error: &io::Error) -> bool {
    use ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), CrossesDevices | PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

/// What the path means, if it names a file that the process has open.
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

/// Puts a new file with this text in the place of that at `path`.
fn replace(path: &Path, old: Option<&Metadata>, text: &[u8]) -> io::Result<()> {
    let mut new = beside(folder(path))?;
    new.write_all(text)?;
    if let Some(old) = old {
        keep(old, &new)?;
    }
    new.as_file().sync_data()?;
    new.persist(path).map(|_| ()).map_err(|error| error.error)
}

/// A temporary file in `folder`, with the permissions that new files have.
fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hirace-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Less what the process's mask takes away.
        builder.permissions(fs::Permissions::from_mode(0o666));
        builder.tempfile_in(folder)
    }
    #[cfg(not(unix))]
    builder.tempfile_in(folder)
}

/// Gives `new` the owner and the permissions of `old`.
fn keep(old: &Metadata, new: &NamedTempFile) -> io::Result<()> {
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
