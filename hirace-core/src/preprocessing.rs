//! How shaders in files are preprocessed: definitions, folders of included files and the target environment, from flags and from
//! `hirace.toml`.

use crate::bounded::SOURCE;
use crate::diagnostic::{Diagnostic, Result};
use crate::front::{self, ParsedModule};
use crate::source_map::display_path;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The preprocessing settings of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preprocessing {
    /// Definitions of names, with their values; in GLSL, of macros.
    pub defines: Vec<(String, String)>,
    /// The folders that are searched for files that GLSL includes.
    pub includes: Vec<PathBuf>,
    /// The target environment of GLSL, by the name that `--target-env` takes.
    pub target: Option<String>,
}

/// Called with the name and the text of each file that a shader refers to, when the file is read.
pub type FileRead<'a> = dyn Fn(&str, &str) + Sync + 'a;

impl Preprocessing {
    /// Returns whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns these settings combined with `others`. These take precedence.
    #[must_use]
    pub fn over(&self, others: &Self) -> Self {
        let mut combined = self.clone();
        let is_own = |name: &String| self.defines.iter().any(|(own, _)| own == name);
        combined.defines.extend(others.defines.iter().filter(|(name, _)| !is_own(name)).cloned());
        combined.includes.extend(others.includes.iter().cloned());
        combined.target = combined.target.or_else(|| others.target.clone());
        combined
    }

    /// Parses the shader `bytes` of the file at `path`, which reports call `name`. Files that GLSL includes are searched in the
    /// folder of the file with the directive, and then in the folders of includes. Only GLSL is preprocessed here.
    pub fn parse(
        &self,
        path: &Path,
        name: &str,
        bytes: &[u8],
        on_read: &FileRead<'_>,
    ) -> Result<ParsedModule> {
        #[cfg(any(feature = "glsl", feature = "spirv"))]
        if front::Kind::of(name, bytes) == front::Kind::Glsl {
            return self.parse_glsl(path, name, bytes, on_read);
        }
        front::parse_bytes(name, bytes, &|other| {
            sibling_text(path, other).inspect(|text| on_read(other, text))
        })
    }

    /// Returns a text that identifies everything that the program of a shader depends on in addition to its own text: these settings,
    /// and the texts of other files.
    pub fn key(&self, path: &Path, name: &str, bytes: &[u8]) -> String {
        format!("{self:?}{}", key_of_files(|on_read| self.parse(path, name, bytes, on_read)))
    }

    #[cfg(any(feature = "glsl", feature = "spirv"))]
    fn parse_glsl(
        &self,
        path: &Path,
        name: &str,
        bytes: &[u8],
        on_read: &FileRead<'_>,
    ) -> Result<ParsedModule> {
        use crate::front::glsl;
        let target = self.target.as_deref().map(str::parse::<glsl::TargetEnvironment>).transpose();
        let target = target.map_err(|unknown| Box::new(Diagnostic::new(unknown.to_string())))?;
        let settings =
            glsl::Settings { target: target.unwrap_or_default(), defines: self.defines.clone() };
        let find = |request: glsl::IncludeRequest<'_>| {
            let own = match request.includer == name {
                true => folder_of(path),
                false => Path::new(request.includer).parent().map(Path::to_path_buf)?,
            };
            let own = (!request.is_system).then_some(&own);
            let folders = own.into_iter().chain(&self.includes);
            let paths = folders.map(|folder| folder.join(request.name));
            // Only regular files are read: reading a pipe may block forever.
            let mut files = paths.filter(|path| path.is_file()).filter_map(|path| {
                let text = SOURCE.text(&path).ok()?;
                Some(glsl::SourceFile { name: file_name(&path), text })
            });
            files.next().inspect(|file| on_read(&file.name, &file.text))
        };
        glsl::parse_with(name, front::decode(name, bytes)?, &settings, &find)
    }
}

/// Returns a text that identifies the files that `parse` reads.
pub fn key_of_files(parse: impl FnOnce(&FileRead<'_>) -> Result<ParsedModule>) -> String {
    let read = Mutex::new(String::new());
    // An invalid shader is reported when it is checked.
    let _ = parse(&|name, text| {
        let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
        *read += &format!("\n{name} {} bytes\n{text}", text.len());
    });
    read.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a name can be defined.
pub fn is_define_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Parses `NAME` or `NAME=VALUE` of a definition.
pub fn parse_define(text: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if !is_define_name(name) {
        let error = Diagnostic::new(format!("expected NAME or NAME=VALUE, got `{text}`"));
        return Err(Box::new(error));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Checks the name of a target environment.
pub fn parse_target(name: &str) -> Result<String> {
    #[cfg(any(feature = "glsl", feature = "spirv"))]
    if let Err(unknown) = name.parse::<front::glsl::TargetEnvironment>() {
        return Err(Box::new(Diagnostic::new(unknown.to_string())));
    }
    Ok(name.to_owned())
}

/// Returns the name of a file in reports: its path, relative to the working folder if the file is below it. Code scanning needs
/// paths relative to the root of the repository, which is where commands run.
pub fn file_name(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let within = path.strip_prefix(here).ok().filter(|within| within.file_name().is_some());
    let path = within.unwrap_or(path);
    display_path(path.strip_prefix(".").unwrap_or(path))
}

/// Returns the folder that contains a file.
pub fn folder_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Returns the text of a file that the file at `path` refers to, from the same folder or one of its subfolders.
pub fn sibling_text(path: &Path, name: &str) -> Option<String> {
    let (folder, named) = (folder_of(path), Path::new(name));
    let within = named.components().all(|part| matches!(part, Component::Normal(_)));
    let joined = within.then(|| folder.join(named));
    let last = named.file_name().map(|last| folder.join(last));
    // Only regular files are read: reading a pipe may block forever.
    let mut files = joined.into_iter().chain(last).filter(|path| path.is_file());
    files.find_map(|path| SOURCE.text(&path).ok())
}
