//! Normal forms of functions: two functions with the same normal form behave the same.
//!
//! A normal form lists what a function does, in order: reads, writes, calls, barriers and control flow. Operands are terms.
//! A term without an effect is evaluated only as an operand, so code whose value is not used is not in the list. Terms are
//! simplified by rules that hold for every value:
//!
//! - constants are folded, and operations with a neutral operand are omitted (`x * 1`, `x / 1`, `x << 0`);
//! - the operands of commutative operations on integers are sorted;
//! - comparisons of integers have one form each (`a > b` is `b < a`, `x < 8` is `x <= 7`, `x >= 1u` is `x != 0u`);
//! - ranges of integers decide comparisons: types have ranges, local ids are less than the workgroup size.
//!
//! A read of a variable of the function is the term that was stored in it last, if this is known (see `variables`). A loop
//! whose iterations are known is the sequence of their statements (see `loops`).
//!
//! Floats are only simplified where the result is exact. A function with an expression or statement that is not supported here has
//! no normal form.

mod barriers;
mod loops;
mod terms;
mod values;
mod variables;

use super::expressions::{is_result, of_statement, reads, shown};
use crate::ir::walk::{self, FunctionId};
use loops::LoopParts;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    Block, Expression, Function, Handle, LocalVariable, Module, Statement, Type, TypeInner,
};
use rustc_hash::{FxHashMap, FxHashSet};
use terms::{Constant, Term};

pub use terms::Terms;

/// The maximum depth of the expressions that are simplified.
const MAX_DEPTH: u32 = 400;

/// The number of passes that remove unused reads and variables.
const MAX_PASSES: usize = 4;

/// The barriers in a normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptBarriers {
    /// All barriers.
    All,
    /// The barriers that order something (see `barriers`).
    Ordering,
    /// No barriers.
    None,
}

/// Returns the normal form of a function, or `None` if it has none.
pub fn normal_form(
    terms: &mut Terms,
    module: &Module,
    info: &ModuleInfo,
    id: FunctionId,
    barriers: KeptBarriers,
) -> Option<Vec<String>> {
    let unneeded = match barriers {
        KeptBarriers::Ordering => barriers::ordering_nothing(module, info, id),
        KeptBarriers::All | KeptBarriers::None => FxHashSet::default(),
    };
    let info = match id {
        FunctionId::Helper(handle) => &info[handle],
        FunctionId::Entry(index) => info.get_entry_point(index),
    };
    let size = match id {
        FunctionId::Helper(_) => None,
        FunctionId::Entry(index) => {
            let entry = &module.entry_points[index];
            entry.workgroup_size_overrides.is_none().then_some(entry.workgroup_size)
        }
    };
    let function = id.get(module);
    let whole = variables::accessed_as_a_whole(function);
    let (mut unused, mut dead) = (FxHashSet::default(), FxHashSet::default());
    for _ in 0..MAX_PASSES {
        let mut writer = Writer {
            terms: &mut *terms,
            module,
            function,
            info,
            size,
            barriers,
            unneeded: &unneeded,
            whole: &whole,
            held: FxHashMap::default(),
            unrolled: 0,
            known: FxHashMap::default(),
            counter: 0,
            used: FxHashSet::default(),
            alive: FxHashSet::default(),
            unused: &unused,
            dead: &dead,
            depth: 0,
        };
        let mut lines = writer.variables()?;
        writer.block(&function.body, &mut lines)?;
        let (used, alive) = (writer.used, writer.alive);
        let before = (unused.len(), dead.len());
        let private = function.expressions.iter().filter(|(handle, expression)| match expression {
            Expression::Load { pointer } => {
                !used.contains(handle) && local(function, *pointer).is_some()
            }
            _ => false,
        });
        unused = private.map(|(handle, _)| handle).collect();
        let locals = function.local_variables.iter().map(|(handle, _)| handle);
        dead = locals.filter(|handle| !alive.contains(handle)).collect();
        if (unused.len(), dead.len()) == before {
            return Some(lines);
        }
    }
    None
}

fn local(function: &Function, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    match walk::root(function, pointer) {
        Expression::LocalVariable(local) => Some(*local),
        _ => None,
    }
}

