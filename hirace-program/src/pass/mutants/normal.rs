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
//! Floats are only simplified where the result is exact. An expression or statement that the module does not know has no
//! normal form.

use super::expressions::{is_result, of_statement, operands as operands_of, reads, shown};
use crate::ir::walk::{self, FunctionId};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    BinaryOperator, Binding, Block, BuiltIn, Expression, Function, Handle, Literal, LocalVariable,
    Module, ScalarKind, Statement, Type, TypeInner, UnaryOperator,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A term: an index in [`Terms`].
type Term = u32;

/// The deepest expression that is simplified.
const MAX_DEPTH: u32 = 400;

/// The number of passes that remove unused reads and variables.
const MAX_PASSES: usize = 4;

/// The terms of both functions that are compared.
#[derive(Default)]
pub struct Terms {
    terms: FxHashMap<String, Term>,
    nodes: Vec<Node>,
}

/// What is known about the value of a term.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The kind, if the term is a number with 32 bits or a vector of such numbers, or a Boolean.
    kind: Option<ScalarKind>,
    /// The smallest and the largest value, if the term is an integer.
    range: Option<(i64, i64)>,
    /// The value of the term or of each of its components.
    constant: Option<Constant>,
    /// The term that this one negates.
    negated: Option<Term>,
    /// The components.
    parts: Option<Vec<Term>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Constant {
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl Terms {
    fn intern(&mut self, text: String, node: Node) -> Term {
        let next = self.nodes.len() as Term;
        let term = *self.terms.entry(text).or_insert(next);
        if term == next {
            self.nodes.push(node);
        }
        term
    }

    fn node(&self, term: Term) -> &Node {
        &self.nodes[term as usize]
    }

    fn constant(&self, term: Term) -> Option<Constant> {
        self.node(term).constant
    }

    fn range(&self, term: Term) -> Option<(i64, i64)> {
        self.node(term).range
    }

    fn bool(&mut self, value: bool) -> Term {
        let constant = Some(Constant::Bool(value));
        let node = Node { kind: Some(ScalarKind::Bool), constant, ..Node::default() };
        self.intern(format!("{value}"), node)
    }

    /// Returns an integer with 32 bits.
    fn int(&mut self, kind: ScalarKind, value: i64) -> Term {
        let (range, constant) = (Some((value, value)), Some(Constant::Int(value)));
        let node = Node { kind: Some(kind), range, constant, ..Node::default() };
        self.intern(format!("{kind:?} {value}"), node)
    }

    fn literal(&mut self, literal: Literal) -> Term {
        match literal {
            Literal::U32(value) => self.int(ScalarKind::Uint, value.into()),
            Literal::I32(value) => self.int(ScalarKind::Sint, value.into()),
            Literal::Bool(value) => self.bool(value),
            Literal::F32(value) => {
                let constant = Some(Constant::Float(value.into()));
                let node = Node { kind: Some(ScalarKind::Float), constant, ..Node::default() };
                self.intern(format!("f32 {:08x}", value.to_bits()), node)
            }
            other => self.intern(format!("{other:?}"), Node::default()),
        }
    }

    fn not(&mut self, term: Term) -> Term {
        if let Some(Constant::Bool(value)) = self.constant(term) {
            return self.bool(!value);
        }
        if let Some(negated) = self.node(term).negated {
            return negated;
        }
        let node = Node { kind: Some(ScalarKind::Bool), negated: Some(term), ..Node::default() };
        self.intern(format!("not {term}"), node)
    }

    /// Returns `a == b`, for integers.
    fn equal(&mut self, a: Term, b: Term) -> Term {
        let (Some(of_a), Some(of_b)) = (self.range(a), self.range(b)) else {
            return self.plain("==", a, b);
        };
        match a == b || (of_a.0 == of_a.1 && of_a == of_b) {
            true => self.bool(true),
            false if of_a.1 < of_b.0 || of_b.1 < of_a.0 => self.bool(false),
            false => self.plain("==", a.min(b), a.max(b)),
        }
    }

    /// Returns `a <= b`, for integers.
    fn less_equal(&mut self, a: Term, b: Term) -> Term {
        let (Some(of_a), Some(of_b)) = (self.range(a), self.range(b)) else {
            return self.plain("<=", a, b);
        };
        if a == b || of_a.1 <= of_b.0 {
            return self.bool(true);
        }
        if of_a.0 > of_b.1 {
            return self.bool(false);
        }
        let kind = self.node(a).kind.unwrap_or(ScalarKind::Uint);
        // A constant is on the right.
        if of_a.0 == of_a.1 {
            let before = self.int(kind, of_a.0 - 1);
            let greater = self.less_equal(b, before);
            return self.not(greater);
        }
        if of_b.0 == of_b.1 {
            // Only the smallest value of `a` is small enough, or only the largest is not.
            if of_a.0 == of_b.0 {
                return self.equal(a, b);
            }
            if of_a.1 == of_b.0 + 1 {
                let last = self.int(kind, of_a.1);
                let is_last = self.equal(a, last);
                return self.not(is_last);
            }
        }
        self.plain("<=", a, b)
    }

    /// Returns `a < b`, for integers.
    fn less(&mut self, a: Term, b: Term) -> Term {
        let greater = self.less_equal(b, a);
        self.not(greater)
    }

    fn plain(&mut self, operator: &str, a: Term, b: Term) -> Term {
        let node = Node { kind: Some(ScalarKind::Bool), ..Node::default() };
        self.intern(format!("{a} {operator} {b}"), node)
    }
}

/// Returns the normal form of a function, with or without its barriers, or `None` if it has none.
pub fn normal_form(
    terms: &mut Terms,
    module: &Module,
    info: &ModuleInfo,
    id: FunctionId,
    has_barriers: bool,
) -> Option<Vec<String>> {
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
    let (mut unused, mut dead) = (FxHashSet::default(), FxHashSet::default());
    for _ in 0..MAX_PASSES {
        let mut writer = Writer {
            terms: &mut *terms,
            module,
            function,
            info,
            size,
            has_barriers,
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
    has_barriers: bool,
    known: FxHashMap<Handle<Expression>, Term>,
    /// The number of values that statements and reads have defined.
    counter: u32,
    /// The reads whose values are operands.
    used: FxHashSet<Handle<Expression>>,
    /// The variables of the function that something reads.
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
            if self.dead.contains(&handle) {
                continue;
            }
            let init = match variable.init {
                Some(init) => self.term(init)?.to_string(),
                None => String::new(),
            };
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
                for case in cases {
                    lines.push(format!("case {:?} {}", case.value, case.fall_through));
                    self.block(&case.body, lines)?;
                }
                lines.push("end".to_owned());
            }
            Statement::Loop { body, continuing, break_if } => {
                let mut inside = Vec::new();
                self.block(body, &mut inside)?;
                if inside == ["break"] {
                    return Some(true);
                }
                inside.push("continuing".to_owned());
                self.block(continuing, &mut inside)?;
                let ends = match break_if {
                    Some(condition) => self.term(*condition)?.to_string(),
                    None => String::new(),
                };
                lines.push("loop".to_owned());
                lines.append(&mut inside);
                lines.push(format!("break if {ends}"));
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
                if self.has_barriers {
                    lines.push(format!("{statement:?}"));
                }
            }
            Statement::Store { pointer, value } => {
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
        let accepted = self.block(blocks[0], lines)?;
        lines.push("else".to_owned());
        let rejected = self.block(blocks[1], lines)?;
        lines.push("end".to_owned());
        if lines.len() == start + 3 {
            lines.truncate(start);
        }
        Some(accepted || rejected)
    }

    /// Writes a statement by its operands. What it defines gets a new value.
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

    /// Returns what the type of an expression says of its value.
    fn typed(&self, handle: Handle<Expression>) -> Node {
        let inner = self.info[handle].ty.inner_with(&self.module.types);
        let (scalar, is_one) = match inner {
            TypeInner::Scalar(scalar) => (*scalar, true),
            TypeInner::Vector { scalar, .. } => (*scalar, false),
            _ => return Node::default(),
        };
        let range = match scalar.kind {
            ScalarKind::Uint => Some((0, i64::from(u32::MAX))),
            ScalarKind::Sint => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            _ => None,
        };
        let is_known = scalar.width == 4 || scalar.kind == ScalarKind::Bool;
        Node {
            kind: Some(scalar.kind).filter(|_| is_known),
            range: range.filter(|_| is_one && is_known),
            ..Node::default()
        }
    }

    fn term(&mut self, handle: Handle<Expression>) -> Option<Term> {
        self.used.insert(handle);
        if let Some(&known) = self.known.get(&handle) {
            return Some(known);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let term = self.new_term(handle)?;
        self.depth -= 1;
        self.known.insert(handle, term);
        Some(term)
    }

    fn new_term(&mut self, handle: Handle<Expression>) -> Option<Term> {
        use Expression as E;
        let (module, function) = (self.module, self.function);
        Some(match &function.expressions[handle] {
            E::Literal(literal) => self.terms.literal(*literal),
            E::Constant(constant) => self.global(module.constants[*constant].init)?,
            E::ZeroValue(ty) => self.zero(*ty),
            E::Compose { ty, components } => {
                let parts = components.iter().map(|&part| self.term(part));
                let parts = parts.collect::<Option<Vec<Term>>>()?;
                self.compose(*ty, parts)
            }
            E::Splat { size, value } => {
                let value = self.term(*value)?;
                let Node { kind, constant, .. } = *self.terms.node(value);
                let parts = Some(vec![value; *size as usize]);
                let node = Node { kind, constant, parts, ..Node::default() };
                self.terms.intern(format!("vector {:?}", vec![value; *size as usize]), node)
            }
            E::FunctionArgument(at) => self.argument(handle, *at),
            E::GlobalVariable(global) => self.named(format!("global {}", global.index())),
            E::LocalVariable(local) => self.named(format!("local {}", local.index())),
            E::AccessIndex { base, index } => self.component(handle, *base, *index)?,
            E::Access { base, index } => {
                let at = self.term(*index)?;
                match self.terms.constant(at) {
                    Some(Constant::Int(at)) if (0..=i64::from(u32::MAX)).contains(&at) => {
                        self.component(handle, *base, at as u32)?
                    }
                    _ => {
                        let base = self.term(*base)?;
                        let node = self.typed(handle);
                        self.terms.intern(format!("{base}[{at}]"), node)
                    }
                }
            }
            E::Unary { op, expr } => {
                let term = self.term(*expr)?;
                let kind = self.terms.node(term).kind;
                match (op, self.terms.constant(term)) {
                    (UnaryOperator::LogicalNot, _) if self.is_scalar(handle) => {
                        self.terms.not(term)
                    }
                    (UnaryOperator::Negate, Some(Constant::Int(value)))
                        if self.is_scalar(handle) && kind == Some(ScalarKind::Sint) =>
                    {
                        self.terms.int(ScalarKind::Sint, (value as i32).wrapping_neg().into())
                    }
                    _ => {
                        let node = self.typed(handle);
                        self.terms.intern(format!("{op:?} {term}"), node)
                    }
                }
            }
            E::Binary { op, left, right } => {
                let (left, right) = (self.term(*left)?, self.term(*right)?);
                self.binary(handle, *op, left, right)
            }
            E::Select { condition, accept, reject } => {
                let condition = self.term(*condition)?;
                let (accept, reject) = (self.term(*accept)?, self.term(*reject)?);
                match self.terms.constant(condition) {
                    Some(Constant::Bool(true)) => accept,
                    Some(Constant::Bool(false)) => reject,
                    _ if accept == reject => accept,
                    _ => {
                        let node = self.typed(handle);
                        self.terms.intern(format!("select {condition} {accept} {reject}"), node)
                    }
                }
            }
            E::Swizzle { .. }
            | E::ImageQuery { .. }
            | E::Relational { .. }
            | E::Math { .. }
            | E::As { .. }
            | E::ArrayLength(_) => {
                let text = self.of_operands(handle)?;
                let node = self.typed(handle);
                self.terms.intern(text, node)
            }
            // Overrides, results of statements that were not reached, and what is not known.
            _ => return None,
        })
    }

    fn named(&mut self, text: String) -> Term {
        self.terms.intern(text, Node::default())
    }

    fn is_scalar(&self, handle: Handle<Expression>) -> bool {
        let inner = self.info[handle].ty.inner_with(&self.module.types);
        matches!(inner, TypeInner::Scalar(_))
    }

    /// Returns the text of an expression with its operands as terms.
    fn of_operands(&mut self, handle: Handle<Expression>) -> Option<String> {
        let expression = &self.function.expressions[handle];
        let mut terms = Vec::new();
        for operand in operands_of(expression) {
            terms.push(self.term(operand)?);
        }
        let mut copy = expression.clone();
        let first = operands_of(expression).first().copied();
        crate::ir::operands::of_expression(&mut copy, &mut |operand| {
            *operand = first.unwrap_or(*operand);
        });
        let text = format!("{copy:?}");
        let text = first.map_or(text.clone(), |first| text.replace(&format!("{first:?}"), "_"));
        Some(format!("{text} {terms:?}"))
    }

    fn zero(&mut self, ty: Handle<Type>) -> Term {
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) if scalar.width == 4 || scalar.kind == ScalarKind::Bool => {
                match scalar.kind {
                    ScalarKind::Uint | ScalarKind::Sint => self.terms.int(scalar.kind, 0),
                    ScalarKind::Bool => self.terms.bool(false),
                    _ => self.terms.literal(Literal::F32(0.0)),
                }
            }
            _ => self.named(format!("zero {}", type_text(self.module, ty))),
        }
    }

    fn compose(&mut self, ty: Handle<Type>, parts: Vec<Term>) -> Term {
        let is_vector = matches!(
            self.module.types[ty].inner,
            TypeInner::Vector { size, .. } if size as usize == parts.len()
        );
        match is_vector {
            true => {
                let first = self.terms.node(parts[0]);
                let is_same = parts.iter().all(|part| *part == parts[0]);
                let node = Node {
                    kind: first.kind,
                    constant: first.constant.filter(|_| is_same),
                    parts: Some(parts.clone()),
                    ..Node::default()
                };
                self.terms.intern(format!("vector {parts:?}"), node)
            }
            false => self.named(format!("{} {parts:?}", type_text(self.module, ty))),
        }
    }

    /// Returns the term of an expression of the module.
    fn global(&mut self, handle: Handle<Expression>) -> Option<Term> {
        Some(match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => self.terms.literal(*literal),
            Expression::Constant(constant) => self.global(self.module.constants[*constant].init)?,
            Expression::ZeroValue(ty) => self.zero(*ty),
            Expression::Compose { ty, components } => {
                let parts = components.iter().map(|&part| self.global(part));
                let parts = parts.collect::<Option<Vec<Term>>>()?;
                self.compose(*ty, parts)
            }
            _ => return None,
        })
    }

    fn built_in(&self, at: u32) -> Option<BuiltIn> {
        match self.function.arguments.get(at as usize)?.binding {
            Some(Binding::BuiltIn(built_in)) => Some(built_in),
            _ => None,
        }
    }

    fn argument(&mut self, handle: Handle<Expression>, at: u32) -> Term {
        let last = match (self.built_in(at), self.size) {
            (Some(BuiltIn::LocalInvocationIndex), Some(size)) => {
                size.iter().map(|&extent| i64::from(extent)).product::<i64>() - 1
            }
            _ => {
                let node = self.typed(handle);
                return self.terms.intern(format!("argument {at}"), node);
            }
        };
        self.up_to(format!("argument {at}"), last)
    }

    /// Returns a number from 0 to `last`.
    fn up_to(&mut self, text: String, last: i64) -> Term {
        match last {
            ..=0 => self.terms.int(ScalarKind::Uint, 0),
            last => {
                let (kind, range) = (Some(ScalarKind::Uint), Some((0, last)));
                self.terms.intern(format!("{text} {last}"), Node { kind, range, ..Node::default() })
            }
        }
    }

    fn component(
        &mut self,
        handle: Handle<Expression>,
        base: Handle<Expression>,
        index: u32,
    ) -> Option<Term> {
        if let Expression::FunctionArgument(at) = self.function.expressions[base]
            && self.built_in(at) == Some(BuiltIn::LocalInvocationId)
            && let Some(&extent) = self.size.as_ref().and_then(|size| size.get(index as usize))
        {
            return Some(self.up_to(format!("argument {at}.{index}"), i64::from(extent) - 1));
        }
        let base = self.term(base)?;
        if let Some(parts) = &self.terms.node(base).parts
            && let Some(part) = parts.get(index as usize)
        {
            return Some(*part);
        }
        let node = self.typed(handle);
        Some(self.terms.intern(format!("{base}.{index}"), node))
    }

    fn binary(&mut self, handle: Handle<Expression>, op: BinaryOperator, a: Term, b: Term) -> Term {
        use BinaryOperator as B;
        let kind = self.terms.node(a).kind.filter(|kind| self.terms.node(b).kind == Some(*kind));
        let is_int = matches!(kind, Some(ScalarKind::Uint | ScalarKind::Sint));
        // Comparisons of vectors are not simplified.
        let is_one = self.terms.range(a).is_some() && self.terms.range(b).is_some();
        match op {
            B::Equal if is_int && is_one => return self.terms.equal(a, b),
            B::NotEqual if is_int && is_one => {
                let equal = self.terms.equal(a, b);
                return self.terms.not(equal);
            }
            B::Less if is_int && is_one => return self.terms.less(a, b),
            B::LessEqual if is_int && is_one => return self.terms.less_equal(a, b),
            B::Greater if is_int && is_one => return self.terms.less(b, a),
            B::GreaterEqual if is_int && is_one => return self.terms.less_equal(b, a),
            B::Greater => return self.terms.plain("<", b, a),
            B::GreaterEqual => return self.terms.plain("<=", b, a),
            B::Less => return self.terms.plain("<", a, b),
            B::LessEqual => return self.terms.plain("<=", a, b),
            B::LogicalAnd | B::LogicalOr => return self.logical(op, a, b),
            _ => {}
        }
        if let Some(simple) = self.simplified(handle, op, kind, a, b) {
            return simple;
        }
        let is_commutative =
            matches!(op, B::Add | B::Multiply | B::And | B::InclusiveOr | B::ExclusiveOr);
        let (a, b) = if is_commutative && is_int && b < a { (b, a) } else { (a, b) };
        let mut node = self.typed(handle);
        if let (Some(of_a), Some(of_b), Some(ty)) =
            (self.terms.range(a), self.terms.range(b), node.range)
        {
            node.range =
                range(op, of_a, of_b).filter(|of| ty.0 <= of.0 && of.1 <= ty.1).or(Some(ty));
        }
        self.terms.intern(format!("{op:?} {a} {b} {:?}", node.kind), node)
    }

    fn logical(&mut self, op: BinaryOperator, a: Term, b: Term) -> Term {
        // The operand that decides the result.
        let decides = op == BinaryOperator::LogicalOr;
        for (one, other) in [(a, b), (b, a)] {
            match self.terms.constant(one) {
                Some(Constant::Bool(value)) if value == decides => return one,
                Some(Constant::Bool(_)) => return other,
                _ => {}
            }
        }
        match a == b {
            true => a,
            false => self.terms.plain(&format!("{op:?}"), a.min(b), a.max(b)),
        }
    }

    /// Returns an operand or a constant that the operation is equal to.
    fn simplified(
        &mut self,
        handle: Handle<Expression>,
        op: BinaryOperator,
        kind: Option<ScalarKind>,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        use BinaryOperator as B;
        let of = |term| self.terms.constant(term);
        let (one, other) = (of(a), of(b));
        // The other operand is the result only if it has the type of the result: a scalar may be combined with a vector.
        let is_result =
            |term: Term| self.terms.node(term).range.is_some() == self.is_scalar(handle);
        if kind == Some(ScalarKind::Float) {
            let is_one = self.is_scalar(handle) && other == Some(Constant::Float(1.0));
            return (is_one && matches!(op, B::Multiply | B::Divide)).then_some(a);
        }
        if op == B::ShiftLeft || op == B::ShiftRight {
            return (other == Some(Constant::Int(0)) || one == Some(Constant::Int(0))).then_some(a);
        }
        let kind = kind.filter(|kind| matches!(kind, ScalarKind::Uint | ScalarKind::Sint))?;
        let zero = Some(Constant::Int(0));
        let unit = Some(Constant::Int(1));
        let neutral = match op {
            B::Add | B::InclusiveOr | B::ExclusiveOr => match (one == zero, other == zero) {
                (_, true) => Some(a),
                (true, _) => Some(b),
                _ => None,
            },
            B::Subtract => (other == zero).then_some(a),
            B::Multiply => match (one == unit, other == unit) {
                (_, true) => Some(a),
                (true, _) => Some(b),
                _ => None,
            },
            B::Divide => (other == unit).then_some(a),
            _ => None,
        };
        if let Some(neutral) = neutral.filter(|term| is_result(*term)) {
            return Some(neutral);
        }
        if !self.is_scalar(handle) {
            return None;
        }
        let (of_a, of_b) = (self.terms.range(a)?, self.terms.range(b)?);
        if let (Some(Constant::Int(x)), Some(Constant::Int(y))) = (one, other)
            && let Some(value) = folded(op, kind, x, y)
        {
            return Some(self.terms.int(kind, value));
        }
        let is_natural = of_a.0 >= 0 && of_b.0 >= 0;
        match op {
            B::Multiply | B::And if one == zero || other == zero => Some(self.terms.int(kind, 0)),
            B::And | B::InclusiveOr if a == b => Some(a),
            B::Subtract | B::ExclusiveOr if a == b => Some(self.terms.int(kind, 0)),
            // WGSL defines `x / 0` as `x`.
            B::Divide if one == zero => Some(a),
            B::Divide if is_natural && of_a.1 < of_b.0 => Some(self.terms.int(kind, 0)),
            B::Modulo if other == unit || one == zero => Some(self.terms.int(kind, 0)),
            B::Modulo if is_natural && of_a.1 < of_b.0 => Some(a),
            B::And if of_b.0 == of_b.1 && is_mask(of_b.0) && is_natural && of_a.1 <= of_b.0 => {
                Some(a)
            }
            _ => None,
        }
    }
}

