//! Features that are rejected, or accepted with a warning.

use super::at;
use super::barriers::Barriers;
use super::declarations::SpirvDeclarations;
use super::loop_exits;
use super::orders::{Orders, is_atomic};
use super::switches;
use super::text::Text;
use super::types::Type;
use super::words::{Instruction, InvalidModule, Words};
use crate::diagnostic::{Diagnostic, Result};
use crate::program::UnmodeledOrdering;
use rspirv::spirv::{
    AddressingModel, Capability, ExecutionModel, MemoryModel, Op, Scope, StorageClass,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of spans in a warning.
const SHOWN: usize = 3;

/// Creates the diagnostic for bytes that are not a module.
pub fn invalid_module_error(name: &str, broken: InvalidModule) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("`{name}` is not a SPIR-V module: {}", broken.what));
    Box::new(error.note(format!("at word {} (byte {})", broken.word, broken.word * 4)))
}

/// Creates the diagnostic for an instruction or a module that naga rejects.
pub fn by_naga(text: &Text, instruction: Option<usize>, reason: &str) -> Diagnostic {
    let help = "hirace parses SPIR-V with naga, wgpu's shader translator, and can only check what naga supports";
    match instruction {
        Some(instruction) => {
            at(text, instruction, format!("cannot parse this instruction: {reason}")).help(help)
        }
        None => {
            let name = text.source().name();
            Diagnostic::new(format!("cannot parse `{name}`: {reason}")).help(help)
        }
    }
}

/// SPIR-V's limit on ids.
const IDS: u32 = 0x40_0000;

/// Rejects modules for other environments than Vulkan, and modules without a compute entry point.
pub fn module(name: &str, words: &Words, declared: &SpirvDeclarations) -> Result<()> {
    if words.bound() > IDS {
        let error = Diagnostic::new(format!("`{name}` has too many ids: SPIR-V's limit is {IDS}"));
        let error = error.note(format!("the bound in its header is {}, at word 3", words.bound()));
        return Err(Box::new(error));
    }
    if declared.entries.is_empty() && !has_kernels(declared) {
        return Err(Box::new(no_entry(name, declared)));
    }
    for instruction in words.instructions() {
        // Ids from the bound on are given to new instructions.
        if let Some(id) = instruction.defined_id().filter(|id| *id >= words.bound()) {
            let error =
                Diagnostic::new(format!("`{name}` is not a SPIR-V module: an id is too large"));
            let (bound, word) = (words.bound(), instruction.word);
            let note =
                format!("the id is {id}, and the bound in the header is {bound}, at word {word}");
            return Err(Box::new(error.note(note)));
        }
        let first = instruction.operand(0);
        let kernel = match instruction.op() {
            Some(Op::Capability) => first == Some(Capability::Kernel as u32),
            Some(Op::EntryPoint) => first == Some(ExecutionModel::Kernel as u32),
            Some(Op::MemoryModel) => {
                instruction.operand(1) == Some(MemoryModel::OpenCL as u32)
                    || first.is_some_and(|model| {
                        model == AddressingModel::Physical32 as u32
                            || model == AddressingModel::Physical64 as u32
                    })
            }
            _ => false,
        };
        if kernel {
            let error =
                Diagnostic::new(format!("`{name}` is an OpenCL kernel, not a Vulkan shader"));
            let error = error.note(format!(
                "declared by {} at word {}",
                instruction.name(),
                instruction.word
            ));
            return Err(Box::new(
                error.help("hirace checks Vulkan compute shaders; compile OpenCL C with clspv"),
            ));
        }
        if instruction.op() == Some(Op::MemoryModel)
            && first == Some(AddressingModel::PhysicalStorageBuffer64 as u32)
        {
            let error = Diagnostic::new(format!("`{name}` uses physical addresses of buffers"));
            let error = match addressed(declared) {
                Some(name) => error.note(format!("`{name}` is behind such an address")),
                None => error,
            };
            let error =
                error.note("hirace cannot determine which buffer such an address points into");
            return Err(Box::new(error.help("bind the buffers as storage buffers")));
        }
    }
    let mut functions: Vec<u32> = declared.entries.iter().map(|(function, _)| *function).collect();
    functions.sort_unstable();
    if functions.windows(2).any(|two| two[0] == two[1]) {
        let error = Diagnostic::new(format!("two entry points of `{name}` are the same function"));
        return Err(Box::new(error.help("use a separate function for each entry point")));
    }
    Ok(())
}

/// Returns the name of the first type that the module accesses through physical addresses.
fn addressed(declared: &SpirvDeclarations) -> Option<&String> {
    let class = StorageClass::PhysicalStorageBuffer as u32;
    let mut types: Vec<_> = declared.pointers.iter().filter(|(_, of)| of.0 == class).collect();
    types.sort_unstable();
    types.iter().find_map(|(_, (_, pointee))| declared.names.get(pointee))
}

