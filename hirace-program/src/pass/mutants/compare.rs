//! Compares two modules of almost the same text, and their expressions without operands.

use super::expressions::{is_result, operands as operands_of};
use crate::ir::operands;

use crate::ir::walk::FunctionId;
use naga::{
    Binding, Constant, Expression, Function, FunctionArgument, Handle, Literal, Module, Type,
    TypeInner, UniqueArena,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The module of a program and that of a mutant with the same variables and functions.
#[derive(Clone, Copy)]
pub struct Modules<'a> {
    /// The module of the program.
    pub module: &'a Module,
    /// The module of the mutant.
    pub other: &'a Module,
}

impl<'a> Modules<'a> {
    /// Returns both, if they have the same variables, and functions with the same names.
    pub fn of(module: &'a Module, other: &'a Module) -> Option<Self> {
        let both = Self { module, other };
        let globals = module.global_variables.iter().zip(other.global_variables.iter());
        let same = |((_, a), (_, b)): (
            (_, &naga::GlobalVariable),
            (Handle<naga::GlobalVariable>, &naga::GlobalVariable),
        )| {
            (&a.name, a.space, a.binding) == (&b.name, b.space, b.binding)
                && a.memory_decorations == b.memory_decorations
                && both.same_type(a.ty, b.ty)
                && match (a.init, b.init) {
                    (None, None) => true,
                    (Some(a), Some(b)) => both.same_global_expression(a, b),
                    _ => false,
                }
        };
        let names =
            |module: &'a Module| module.functions.iter().map(|(_, function)| &function.name);
        let entries = |module: &'a Module| module.entry_points.iter().map(|entry| &entry.name);
        let is_same = module.global_variables.len() == other.global_variables.len()
            && globals.into_iter().all(same)
            && names(module).eq(names(other))
            && entries(module).eq(entries(other));
        is_same.then_some(both)
    }

    /// Returns `Some` if the function has the same signature in both modules.
    pub fn same_signature(&self, id: FunctionId) -> Option<()> {
        let (a, b) = (id.get(self.module), id.get(self.other));
        let same_arguments = a.arguments.len() == b.arguments.len()
            && a.arguments.iter().zip(&b.arguments).all(|(a, b)| self.same_type(a.ty, b.ty));
        let same_result = match (&a.result, &b.result) {
            (None, None) => true,
            (Some(a), Some(b)) => self.same_type(a.ty, b.ty),
            _ => false,
        };
        let same_size = match id {
            FunctionId::Helper(_) => true,
            FunctionId::Entry(index) => {
                self.module.entry_points[index].workgroup_size
                    == self.other.entry_points[index].workgroup_size
            }
        };
        (same_arguments && same_result && same_size).then_some(())
    }

    /// Returns whether two arguments have the same type and binding.
    pub fn same_argument(&self, a: &FunctionArgument, b: &FunctionArgument) -> bool {
        self.same_type(a.ty, b.ty) && a.binding == b.binding
    }

    /// Returns whether two types are the same.
    pub fn same_type(&self, a: Handle<Type>, b: Handle<Type>) -> bool {
        let (a, b) = (&self.module.types[a], &self.other.types[b]);
        a.name == b.name && self.same_inner(&a.inner, &b.inner)
    }