/// Returns whether all lower bits of a number are set.
fn is_mask(value: i64) -> bool {
    value > 0 && value & (value + 1) == 0
}

/// Returns the result of an operation on constants.
fn folded(op: BinaryOperator, kind: ScalarKind, x: i64, y: i64) -> Option<i64> {
    use BinaryOperator as B;
    let wrapped = |value: i64| match kind {
        ScalarKind::Uint => i64::from(value as u32),
        _ => i64::from(value as i32),
    };
    Some(wrapped(match op {
        B::Add => x + y,
        B::Subtract => x - y,
        B::Multiply => x.checked_mul(y)?,
        B::And => x & y,
        B::InclusiveOr => x | y,
        B::ExclusiveOr => x ^ y,
        _ => return None,
    }))
}

/// Returns the range of the result of an operation on integers, if it does not wrap.
fn range(op: BinaryOperator, a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    use BinaryOperator as B;
    let is_natural = a.0 >= 0 && b.0 >= 0;
    match op {
        B::Add => Some((a.0 + b.0, a.1 + b.1)),
        B::Subtract => Some((a.0 - b.1, a.1 - b.0)),
        B::Multiply if is_natural => Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)),
        B::Divide if is_natural && b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        B::Modulo if is_natural && b.0 > 0 => Some((0, a.1.min(b.1 - 1))),
        B::And if is_natural => Some((0, a.1.min(b.1))),
        _ => None,
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