/// Returns whether a module has entry points of OpenCL.
fn has_kernels(declared: &SpirvDeclarations) -> bool {
    let kernel = ExecutionModel::Kernel as u32;
    declared.other_entries.iter().any(|(_, _, model)| *model == kernel)
}

fn no_entry(name: &str, declared: &SpirvDeclarations) -> Diagnostic {
    let error = Diagnostic::new(format!("`{name}` has no compute entry point"));
    let entries: Vec<String> = declared
        .other_entries
        .iter()
        .map(|(_, name, model)| match ExecutionModel::from_u32(*model) {
            Some(model) => format!("`{name}` ({})", format!("{model:?}").to_lowercase()),
            None => format!("`{name}`"),
        })
        .collect();
    let error = match entries.is_empty() {
        true => error.note("it has no entry points"),
        false => error.note(format!("its entry points are {}", entries.join(", "))),
    };
    error.of_no_kernel().help("hirace checks entry points whose execution model is GLCompute")
}

/// Rejects instructions that naga would translate incorrectly.
pub fn instructions(words: &Words, declared: &SpirvDeclarations, text: &Text) -> Result<()> {
    for instruction in words.instructions() {
        let Some(op) = instruction.op() else {
            let message = "unknown instruction";
            return Err(Box::new(at(text, instruction.index, message)));
        };
        let why = match op {
            Op::ControlBarrier => barrier(instruction, declared),
            Op::MemoryBarrier => fence(instruction, declared),
            Op::Switch => switches::ordered(words, instruction).is_none().then(|| {
                "naga does not support a default that continues in a case, or several cases that continue in one".to_owned()
            }),
            Op::Bitcast => regrouped(instruction, declared),
            _ if is_atomic(op) || op == Op::AtomicStore => atomic(op, instruction, declared),
            _ => None,
        };
        if let Some(why) = why {
            return Err(Box::new(at(text, instruction.index, why)));
        }
    }
    if let Some(&branch) = loop_exits::exits_from_switches(words).first() {
        let message = "naga does not support a branch out of a loop from within a switch";
        let help = "compile the shader without optimization, or check its source";
        return Err(Box::new(at(text, branch, message).help(help)));
    }
    aliases(words, declared, text)
}

/// Returns an error for a bitcast to another number of components, which naga does not support. `prepare` replaces some of these
/// by other instructions.
fn regrouped(instruction: Instruction<'_>, declared: &SpirvDeclarations) -> Option<String> {
    let parts = |ty: u32| match declared.types.get(&ty)? {
        Type::Vector { of, count } => Some((*count, declared.types.get(of)?)),
        other => Some((1, other)),
    };
    let (_, ty) = instruction.result()?;
    let (to, of_to) = parts(ty)?;
    let (from, of_from) = parts(*declared.results.get(&instruction.operand(2)?)?)?;
    let is_byte = |ty: &Type| matches!(ty, Type::Int { width: 8, .. });
    let is_half = |ty: &Type| matches!(ty, Type::Float { width: 16 } | Type::Int { width: 16, .. });
    let is_word = |ty: &Type| matches!(ty, Type::Int { width: 32, .. });
    let halves = (is_half(of_to) && is_word(of_from)) || (is_word(of_to) && is_half(of_from));
    let known = to == from || is_byte(of_to) || is_byte(of_from) || halves;
    (!known).then(|| format!("naga does not support a bitcast from {from} to {to} components"))
}

/// Rejects buffers that are bound to several variables, unless all are read-only: a write through one variable would not be
/// visible through the others.
fn aliases(words: &Words, declared: &SpirvDeclarations, text: &Text) -> Result<()> {
    // Entry points have separate buffers.
    if declared.entries.len() > 1 {
        return Ok(());
    }
    let mut of_binding: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    let moved = declared.aliases();
    let within = |index: usize| words.get(index).and_then(|instruction| instruction.op());
    let begin = (0..words.len()).find(|&index| within(index) == Some(Op::Function));
    let bodies = (begin.unwrap_or(words.len())..words.len()).filter_map(|index| words.get(index));
    let used: FxHashSet<u32> = bodies.flat_map(|body| body.operands(0)).copied().collect();
    for instruction in words.instructions().filter(|found| found.op() == Some(Op::Variable)) {
        let Some(id) = instruction.operand(1) else { continue };
        if !used.contains(&id) || moved.contains(&id) {
            continue;
        }
        let place = declared.sets.get(&id).zip(declared.bindings.get(&id));
        let Some((set, binding)) = place else { continue };
        if let Some(other) = of_binding.insert((*set, *binding), instruction.index) {
            let message = format!(
                "set {set}, binding {binding} has another variable: hirace does not support buffers that are bound \
                 to several variables"
            );
            return Err(Box::new(
                at(text, instruction.index, message).label(text.span(other), "the other variable"),
            ));
        }
    }
    Ok(())
}

