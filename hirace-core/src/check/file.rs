//! Checks the several programs of one file: a Rust file has one for each monitored item, and one for each instance of a
//! generic kernel.
//!
//! Options are given for the whole file. Each program gets those that concern it; options that match no program are
//! kept for all, so that checking the first reports the error. Const parameters take their values from `--override`, as
//! overrides do.

use super::source::{Completion, program};
use super::{CheckOutcome, Options, Session};
use crate::diagnostic::{Diagnostic, Result};
use crate::facts::{Assumption, Flag, LaunchFacts};
use crate::front::ParsedModule;
use crate::front::rust::File;
use crate::front::rust::template::{Parameter, Template};
use crate::ir::overrides;
use crate::launch::spec::{Binding, LaunchSpec, find_nearest};
use std::borrow::Cow;

/// Checks every launch of the programs of one file. If the session is stopped, the facts cover what was done until
/// then.
pub fn check_file(
    file: &File,
    options: &Options,
    session: &mut Session<'_>,
) -> Result<CheckOutcome> {
    let guessed = [LaunchSpec::default()];
    let specs = if options.launches.is_empty() { &guessed[..] } else { &options.launches[..] };
    let mut all = CheckOutcome::default();
    let mut idle: Option<Vec<Diagnostic>> = None;
    for spec in specs {
        let dispatched = || spec.dispatches.iter().map(|dispatch| dispatch.entry.as_str());
        let asked: Vec<&str> = match spec.dispatches.is_empty() {
            true => options.kernels.iter().map(String::as_str).collect(),
            false => dispatched().collect(),
        };
        let items = items(file, &asked, &spec.overrides)?;
        for item in &items {
            if session.is_stopped() {
                break;
            }
            let own = |name: &&String| has_kernel(&item.parsed, name);
            let options = Options {
                kernels: options.kernels.iter().filter(own).cloned().collect(),
                launches: vec![spec_for_item(spec, item, &items)],
                ..options.clone()
            };
            let of_several = items.len() > 1 || file.kernels().count() > 1;
            let inferred = item.inferred();
            let inferred = inferred
                .map(|(name, value)| Assumption::ConstParameter { name: name.to_owned(), value });
            let inferred: Vec<Assumption> = inferred.collect();
            let completion = Completion {
                inferred: &inferred,
                complete: &|launch: &mut LaunchFacts| item.complete(launch, of_several),
            };
            let warnings = program(&item.parsed, &options, session, &mut all, &completion)?;
            // A comment that suppresses nothing in one program may suppress a finding in another.
            idle = Some(match idle {
                None => warnings,
                Some(mut idle) => {
                    idle.retain(|warning| warnings.iter().any(|other| same(warning, other)));
                    idle
                }
            });
        }
    }
    if !session.is_stopped() && all.failures.is_empty() {
        all.warnings = idle.unwrap_or_default();
    }
    Ok(all)
}

/// Values of overrides and const parameters, by name.
pub type Values = Vec<(String, f64)>;

/// Returns the program of `file` that has the kernels `asked`, instantiated with these values of const parameters, and
/// the remaining values for its overrides.
///
/// # Errors
/// There are several such programs, or none that can be read.
pub fn single_program<'a>(
    file: &'a File,
    asked: &[&str],
    values: &[(String, f64)],
) -> Result<(Cow<'a, ParsedModule>, Values)> {
    let mut items = items(file, asked, values)?;
    if items.len() > 1 {
        let name = file.source.name();
        let error = Diagnostic::new(format!("`{name}` has several programs"));
        let kernels: Vec<&str> = file.kernels().collect();
        let error = error.note(format!("its kernels are: {}", kernels.join(", ")));
        return Err(Box::new(error.help("choose one with `--entry NAME`")));
    }
    let Some(item) = items.pop() else {
        return Err(Box::new(Diagnostic::new("the file has no item that could be read")));
    };
    let left = values.iter().filter(|(name, _)| !item.has_parameter(name)).cloned().collect();
    Ok((item.parsed, left))
}

/// A program of a file.
pub struct FileProgram<'a> {
    /// The program, instantiated if it is generic.
    pub parsed: Cow<'a, ParsedModule>,
    /// The given values of its overrides.
    pub overrides: Values,
    /// The values of its const parameters that were guessed.
    pub guessed: Values,
}

/// Returns every program of `file` that can be read, with these values of const parameters and overrides.
///
/// # Errors
/// A name is unknown, or a generic kernel cannot be instantiated.
pub fn programs<'a>(file: &'a File, values: &[(String, f64)]) -> Result<Vec<FileProgram<'a>>> {
    let program = |item: Item<'a>| {
        let is_override =
            |name: &str| has_override(&item.parsed, name) && !item.has_parameter(name);
        let overrides = values.iter().filter(|(name, _)| is_override(name)).cloned().collect();
        let guessed =
            item.inferred().map(|(name, value)| (name.to_owned(), value.into())).collect();
        FileProgram { overrides, guessed, parsed: item.parsed }
    };
    Ok(items(file, &[], values)?.into_iter().map(program).collect())
}

/// A program of the file, with the values of its const parameters.
struct Item<'a> {
    parsed: Cow<'a, ParsedModule>,
    /// The name and value of each const parameter, and whether the value was given.
    values: Vec<(&'a str, u32, bool)>,
}

