//! Running one mutant instead of its shader, also on the application's device, so that the effect of the mutation
//! shows.

use super::ledger::Ledger;
use super::settings::Mode;

/// Returns the text to use instead of `text`, if there is one: the text that the runner of this process requests, or
/// the text with the mutant from the settings.
pub(crate) fn replacement_for(text: &str, ledger: &Ledger) -> Option<String> {
    let by_process = ledger.mutation.and_then(|mutated| mutated.replacement(text));
    match (&ledger.settings.mode, by_process) {
        (_, Some(other)) => Some(other.to_owned()),
        (Mode::Mutant(id), None) => {
            let mutated = with(id, text);
            if mutated.is_some() {
                ledger.note_mutant_found();
            }
            mutated
        }
        _ => None,
    }
}

#[cfg(feature = "mutants")]
fn with(id: &str, text: &str) -> Option<String> {
    use hirace_adequacy::mutate::source::Source;
    let source = Source::new("shader.wgsl", text)?;
    // A text that cannot be parsed has no mutants.
    let found = source.mutants().ok()?.into_iter().find(|candidate| candidate.mutant.id == id);
    found.map(|candidate| source.with(&candidate))
}

#[cfg(not(feature = "mutants"))]
fn with(_: &str, _: &str) -> Option<String> {
    None
}

#[cfg(all(test, feature = "mutants"))]
mod tests {
    use super::*;
    use hirace_adequacy::mutate::source::Source;

    #[test]
    fn mutant_ids_do_not_depend_on_the_file() {
        let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { a[i] = i + 1u; }";
        let listed = Source::new("src/kernels/add.wgsl", text).unwrap();
        for candidate in listed.mutants().unwrap() {
            assert_eq!(with(&candidate.mutant.id, text), Some(listed.with(&candidate)));
        }
        assert_eq!(with("none", text), None);
    }
}