fn barrier(instruction: Instruction<'_>, declared: &SpirvDeclarations) -> Option<String> {
    let ids = [0, 1, 2].map(|index| instruction.operand(index));
    let known = ids.map(|id| id.and_then(|id| declared.fixed_value(id)));
    let [Some(execution), Some(_), Some(_)] = known else {
        return Some("the scopes and semantics of this barrier are not constants".to_owned());
    };
    match Scope::from_u32(execution) {
        Some(Scope::Workgroup | Scope::Subgroup) => None,
        Some(scope) => Some(format!(
            "unsupported scope of a control barrier: {scope:?}, not Workgroup or Subgroup"
        )),
        None => Some(format!("invalid scope of a control barrier: {execution}")),
    }
}

fn fence(instruction: Instruction<'_>, declared: &SpirvDeclarations) -> Option<String> {
    let ids =
        [0, 1].map(|index| instruction.operand(index).and_then(|id| declared.fixed_value(id)));
    let known = ids.iter().all(Option::is_some);
    (!known).then(|| "the scope and semantics of this barrier are not constants".to_owned())
}

fn atomic(op: Op, instruction: Instruction<'_>, declared: &SpirvDeclarations) -> Option<String> {
    let signed = match instruction.operand(0).and_then(|ty| declared.types.get(&ty)) {
        Some(Type::Int { signed, .. }) => Some(*signed),
        _ => None,
    };
    let wants = match op {
        Op::AtomicSMin | Op::AtomicSMax => Some(true),
        Op::AtomicUMin | Op::AtomicUMax => Some(false),
        _ => None,
    };
    if let (Some(signed), Some(wants)) = (signed, wants)
        && signed != wants
    {
        let [is, compares] =
            [signed, wants].map(|signed| if signed { "signed" } else { "unsigned" });
        return Some(format!("naga does not support a comparison of {is} memory as {compares}"));
    }
    let scope = instruction.operand(if op == Op::AtomicStore { 1 } else { 3 });
    match scope.and_then(|id| declared.fixed_value(id)).map(Scope::from_u32) {
        None => Some("the scope of this atomic is not a constant".to_owned()),
        Some(Some(Scope::Device | Scope::QueueFamily | Scope::Workgroup | Scope::CrossDevice)) => {
            None
        }
        Some(scope) => Some(format!(
            "unsupported scope of an atomic: {}, not Workgroup or wider",
            scope.map_or("unknown".to_owned(), |scope| format!("{scope:?}"))
        )),
    }
}

/// Warns about memory ordering that `check` does not model.
pub fn warnings(
    words: &Words,
    orders: &Orders,
    barriers: &Barriers,
    text: &Text,
) -> Option<Diagnostic> {
    let places = ordering(words, orders, barriers);
    let message = "`hirace check` does not model the memory ordering of atomics here: races that it prevents are reported as possible";
    let mut warning = at(text, *places.first()?, message).help(format!(
        "run `hirace verify --model scoped-rc11 {}`, which models it on a small grid",
        text.source().name()
    ));
    let more = places.iter().skip(1).take(SHOWN - 1).map(|place| text.span(*place));
    for span in more {
        if warning.labels.iter().all(|(known, _)| *known != span) {
            warning.labels.push((span, String::new()));
        }
    }
    Some(warning)
}

/// Returns the memory ordering that the analysis does not model, so that races may be false positives.
pub fn unmodeled_ordering(
    words: &Words,
    orders: &Orders,
    barriers: &Barriers,
) -> Option<UnmodeledOrdering> {
    if !ordering(words, orders, barriers).is_empty() {
        return Some(UnmodeledOrdering::OrderByAtomics);
    }
    let is_between = barriers.reach_beyond && atomics(words).next().is_some();
    is_between.then_some(UnmodeledOrdering::OrderBetweenWorkgroups)
}

/// Returns the atomics that order other memory, and the fences whose ordering atomics may publish.
fn ordering(words: &Words, orders: &Orders, barriers: &Barriers) -> Vec<usize> {
    let orders_others =
        |index: &usize| orders.of(*index).is_some_and(|ordering| ordering.orders_other_memory());
    let mut places: Vec<usize> = atomics(words).filter(orders_others).collect();
    if atomics(words).next().is_some() {
        places.extend(&barriers.fences);
    }
    places.sort_unstable();
    places
}

fn atomics(words: &Words) -> impl Iterator<Item = usize> {
    let is_one = |op: Op| op == Op::AtomicStore || is_atomic(op);
    let found =
        words.instructions().filter(move |instruction| instruction.op().is_some_and(is_one));
    found.map(|instruction| instruction.index)
}
