//! Tests that accepted code becomes valid WGSL: every monitored item of these files is printed and validated by naga.

use super::super::super::print::{Selection, print};
use super::refused::files;

#[test]
fn what_is_accepted_is_valid_wgsl() {
    let mut wrong = Vec::new();
    for file in files("accepted") {
        let text = std::fs::read_to_string(&file).unwrap();
        for item in syn::parse_file(&text).unwrap().items {
            if let Err(Wrong::Refused(error) | Wrong::Invalid(error)) = valid(&item) {
                wrong.push(format!("{}: {error}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An error of an item.
pub enum Wrong {
    /// Lowering or printing rejects it.
    Refused(String),
    /// naga rejects it.
    Invalid(String),
}

/// Checks that an item becomes valid WGSL.
pub fn valid(item: &syn::Item) -> Result<(), Wrong> {
    let in_words = |errors: syn::Error| {
        let all: Vec<String> = errors
            .into_iter()
            .map(|error| {
                format!("{}:{} {error}", error.span().start().line, error.span().start().column)
            })
            .collect();
        Wrong::Refused(all.join("\n    "))
    };
    let module = super::super::lower(item).map_err(in_words)?;
    let generic = |function: &super::super::super::tree::Function| {
        function.entry.as_ref().is_some_and(|entry| !entry.generics.is_empty())
    };
    let mut selections = vec![Selection::All];
    for (index, function) in module.functions.iter().enumerate() {
        if generic(function) {
            let values =
                function.entry.iter().flat_map(|entry| entry.generics.iter().map(|_| 64)).collect();
            selections
                .push(Selection::Instance(super::super::super::tree::FunctionId(index), values));
        }
    }
    for selection in selections {
        let printed = print(&module, &selection).map_err(in_words)?;
        let parsed = naga::front::wgsl::parse_str(&printed.wgsl)
            .map_err(|error| Wrong::Invalid(error.emit_to_string(&printed.wgsl)))?;
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::all(),
        );
        validator
            .validate(&parsed)
            .map_err(|error| Wrong::Invalid(error.emit_to_string(&printed.wgsl)))?;
    }
    Ok(())
}
