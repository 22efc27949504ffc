//! Limits of files: on their size, so that an endless one (`/dev/zero`) is refused before memory runs out, and on the nesting of their
//! brackets, for parsers that cannot bear it.

use crate::diagnostic::Diagnostic;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A limit on the size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The name of the limit in messages.
    pub name: &'static str,
    /// The maximum number of bytes.
    pub bytes: u64,
}

/// The limit of a shader or a Rust file. Large generated shaders have some hundred kilobytes.
pub const SOURCE: Limit = Limit { name: "source limit", bytes: 16 << 20 };

/// The limit of a report to merge.
pub const REPORT: Limit = Limit { name: "report limit", bytes: 256 << 20 };

/// The limit of a diff.
pub const DIFF: Limit = Limit { name: "diff limit", bytes: 256 << 20 };

/// The limit of a configuration file.
pub const CONFIGURATION: Limit = Limit { name: "configuration limit", bytes: 4 << 20 };

/// The limit of a baseline.
pub const BASELINE: Limit = Limit { name: "baseline limit", bytes: 64 << 20 };

/// Returns the offset at which more than `most` brackets of these kinds are open. A bracket is given with its partner. Brackets in strings
/// and comments count too, which only matters if many of them have no partner.
pub fn find_deep_nesting(text: &[u8], brackets: &[[u8; 2]], most: usize) -> Option<usize> {
    let mut depth = 0_usize;
    text.iter().position(|byte| {
        if brackets.iter().any(|[open, _]| open == byte) {
            depth += 1;
        } else if brackets.iter().any(|[_, close]| close == byte) {
            depth = depth.saturating_sub(1);
        }
        depth > most
    })
}

/// An error from reading a file up to a limit.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file exceeds this limit.
    #[error("it is larger than the {0}")]
    TooLarge(Limit),
}

/// Formats the limit as in `source limit of 16 MiB`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            bytes if bytes >= 1 << 20 => write!(f, "{} of {} MiB", self.name, bytes >> 20),
            bytes => write!(f, "{} of {bytes} bytes", self.name),
        }
    }
}

impl Limit {
    /// Reads all of `from`.
    ///
    /// # Errors
    /// Reading fails, or there are more bytes than the limit.
    pub fn read(self, from: impl Read) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        from.take(self.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > self.bytes {
            true => Err(ReadError::TooLarge(self)),
            false => Ok(bytes),
        }
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or is larger than the limit.
    pub fn file(self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let file = File::open(path)?;
        // The size of a regular file is known before it is read.
        match file.metadata()? {
            metadata if metadata.is_file() && metadata.len() > self.bytes => {
                Err(ReadError::TooLarge(self))
            }
            _ => self.read(file),
        }
    }

    /// Reads the file at `path` as UTF-8 text.
    ///
    /// # Errors
    /// The file cannot be read, is larger than the limit, or is not UTF-8.
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
    fn endless_input_is_rejected_with_the_name_of_the_limit() {
        let limit = Limit { name: "test limit", bytes: 100 };
        let error = limit.read(io::repeat(0)).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than the test limit of 100 bytes");
        assert_eq!(limit.read(io::repeat(0).take(100)).unwrap().len(), 100);
        assert_eq!(SOURCE.to_string(), "source limit of 16 MiB");
    }

    #[test]
    fn file_size_is_checked_before_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        // A sparse file: it occupies no disk space.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(SOURCE.file(&path), Err(ReadError::TooLarge(SOURCE))));
        assert!(matches!(SOURCE.file(folder.path()), Err(ReadError::Io(_))));
        assert!(matches!(SOURCE.file(&folder.path().join("no")), Err(ReadError::Io(_))));
    }
}
