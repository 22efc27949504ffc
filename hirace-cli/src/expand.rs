//! `hirace expand`.

use crate::args::{ExpandArgs, Table};
use crate::files::Input;
use crate::output::{Exit, Output};
use hirace_core::diagnostic::Result;
use hirace_core::front::wgsl;
use hirace_core::launch::infer::find_entry;
use hirace_core::pass::monitor::monitor;
use hirace_core::program::Program;
use hirace_core::shadow::plan::{self, Options};
use std::process::ExitCode;

/// Runs the verb.
pub fn run(args: &ExpandArgs, output: &Output) -> ExitCode {
    match expanded(args) {
        Ok(text) => output.print(&text).err().unwrap_or(Exit::Clean),
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::BadInput
        }
    }
    .into()
}

fn expanded(args: &ExpandArgs) -> Result<String> {
    let input = Input { path: args.path.clone(), found: false };
    let parsed = wgsl::parse_bytes(&input.name(), &input.read()?)?;
    let overrides = args.r#override.iter().cloned().collect();
    let program = Program::new(&parsed, &overrides)?;
    let entries = match args.entry.is_empty() {
        true => program.entries().map(|(index, _)| index).collect(),
        false => {
            let named = args.entry.iter().map(|name| find_entry(&program, name));
            named.collect::<Result<_>>()?
        }
    };
    let table = match args.table {
        Table::Buffer => plan::Table::Buffer,
        Table::Private => plan::Table::Private,
        Table::Constant => plan::Table::Constant,
    };
    monitor(&program, &Options { table, ..Options::new(entries) })?.wgsl()
}
