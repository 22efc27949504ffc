//! Lowers functions: registers, prologue and end.

use super::{Helper, Lowering, constants, types};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::source_map::Span;
use crate::vm::code::{Instruction, Range, Register};
use naga::valid::FunctionInfo;
use naga::{Binding, Expression, Function, Handle, TypeInner};

/// A function that is being lowered.
pub(super) struct Body<'l, 'a> {
    pub lowering: &'l mut Lowering<'a>,
    pub id: FunctionId,
    pub function: &'a Function,
    pub info: &'a FunctionInfo,
    /// The registers of the expressions evaluated so far, by index.
    pub values: Vec<Option<Register>>,
    pub arguments: Vec<Range>,
    pub locals: Vec<Range>,
    pub result: Range,
    /// Free registers of ended blocks, by the number of consecutive registers.
    free: rustc_hash::FxHashMap<u32, Vec<Register>>,
    /// Registers that become free at the end of the current block.
    pub block: Vec<Range>,
    /// Loads of the current `Emit` that need no copy.
    pub used_up: rustc_hash::FxHashSet<Handle<Expression>>,
    /// Whether the current statement is directly in the body of a loop.
    pub in_loop_body: bool,
    /// For each loop, the register that counts its iterations, if they are counted.
    pub iterations: rustc_hash::FxHashMap<usize, Register>,
}

/// Lowers a helper function.
pub(super) fn lower_helper(lowering: &mut Lowering, handle: Handle<Function>) -> Result<Helper> {
    let program = lowering.program;
    let function = &program.module.functions[handle];
    let mut body = Body::new(lowering, FunctionId::Helper(handle), function, &program.info[handle]);
    for argument in &function.arguments {
        let inner = &program.module.types[argument.ty].inner;
        if let TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } = *inner
            && !matches!(space, naga::AddressSpace::Function | naga::AddressSpace::Private)
        {
            let span = program.module.functions.get_span(handle).into();
            return Err(body.unsupported_error(span, "a pointer to shared memory as a parameter"));
        }
        let range = body.permanent(inner, program.module.functions.get_span(handle).into())?;
        body.arguments.push(range);
    }
    if let Some(result) = &function.result {
        let inner = &program.module.types[result.ty].inner;
        body.result = body.permanent(inner, program.module.functions.get_span(handle).into())?;
    }
    let start = body.lowering.next_pc();
    body.locals()?;
    body.statements()?;
    let (arguments, result) = (body.arguments, body.result);
    lowering.place = SiteId::NONE;
    let end = lowering.push(Instruction::FunctionEnd);
    Ok(Helper { start, end, arguments, result })
}

/// Lowers the function of an entry point, preceded by the initial values of private variables.
pub(super) fn lower_entry(lowering: &mut Lowering, entry: usize) -> Result<()> {
    let program = lowering.program;
    let function = &program.module.entry_points[entry].function;
    let info = program.info.get_entry_point(entry);
    for (global, _) in program.module.global_variables.iter().filter(|(handle, global)| {
        global.space == naga::AddressSpace::Private && !info[*handle].is_empty()
    }) {
        lowering.private(global)?;
    }
    lowering.code.start = lowering.next_pc();
    let mut privates: Vec<_> = lowering.privates.iter().map(|(g, range)| (*g, *range)).collect();
    privates.sort_by_key(|(_, range)| range.start);
    for (global, range) in privates {
        let init = program.module.global_variables[global].init;
        let span = program.module.global_variables.get_span(global).into();
        initialize(lowering, &program.module.global_expressions, init, range, span)?;
    }
    let mut body = Body::new(lowering, FunctionId::Entry(entry), function, info);
    for argument in &function.arguments {
        let inner = &program.module.types[argument.ty].inner;
        let range = body.permanent(inner, Span::default())?;
        body.arguments.push(range);
        if let Some(Binding::BuiltIn(builtin)) = argument.binding {
            body.lowering.code.builtins.push((builtin, range.start));
            continue;
        }
        // A struct of built-in values.
        let TypeInner::Struct { ref members, .. } = *inner else { continue };
        for (index, member) in members.iter().enumerate() {
            if let Some(Binding::BuiltIn(builtin)) = member.binding
                && let Some((_, _, register)) = types::member(&program.module, inner, index as u32)
            {
                body.lowering.code.builtins.push((builtin, range.start + register));
            }
        }
    }
    body.locals()?;
    body.statements()?;
    lowering.place = SiteId::NONE;
    lowering.push(Instruction::FunctionEnd);
    Ok(())
}

