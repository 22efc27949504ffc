//! Commands about hirace itself: explanations of rules, shell completions, manual pages.

use crate::command;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::rules::Rule;
use hirace_terminal::{Exit, Output, file};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Runs `hirace explain RULE`.
pub fn explain(rule: &str, output: &Output) -> ExitCode {
    match Rule::find(rule) {
        Ok(rule) => print(&rule.text(), output),
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::BadInput.into()
        }
    }
}

/// Runs `hirace completions SHELL`.
pub fn completions(shell: clap_complete::Shell, output: &Output) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "hirace", &mut script);
    print(&String::from_utf8_lossy(&script), output)
}

/// Runs `hirace man`.
pub fn man(folder: Option<&Path>, output: &Output) -> ExitCode {
    let written = match folder {
        Some(folder) => std::fs::create_dir_all(folder).and_then(|()| write_pages(folder)),
        None => {
            let mut page = Vec::new();
            match clap_mangen::Man::new(command()).render(&mut page) {
                Ok(()) => return print(&String::from_utf8_lossy(&page), output),
                Err(error) => Err(error),
            }
        }
    };
    match written {
        Ok(()) => Exit::Clean.into(),
        Err(error) => {
            output.error(&Diagnostic::new(format!("cannot write the manual pages: {error}")));
            Exit::Failed.into()
        }
    }
}

/// Writes a page for each command.
fn write_pages(folder: &Path) -> io::Result<()> {
    let temporary = tempfile::tempdir()?;
    clap_mangen::generate_to(command(), temporary.path())?;
    for page in std::fs::read_dir(temporary.path())? {
        let page = page?;
        file::write(&folder.join(page.file_name()), &std::fs::read(page.path())?)?;
    }
    Ok(())
}

fn print(text: &str, output: &Output) -> ExitCode {
    output.print(text).err().unwrap_or(Exit::Clean).into()
}
