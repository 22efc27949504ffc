//! Chooses values for pipeline overrides that have no default and were not given.

use crate::diagnostic::Diagnostic;
use crate::facts::Assumption;
use crate::front::ParsedModule;
use naga::{Handle, Override, Scalar, ScalarKind, TypeInner};
use std::collections::BTreeMap;

/// The workgroup sizes, in invocations, that are tried until naga accepts the module.
const SIZES: [f64; 7] = [64.0, 32.0, 16.0, 8.0, 4.0, 1.0, 256.0];

/// Values of overrides, and the assumptions for those that were guessed.
pub(super) type Values = (BTreeMap<String, f64>, Vec<Assumption>);

/// Returns the choices of values for the overrides of `parsed`: those given, with guesses for the others that need one.
/// There is a single choice if nothing needs a guess.
pub(super) fn choices(parsed: &ParsedModule, given: &[(String, f64)]) -> Vec<Values> {
    let mut choices: Vec<Values> = Vec::new();
    for size in SIZES {
        let values = values(parsed, given, size);
        if !choices.contains(&values) {
            choices.push(values);
        }
    }
    choices
}

/// Returns the error for a module that naga rejects with every guess.
pub(super) fn rejection_error(error: Diagnostic, assumptions: &[Assumption]) -> Diagnostic {
    let guessed = assumptions.iter().filter_map(|assumption| match assumption {
        Assumption::Override { name, value } => Some((name, value)),
        _ => None,
    });
    let Some((first, _)) = guessed.clone().next() else { return error };
    let shown: Vec<String> = guessed.map(|(name, value)| format!("`{name}` = {value}")).collect();
    let error = error.note(format!(
        "overrides without a default were guessed ({}), and every guess was rejected",
        shown.join(", ")
    ));
    error.help(format!("give them with --override {first}=VALUE"))
}

/// Returns the values in which overrides that are used as workgroup sizes make workgroups of about `size` invocations.
fn values(parsed: &ParsedModule, given: &[(String, f64)], size: f64) -> Values {
    let mut values: BTreeMap<String, f64> = given.iter().cloned().collect();
    let mut assumptions = Vec::new();
    let in_size = size_overrides(parsed);
    for (handle, declared) in parsed.module.overrides.iter() {
        let Some(name) = declared.name.clone().or_else(|| declared.id.map(|id| id.to_string()))
        else {
            continue;
        };
        let by_id = declared.id.is_some_and(|id| values.contains_key(&id.to_string()));
        if declared.init.is_some() || by_id || values.contains_key(&name) {
            continue;
        }
        let value = match parsed.module.types[declared.ty].inner {
            TypeInner::Scalar(Scalar { kind: ScalarKind::Bool, .. }) => 1.0,
            _ => {
                let lists = in_size.iter().filter(|list| list.contains(&handle));
                size_guess(size, lists.map(Vec::len).max())
            }
        };
        assumptions.push(Assumption::Override { name: name.clone(), value });
        values.insert(name, value);
    }
    (values, assumptions)
}

/// Returns, for each entry point, the overrides that its workgroup size is made of.
fn size_overrides(parsed: &ParsedModule) -> Vec<Vec<Handle<Override>>> {
    let module = &parsed.module;
    let of_expression = |expression| match module.global_expressions[expression] {
        naga::Expression::Override(handle) => Some(handle),
        _ => None,
    };
    let sizes = module.entry_points.iter().filter_map(|entry| entry.workgroup_size_overrides);
    sizes.map(|size| size.into_iter().flatten().filter_map(of_expression).collect()).collect()
}

/// Returns the value of an override that makes a workgroup of at least about `size` invocations, if it is used for this
/// number of the workgroup's dimensions.
fn size_guess(size: f64, dimensions: Option<usize>) -> f64 {
    match dimensions {
        None | Some(0 | 1) => size,
        Some(2) => size.sqrt().ceil(),
        Some(_) => size.cbrt().ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;

    fn guessed(text: &str, given: &[(&str, f64)]) -> (Vec<(String, f64)>, Vec<Assumption>) {
        let given: Vec<_> = given.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
        let (values, guesses) = values(&wgsl::parse("test.wgsl", text).unwrap(), &given, SIZES[0]);
        (values.into_iter().collect(), guesses)
    }

    #[test]
    fn an_override_without_a_default_gets_a_value_that_fits_a_workgroup() {
        let text = "override n: u32; override fast: bool; override k = 3u;
                    @compute @workgroup_size(n) fn main() {}";
        let (values, guesses) = guessed(text, &[]);
        assert_eq!(values, [("fast".to_owned(), 1.0), ("n".to_owned(), 64.0)]);
        let guess = |name: &str, value| Assumption::Override { name: name.to_owned(), value };
        assert_eq!(guesses, [guess("n", 64.0), guess("fast", 1.0)]);
        let (values, guesses) = guessed(text, &[("n", 32.0), ("fast", 0.0)]);
        assert_eq!((values[1].1, guesses.len()), (32.0, 0));
    }

    #[test]
    fn a_square_workgroup_has_64_invocations_too() {
        let text = "override w: u32; override h: u32; @compute @workgroup_size(w, h) fn main() {}";
        let (values, _) = guessed(text, &[]);
        assert_eq!(values, [("h".to_owned(), 8.0), ("w".to_owned(), 8.0)]);
    }
}
