//! `--entry NAME` where several files are checked: each is asked for those that it has, and files that have
//! none are passed over and counted.

use hirace_core::diagnostic::Diagnostic;
use hirace_core::launch::spec::nearest;
use std::collections::BTreeSet;

/// The entry points that were asked for, and which files had them.
pub struct Entries<'a> {
    asked: &'a [String],
    several: bool,
    known: BTreeSet<String>,
    /// How many files had none of them.
    without: usize,
}

impl<'a> Entries<'a> {
    /// `asked` for, of so many files.
    pub fn new(asked: &'a [String], files: usize) -> Self {
        Self { asked, several: files > 1, known: BTreeSet::new(), without: 0 }
    }

    /// Leaves in `kernels` what a file with the entry points `known` has of them. Whether there is something
    /// to check. The only file is asked for all: that it lacks one is for it to say.
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

    /// How many files were passed over, if any were.
    pub fn passed_over(&self) -> Option<Diagnostic> {
        let files = match self.without {
            0 => return None,
            1 => "1 file was",
            _ => &format!("{} files were", self.without),
        };
        let names = self.asked.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let names = names.join(" or ");
        Some(Diagnostic::new(format!("{files} passed over: no entry point {names} there")))
    }

    /// An error for each name that no file has.
    pub fn unknown(&self) -> impl Iterator<Item = Diagnostic> {
        let unknown = self.asked.iter().filter(|name| self.several && !self.known.contains(*name));
        unknown.map(|name| {
            let error = Diagnostic::new(format!("no file has an entry point `{name}`"));
            match nearest(name, self.known.iter().map(String::as_str)) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }
        })
    }
}
