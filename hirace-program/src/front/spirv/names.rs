//! Names for variables that have none in the module: buffers are named by their binding, other memory by its id.

use super::declarations::SpirvDeclarations;
use super::host::Host;
use super::prepare::PreparedModule;
use super::types::Type;
use super::words::Words;
use naga::{AddressSpace, Module, StructMember, TypeInner};
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

/// Assigns a name to each variable of `module`, and simplifies the names of functions.
pub fn assign(
    module: &mut Module,
    words: &Words,
    declared: &SpirvDeclarations,
    prepared: &PreparedModule,
    host: &Host,
) {
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
        // A GLSL block without an instance name gets the name of its type.
        let block = || {
            let pointer = declared.variables.get(&id?)?;
            let (_, ty) = declared.pointers.get(pointer)?;
            declared.names.get(ty).filter(|name| is_word(name)).cloned()
        };
        // The name of the OpenCL kernel's argument.
        let argument = || {
            let name = match &variable.binding {
                Some(binding) => host.bound.get(&(binding.group, binding.binding))?,
                None => {
                    let (_, array) = declared.pointers.get(declared.variables.get(&id?)?)?;
                    let Type::Array { length, .. } = declared.types.get(array)? else {
                        return None;
                    };
                    host.lengths.get(declared.spec_ids.get(length)?)?
                }
            };
            name.clone().filter(|name| is_word(name))
        };
        let is_pushed = |id: Option<u32>| id.is_some_and(|id| !declared.bindings.contains_key(&id));
        let made = || match &variable.binding {
            Some(binding) => {
                let kind = match variable.space {
                    AddressSpace::Uniform if is_pushed(id) => return "push_constants".to_owned(),
                    AddressSpace::Uniform => "uniform",
                    AddressSpace::Handle => "texture",
                    _ => "buffer",
                };
                let own = id.and_then(|id| declared.bindings.get(&id));
                format!("{kind}_{}_{}", binding.group, own.unwrap_or(&binding.binding))
            }
            None => {
                let kind = match variable.space {
                    AddressSpace::WorkGroup => "workgroup",
                    // There is only one such variable.
                    AddressSpace::Immediate => return "push_constants".to_owned(),
                    _ => "variable",
                };
                id.map_or_else(|| kind.to_owned(), |id| format!("{kind}_{id}"))
            }
        };
        let own = variable.name.take().filter(|name| !name.is_empty());
        let mut name = own.or_else(block).or_else(argument).unwrap_or_else(made);
        if !taken.insert(name.clone()) {
            name =
                (2..).map(|n| format!("{name}_{n}")).find(|n| !taken.contains(n)).unwrap_or(name);
            taken.insert(name.clone());
        }
        variable.name = Some(name);
    }
    for (_, function) in module.functions.iter_mut() {
        // glslang's `helper(u1;` includes the types of the parameters.
        if let Some(name) = &mut function.name
            && let Some(end) = name.find('(')
        {
            name.truncate(end);
        }
    }
    unwrap(module);
}

/// Removes the name of the only member of a struct that a compiler wraps a buffer in, such as `__member0`.
fn unwrap(module: &mut Module) {
    let mut wrappers = Vec::new();
    for (handle, ty) in module.types.iter() {
        if let TypeInner::Struct { members, span } = &ty.inner
            && let [member] = members.as_slice()
            && member.name.as_ref().is_some_and(|name| name.starts_with("__"))
        {
            let members = vec![StructMember { name: None, ..member.clone() }];
            let inner = TypeInner::Struct { members, span: *span };
            wrappers.push((handle, naga::Type { name: ty.name.clone(), inner }));
        }
    }
    for (handle, ty) in wrappers {
        // Two types that only differ in that name remain separate.
        if module.types.get(&ty).is_none() {
            module.types.replace(handle, ty);
        }
    }
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
