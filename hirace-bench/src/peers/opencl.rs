//! Kernels in OpenCL C.
//!
//! Accesses are what the source says they are: plain ones to memory that is also used atomically are plain
//! here too. Every line says which line of the source it is (`#line`), so that a finding is at the same place.
//! Indices are clamped, as they are when the monitor runs.
//!
//! What OpenCL C 1.2 has no words for (subgroups, textures), and what no pattern needs (helper functions,
//! structures), is refused.

use hirace_core::ir::access::Action;
use hirace_core::ir::walk::{self, FunctionId, StatementId};
use hirace_core::program::Program;
use naga::proc::TypeResolution;
use naga::{
    AddressSpace, ArraySize, AtomicFunction, BinaryOperator, Block, BuiltIn, Expression, Function,
    GlobalVariable, Handle, Literal, LocalVariable, MathFunction, ScalarKind, Statement, Type,
    TypeInner, UnaryOperator, VectorSize,
};
use std::collections::HashMap;
use std::fmt::Write;

/// A kernel, printed.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The text.
    pub text: String,
    /// What it is called.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
}

/// What a kernel is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The buffer of this variable.
    Buffer(Handle<GlobalVariable>),
    /// How many elements that has.
    Length(Handle<GlobalVariable>),
    /// The value of this uniform variable.
    Value(Handle<GlobalVariable>),
}

/// What there are no words for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("OpenCL C has no words for {0}, or none are known here")]
pub struct Unsayable(pub String);

type Result<T> = std::result::Result<T, Unsayable>;

fn unsayable<T>(what: impl Into<String>) -> Result<T> {
    Err(Unsayable(what.into()))
}

/// Prints the entry point of this index.
///
/// # Errors
/// What there are no words for.
pub fn print(program: &Program, entry: usize) -> Result<Kernel> {
    let Some(point) = program.module.entry_points.get(entry) else {
        return unsayable("a kernel that is not there");
    };
    let function = &point.function;
    let mut ordinals = HashMap::new();
    walk::statements(&function.body, &mut |ordinal, statement, _| {
        ordinals.insert(std::ptr::from_ref(statement), ordinal);
    });
    let mut printer = Printer {
        program,
        function,
        info: program.info.get_entry_point(entry),
        id: FunctionId::Entry(entry),
        ordinals,
        text: String::new(),
        depth: 1,
        line: 0,
    };
    // `kernel` alone would be a word of the language.
    let name = format!("entry_{}", point.name);
    let parameters = printer.head(&name)?;
    printer.block(&function.body)?;
    printer.text.push_str("}\n");
    Ok(Kernel { text: printer.text, name, parameters })
}

struct Printer<'a> {
    program: &'a Program,
    function: &'a Function,
    info: &'a naga::valid::FunctionInfo,
    id: FunctionId,
    ordinals: HashMap<*const Statement, StatementId>,
    text: String,
    depth: usize,
    /// The line of the source that the next line is of.
    line: u32,
}

