//! The rewriting of functions that all passes share: one after the other, callees before callers.

use crate::ir::rebuild::{Arms, FunctionBuilder, RebuildChange};
use crate::ir::walk::FunctionId;
use crate::pass::runtime::Runtime;
use crate::program::Program;
use naga::{Arena, Block, EntryPoint, Expression, Function, Handle, Module, Span, Statement};

/// Returns a copy of `original` without its functions.
pub fn without_functions(original: &Module) -> Module {
    Module {
        functions: Arena::new(),
        entry_points: Vec::new(),
        doc_comments: None,
        ..original.clone()
    }
}

/// Returns a copy of `original` with only these entry points.
pub fn with_entries_only(original: &Module, entries: &[usize]) -> Module {
    let entries = entries.iter().filter_map(|&index| original.entry_points.get(index));
    Module {
        functions: original.functions.clone(),
        entry_points: entries.cloned().collect(),
        ..without_functions(original)
    }
}

/// Turns an entry point into a function that can be called, with `prefix` before its name. Returns the function, and a new
/// function without a body for the entry point that is to call it. An entry point may return from anywhere, and in non-uniform
/// control flow; with this change, code after the call runs when the invocation has finished the original entry point.
pub fn make_callable(
    module: &mut Module,
    mut function: Function,
    prefix: &str,
) -> (Handle<Function>, Function) {
    let entry = Function {
        name: function.name.clone(),
        arguments: function.arguments.clone(),
        ..Function::default()
    };
    for argument in &mut function.arguments {
        argument.binding = None;
    }
    let name = function.name.take().unwrap_or_default();
    function.name = Some(format!("{prefix}_{name}"));
    (module.functions.append(function, Span::UNDEFINED), entry)
}

/// Makes each entry point call these functions of `runtime`, as far as they exist, when an invocation ends, in whatever way.
pub fn end_with(module: &mut Module, runtime: &Runtime, last: &[&str]) {
    let last: Vec<_> = last.iter().filter_map(|name| runtime.function(name)).collect();
    if last.is_empty() {
        return;
    }
    for mut of in std::mem::take(&mut module.entry_points) {
        let (function, mut entry) = make_callable(module, of.function, runtime.prefix());
        let count = entry.arguments.len() as u32;
        let arguments = (0..count).map(Expression::FunctionArgument);
        let arguments = arguments.map(|of| entry.expressions.append(of, Span::UNDEFINED)).collect();
        let first = Statement::Call { function, arguments, result: None };
        let call = |function| Statement::Call { function, arguments: Vec::new(), result: None };
        let last = last.iter().copied().map(call);
        entry.body = Block::from_vec(std::iter::once(first).chain(last).collect());
        of.function = entry;
        module.entry_points.push(of);
    }
}

/// Copies the helper functions of `original` and these of its entry points to `module`, each with the change that `change`
/// returns for it. `original` is the module of `program` as [`Program::derive`] provides it.
pub fn rewrite<C: RebuildChange>(
    program: &Program,
    original: &Module,
    module: &mut Module,
    entries: &[usize],
    mut change: impl FnMut(FunctionId) -> C,
) {
    let arms = |id| Arms {
        bodies: &program.bodies,
        body: program.body(id),
        info: program.info_of(id),
        types: &original.types,
    };
    let mut functions = Vec::new();
    for (handle, function) in original.functions.iter() {
        let id = FunctionId::Helper(handle);
        let copy = FunctionBuilder::with_arms(function, arms(id), &functions, &mut change(id));
        functions.push(module.functions.append(copy, original.functions.get_span(handle)));
    }
    for &index in entries {
        let Some(entry) = original.entry_points.get(index) else { continue };
        let id = FunctionId::Entry(index);
        let function =
            FunctionBuilder::with_arms(&entry.function, arms(id), &functions, &mut change(id));
        module.entry_points.push(EntryPoint { function, ..entry.clone() });
    }
}