    /// Returns whether two types are the same, except for their names.
    pub fn same_inner(&self, a: &TypeInner, b: &TypeInner) -> bool {
        match (a, b) {
            (
                TypeInner::Pointer { base: a, space: in_a },
                TypeInner::Pointer { base: b, space: in_b },
            ) => in_a == in_b && self.same_type(*a, *b),
            (
                TypeInner::Array { base: a, size: size_a, stride: stride_a },
                TypeInner::Array { base: b, size: size_b, stride: stride_b },
            ) => (size_a, stride_a) == (size_b, stride_b) && self.same_type(*a, *b),
            (
                TypeInner::BindingArray { base: a, size: size_a },
                TypeInner::BindingArray { base: b, size: size_b },
            ) => size_a == size_b && self.same_type(*a, *b),
            (
                TypeInner::Struct { members: of_a, span: a },
                TypeInner::Struct { members: of_b, span: b },
            ) => {
                a == b
                    && of_a.len() == of_b.len()
                    && of_a.iter().zip(of_b).all(|(a, b)| {
                        (&a.name, &a.binding, a.offset) == (&b.name, &b.binding, b.offset)
                            && self.same_type(a.ty, b.ty)
                    })
            }
            (a, b) => a == b,
        }
    }

    /// Returns whether two constants are the same.
    pub fn same_constant(&self, a: Handle<Constant>, b: Handle<Constant>) -> bool {
        let (a, b) = (&self.module.constants[a], &self.other.constants[b]);
        a.name == b.name
            && self.same_type(a.ty, b.ty)
            && self.same_global_expression(a.init, b.init)
    }

    /// Returns the constant of the program that equals one of the mutant.
    pub fn constant(&self, other: Handle<Constant>) -> Option<Handle<Constant>> {
        let mut all = self.module.constants.iter().map(|(handle, _)| handle);
        all.find(|known| self.same_constant(*known, other))
    }

