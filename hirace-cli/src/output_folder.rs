//! The folder for the files that a verb keeps: where `--output` says, else below `hirace` in cargo's target folder, else,
//! outside a cargo package, below `.hirace` in the working folder.

use hirace_core::diagnostic::{Diagnostic, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// The name of the folder in cargo's target folder.
pub const IN_TARGET: &str = "hirace";

/// The name of the folder in a working folder that is not part of a cargo package.
const IN_WORKING_FOLDER: &str = ".hirace";

/// Returns the folder for the files of a verb. `given` is the value of `--output`.
///
/// # Errors
/// `.hirace` cannot be created.
pub fn output_folder(given: Option<&Path>, verb: &str) -> Result<PathBuf> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let here = env::current_dir().unwrap_or_default();
    if let Some(target) = target_folder(&here) {
        let shown = target.strip_prefix(&here).unwrap_or(&target);
        return Ok(shown.join(IN_TARGET).join(verb));
    }
    let folder = Path::new(IN_WORKING_FOLDER);
    create_ignored(folder).map_err(|error| {
        let error = Diagnostic::new(format!("cannot create {}: {error}", folder.display()));
        Box::new(error.help("choose another folder with --output").of_device())
    })?;
    Ok(folder.join(verb))
}

/// Creates a folder that git ignores, unless it exists.
fn create_ignored(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Ok(()) => fs::write(folder.join(".gitignore"), "*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns cargo's target folder for the package that contains `here`.
fn target_folder(here: &Path) -> Option<PathBuf> {
    here.ancestors().find(|folder| folder.join("Cargo.toml").is_file())?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1", "--no-deps"]).current_dir(here);
    let said = cargo.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let metadata: Value = serde_json::from_slice(&said.stdout).ok()?;
    let target = PathBuf::from(metadata["target_directory"].as_str()?);
    // What cargo generates is not part of the package.
    (!here.starts_with(&target)).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_decides_before_the_package() {
        let given = Path::new("elsewhere");
        assert_eq!(output_folder(Some(given), "mutate").unwrap(), given);
    }

    #[test]
    fn the_target_folder_is_that_of_the_package_around_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let deep = root.join("shaders/deep");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(target_folder(&deep), None);
        let manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\n[lib]\npath = \"lib.rs\"\n";
        fs::write(root.join("Cargo.toml"), manifest).unwrap();
        fs::write(root.join("lib.rs"), "").unwrap();
        let configured = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let target = configured.unwrap_or_else(|| root.join("target"));
        assert_eq!(target_folder(&deep), Some(target));
        fs::create_dir_all(root.join("target/deep")).unwrap();
        if env::var_os("CARGO_TARGET_DIR").is_none() {
            assert_eq!(target_folder(&root.join("target/deep")), None);
        }
        fs::write(root.join("Cargo.toml"), "nothing").unwrap();
        assert_eq!(target_folder(&deep), None);
    }

    #[test]
    fn git_ignores_a_folder_that_was_created() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join(IN_WORKING_FOLDER);
        create_ignored(&made).unwrap();
        assert_eq!(fs::read_to_string(made.join(".gitignore")).unwrap(), "*\n");
        fs::write(made.join(".gitignore"), "own").unwrap();
        create_ignored(&made).unwrap();
        assert_eq!(fs::read_to_string(made.join(".gitignore")).unwrap(), "own");
    }
}
