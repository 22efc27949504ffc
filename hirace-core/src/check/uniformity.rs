//! Warnings about operations for which browsers refuse a module (HR006).

use crate::analysis::uniformity::{NonUniformOperation, non_uniform_operations};
use crate::facts::warning::{NonUniform, UniformityRequirement};
use crate::facts::{Place, Warning};
use crate::front::wgsl::tokens::Tokens;
use crate::program::{Language, Program};

/// Returns the warnings about an entry point of a module in WGSL. They do not depend on launches, so that those of shards are
/// the same.
pub(super) fn warnings(program: &Program, entry: usize) -> Vec<Warning> {
    if program.language != Language::Wgsl {
        return Vec::new();
    }
    let found = non_uniform_operations(program, entry);
    // Most programs have none, and their text need not be read again.
    if found.is_empty() || is_off(program, "chromium_disable_uniformity_analysis") {
        return Vec::new();
    }
    let subgroups_off = is_off(program, "subgroup_uniformity");
    let warning = |found: NonUniformOperation| {
        let NonUniformOperation { span, requires, branch, origin } = found;
        let place = |span| Place::new(&program.source, span);
        NonUniform {
            place: place(span),
            requires,
            branch: branch.map(|site| Place::of(program, site)),
            origin: origin.what,
            origin_place: (!origin.span.is_empty()).then(|| place(origin.span)),
        }
    };
    let found = found.into_iter().map(warning);
    let found =
        found.filter(|found| found.requires != UniformityRequirement::Subgroup || !subgroups_off);
    // One warning for all operations after the same branch is enough.
    let mut warnings: Vec<NonUniform> = Vec::new();
    for new in found {
        let is_known = |known: &NonUniform| {
            (known.requires, known.branch, known.origin_place)
                == (new.requires, new.branch, new.origin_place)
        };
        if !warnings.iter().any(is_known) {
            warnings.push(new);
        }
    }
    warnings.into_iter().map(Warning::NonUniform).collect()
}

/// Returns whether a directive at the start of the text turns an analysis off: `diagnostic(off, name);` or `enable name;`.
fn is_off(program: &Program, name: &str) -> bool {
    let tokens = Tokens::new(program.parsed_text.text());
    tokens.directives().any(|all| {
        let mut names = tokens.names(all.clone());
        match tokens.text(all.start) {
            "enable" => names.any(|word| word == name),
            "diagnostic" => {
                names.next().is_some_and(|severity| severity != "error")
                    && names.any(|word| word == name)
            }
            _ => false,
        }
    })
}
