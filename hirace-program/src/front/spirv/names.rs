//! Names for what a module leaves without: a buffer is known by its binding, other memory by its id.

use super::declared::Declared;
use super::prepare::Prepared;
use super::words::Words;
use naga::{AddressSpace, Module};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

/// Gives a name to each variable of `module`, and plain names to functions.
pub fn give(module: &mut Module, words: &Words, declared: &Declared, prepared: &Prepared) {
    let spans: Vec<_> = module
        .global_variables
        .iter()
        .map(|(handle, _)| module.global_variables.get_span(handle).to_range())
        .collect();
    let mut taken = FxHashSet::default();
    for ((_, variable), span) in module.global_variables.iter_mut().zip(spans) {
        let instruction = span.and_then(|span| prepared.instruction(span.start));
        let instruction = instruction.and_then(|index| words.get(index));
        let of_variable = instruction.filter(|found| found.op() == Some(Op::Variable));
        let id = of_variable.and_then(|found| found.operand(1));
        // A block of GLSL without a name of its own goes by that of its type.
        let block = || {
            let pointer = declared.variables.get(&id?)?;
            let (_, ty) = declared.pointers.get(pointer)?;
            declared.names.get(ty).filter(|name| is_word(name)).cloned()
        };
        let made = || match &variable.binding {
            Some(binding) => {
                let kind = match variable.space {
                    AddressSpace::Uniform => "uniform",
                    AddressSpace::Handle => "texture",
                    _ => "buffer",
                };
                format!("{kind}_{}_{}", binding.group, binding.binding)
            }
            None => {
                let kind = match variable.space {
                    AddressSpace::WorkGroup => "workgroup",
                    // There is one of these.
                    AddressSpace::Immediate => return "push_constants".to_owned(),
                    _ => "variable",
                };
                id.map_or_else(|| kind.to_owned(), |id| format!("{kind}_{id}"))
            }
        };
        let own = variable.name.take().filter(|name| !name.is_empty());
        let mut name = own.or_else(block).unwrap_or_else(made);
        if !taken.insert(name.clone()) {
            name =
                (2..).map(|n| format!("{name}_{n}")).find(|n| !taken.contains(n)).unwrap_or(name);
            taken.insert(name.clone());
        }
        variable.name = Some(name);
    }
    for (_, function) in module.functions.iter_mut() {
        // glslang's `helper(u1;` says the types of the parameters.
        if let Some(name) = &mut function.name
            && let Some(end) = name.find('(')
        {
            name.truncate(end);
        }
    }
    let mut overrides: FxHashMap<String, u32> = FxHashMap::default();
    for (_, constant) in module.overrides.iter_mut() {
        if let (None, Some(id)) = (&constant.name, constant.id) {
            constant.name = Some(format!("constant_{id}"));
        }
        if let Some(name) = &mut constant.name {
            let count = overrides.entry(name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                name.push_str(&format!("_{count}"));
            }
        }
    }
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