impl Printer<'_> {
    /// The signature, and the variables.
    fn head(&mut self, name: &str) -> Result<Vec<Parameter>> {
        let Self { program, function, info, .. } = *self;
        let module = &program.module;
        let (mut parameters, mut signature, mut locals) = (Vec::new(), Vec::new(), String::new());
        for (handle, variable) in module.global_variables.iter() {
            if info[handle].is_empty() {
                continue;
            }
            let name = global(handle);
            match variable.space {
                AddressSpace::Storage { .. } => {
                    let (element, length) = self.elements(variable.ty)?;
                    parameters.push(Parameter::Buffer(handle));
                    signature.push(format!("__global {element}* {name}"));
                    if length.is_none() {
                        parameters.push(Parameter::Length(handle));
                        signature.push(format!("uint {name}_length"));
                    }
                }
                AddressSpace::Uniform => {
                    parameters.push(Parameter::Value(handle));
                    signature.push(format!("{} {name}", self.ty(variable.ty)?));
                }
                AddressSpace::WorkGroup => {
                    let (element, length) = self.elements(variable.ty)?;
                    let length = length.unwrap_or(1);
                    let _ = writeln!(locals, "    __local {element} {name}[{length}];");
                }
                _ => return unsayable("memory of this kind"),
            }
        }
        let _ = writeln!(self.text, "__kernel void {name}({}) {{\n{locals}", signature.join(", "));
        for (handle, variable) in function.local_variables.iter() {
            let ty = self.ty(variable.ty)?;
            let initial = match variable.init {
                Some(init) => self.value(init)?,
                None => "0".to_owned(),
            };
            let _ = writeln!(self.text, "    {ty} {} = {initial};", local(handle));
        }
        Ok(parameters)
    }

    /// The type of an array's elements and how many there are, if that is fixed; of what is no array, its
    /// own and 1.
    fn elements(&self, ty: Handle<Type>) -> Result<(String, Option<u32>)> {
        match self.program.module.types[ty].inner {
            TypeInner::Array { base, size, .. } => {
                let length = match size {
                    ArraySize::Constant(length) => Some(length.get()),
                    ArraySize::Dynamic => None,
                    ArraySize::Pending(_) => return unsayable("arrays of a length to come"),
                };
                Ok((self.ty(base)?, length))
            }
            _ => Ok((self.ty(ty)?, Some(1))),
        }
    }

    fn ty(&self, ty: Handle<Type>) -> Result<String> {
        self.inner(&self.program.module.types[ty].inner)
    }

    fn inner(&self, inner: &TypeInner) -> Result<String> {
        let scalar = |scalar: naga::Scalar| match (scalar.kind, scalar.width) {
            (ScalarKind::Sint, 4) => Ok("int"),
            (ScalarKind::Uint, 4) => Ok("uint"),
            (ScalarKind::Float, 4) => Ok("float"),
            (ScalarKind::Bool, _) => Ok("int"),
            _ => unsayable("scalars of this kind"),
        };
        match *inner {
            TypeInner::Scalar(of) | TypeInner::Atomic(of) => Ok(scalar(of)?.to_owned()),
            // One of three components is as large as one of four, in private memory.
            TypeInner::Vector { size, scalar: of } => Ok(format!("{}{}", scalar(of)?, size as u8)),
            _ => unsayable("types of this kind"),
        }
    }

    fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        let resolved: &TypeResolution = &self.info[expression].ty;
        resolved.inner_with(&self.program.module.types)
    }

    fn say(&mut self, text: std::fmt::Arguments<'_>) {
        if self.line > 0 {
            let _ = writeln!(self.text, "#line {}", self.line);
        }
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.depth);
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        for (statement, span) in block.span_iter() {
            if let Some(range) = span.to_range() {
                self.line = self.program.source.position(range.start as u32).line;
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
                self.say(format_args!("{{"));
                self.nested(block)?;
                self.say(format_args!("}}"));
            }
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.value(condition)?;
                self.say(format_args!("if ({condition}) {{"));
                self.nested(accept)?;
                self.say(format_args!("}} else {{"));
                self.nested(reject)?;
                self.say(format_args!("}}"));
            }
            Statement::Loop { ref body, ref continuing, break_if } => {
                if body_continues(body) && !continuing.is_empty() {
                    // `continue` would pass over what follows the body.
                    return unsayable(
                        "`continue` in a loop that has something to do after each turn",
                    );
                }
                self.say(format_args!("while (1) {{"));
                self.nested(body)?;
                self.nested(continuing)?;
                if let Some(condition) = break_if {
                    let condition = self.value(condition)?;
                    self.say(format_args!("    if ({condition}) break;"));
                }
                self.say(format_args!("}}"));
            }
            Statement::Break => self.say(format_args!("break;")),
            Statement::Continue => self.say(format_args!("continue;")),
            Statement::Return { value: None } => self.say(format_args!("return;")),
            Statement::ControlBarrier(barrier) => {
                if barrier.intersects(naga::Barrier::SUB_GROUP | naga::Barrier::TEXTURE) {
                    return unsayable("barriers of subgroups and textures");
                }
                let mut fences = Vec::new();
                if barrier.contains(naga::Barrier::WORK_GROUP) {
                    fences.push("CLK_LOCAL_MEM_FENCE");
                }
                if barrier.contains(naga::Barrier::STORAGE) {
                    fences.push("CLK_GLOBAL_MEM_FENCE");
                }
                self.say(format_args!("barrier({});", fences.join(" | ")));
            }
            Statement::Store { pointer, value } => {
                let (place, value) = (self.place(pointer)?, self.value(value)?);
                let site = self.ordinals.get(&std::ptr::from_ref(statement));
                let site = site.and_then(|&at| self.program.sites.statement(self.id, at));
                if self.is_atomic(site) {
                    self.say(format_args!("atomic_xchg(&{place}, {value});"));
                } else {
                    self.say(format_args!("{place} = {value};"));
                }
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                let name = match fun {
                    AtomicFunction::Add => "add",
                    AtomicFunction::Subtract => "sub",
                    AtomicFunction::And => "and",
                    AtomicFunction::ExclusiveOr => "xor",
                    AtomicFunction::InclusiveOr => "or",
                    AtomicFunction::Min => "min",
                    AtomicFunction::Max => "max",
                    AtomicFunction::Exchange { compare: None } => "xchg",
                    AtomicFunction::Exchange { .. } => return unsayable("exchanges that compare"),
                };
                let (place, value) = (self.place(pointer)?, self.value(value)?);
                let call = format!("atomic_{name}(&{place}, {value})");
                match result {
                    Some(result) => {
                        let ty = self.inner(self.type_of(result))?;
                        self.say(format_args!("{ty} {} = {call};", temporary(result)));
                    }
                    None => self.say(format_args!("{call};")),
                }
            }
            _ => return unsayable("statements of this kind"),
        }
        Ok(())
    }

    fn is_atomic(&self, site: Option<hirace_core::ir::sites::SiteId>) -> bool {
        let access = site.and_then(|site| self.program.sites.access(site));
        access.is_some_and(|access| access.action == Action::Atomic)
    }

    /// Names the value of an expression, if it is one that is computed at a time.
    fn emit(&mut self, expression: Handle<Expression>) -> Result<()> {
        if matches!(
            self.type_of(expression),
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        ) {
            return Ok(());
        }
        let ty = self.inner(self.type_of(expression))?;
        let value = self.computed(expression)?;
        let site = self.program.sites.load(self.id, expression);
        if let Some(site) = site.and_then(|site| self.program.sites.get(site)) {
            // Several accesses may be computed at a time, and stand on several lines.
            self.line = self.program.source.position(site.span.start).line;
        }
        self.say(format_args!("{ty} {} = {value};", temporary(expression)));
        Ok(())
    }

    /// The value of an expression, by name or as it is.
    fn value(&self, expression: Handle<Expression>) -> Result<String> {
        match self.function.expressions[expression] {
            Expression::Literal(literal) => said(literal),
            Expression::Constant(constant) => {
                let init = self.program.module.constants[constant].init;
                match self.program.module.global_expressions[init] {
                    Expression::Literal(literal) => said(literal),
                    _ => unsayable("constants that are no scalars"),
                }
            }
            Expression::ZeroValue(_) => Ok("0".to_owned()),
            Expression::FunctionArgument(index) => self.builtin(index),
            _ => Ok(temporary(expression)),
        }
    }

    fn builtin(&self, index: u32) -> Result<String> {
        let argument = &self.function.arguments[index as usize];
        let Some(naga::Binding::BuiltIn(builtin)) = argument.binding else {
            return unsayable("parameters of this kind");
        };
        let each = |name: &str| format!("(uint3)({name}(0), {name}(1), {name}(2))");
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => each("get_global_id"),
            BuiltIn::LocalInvocationId => each("get_local_id"),
            BuiltIn::WorkGroupId => each("get_group_id"),
            BuiltIn::NumWorkGroups => each("get_num_groups"),
            BuiltIn::LocalInvocationIndex => "(uint)(get_local_id(0) + get_local_size(0) * \
                (get_local_id(1) + get_local_size(1) * get_local_id(2)))"
                .to_owned(),
            _ => return unsayable("subgroups"),
        })
    }

    fn computed(&self, expression: Handle<Expression>) -> Result<String> {
        Ok(match self.function.expressions[expression] {
            Expression::Load { pointer } => {
                let place = self.place(pointer)?;
                match self.is_atomic(self.program.sites.load(self.id, expression)) {
                    // There is no atomic load: this changes nothing, and is one.
                    true => format!("atomic_or(&{place}, 0)"),
                    false => place,
                }
            }
            Expression::AccessIndex { base, index } => {
                format!("{}.s{index:x}", self.value(base)?)
            }
            Expression::Unary { op, expr } => {
                let value = self.value(expr)?;
                match op {
                    UnaryOperator::Negate => format!("-({value})"),
                    UnaryOperator::LogicalNot => format!("!({value})"),
                    UnaryOperator::BitwiseNot => format!("~({value})"),
                }
            }
            Expression::Binary { op, left, right } => {
                if matches!(self.type_of(left), TypeInner::Vector { .. }) {
                    return unsayable("operations on vectors");
                }
                let (a, b) = (self.value(left)?, self.value(right)?);
                format!("{a} {} {b}", operator(op))
            }
            Expression::Select { condition, accept, reject } => {
                let [condition, accept, reject] =
                    [condition, accept, reject].map(|part| self.value(part));
                format!("{} ? {} : {}", condition?, accept?, reject?)
            }
            Expression::Math { fun, arg, arg1, .. } => {
                let one = self.value(arg)?;
                let two = arg1.map(|arg| self.value(arg)).transpose()?;
                match (fun, two) {
                    (MathFunction::Min, Some(two)) => format!("({one} < {two} ? {one} : {two})"),
                    (MathFunction::Max, Some(two)) => format!("({one} > {two} ? {one} : {two})"),
                    (MathFunction::CountOneBits, None) => format!("popcount({one})"),
                    _ => return unsayable(format!("`{fun:?}`")),
                }
            }
            Expression::As { expr, convert: Some(_), .. } => {
                format!("({})({})", self.inner(self.type_of(expression))?, self.value(expr)?)
            }
            Expression::As { expr, convert: None, .. } => {
                format!("as_{}({})", self.inner(self.type_of(expression))?, self.value(expr)?)
            }
            Expression::Compose { ref components, .. } => {
                let parts: Vec<String> =
                    components.iter().map(|&part| self.value(part)).collect::<Result<_>>()?;
                format!("({})({})", self.inner(self.type_of(expression))?, parts.join(", "))
            }
            Expression::Splat {
                size: VectorSize::Bi | VectorSize::Tri | VectorSize::Quad,
                value,
            } => {
                format!("({})({})", self.inner(self.type_of(expression))?, self.value(value)?)
            }
            Expression::ArrayLength(array) => match self.function.expressions[array] {
                Expression::GlobalVariable(handle) => format!("{}_length", global(handle)),
                _ => return unsayable("lengths of parts"),
            },
            ref other => return unsayable(format!("{other:?}")),
        })
    }

    /// The place that a pointer points to.
    fn place(&self, pointer: Handle<Expression>) -> Result<String> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(handle) => Ok(local(handle)),
            Expression::GlobalVariable(handle) => {
                let variable = &self.program.module.global_variables[handle];
                let name = global(handle);
                let scalar = matches!(
                    self.program.module.types[variable.ty].inner,
                    TypeInner::Scalar(_) | TypeInner::Atomic(_)
                );
                Ok(match (variable.space, scalar) {
                    (AddressSpace::Storage { .. } | AddressSpace::WorkGroup, true) => {
                        format!("{name}[0]")
                    }
                    _ => name,
                })
            }
            Expression::AccessIndex { base, index } => {
                let place = self.place(base)?;
                match self.pointee(base)? {
                    TypeInner::Array { .. } => Ok(format!("{place}[{index}]")),
                    TypeInner::Vector { .. } => Ok(format!("{place}.s{index:x}")),
                    _ => unsayable("members of structures"),
                }
            }
            Expression::Access { base, index } => {
                let TypeInner::Array { size, .. } = *self.pointee(base)? else {
                    return unsayable("components by index");
                };
                let last = match (size, &self.function.expressions[base]) {
                    (ArraySize::Constant(length), _) => format!("{}u", length.get() - 1),
                    (ArraySize::Dynamic, Expression::GlobalVariable(handle)) => {
                        format!("{}_length - 1u", global(*handle))
                    }
                    _ => return unsayable("arrays of a length to come"),
                };
                let (place, index) = (self.place(base)?, self.value(index)?);
                Ok(format!("{place}[min((uint)({index}), {last})]"))
            }
            ref other => unsayable(format!("{other:?}")),
        }
    }

    fn pointee(&self, pointer: Handle<Expression>) -> Result<&TypeInner> {
        match *self.type_of(pointer) {
            TypeInner::Pointer { base, .. } => Ok(&self.program.module.types[base].inner),
            _ => unsayable("pointers of this kind"),
        }
    }
}

/// Whether a loop's own body says `continue` somewhere.
fn body_continues(body: &Block) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(block) => body_continues(block),
        Statement::If { accept, reject, .. } => body_continues(accept) || body_continues(reject),
        _ => false,
    })
}

fn global(handle: Handle<GlobalVariable>) -> String {
    format!("g{}", handle.index())
}

fn local(handle: Handle<LocalVariable>) -> String {
    format!("l{}", handle.index())
}

fn temporary(handle: Handle<Expression>) -> String {
    format!("e{}", handle.index())
}

fn said(literal: Literal) -> Result<String> {
    Ok(match literal {
        Literal::I32(value) if value == i32::MIN => "(-2147483647 - 1)".to_owned(),
        Literal::I32(value) => format!("({value})"),
        Literal::U32(value) => format!("{value}u"),
        Literal::F32(value) => format!("({value:?}f)"),
        Literal::Bool(value) => u8::from(value).to_string(),
        _ => return unsayable("literals of this kind"),
    })
}

fn operator(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => "&",
        BinaryOperator::ExclusiveOr => "^",
        BinaryOperator::InclusiveOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
    }
}
