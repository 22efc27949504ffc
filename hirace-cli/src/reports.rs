//! Reports in several formats: one is printed, others are written to files. Each verb defines its own formats.

use clap::ValueEnum;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::report::text::Style;
use hirace_terminal::{Output, file};
use std::path::{Path, PathBuf};

/// The requested reports of a run.
#[derive(Clone, Copy)]
pub struct Reports<'a, F> {
    /// The format to print, if any.
    pub printed: Option<F>,
    /// The formats to write to files.
    pub files: &'a [(F, PathBuf)],
    pub output: &'a Output,
}

impl<F: Copy> Reports<'_, F> {
    /// Prints the result of `rendered`. Returns whether that succeeded.
    pub fn print(&self, rendered: impl Fn(F, Style) -> String) -> bool {
        let print = |form| self.output.print(&rendered(form, self.output.style())).is_ok();
        self.printed.is_none_or(print)
    }

    /// Writes the result of `rendered` to each file. Returns whether all writes succeeded; a failure does not affect
    /// the other files.
    pub fn write(&self, rendered: impl Fn(F, Style) -> String) -> bool {
        let plain = self.output.style().with_color(false);
        let mut all = true;
        for (form, path) in self.files {
            all &= write(path, &rendered(*form, plain), self.output);
        }
        all
    }
}

/// Writes a file, or reports why that failed. Returns whether it succeeded.
pub fn write(path: &Path, text: &str, output: &Output) -> bool {
    let written = file::write(path, text.as_bytes());
    if let Err(error) = &written {
        let message = format!("cannot write {}: {error}", path.display());
        output.error(&Diagnostic::new(message));
    }
    written.is_ok()
}

/// Parses `KIND=FILE`.
pub fn parse<F: ValueEnum>(text: &str) -> Result<(F, PathBuf)> {
    let parsed = text.split_once('=').and_then(|(kind, file)| {
        let kind = F::from_str(kind.trim(), true).ok()?;
        (!file.is_empty()).then(|| (kind, PathBuf::from(file)))
    });
    parsed.ok_or_else(|| {
        let error = Diagnostic::new(format!("expected KIND=FILE, got `{text}`"));
        Box::new(error.help(format!("use one of these for KIND: {}", kinds::<F>())))
    })
}

/// Returns the names of all formats as a list in prose.
fn kinds<F: ValueEnum>() -> String {
    let kinds = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = kinds.map(|kind| kind.get_name().to_owned()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Format;

    #[test]
    fn unknown_format_lists_all_formats() {
        let error = parse::<Format>("xml=out.xml").unwrap_err();
        assert_eq!(
            error.help.as_deref(),
            Some("use one of these for KIND: text, json, sarif, github or html")
        );
        assert_eq!(parse(" JSON =a=b").unwrap(), (Format::Json, PathBuf::from("a=b")));
        assert!(parse::<Format>("json=").is_err());
    }
}
