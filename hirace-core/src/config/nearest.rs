//! The configurations of files in several folders.

use super::Config;
use crate::diagnostic::Result;
use crate::preprocessing::{Preprocessing, folder_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Finds the configurations of files, and reads each once.
#[derive(Clone, Debug, Default)]
pub struct NearestConfigs {
    /// By the folder in which the search started.
    found: BTreeMap<PathBuf, Option<Config>>,
}

impl NearestConfigs {
    /// Returns the configuration for files in `folder`, if there is one.
    ///
    /// # Errors
    /// The nearest `hirace.toml` is invalid.
    pub fn of(&mut self, folder: PathBuf) -> Result<Option<&Config>> {
        if !self.found.contains_key(&folder) {
            let config = Config::find(&folder)?;
            self.found.insert(folder.clone(), config);
        }
        Ok(self.found.get(&folder).and_then(Option::as_ref))
    }

    /// Returns how the file at `path` is preprocessed.
    ///
    /// # Errors
    /// The nearest `hirace.toml` is invalid.
    pub fn preprocessing(&mut self, path: &Path) -> Result<Preprocessing> {
        match self.of(folder_of(path))? {
            Some(config) => Ok(config.settings(path)?.preprocessing),
            None => Ok(Preprocessing::default()),
        }
    }
}