/// Sets a variable to its initial value.
fn initialize(
    lowering: &mut Lowering,
    arena: &naga::Arena<Expression>,
    init: Option<Handle<Expression>>,
    to: Range,
    span: Span,
) -> Result<()> {
    let module = &lowering.program.module;
    match init.map(|init| constants::words(module, arena, init)) {
        None => lowering.push(Instruction::Clear { to }),
        Some(Some(words)) if words.iter().all(|word| *word == 0) => {
            lowering.push(Instruction::Clear { to })
        }
        Some(Some(words)) => {
            let from = lowering.constant(words);
            lowering.push(Instruction::Copy { to, from })
        }
        Some(None) => {
            let message = "this initial value is not supported: it is not a plain constant";
            return Err(Diagnostic::at(&lowering.program.source, span, message).into());
        }
    };
    Ok(())
}

impl<'l, 'a> Body<'l, 'a> {
    fn new(
        lowering: &'l mut Lowering<'a>,
        id: FunctionId,
        function: &'a Function,
        info: &'a FunctionInfo,
    ) -> Self {
        Self {
            lowering,
            id,
            function,
            info,
            values: vec![None; function.expressions.len()],
            arguments: Vec::new(),
            locals: Vec::new(),
            result: Range::NONE,
            free: rustc_hash::FxHashMap::default(),
            block: Vec::new(),
            used_up: rustc_hash::FxHashSet::default(),
            in_loop_body: false,
            iterations: rustc_hash::FxHashMap::default(),
        }
    }

    fn locals(&mut self) -> Result<()> {
        for (handle, local) in self.function.local_variables.iter() {
            let span = self.function.local_variables.get_span(handle).into();
            let inner = &self.lowering.program.module.types[local.ty].inner;
            let to = self.permanent(inner, span)?;
            self.locals.push(to);
            initialize(self.lowering, &self.function.expressions, local.init, to, span)?;
        }
        Ok(())
    }

    fn statements(&mut self) -> Result<()> {
        let program = self.lowering.program;
        self.lower_block(program.body(self.id).statements_of(self.function))
    }

    /// Allocates registers for a value of this type, for the whole function.
    fn permanent(&mut self, inner: &TypeInner, span: Span) -> Result<Range> {
        let count = self.count(inner, span)?;
        Ok(self.lowering.allocate(count))
    }

    /// Allocates registers for a value of this type, until the end of the current block.
    pub fn temporary(&mut self, inner: &TypeInner, span: Span) -> Result<Range> {
        let count = self.count(inner, span)?;
        Ok(self.temporaries(count))
    }

    /// Allocates `count` registers until the end of the current block.
    pub fn temporaries(&mut self, count: u32) -> Range {
        let free = self.free.get_mut(&count).and_then(Vec::pop);
        let range = match free {
            Some(start) => Range { start, count },
            None => self.lowering.allocate(count),
        };
        self.block.push(range);
        range
    }

    /// Ends a block: later blocks may reuse its registers.
    pub fn release(&mut self, block: Vec<Range>) {
        if !self.lowering.shares {
            return;
        }
        for range in block {
            self.free.entry(range.count).or_default().push(range.start);
        }
    }

    /// Returns the number of registers of a value of this type.
    fn count(&self, inner: &TypeInner, span: Span) -> Result<u32> {
        types::registers(&self.lowering.program.module, inner)
            .ok_or_else(|| self.unsupported_error(span, "a value of this type or size"))
    }

    /// Returns the type of an expression.
    pub fn inner(&self, expression: Handle<Expression>) -> &'a TypeInner {
        self.info[expression].ty.inner_with(&self.lowering.program.module.types)
    }

    /// Returns the span of an expression.
    pub fn span(&self, expression: Handle<Expression>) -> Span {
        self.function.expressions.get_span(expression).into()
    }

    /// Returns a diagnostic for a feature that the executor does not support.
    pub fn unsupported_error(&self, span: Span, what: &str) -> Box<Diagnostic> {
        let message = format!("{what} is not supported by the embedded executor");
        Diagnostic::at(&self.lowering.program.source, span, message).into()
    }

    pub fn push(&mut self, instruction: Instruction) -> crate::vm::code::Pc {
        self.lowering.push(instruction)
    }
}
