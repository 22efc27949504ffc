//! Files from outside, read up to a limit: what never ends (`/dev/zero`) is refused before memory runs out.

use crate::diagnostic::Diagnostic;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// How large a file may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What messages call the limit.
    pub name: &'static str,
    /// The most bytes.
    pub bytes: u64,
}

/// Of a shader or a Rust file. Large generated shaders have some hundred kilobytes.
pub const SOURCE: Limit = Limit { name: "source limit", bytes: 16 << 20 };

/// Of a report that is merged.
pub const REPORT: Limit = Limit { name: "report limit", bytes: 256 << 20 };

/// Of a diff.
pub const DIFF: Limit = Limit { name: "diff limit", bytes: 256 << 20 };

/// Of a configuration.
pub const CONFIGURATION: Limit = Limit { name: "configuration limit", bytes: 4 << 20 };

/// Of a baseline.
pub const BASELINE: Limit = Limit { name: "baseline limit", bytes: 64 << 20 };

/// Why something could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is more than that.
    #[error("it is larger than the {0}")]
    TooLarge(Limit),
}

/// `source limit of 16 MiB`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            bytes if bytes >= 1 << 20 => write!(f, "{} of {} MiB", self.name, bytes >> 20),
            bytes => write!(f, "{} of {bytes} bytes", self.name),
        }
    }
}

impl Limit {
    /// All of what `from` gives.
    pub fn read(self, from: impl Read) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        from.take(self.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > self.bytes {
            true => Err(ReadError::TooLarge(self)),
            false => Ok(bytes),
        }
    }

    /// The contents of the file at `path`.
    pub fn file(self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let file = File::open(path)?;
        // Regular files say before how long they are.
        match file.metadata()? {
            metadata if metadata.is_file() && metadata.len() > self.bytes => {
                Err(ReadError::TooLarge(self))
            }
            _ => self.read(file),
        }
    }

    /// The text of the file at `path`, or what to say instead.
    pub fn text(self, path: &Path) -> Result<String, Box<Diagnostic>> {
        let shown = path.display();
        let bytes = self.file(path);
        let bytes =
            bytes.map_err(|error| Diagnostic::new(format!("cannot read {shown}: {error}")))?;
        let text = String::from_utf8(bytes);
        Ok(text.map_err(|_| Diagnostic::new(format!("{shown} is not UTF-8 text")))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused_by_the_limit_and_its_name() {
        let limit = Limit { name: "test limit", bytes: 100 };
        let error = limit.read(io::repeat(0)).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than the test limit of 100 bytes");
        assert_eq!(limit.read(io::repeat(0).take(100)).unwrap().len(), 100);
        assert_eq!(SOURCE.to_string(), "source limit of 16 MiB");
    }

    #[test]
    fn a_file_is_asked_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        // A hole: no disk holds it.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(SOURCE.file(&path), Err(ReadError::TooLarge(SOURCE))));
        assert!(matches!(SOURCE.file(folder.path()), Err(ReadError::Io(_))));
        assert!(matches!(SOURCE.file(&folder.path().join("no")), Err(ReadError::Io(_))));
    }
}
