//! Finds the input that is most worth giving when guesses are not enough for a conclusion: the one that most open
//! questions depend on.

use crate::facts::assumption::Contents;
use crate::facts::{
    Assumption, Doubt, Flag, InferredInputs, InputRequest, LaunchFacts, RequestedInput, Verdict,
};
use crate::launch::values::type_name;
use crate::program::Program;
use std::collections::BTreeMap;

/// Returns the input to give for `launch`, if it is inconclusive. `missed` has, for each site that did not run, the
/// guesses that it depends on.
pub(super) fn requested_input(
    program: &Program,
    launch: &LaunchFacts,
    missed: impl Iterator<Item = InferredInputs>,
) -> Option<InputRequest> {
    if launch.verdict() != Verdict::Inconclusive {
        return None;
    }
    let mut questions: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |guessed: &InferredInputs| {
        for name in guessed.contents.iter().chain(&guessed.lengths) {
            *questions.entry(name.clone()).or_default() += 1;
        }
    };
    missed.for_each(|guessed| count(&guessed));
    let mut of_grid = 0;
    let mut overrides: &[(String, f64)] = &[];
    for doubt in launch.findings.iter().flat_map(|finding| &finding.doubts) {
        match doubt {
            Doubt::Address(on)
            | Doubt::Control(on)
            | Doubt::Barriers(on)
            | Doubt::LoopEnd(on)
            | Doubt::Index(on)
            | Doubt::Value(on) => {
                of_grid += usize::from(!on.given.is_empty() || on.workgroups);
                count(on);
            }
            Doubt::Grid { .. } => of_grid += 1,
            Doubt::Overrides(values) => overrides = values,
            Doubt::SubgroupSizes(_) | Doubt::OrderByAtomics | Doubt::Host(_) => {}
        }
    }
    // All findings depend on these.
    if !overrides.is_empty() {
        let flag =
            |(name, value): &(String, f64)| Flag::Override { name: name.clone(), value: *value };
        let flags = overrides.iter().map(flag).collect();
        return Some(InputRequest { what: RequestedInput::Overrides, flags });
    }
    let most = questions.into_iter().max_by_key(|(_, questions)| *questions);
    match most {
        Some((name, questions)) if questions >= of_grid => variable(program, launch, &name),
        _ if of_grid > 0 => {
            let flags = vec![Flag::Workgroups(launch.grid.workgroups)];
            Some(InputRequest { what: RequestedInput::Grid, flags })
        }
        _ => None,
    }
}

fn variable(program: &Program, launch: &LaunchFacts, name: &str) -> Option<InputRequest> {
    let mut globals = program.module.global_variables.iter();
    let (_, global) = globals.find(|(_, global)| global.name.as_deref() == Some(name))?;
    let of = type_name(&program.module, global.ty);
    let flag = |name: &str, spec: String| Flag::Buffer { name: name.to_owned(), spec };
    let mut flags = Vec::new();
    for assumption in &launch.assumptions {
        match assumption {
            Assumption::Parameters { variable, fields, .. } if variable == name => {
                flags.extend(fields.iter().map(|field| {
                    let values: Vec<String> =
                        field.values.iter().map(ToString::to_string).collect();
                    flag(&field.path, values.join(","))
                }));
            }
            // If only the length was inferred, the flag with the given contents is not known here.
            Assumption::Buffer { variable, elements, contents: Some(contents), .. }
                if variable == name =>
            {
                let length = elements.map(|elements| format!(":{elements}")).unwrap_or_default();
                flags.push(flag(name, spec(contents, &length)));
            }
            Assumption::Texture { variable, size: [x, y, z], contents: Some(contents) }
                if variable == name =>
            {
                let depth = if *z > 1 { format!("x{z}") } else { String::new() };
                flags.push(flag(name, spec(contents, &format!(":{x}x{y}{depth}"))));
            }
            _ => {}
        }
    }
    Some(InputRequest { what: RequestedInput::Variable { name: name.to_owned(), of }, flags })
}

/// Returns the contents of this kind and length in the syntax of `--buffer NAME=`. `length` begins with a colon, or is empty.
fn spec(contents: &Contents, length: &str) -> String {
    match contents {
        Contents::Zeros => format!("zeros{length}"),
        Contents::Permutation { .. } => format!("permutation{length}"),
        Contents::Iota => format!("iota{length}"),
        Contents::Fill(value) => format!("fill{length}:{value}"),
        Contents::Below { most, .. } => format!("below{length}:{most}"),
        Contents::Random { .. } => format!("random{length}"),
    }
}
