//! `--entry NAME` with several files: each file is checked for those requested entry points that it defines. Files that
//! define none of them are skipped and counted.

use hirace_core::diagnostic::Diagnostic;
use hirace_core::launch::spec::find_nearest;
use std::collections::BTreeSet;

/// The requested entry points, and which of them the files so far define.
pub struct Entries<'a> {
    asked: &'a [String],
    several: bool,
    known: BTreeSet<String>,
    /// The number of files without any of them.
    without: usize,
}

impl<'a> Entries<'a> {
    /// Creates the state for the requested names, and the number of files to check.
    pub fn new(asked: &'a [String], files: usize) -> Self {
        Self { asked, several: files > 1, known: BTreeSet::new(), without: 0 }
    }

    /// Reduces `kernels` to the entry points that a file defines, which are `known`. Returns whether any entry point
    /// remains to be checked. If there is only one file, all names are kept, and checking the file reports unknown ones.
    pub fn narrow<'n>(
        &mut self,
        kernels: &mut Vec<String>,
        known: impl Iterator<Item = &'n str>,
    ) -> bool {
        if self.asked.is_empty() || !self.several {
            return true;
        }
        let known: BTreeSet<String> = known.map(str::to_owned).collect();
        kernels.retain(|name| known.contains(name));
        self.known.extend(known);
        self.without += usize::from(kernels.is_empty());
        !kernels.is_empty()
    }

    /// Returns a warning with the number of skipped files, if there are any.
    pub fn skipped_warning(&self) -> Option<Diagnostic> {
        let files = match self.without {
            0 => return None,
            1 => "1 file was",
            _ => &format!("{} files were", self.without),
        };
        let names = self.asked.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let names = names.join(" or ");
        Some(Diagnostic::new(format!("{files} skipped: no entry point {names}")))
    }

    /// Returns an error for each name that no file defines.
    pub fn unknown(&self) -> impl Iterator<Item = Diagnostic> {
        let unknown = self.asked.iter().filter(|name| self.several && !self.known.contains(*name));
        unknown.map(|name| {
            let error = Diagnostic::new(format!("no file has an entry point `{name}`"));
            match find_nearest(name, self.known.iter().map(String::as_str)) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }
        })
    }
}
