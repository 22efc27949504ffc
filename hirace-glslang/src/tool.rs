//! glslang as a program: `glslangValidator` on PATH.
//!
//! glslangValidator reads included files from disk. Each call therefore writes the text, and all files that it includes, to a temporary
//! folder, with numbers as names, and replaces the names in `#include` directives by these numbers. Files of directives in inactive
//! branches are written too.

use crate::{FindFile, IncludeRequest, Message, Options, TargetEnvironment};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The name of the program.
const PROGRAM: &str = "glslangValidator";
/// Enables `#include`.
const INCLUDES: &str = "#extension GL_GOOGLE_include_directive : enable\n";
/// The maximum number of files that a text includes.
const FILES: usize = 1_000;

/// Implements [`crate::preprocess`].
pub fn preprocess(
    text: &str,
    options: &Options,
    find: &mut FindFile<'_>,
) -> Result<String, Vec<Message>> {
    let folder = folder()?;
    let mut files = Files { folder: folder.path(), names: Vec::new() };
    let main = files.write(text, "", 1, find)?;
    // The directive that enables `#include` is a new line after `#version`. A `#line` directive restores the line numbers.
    fs::write(folder.path().join(MAIN), enabled(&main)).map_err(|error| failed(&error))?;
    let mut command = Command::new(PROGRAM);
    // For `-E`, the program does not define the macros of Vulkan.
    command.args(["-E", "-S", "comp", "-I.", "-DVULKAN=100", "-DGL_SPIRV=100"]);
    for (name, value) in &options.defines {
        command.arg(format!("-D{name}={value}"));
    }
    let output = run(command.arg(MAIN), &files)?;
    Ok(files.with_names(&String::from_utf8_lossy(&output)))
}

/// Implements [`crate::compile`].
pub fn compile(_: &str, text: &str, target: TargetEnvironment) -> Result<Vec<u32>, Vec<Message>> {
    let folder = folder()?;
    fs::write(folder.path().join(MAIN), text).map_err(|error| failed(&error))?;
    let files = Files { folder: folder.path(), names: Vec::new() };
    let mut command = Command::new(PROGRAM);
    command.args(["-V", "-R", "--target-env", target.name()]);
    run(command.args(["--amb", "--aml", "-g", "-S", "comp", "-o", MODULE, MAIN]), &files)?;
    let bytes = fs::read(folder.path().join(MODULE)).map_err(|error| failed(&error))?;
    let (words, _) = bytes.as_chunks::<4>();
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// The names of the text and the module in the folder.
const MAIN: &str = "0.comp";
const MODULE: &str = "0.spv";

fn folder() -> Result<TempDir, Vec<Message>> {
    tempfile::tempdir().map_err(|error| failed(&error))
}

/// Inserts the directive that enables `#include` after `#version`, and a `#line` directive that keeps the line numbers.
fn enabled(text: &str) -> String {
    let is_version = |line: &str| {
        line.trim_start()
            .strip_prefix('#')
            .is_some_and(|rest| rest.trim_start().starts_with("version"))
    };
    let mut lines = text.split_inclusive('\n').enumerate();
    let version = lines.find(|(_, line)| is_version(line));
    let (number, at) = version.map_or((0, 0), |(number, line)| {
        let end = line.as_ptr() as usize - text.as_ptr() as usize + line.len();
        (number + 1, end)
    });
    let (before, after) = text.split_at(at);
    format!("{before}{INCLUDES}#line {}\n{after}", number + 1)
}

/// The files of a call.
struct Files<'a> {
    folder: &'a Path,
    /// The names of included files. The name of the file on disk is the index plus one.
    names: Vec<String>,
}

impl Files<'_> {
    /// Writes the files that a text includes, and returns the text with directives that name them. Files that are not found
    /// become errors.
    fn write(
        &mut self,
        text: &str,
        includer: &str,
        depth: usize,
        find: &mut FindFile<'_>,
    ) -> Result<String, Vec<Message>> {
        let mut written = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let Some((name, is_system)) = included(line) else {
                written.push_str(line);
                continue;
            };
            let Ok(file) = find(IncludeRequest { name, is_system, includer, depth }) else {
                // The program would look for the file by itself. In a branch that is not compiled, this is not an error.
                written.push_str(&format!("#error Could not process include directive: {name}\n"));
                continue;
            };
            let known = self.names.iter().position(|known| *known == file.name);
            let number = known.unwrap_or(self.names.len()) + 1;
            if known.is_none() {
                if number > FILES {
                    return Err(vec![Message::new(format!(
                        "a shader may include at most {FILES} files"
                    ))]);
                }
                self.names.push(file.name.clone());
                let text = self.write(&file.text, &file.name, depth + 1, find)?;
                fs::write(self.folder.join(number.to_string()), text)
                    .map_err(|error| failed(&error))?;
            }
            written.push_str(&format!("#include \"{number}\"\n"));
        }
        Ok(written)
    }

    /// Replaces the names on disk in `#line` directives by the names of the files.
    fn with_names(&self, text: &str) -> String {
        let lines = text.split_inclusive('\n').map(|line| {
            let parts =
                line.strip_prefix("#line ").and_then(|rest| rest.trim_end().split_once(' '));
            match parts {
                Some((number, name)) => {
                    let name = self.name(name.trim_matches('"'));
                    format!("#line {number} \"{name}\"\n")
                }
                None => line.to_owned(),
            }
        });
        lines.collect()
    }

    /// Returns the name of a file on disk: that of the text itself, or of an included file.
    fn name<'b>(&'b self, on_disk: &'b str) -> &'b str {
        let last = on_disk.rsplit(['/', '\\']).next().unwrap_or(on_disk);
        if last == MAIN {
            return Message::MAIN;
        }
        let number = last.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|index| self.names.get(index)).map_or(on_disk, String::as_str)
    }
}

/// Returns the name in an `#include` directive, and whether it is in angle brackets.
fn included(line: &str) -> Option<(&str, bool)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let rest = rest.trim_start();
    let (end, is_system) = match rest.chars().next()? {
        '"' => ('"', false),
        '<' => ('>', true),
        _ => return None,
    };
    let (name, _) = rest[1..].split_once(end)?;
    Some((name, is_system))
}

/// Runs the program, and returns what it printed.
fn run(command: &mut Command, files: &Files<'_>) -> Result<Vec<u8>, Vec<Message>> {
    let output = command.current_dir(files.folder).output().map_err(|error| {
        let missing =
            format!(
            "cannot run `{PROGRAM}`, which this build compiles GLSL with ({error}): install it, or build hirace with the feature `glsl`"
        );
        vec![Message::new(missing)]
    })?;
    let log = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut errors = Message::parse_all(&log);
    errors.extend(Message::parse_all(&String::from_utf8_lossy(&output.stderr)));
    if output.status.success() && errors.is_empty() {
        return Ok(output.stdout);
    }
    for error in &mut errors {
        error.file = error.file.take().map(|name| files.name(&name).to_owned());
    }
    if errors.is_empty() {
        errors.push(Message::new(format!("`{PROGRAM}` failed: {}", log.trim())));
    }
    Err(errors)
}

fn failed(error: &std::io::Error) -> Vec<Message> {
    vec![Message::new(format!("cannot write the files for `{PROGRAM}`: {error}"))]
}
