//! File access for `hirace verify --repair`: which files can be changed, and parsing of changed texts.

use crate::args::InputArgs;
use crate::files::Input;
use crate::inputs::InputPlan;
use hirace_core::check::file::single_program;
use hirace_core::check::source::infer_program;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::front::{self, Kind, rust};
use hirace_core::program::Program;
use hirace_mc::verify::LaunchOrigin;
use std::collections::BTreeMap;

/// Override values, by name.
type Values = Vec<(String, f64)>;

/// Parses changed texts in the same way as the original files.
#[derive(Default)]
pub struct EditedFileParser {
    files: BTreeMap<String, File>,
}

struct File {
    input: Input,
    /// The override values of each given launch.
    launches: Vec<Values>,
    /// The number of monitored items of a program that cannot be read before any change.
    unread: usize,
}

impl EditedFileParser {
    /// Creates a reader for the planned files.
    ///
    /// # Errors
    /// A file has no text that can be changed.
    pub fn new(args: &InputArgs, planned: &mut InputPlan) -> Result<Self> {
        let mut is_preprocessed = args.preprocess.any();
        for input in &planned.inputs {
            is_preprocessed |= !planned.configs.preprocessing(input)?.is_empty();
        }
        if is_preprocessed {
            let error = Diagnostic::new("preprocessed files cannot be repaired");
            return Err(Box::new(error.help(
                "leave out --repair, or repair the text that `hirace expand --plain` prints",
            )));
        }
        let mut files = BTreeMap::new();
        for input in &planned.inputs {
            let name = input.name();
            // An unreadable file is reported when it is checked.
            let Ok(bytes) = input.read() else { continue };
            if Kind::of(&name, &bytes) == Kind::Spirv {
                let error =
                    Diagnostic::new(format!("`{name}` is SPIR-V, which has no text to repair"));
                return Err(Box::new(error.help(
                    "leave out --repair, or verify the source that it was compiled from; where that says orders and scopes, \
                     they are repaired in a model of it in Rust: `#[hirace::model]`",
                )));
            }
            let given = planned.configs.options(args, input)?.launches;
            let mut launches: Vec<_> = given.into_iter().map(|launch| launch.overrides).collect();
            if launches.is_empty() {
                launches.push(args.launch.r#override.clone());
            }
            launches.dedup();
            let text = front::decode(&name, &bytes).unwrap_or_default();
            let unread = match input.is_host() {
                true => {
                    let file = front::parse_file(&name, text.as_bytes(), &[]);
                    file.map_or(0, |file| unread(&file))
                }
                false => 0,
            };
            files.insert(name, File { input: input.clone(), launches, unread });
        }
        Ok(Self { files })
    }

    /// Returns the program of a launch, parsed from a changed text of its file.
    ///
    /// # Errors
    /// The text is invalid, or has no such program.
    pub fn read(&self, of: &LaunchOrigin<'_>, text: &str) -> Result<Program> {
        let name = of.program.source.name();
        let Some(file) = self.files.get(name) else {
            return Err(Box::new(Diagnostic::new(format!(
                "`{name}` is not one of the input files"
            ))));
        };
        match (of.test, file.launches.as_slice()) {
            (Some(test), _) => file.program(of.entry, text, &test.launch.overrides),
            (None, [values]) => file.program(of.entry, text, values),
            (None, launches) => {
                // The launch does not record its override values. Find them: with these values the original text gives
                // the same program.
                let original = of.program.source.text();
                let is_own = |values: &&Values| {
                    file.program(of.entry, original, values).is_ok_and(|program| {
                        format!("{:?}", program.module) == format!("{:?}", of.program.module)
                    })
                };
                let own = launches.iter().find(is_own).map(Vec::as_slice).unwrap_or_default();
                file.program(of.entry, text, own)
            }
        }
    }
}

impl File {
    fn program(&self, entry: &str, text: &str, values: &[(String, f64)]) -> Result<Program> {
        let name = self.input.name();
        if !self.input.is_host() {
            let beside = |file: &str| self.input.sibling_name(file);
            let parsed = front::parse_bytes(&name, text.as_bytes(), &beside)?;
            return Ok(infer_program(&parsed, values)?.0);
        }
        let file = front::parse_file(&name, text.as_bytes(), &[])?;
        // A change must not make another kernel unreadable.
        if unread(&file) > self.unread {
            return Err(Box::new(Diagnostic::new("the change makes an item unreadable")));
        }
        let (parsed, left) = single_program(&file, &[entry], values)?;
        Ok(infer_program(&parsed, &left)?.0)
    }
}

fn unread(file: &rust::File) -> usize {
    file.items.iter().filter(|item| item.is_err()).count()
}