/// Returns the programs that have these kernels; all of them if none is named.
fn items<'a>(file: &'a File, asked: &[&str], values: &[(String, f64)]) -> Result<Vec<Item<'a>>> {
    if let Some(unknown) = asked.iter().find(|name| !file.kernels().any(|known| known == **name)) {
        return Err(unknown_kernel(file, unknown));
    }
    let mut items = Vec::new();
    for parsed in file.items.iter().flatten() {
        if asked.is_empty() || asked.iter().any(|name| has_kernel(parsed, name)) {
            items.push(Item { parsed: Cow::Borrowed(parsed), values: Vec::new() });
        }
    }
    for template in &file.generic {
        if asked.is_empty() || asked.contains(&template.kernel.as_str()) {
            items.push(instance(template, file, values)?);
        }
    }
    let names: Vec<&str> = items.iter().flat_map(Item::overridable).collect();
    let is_known = |name: &str| items.iter().any(|item| item.takes(name));
    match values.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(Box::new(overrides::unknown(file.source.name(), name, &names))),
        None => Ok(items),
    }
}

fn unknown_kernel(file: &File, name: &str) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("{} has no kernel `{name}`", file.source.name()));
    Box::new(match find_nearest(name, file.kernels()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => {
            let names: Vec<&str> = file.kernels().collect();
            error.note(format!("its kernels are: {}", names.join(", ")))
        }
    })
}

/// Returns the instance of a generic kernel for the given values, with guesses for the others.
fn instance<'a>(template: &'a Template, file: &File, values: &[(String, f64)]) -> Result<Item<'a>> {
    let of = |parameter: &Parameter| {
        let given = values.iter().find(|(name, _)| *name == parameter.name);
        given.map(|(name, value)| natural(name, *value)).transpose()
    };
    let given: Vec<Option<u32>> = template.parameters.iter().map(of).collect::<Result<_>>()?;
    let (values, parsed) = template.sample(&file.source, &given)?;
    let names = template.parameters.iter().map(|parameter| parameter.name.as_str());
    let values =
        names.zip(values).zip(given).map(|((name, value), given)| (name, value, given.is_some()));
    Ok(Item { parsed: Cow::Owned(parsed), values: values.collect() })
}

fn natural(name: &str, value: f64) -> Result<u32> {
    match value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
        true => Ok(value as u32),
        false => {
            let error = Diagnostic::new(format!("the const parameter `{name}` cannot be {value}"));
            Err(Box::new(error.help("give a whole number from 0 to 4294967295")))
        }
    }
}

/// Returns `spec` without the bindings and overrides that are for other programs.
fn spec_for_item(spec: &LaunchSpec, item: &Item<'_>, items: &[Item<'_>]) -> LaunchSpec {
    let keeps = |has: &dyn Fn(&Item<'_>) -> bool| has(item) || !items.iter().any(has);
    let mut spec = spec.clone();
    spec.bindings.retain(|binding| keeps(&|item| has_variable(&item.parsed, binding)));
    spec.overrides
        .retain(|(name, _)| has_override(&item.parsed, name) && !item.has_parameter(name));
    spec
}

impl Item<'_> {
    /// Returns the names and values of the const parameters whose values were guessed.
    fn inferred(&self) -> impl Iterator<Item = (&str, u32)> {
        let guessed = self.values.iter().filter(|(.., given)| !given);
        guessed.map(|&(name, value, _)| (name, value))
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.values.iter().any(|(parameter, ..)| *parameter == name)
    }

    /// Returns whether `--override` can set `name` for this program.
    fn takes(&self, name: &str) -> bool {
        self.has_parameter(name) || has_override(&self.parsed, name)
    }

    /// Returns the names that `--override` can set for this program.
    fn overridable(&self) -> impl Iterator<Item = &str> {
        let declared = self.parsed.module.overrides.iter();
        let declared = declared.filter_map(|(_, declared)| declared.name.as_deref());
        self.values.iter().map(|(name, ..)| *name).chain(declared)
    }

    /// Adds to the commands of a launch what the program alone does not know: the given values of const parameters, and the entry
    /// point if the file has several.
    fn complete(&self, launch: &mut LaunchFacts, of_several: bool) {
        let given = self.values.iter().filter(|(.., given)| *given);
        let given = given
            .map(|&(name, value, _)| Flag::Override { name: name.to_owned(), value: value.into() });
        let given: Vec<Flag> = given.collect();
        let entry = Flag::Entry(launch.entries.join(","));
        for replay in launch.replays_mut() {
            if of_several && !replay.names_entry() {
                replay.flags.push(entry.clone());
            }
            replay.flags.extend_from_slice(&given);
        }
    }
}

fn has_kernel(item: &ParsedModule, name: &str) -> bool {
    item.module.entry_points.iter().any(|entry| entry.name == name)
}

fn has_variable(item: &ParsedModule, binding: &Binding) -> bool {
    item.module.global_variables.iter().any(|(_, variable)| {
        let name = variable.name.as_deref();
        name.is_some_and(|name| name == binding.name || binding.field_of(name).is_some())
    })
}

fn has_override(item: &ParsedModule, name: &str) -> bool {
    item.module.overrides.iter().any(|(_, declared)| {
        declared.name.as_deref() == Some(name)
            || declared.id.is_some_and(|id| id.to_string() == name)
    })
}

fn same(a: &Diagnostic, b: &Diagnostic) -> bool {
    (&a.message, &a.labels) == (&b.message, &b.labels)
}