    /// Returns the literal that a constant of the mutant is initialized with, if it is one.
    pub fn literal(&self, other: Handle<Constant>) -> Option<Literal> {
        match self.other.global_expressions[self.other.constants[other].init] {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// Returns whether two constant expressions are the same.
    fn same_global_expression(&self, a: Handle<Expression>, b: Handle<Expression>) -> bool {
        let (a, b) = (&self.module.global_expressions[a], &self.other.global_expressions[b]);
        let (of_a, of_b) = (operands_of(a), operands_of(b));
        same_but_operands(self, a, b)
            && of_a.len() == of_b.len()
            && of_a.iter().zip(&of_b).all(|(a, b)| self.same_global_expression(*a, *b))
    }

    /// Adds the types of the mutant to `into`, which has those of the program. Returns the new handles.
    pub fn copy_types(&self, into: &mut Module) -> FxHashMap<Handle<Type>, Handle<Type>> {
        let mut copied = FxHashMap::default();
        for (handle, _) in self.other.types.iter() {
            copy_type(handle, &self.other.types, &mut into.types, &mut copied);
        }
        copied
    }

    /// Returns the index of the argument of the program's function that is bound to `binding`.
    pub fn argument(&self, id: FunctionId, binding: &Option<Binding>) -> Option<u32> {
        let arguments = &id.get(self.module).arguments;
        let at = arguments.iter().position(|known| known.binding == *binding);
        at.filter(|_| binding.is_some()).map(|at| at as u32)
    }
}

fn copy_type(
    handle: Handle<Type>,
    from: &UniqueArena<Type>,
    into: &mut UniqueArena<Type>,
    copied: &mut FxHashMap<Handle<Type>, Handle<Type>>,
) -> Handle<Type> {
    if let Some(&known) = copied.get(&handle) {
        return known;
    }
    let mut ty = from[handle].clone();
    match &mut ty.inner {
        TypeInner::Pointer { base, .. }
        | TypeInner::Array { base, .. }
        | TypeInner::BindingArray { base, .. } => *base = copy_type(*base, from, into, copied),
        TypeInner::Struct { members, .. } => {
            for member in members {
                member.ty = copy_type(member.ty, from, into, copied);
            }
        }
        _ => {}
    }
    let new = into.insert(ty, naga::Span::UNDEFINED);
    copied.insert(handle, new);
    new
}

/// Returns whether two expressions of a function are the same operations on the same variables and arguments. The values of the
/// variables may have changed in between.
pub fn has_same_structure(
    module: &Module,
    function: &Function,
    a: Handle<Expression>,
    b: Handle<Expression>,
) -> bool {
    let modules = Modules { module, other: module };
    let (mut open, mut seen) = (vec![(a, b)], FxHashSet::default());
    while let Some((a, b)) = open.pop() {
        if a == b || !seen.insert((a, b)) {
            continue;
        }
        let [one, other] = [a, b].map(|of| &function.expressions[of]);
        let (of_one, of_other) = (operands_of(one), operands_of(other));
        // Each call has a result of its own.
        let is_same = !is_result(one)
            && of_one.len() == of_other.len()
            && same_but_operands(&modules, one, other);
        if !is_same {
            return false;
        }
        open.extend(of_one.into_iter().zip(of_other));
    }
    true
}

/// Returns whether two expressions are the same, provided that their operands are. Function arguments are compared elsewhere.
pub fn same_but_operands(modules: &Modules<'_>, a: &Expression, b: &Expression) -> bool {
    use Expression as E;
    match (a, b) {
        (E::Literal(a), E::Literal(b)) => a == b,
        (E::Constant(a), E::Constant(b)) => modules.same_constant(*a, *b),
        (E::ZeroValue(a), E::ZeroValue(b)) => modules.same_type(*a, *b),
        (E::Compose { ty: a, components: of_a }, E::Compose { ty: b, components: of_b }) => {
            of_a.len() == of_b.len() && modules.same_type(*a, *b)
        }
        (E::Access { .. }, E::Access { .. })
        | (E::Load { .. }, E::Load { .. })
        | (E::Select { .. }, E::Select { .. })
        | (E::ArrayLength(_), E::ArrayLength(_)) => true,
        (E::AccessIndex { index: a, .. }, E::AccessIndex { index: b, .. }) => a == b,
        (E::Splat { size: a, .. }, E::Splat { size: b, .. }) => a == b,
        (E::Swizzle { size: a, pattern: in_a, .. }, E::Swizzle { size: b, pattern: in_b, .. }) => {
            a == b && in_a == in_b
        }
        (E::FunctionArgument(a), E::FunctionArgument(b)) => a == b,
        (E::GlobalVariable(a), E::GlobalVariable(b)) => a.index() == b.index(),
        (E::LocalVariable(a), E::LocalVariable(b)) => a.index() == b.index(),
        (E::CallResult(a), E::CallResult(b)) => a.index() == b.index(),
        (E::Unary { op: a, .. }, E::Unary { op: b, .. }) => a == b,
        (E::Binary { op: a, .. }, E::Binary { op: b, .. }) => a == b,
        (E::Relational { fun: a, .. }, E::Relational { fun: b, .. }) => a == b,
        (E::Math { fun: a, .. }, E::Math { fun: b, .. }) => a == b,
        (E::As { kind: a, convert: to_a, .. }, E::As { kind: b, convert: to_b, .. }) => {
            (a, to_a) == (b, to_b)
        }
        (
            E::AtomicResult { ty: a, comparison: in_a },
            E::AtomicResult { ty: b, comparison: in_b },
        ) => in_a == in_b && modules.same_type(*a, *b),
        (E::WorkGroupUniformLoadResult { ty: a }, E::WorkGroupUniformLoadResult { ty: b })
        | (E::SubgroupOperationResult { ty: a }, E::SubgroupOperationResult { ty: b }) => {
            modules.same_type(*a, *b)
        }
        _ => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
                && shown_expression(a) == shown_expression(b)
        }
    }
}

/// Returns the debug text of an expression with its operands made equal.
fn shown_expression(expression: &Expression) -> String {
    let mut copy = expression.clone();
    let mut first = None;
    operands::of_expression(&mut copy, &mut |operand| *operand = *first.get_or_insert(*operand));
    // The handle itself is not significant.
    let text = format!("{copy:?}");
    match first {
        Some(first) => text.replace(&format!("{first:?}"), "_"),
        None => text,
    }
}
