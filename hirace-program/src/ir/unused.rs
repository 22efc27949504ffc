//! Names and bindings that a module does not use, for the code that a pass adds.

use naga::{Module, ResourceBinding};
use rustc_hash::FxHashSet;

/// Returns a prefix that no name in `module` starts with.
pub fn prefix(module: &Module) -> String {
    let globals = module.global_variables.iter().filter_map(|(_, v)| v.name.as_deref());
    let functions = module.functions.iter().filter_map(|(_, f)| f.name.as_deref());
    let constants = module.constants.iter().filter_map(|(_, c)| c.name.as_deref());
    let types = module.types.iter().filter_map(|(_, t)| t.name.as_deref());
    let entries = module.entry_points.iter().map(|entry| entry.name.as_str());
    let names: Vec<String> = globals
        .chain(functions)
        .chain(constants)
        .chain(types)
        .chain(entries)
        .map(str::to_lowercase)
        .collect();
    let free = |prefix: &String| !names.iter().any(|name| name.starts_with(prefix));
    let mut prefix = "hirace".to_owned();
    while !free(&prefix) {
        prefix.push('x');
    }
    prefix
}

/// Iterates over bindings that `module` does not use. They are in a bind group of their own if one of WebGPU's four is free, so
/// that the program's groups stay unchanged.
pub fn bindings(module: &Module) -> impl Iterator<Item = ResourceBinding> {
    let used: FxHashSet<ResourceBinding> =
        module.global_variables.iter().filter_map(|(_, variable)| variable.binding).collect();
    let group =
        (0..4).find(|&group| used.iter().all(|binding| binding.group != group)).unwrap_or(0);
    let all = (0..).map(move |binding| ResourceBinding { group, binding });
    all.filter(move |binding| !used.contains(binding))
}
