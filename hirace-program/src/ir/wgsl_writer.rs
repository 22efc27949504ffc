//! Writes modules as WGSL.

use super::{guard, operands};
use crate::diagnostic::{Diagnostic, Result};
use naga::valid::ModuleInfo;
use naga::{Block, Module, Statement};

/// `f32::MAX`, exactly.
const F32_MAX: &str = "0x1.fffffep+127f";

/// Writes `module` as WGSL. `name` is the name of the module in errors. Fences are omitted because WGSL has none.
///
/// naga's writer panics for some features that naga's front ends support, for example ray queries. Such a panic becomes an error.
pub fn write_wgsl(module: &Module, info: &ModuleInfo, name: &str) -> Result<String> {
    let mut module = module.clone();
    for (_, function) in module.functions.iter_mut() {
        remove_fences(&mut function.body);
    }
    for entry in &mut module.entry_points {
        remove_fences(&mut entry.function.body);
    }
    let flags = naga::back::wgsl::WriterFlags::empty();
    let written = guard::run(|| naga::back::wgsl::write_string(&module, info, flags));
    let reason = match written {
        // naga rounds `f32::MAX` up when it writes it, to a value that other compilers reject.
        Ok(Ok(text)) => return Ok(text.replace(&format!("{}f", f32::MAX), F32_MAX)),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => panic,
    };
    let error = Diagnostic::new(format!("`{name}` cannot be written as WGSL"));
    Err(Box::new(error.note(format!("naga's WGSL writer failed: {reason}"))))
}

/// Removes memory barriers: WGSL has none, and naga's writer turns them into control barriers.
fn remove_fences(block: &mut Block) {
    let is_fence = |statement: &Statement| matches!(statement, Statement::MemoryBarrier(_));
    while let Some(at) = block.iter().position(is_fence) {
        block.cull(at..=at);
    }
    for statement in block.iter_mut() {
        for inner in operands::children(statement) {
            remove_fences(inner);
        }
    }
}