struct Writer<'a> {
    terms: &'a mut Terms,
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
    /// The workgroup size, if it is fixed.
    size: Option<[u32; 3]>,
    barriers: KeptBarriers,
    /// The barriers that order nothing, by their address.
    unneeded: &'a FxHashSet<*const Statement>,
    /// The variables of the function that are only read and written as a whole.
    whole: &'a FxHashSet<Handle<LocalVariable>>,
    /// The known values of these variables at this point of the function.
    held: FxHashMap<Handle<LocalVariable>, Term>,
    /// The number of statements that were written for unrolled loops.
    unrolled: usize,
    known: FxHashMap<Handle<Expression>, Term>,
    /// The number of values that statements and reads have defined.
    counter: u32,
    /// The reads whose values are operands.
    used: FxHashSet<Handle<Expression>>,
    /// The variables of the function that are read.
    alive: FxHashSet<Handle<LocalVariable>>,
    /// Reads of variables of the function that are omitted.
    unused: &'a FxHashSet<Handle<Expression>>,
    /// Variables of the function that are omitted.
    dead: &'a FxHashSet<Handle<LocalVariable>>,
    depth: u32,
}

impl Writer<'_> {
    fn variables(&mut self) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        for (handle, variable) in self.function.local_variables.iter() {
            let value = match variable.init {
                Some(init) => Some(self.term(init)?),
                None => None,
            };
            if self.whole.contains(&handle) {
                let value = value.unwrap_or_else(|| self.zero(variable.ty));
                self.held.insert(handle, value);
            }
            if self.dead.contains(&handle) {
                continue;
            }
            let init = value.map(|value| value.to_string()).unwrap_or_default();
            let ty = type_text(self.module, variable.ty);
            lines.push(format!("var {} {ty} = {init}", handle.index()));
        }
        Some(lines)
    }

    /// Writes a block. Returns whether control reaches its end.
    fn block(&mut self, block: &Block, lines: &mut Vec<String>) -> Option<bool> {
        for statement in block {
            if !self.statement(statement, lines)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Writes a statement. Returns whether control reaches the next one.
    fn statement(&mut self, statement: &Statement, lines: &mut Vec<String>) -> Option<bool> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.emit(handle, lines)?;
                }
            }
            Statement::Block(block) => return self.block(block, lines),
            Statement::If { condition, accept, reject } => {
                return self.branch(*condition, accept, reject, lines);
            }
            Statement::Switch { selector, cases } => {
                let selector = self.term(*selector)?;
                lines.push(format!("switch {selector}"));
                self.forget_stored(cases.iter().map(|case| &case.body));
                let held = self.held.clone();
                for case in cases {
                    lines.push(format!("case {:?} {}", case.value, case.fall_through));
                    self.block(&case.body, lines)?;
                    self.held = held.clone();
                }
                lines.push("end".to_owned());
            }
            Statement::Loop { body, continuing, break_if } => {
                self.any_loop(LoopParts { body, continuing, break_if: *break_if }, lines)?;
            }
            Statement::Break => {
                lines.push("break".to_owned());
                return Some(false);
            }
            Statement::Continue => {
                lines.push("continue".to_owned());
                return Some(false);
            }
            Statement::Return { value } => {
                let value = match value {
                    Some(value) => self.term(*value)?.to_string(),
                    None => String::new(),
                };
                lines.push(format!("return {value}"));
                return Some(false);
            }
            Statement::Kill => {
                lines.push("kill".to_owned());
                return Some(false);
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                let is_shown = self.barriers != KeptBarriers::None
                    && !self.unneeded.contains(&std::ptr::from_ref(statement));
                let line = format!("{statement:?}");
                // A barrier right after the same barrier has no effect.
                if is_shown && lines.last() != Some(&line) {
                    lines.push(line);
                }
            }
            Statement::Store { pointer, value } => {
                self.hold(*pointer, *value)?;
                let own = local(self.function, *pointer);
                if own.is_none_or(|own| !self.dead.contains(&own)) {
                    let (pointer, value) = (self.term(*pointer)?, self.term(*value)?);
                    lines.push(format!("store {pointer} {value}"));
                }
            }
            other => self.other(other, lines)?,
        }
        Some(true)
    }

    fn branch(
        &mut self,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
        lines: &mut Vec<String>,
    ) -> Option<bool> {
        let condition = self.term(condition)?;
        match self.terms.constant(condition) {
            Some(Constant::Bool(true)) => return self.block(accept, lines),
            Some(Constant::Bool(false)) => return self.block(reject, lines),
            _ => {}
        }
        let (condition, blocks) = match self.terms.node(condition).negated {
            Some(negated) => (negated, [reject, accept]),
            None => (condition, [accept, reject]),
        };
        let start = lines.len();
        lines.push(format!("if {condition}"));
        let before = self.held.clone();
        let accepted = self.block(blocks[0], lines)?;
        let held = std::mem::replace(&mut self.held, before);
        lines.push("else".to_owned());
        let rejected = self.block(blocks[1], lines)?;
        match (accepted, rejected) {
            (true, true) => self.held.retain(|variable, term| held.get(variable) == Some(term)),
            (true, false) => self.held = held,
            (false, _) => {}
        }
        lines.push("end".to_owned());
        if lines.len() == start + 3 {
            lines.truncate(start);
        }
        Some(accepted || rejected)
    }

    /// Writes a statement with its operands. Each result that the statement defines is a new value.
    fn other(&mut self, statement: &Statement, lines: &mut Vec<String>) -> Option<()> {
        use Statement as S;
        let is_known = matches!(
            statement,
            S::ImageStore { .. }
                | S::Atomic { .. }
                | S::ImageAtomic { .. }
                | S::WorkGroupUniformLoad { .. }
                | S::Call { .. }
                | S::SubgroupBallot { .. }
                | S::SubgroupGather { .. }
                | S::SubgroupCollectiveOperation { .. }
        );
        if !is_known {
            return None;
        }
        let mut terms = Vec::new();
        for operand in of_statement(statement) {
            if is_result(&self.function.expressions[operand]) {
                terms.push(self.define(operand));
                continue;
            }
            self.alive.extend(local(self.function, operand));
            terms.push(self.term(operand)?);
        }
        let callee = match statement {
            S::Call { function, .. } => function.index().to_string(),
            _ => String::new(),
        };
        lines.push(format!("{} {callee} {terms:?}", shown(statement)));
        Some(())
    }

    /// Evaluates an expression now, if its value depends on when it is evaluated.
    fn emit(&mut self, handle: Handle<Expression>, lines: &mut Vec<String>) -> Option<()> {
        let expression = &self.function.expressions[handle];
        if !reads(expression) || self.unused.contains(&handle) {
            return Some(());
        }
        if let Expression::Load { pointer } = expression
            && let Expression::LocalVariable(own) = &self.function.expressions[*pointer]
            && let Some(&value) = self.held.get(own)
        {
            self.known.insert(handle, value);
            return Some(());
        }
        let text = match expression {
            Expression::Load { pointer } => {
                self.alive.extend(local(self.function, *pointer));
                format!("load {}", self.term(*pointer)?)
            }
            Expression::ImageLoad { .. } | Expression::ImageSample { .. } => {
                self.of_operands(handle)?
            }
            _ => return None,
        };
        let value = self.define(handle);
        lines.push(format!("{value} = {text}"));
        Some(())
    }

    fn define(&mut self, handle: Handle<Expression>) -> Term {
        let value = self.counter;
        self.counter += 1;
        let node = self.typed(handle);
        let kind = node.kind;
        let term = self.terms.intern(format!("value {value} {kind:?} {:?}", node.range), node);
        self.known.insert(handle, term);
        term
    }
}

/// Returns the text of a type without handles.
pub fn type_text(module: &Module, ty: Handle<Type>) -> String {
    let Type { name, inner } = &module.types[ty];
    match inner {
        TypeInner::Pointer { base, space } => {
            format!("ptr<{space:?}, {}>", type_text(module, *base))
        }
        TypeInner::Array { base, size, stride } => {
            format!("array<{}, {size:?}, {stride}>", type_text(module, *base))
        }
        TypeInner::BindingArray { base, size } => {
            format!("binding_array<{}, {size:?}>", type_text(module, *base))
        }
        TypeInner::Struct { members, .. } => {
            let members = members.iter().map(|member| {
                format!("{:?} {} {}", member.name, member.offset, type_text(module, member.ty))
            });
            format!("{name:?} {{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}
