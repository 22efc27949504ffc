//! Prints statements in OpenCL C.

use super::function::{Printer, global, helper, length, memories, temporary};
use super::{Result, unsupported};
use naga::{
    AtomicFunction, Barrier, Block, Expression, Function, Handle, ScalarKind, Statement,
    SwitchCase, SwitchValue, TypeInner,
};
use std::fmt::Write;

impl Printer<'_> {
    fn print_line(&mut self, text: std::fmt::Arguments<'_>) {
        if self.line > 0 {
            let _ = writeln!(self.text, "#line {}", self.line);
        }
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.depth);
    }

    pub fn block(&mut self, block: &Block) -> Result<()> {
        for (statement, span) in block.span_iter() {
            if let Some(range) = span.to_range() {
                self.line = self.shared.program.source.position(range.start as u32).line;
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    fn nested(&mut self, block: &Block) -> Result<()> {
        self.depth += 1;
        self.block(block)?;
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        match *statement {
            Statement::Emit(ref range) => {
                for expression in range.clone() {
                    self.emit(expression)?;
                }
            }
            Statement::Block(ref block) => {
                self.print_line(format_args!("{{"));
                self.nested(block)?;
                self.print_line(format_args!("}}"));
            }
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.value(condition)?;
                self.print_line(format_args!("if ({condition}) {{"));
                self.nested(accept)?;
                if !reject.is_empty() {
                    self.print_line(format_args!("}} else {{"));
                    self.nested(reject)?;
                }
                self.print_line(format_args!("}}"));
            }
            Statement::Switch { selector, ref cases } => self.switch(selector, cases)?,
            Statement::Loop { ref body, ref continuing, break_if } => {
                self.print_loop(body, continuing, break_if)?;
            }
            Statement::Break => self.print_line(format_args!("break;")),
            Statement::Continue => match self.labels.last() {
                Some(Some(label)) => {
                    let label = *label;
                    self.print_line(format_args!("goto next_{label};"));
                }
                _ => self.print_line(format_args!("continue;")),
            },
            Statement::Return { value: None } => self.print_line(format_args!("return;")),
            Statement::Return { value: Some(value) } => {
                let value = self.value(value)?;
                self.print_line(format_args!("return {value};"));
            }
            Statement::ControlBarrier(barrier) => {
                let fences = fences(barrier)?;
                self.print_line(format_args!("barrier({fences});"));
            }
            Statement::MemoryBarrier(barrier) => {
                let fences = fences(barrier)?;
                self.print_line(format_args!("mem_fence({fences});"));
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let (ty, value) = (self.type_name(result)?, self.load_expression(pointer)?);
                self.print_line(format_args!("barrier(CLK_LOCAL_MEM_FENCE);"));
                self.print_line(format_args!("{ty} {} = {value};", temporary(result)));
                self.print_line(format_args!("barrier(CLK_LOCAL_MEM_FENCE);"));
            }
            Statement::Store { pointer, value } => {
                let value = self.value(value)?;
                let site = self.ordinal(statement);
                let site = site.and_then(|at| self.shared.program.sites.statement(self.id, at));
                if self.is_atomic(site) {
                    self.atomics(pointer, "stores", true)?;
                    let place = self.place(pointer)?.text;
                    self.print_line(format_args!("atomic_xchg(&{place}, {value});"));
                } else {
                    let store_statement = self.store_statement(pointer, &value)?;
                    self.print_line(format_args!("{store_statement}"));
                }
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                self.atomic(pointer, fun, value, result)?;
            }
            Statement::Call { function, ref arguments, result } => {
                self.call(function, arguments, result)?;
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => return unsupported("subgroups"),
            _ => return unsupported("statements of this kind"),
        }
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &[SwitchCase]) -> Result<()> {
        let selector = self.value(selector)?;
        self.print_line(format_args!("switch ({selector}) {{"));
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => self.print_line(format_args!("case ({value}): {{")),
                SwitchValue::U32(value) => self.print_line(format_args!("case {value}u: {{")),
                SwitchValue::Default => self.print_line(format_args!("default: {{")),
            }
            self.nested(&case.body)?;
            self.print_line(format_args!("}}{}", if case.fall_through { "" } else { " break;" }));
        }
        self.print_line(format_args!("}}"));
        Ok(())
    }

    fn print_loop(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        // A C `continue` would skip the continuing block, so it becomes a `goto` to a label before that block.
        let has_more = break_if.is_some() || !continuing.is_empty();
        let label = (has_more && body_continues(body)).then(|| {
            self.label_count += 1;
            self.label_count
        });
        self.print_line(format_args!("while (1) {{"));
        self.labels.push(label);
        self.nested(body)?;
        self.labels.pop();
        if let Some(label) = label {
            self.print_line(format_args!("next_{label}:;"));
        }
        self.nested(continuing)?;
        if let Some(condition) = break_if {
            let condition = self.value(condition)?;
            self.print_line(format_args!("    if ({condition}) break;"));
        }
        self.print_line(format_args!("}}"));
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let mut all = Vec::new();
        for &argument in arguments {
            all.push(match self.type_of(argument) {
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => {
                    self.pointer(argument)?
                }
                _ => self.value(argument)?,
            });
        }
        let program = self.shared.program;
        for handle in memories(self.shared, &program.info[function]) {
            let name = global(handle);
            all.push(name.clone());
            if self.memory_has_length(handle)? {
                all.push(length(&name));
            }
        }
        let call = format!("{}({})", helper(function), all.join(", "));
        self.say_call(&call, result)
    }

    /// Prints a call, and stores its result in a temporary variable if there is one.
    fn say_call(&mut self, call: &str, result: Option<Handle<Expression>>) -> Result<()> {
        match result {
            Some(result) => {
                let ty = self.type_name(result)?;
                self.print_line(format_args!("{ty} {} = {call};", temporary(result)));
            }
            None => self.print_line(format_args!("{call};")),
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let name = match fun {
            AtomicFunction::Add => "add",
            AtomicFunction::Subtract => "sub",
            AtomicFunction::And => "and",
            AtomicFunction::ExclusiveOr => "xor",
            AtomicFunction::InclusiveOr => "or",
            AtomicFunction::Min => "min",
            AtomicFunction::Max => "max",
            AtomicFunction::Exchange { compare: None } => "xchg",
            AtomicFunction::Exchange { compare: Some(_) } => "cmpxchg",
        };
        self.atomics(pointer, name, name == "xchg")?;
        let (place, value) = (self.place(pointer)?.text, self.value(value)?);
        if let AtomicFunction::Exchange { compare: Some(compare) } = *fun {
            let compare = self.value(compare)?;
            let call = format!("atomic_cmpxchg(&{place}, {compare}, {value})");
            let Some(result) = result else {
                self.print_line(format_args!("{call};"));
                return Ok(());
            };
            let (ty, old) = (self.type_name(result)?, temporary(result));
            // The members of the result are the old value, and whether the exchange took place.
            self.print_line(format_args!("{ty} {old} = {{{call}}};"));
            self.print_line(format_args!("{old}.m1 = {old}.m0 == {compare};"));
            return Ok(());
        }
        let call = format!("atomic_{name}(&{place}, {value})");
        self.say_call(&call, result)
    }

    /// Returns an error for an atomic operation that OpenCL C lacks. For floats, it has only the exchange.
    fn atomics(&self, pointer: Handle<Expression>, what: &str, on_floats: bool) -> Result<()> {
        let (TypeInner::Atomic(scalar) | TypeInner::Scalar(scalar)) = self.pointee(pointer)?.0
        else {
            return unsupported(format!("atomic {what} of this kind"));
        };
        match (scalar.kind, scalar.width) {
            (ScalarKind::Sint | ScalarKind::Uint, 4) => Ok(()),
            (ScalarKind::Float, 4) if on_floats => Ok(()),
            _ => unsupported(format!("atomic {what} of this kind")),
        }
    }

    /// Stores the value of an expression in a temporary variable, unless it is a pointer or has a name already.
    fn emit(&mut self, expression: Handle<Expression>) -> Result<()> {
        if matches!(
            self.type_of(expression),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        ) || self.named.contains(&expression)
        {
            return Ok(());
        }
        let ty = self.type_name(expression)?;
        let value = self.computed(expression)?;
        let sites = &self.shared.program.sites;
        if let Some(site) = sites.load(self.id, expression).and_then(|site| sites.get(site)) {
            // One statement may evaluate several accesses on several lines.
            self.line = self.shared.program.source.position(site.span.start).line;
        }
        self.print_line(format_args!("{ty} {} = {value};", temporary(expression)));
        Ok(())
    }

    /// Returns the value of a load.
    pub fn load(
        &self,
        expression: Handle<Expression>,
        pointer: Handle<Expression>,
    ) -> Result<String> {
        match self.is_atomic(self.shared.program.sites.load(self.id, expression)) {
            // OpenCL C has no atomic load; this operation changes nothing and is atomic.
            true => {
                self.atomics(pointer, "loads", false)?;
                Ok(format!("atomic_or(&{}, 0)", self.place(pointer)?.text))
            }
            false => self.load_expression(pointer),
        }
    }
}

/// Returns the fences of a barrier.
fn fences(barrier: Barrier) -> Result<String> {
    if barrier.intersects(Barrier::SUB_GROUP | Barrier::TEXTURE) {
        return unsupported("barriers of subgroups and textures");
    }
    let mut fences = Vec::new();
    if barrier.contains(Barrier::WORK_GROUP) {
        fences.push("CLK_LOCAL_MEM_FENCE");
    }
    if barrier.contains(Barrier::STORAGE) {
        fences.push("CLK_GLOBAL_MEM_FENCE");
    }
    Ok(match fences.is_empty() {
        true => "0".to_owned(),
        false => fences.join(" | "),
    })
}

/// Returns whether the body of a loop has a `continue` that refers to this loop.
fn body_continues(body: &Block) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(block) => body_continues(block),
        Statement::If { accept, reject, .. } => body_continues(accept) || body_continues(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| body_continues(&case.body)),
        _ => false,
    })
}
