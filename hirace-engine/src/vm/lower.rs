//! Lowers naga's IR to flat code.
//!
//! Helper functions come first, in naga's order (callees before callers), then the entry point. Each
//! expression gets registers when it is emitted and keeps them until the end of its block, where naga ends
//! its scope; sibling blocks share registers. Pointers are not values, except for those to function and
//! private memory that are passed to helper functions. The address is computed at the load or store, so that
//! an index that is out of bounds is reported at the access that uses it.

mod access;
mod constants;
mod count;
mod emit;
mod expression;
mod function;
mod image;
mod place;
mod statement;
mod types;
mod updates;

use super::code::{Code, Instruction, Pc, Range, Register};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId};
use crate::points::Points;
use crate::program::Program;
use naga::{AddressSpace, Function, GlobalVariable, Handle, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of registers for all values of an entry point and its helpers: a subgroup of 64 needs 256
/// MiB for these.
const MAX_REGISTERS: u32 = 1 << 20;

/// Maximum number of invocations of a workgroup. Devices have 256 to 1024.
const MAX_INVOCATIONS: u64 = 1 << 16;

/// Maximum number of bytes of workgroup memory. Devices have 16 to 64 KiB.
const MAX_WORKGROUP_MEMORY: u64 = 1 << 26;

/// Lowers the entry point with this index.
pub fn lower(program: &Program, entry: usize) -> Result<Code> {
    lower_for(program, entry, None, true)
}

/// Lowers the entry point with this index without reusing registers: facts about a register are facts about
/// one value.
pub fn lower_for_single_steps(program: &Program, entry: usize) -> Result<Code> {
    lower_for(program, entry, None, false)
}

/// Lowers the entry point with this index to code that counts executions at the `points` of its program.
pub fn lower_counting(program: &Program, entry: usize, points: &Points) -> Result<Code> {
    lower_for(program, entry, Some(points), true)
}

fn lower_for(
    program: &Program,
    entry: usize,
    points: Option<&Points>,
    shares: bool,
) -> Result<Code> {
    let Some(point) = program.module.entry_points.get(entry) else {
        return Err(Diagnostic::new(format!("there is no entry point {entry}")).into());
    };
    let name = &point.name;
    let _span = tracing::debug_span!("lower", entry = %name).entered();
    if point.stage != naga::ShaderStage::Compute {
        return Err(Diagnostic::new(format!("`{name}` is not a compute entry point")).into());
    }
    let invocations: u64 =
        point.workgroup_size.iter().fold(1, |n, size| n.saturating_mul(u64::from(*size)));
    if invocations == 0 || invocations > MAX_INVOCATIONS {
        let message = format!("`{name}` has workgroups of {invocations} invocations");
        let help = format!("the embedded executor runs workgroups of 1 to {MAX_INVOCATIONS}");
        return Err(Diagnostic::new(message).help(help).into());
    }
    let mut lowering = Lowering::new(program, points, point.workgroup_size);
    lowering.shares = shares;
    let mut reached = program.calls.reachable([FunctionId::Entry(entry)]);
    // In naga's order callees precede callers, and helper functions precede entry points.
    reached.sort_unstable();
    lowering.scan_atomics(&reached);
    for id in &reached {
        let FunctionId::Helper(handle) = *id else { continue };
        let helper = function::lower_helper(&mut lowering, handle)?;
        lowering.helpers.insert(handle, helper);
    }
    function::lower_entry(&mut lowering, entry)?;
    let mut code = lowering.code;
    updates::pair(&mut code);
    let shared: u64 = code.workgroup_variables.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
    if code.registers > MAX_REGISTERS || shared > MAX_WORKGROUP_MEMORY {
        let what = if shared > MAX_WORKGROUP_MEMORY { "workgroup" } else { "function and private" };
        let message =
            format!("`{name}` has more {what} memory than the embedded executor supports");
        return Err(Diagnostic::new(message).help("use smaller arrays").into());
    }
    Ok(code)
}

/// A lowered helper function: its code, and the registers of its arguments and its result.
struct Helper {
    start: Pc,
    end: Pc,
    arguments: Vec<Range>,
    result: Range,
}

/// The code made so far, and the state that all functions share.
struct Lowering<'a> {
    program: &'a Program,
    /// The points to count, if any.
    points: Option<&'a Points>,
    /// Whether blocks reuse the registers of earlier blocks.
    shares: bool,
    code: Code,
    helpers: FxHashMap<Handle<Function>, Helper>,
    privates: FxHashMap<Handle<GlobalVariable>, Range>,
    buffers: FxHashMap<Handle<GlobalVariable>, u32>,
    textures: FxHashMap<Handle<GlobalVariable>, u32>,
    samplers: FxHashMap<Handle<GlobalVariable>, u32>,
    workgroup_variables: FxHashMap<Handle<GlobalVariable>, u32>,
    constants: FxHashMap<Vec<u32>, Register>,
    lengths: FxHashMap<super::code::Length, u32>,
    /// Memories that only atomic operations access whose order does not matter.
    commuting: FxHashSet<Handle<GlobalVariable>>,
    /// The site that new instructions belong to.
    place: SiteId,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program, points: Option<&'a Points>, workgroup_size: [u32; 3]) -> Self {
        let sites = program.sites.list.len();
        Self {
            program,
            points,
            shares: true,
            code: Code { workgroup_size, sites, ..Code::default() },
            helpers: FxHashMap::default(),
            privates: FxHashMap::default(),
            buffers: FxHashMap::default(),
            textures: FxHashMap::default(),
            samplers: FxHashMap::default(),
            workgroup_variables: FxHashMap::default(),
            constants: FxHashMap::default(),
            lengths: FxHashMap::default(),
            commuting: FxHashSet::default(),
            place: SiteId::NONE,
        }
    }

    /// Allocates registers permanently.
    fn allocate(&mut self, count: u32) -> Range {
        let start = self.code.registers;
        self.code.registers = self.code.registers.saturating_add(count);
        Range { start, count }
    }

    /// Returns registers that hold these words in every lane at all times.
    fn constant(&mut self, words: Vec<u32>) -> Register {
        if let Some(&register) = self.constants.get(&words) {
            return register;
        }
        let range = self.allocate(words.len() as u32);
        self.code.constants.extend((range.start..).zip(words.iter().copied()));
        self.constants.insert(words, range.start);
        range.start
    }

    fn push(&mut self, instruction: Instruction) -> Pc {
        self.code.instructions.push(instruction);
        self.code.places.push(self.place);
        self.code.instructions.len() as Pc - 1
    }

    fn next_pc(&self) -> Pc {
        self.code.instructions.len() as Pc
    }

    /// Returns the registers of a private variable.
    fn private(&mut self, global: Handle<GlobalVariable>) -> Result<Range> {
        if let Some(&range) = self.privates.get(&global) {
            return Ok(range);
        }
        let module = &self.program.module;
        let inner = &module.types[module.global_variables[global].ty].inner;
        let Some(count) = types::registers(module, inner) else {
            let span = module.global_variables.get_span(global).into();
            let message = "a private variable of this size is not supported";
            return Err(Diagnostic::at(&self.program.source, span, message).into());
        };
        let range = self.allocate(count);
        self.privates.insert(global, range);
        Ok(range)
    }

    fn length(&mut self, length: super::code::Length) -> u32 {
        let next = self.code.lengths.len() as u32;
        let index = *self.lengths.entry(length).or_insert(next);
        if index == next {
            self.code.lengths.push(length);
        }
        index
    }

    /// Finds the memories through which no values flow: those accessed only by atomic operations of one kind
    /// whose order does not matter and whose results are unused.
    fn scan_atomics(&mut self, reached: &[FunctionId]) {
        let module = &self.program.module;
        let mut kinds: FxHashMap<Handle<GlobalVariable>, Option<u8>> = FxHashMap::default();
        for &id in reached {
            let (function, info) = (id.get(module), self.program.info_of(id));
            let mut note = |pointer, kind: Option<u8>| {
                if let Some(global) = walk::root_global(function, pointer) {
                    let entry = kinds.entry(global).or_insert(kind);
                    if *entry != kind {
                        *entry = None;
                    }
                }
            };
            for (_, expression) in function.expressions.iter() {
                if let naga::Expression::Load { pointer } = *expression {
                    note(pointer, None);
                }
            }
            walk::statements(&function.body, &mut |_, statement, _| match *statement {
                Statement::Store { pointer, .. }
                | Statement::WorkGroupUniformLoad { pointer, .. } => note(pointer, None),
                Statement::Atomic { pointer, fun, value, result } => {
                    let unused = result.is_none_or(|result| info[result].ref_count == 0);
                    let ty = info[value].ty.inner_with(&module.types);
                    let float = ty.scalar_kind() == Some(naga::ScalarKind::Float);
                    let kind = access::order_free(fun).filter(|_| unused && !float);
                    note(pointer, kind);
                }
                _ => {}
            });
        }
        let commuting = kinds.into_iter().filter(|(_, kind)| kind.is_some());
        self.commuting = commuting.map(|(global, _)| global).collect();
    }

    /// Returns the index of a buffer variable among those that the code uses.
    fn buffer(&mut self, global: Handle<GlobalVariable>) -> u32 {
        let variable = &self.program.module.global_variables[global];
        let code = &mut self.code;
        *self.buffers.entry(global).or_insert_with(|| {
            code.buffers.push(super::code::BufferUse {
                memory: super::observer::MemoryId(global.index() as u32),
                name: variable.name.clone().unwrap_or_default(),
                writable: matches!(variable.space, AddressSpace::Storage { access }
                    if access.intersects(naga::StorageAccess::STORE | naga::StorageAccess::ATOMIC)),
            });
            code.buffers.len() as u32 - 1
        })
    }

    /// Returns the index of a workgroup variable among those that the code uses.
    fn workgroup_variable(&mut self, global: Handle<GlobalVariable>) -> u32 {
        let module = &self.program.module;
        let inner = &module.types[module.global_variables[global].ty].inner;
        let code = &mut self.code;
        *self.workgroup_variables.entry(global).or_insert_with(|| {
            let id = super::observer::MemoryId(global.index() as u32);
            code.workgroup_variables.push((id, inner.size(module.to_ctx())));
            code.workgroup_variables.len() as u32 - 1
        })
    }
}
