//! Memory that is plain in Rust but also accessed by atomic functions.
//!
//! WGSL requires an atomic type for such memory. Every place that `atomic_add(&mut counts[i], 1)` or a similar
//! function accesses becomes atomic in the module. All other reads and writes of it become `atomicLoad` and
//! `atomicStore`; the source map marks them as plain, so they are checked as plain accesses, as in Rust.

use super::body::error;
use crate::builtins::Parameter;
use crate::copies::CopyBuilder;
use crate::tree::{Expr, ExprKind, GlobalId, Module, Place, Space, StructId, Type};
use crate::walk;
use rustc_hash::{FxHashMap, FxHashSet};

/// Changes the types of memory that atomic functions access to WGSL's atomic types.
pub(super) fn retype(module: &mut Module) -> syn::Result<()> {
    let mut pass = Retype::default();
    for function in &module.functions {
        walk::block_children(&function.body, &mut |expr| pass.find(expr, module));
    }
    if !pass.atomic_accesses.is_empty() {
        pass.retype(module);
        let mut functions = std::mem::take(&mut module.functions);
        for function in &mut functions {
            let mut copies = CopyBuilder::new(module, &mut function.locals, &function.body);
            walk::block_children_mut(&mut function.body, &mut |expr| {
                pass.rewrite(expr, Role::Value, module, &mut copies);
            });
        }
        module.functions = functions;
    }
    let errors = pass.errors.into_iter().reduce(|mut combined, error| {
        combined.combine(error);
        combined
    });
    errors.map_or(Ok(()), Err)
}

/// A step to a part of a value; all elements of an array are one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Member(usize),
    Element,
}

/// The use of an expression by the enclosing expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Its value is read, or it is assigned to. If it is larger than one atomic, it is only read.
    Value,
    /// A part of it is selected.
    Base,
    /// A reference to it is passed to an atomic function.
    Reference,
}

#[derive(Default)]
struct Retype {
    /// Scalars that are accessed atomically and are plain in Rust.
    atomic_accesses: Vec<(GlobalId, Vec<Step>, Place)>,
    /// The types of the structs and arrays that are used as values.
    value_types: Vec<Type>,
    /// The new types of the globals that contain them.
    new_types: FxHashMap<GlobalId, Type>,
    errors: Vec<syn::Error>,
}

impl Retype {
    /// Records the places in `expr` that are accessed atomically, and the types used as values.
    fn find(&mut self, expr: &Expr, module: &Module) {
        walk::children(expr, &mut |child| self.find(child, module));
        if !matches!(expr.kind, ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Plain(_)) {
            walk::children(expr, &mut |child| {
                if matches!(child.ty, Type::Struct(_) | Type::Array(..)) {
                    self.value_types.push(child.ty.clone());
                }
            });
        }
        let ExprKind::Builtin(builtin, arguments, _) = &expr.kind else { return };
        for (parameter, argument) in builtin.parameters.iter().zip(arguments) {
            if *parameter != Parameter::AtomicPlace
                || !matches!(argument.ty, Type::Scalar(_))
                || matches!(argument.kind, ExprKind::Plain(_))
            {
                continue;
            }
            let is_shared = |id: &GlobalId| {
                let space = module.globals.get(id.0).map(|global| global.space);
                matches!(space, Some(Space::StorageReadWrite(_) | Space::Workgroup))
            };
            match path(argument) {
                Some((id, steps)) if is_shared(&id) => {
                    self.atomic_accesses.push((id, steps, argument.place));
                }
                _ => self.errors.push(error(
                    argument.place,
                    "only storage and workgroup memory can be accessed atomically, and components of a vector cannot",
                )),
            }
        }
    }

    /// Changes the types of the globals.
    fn retype(&mut self, module: &mut Module) {
        let mut copied = FxHashSet::default();
        for (id, steps, place) in std::mem::take(&mut self.atomic_accesses) {
            let Some(ty) = module.globals.get(id.0).map(|global| global.ty.clone()) else {
                continue;
            };
            match make_atomic(module, &ty, &steps, id, &mut copied, &self.value_types) {
                Some(ty) => {
                    module.globals[id.0].ty = ty.clone();
                    self.new_types.insert(id, ty);
                }
                None => {
                    let message = "this cannot be accessed atomically: only `u32` and `i32`, also in arrays and \
                                   structs, can";
                    self.errors.push(error(place, message));
                }
            }
        }
    }

    /// Returns the new type of a place if the place or a part of it has become atomic.
    fn changed_type(&self, place: &Expr, module: &Module) -> Option<Type> {
        let (id, steps) = path(place)?;
        let ty = type_of_part(module, self.new_types.get(&id)?, &steps)?;
        contains_type(module, &ty, &|ty| matches!(ty, Type::Atomic(_))).then_some(ty)
    }

    /// Rewrites the accesses in `expr` to memory that has become atomic. `role` is the use of `expr` by the enclosing
    /// expression.
    fn rewrite(
        &mut self,
        expr: &mut Expr,
        role: Role,
        module: &Module,
        copies: &mut CopyBuilder<'_>,
    ) {
        let changed_type = self.changed_type(expr, module);
        match &mut expr.kind {
            ExprKind::Index(base, index) => {
                self.rewrite(base, Role::Base, module, copies);
                self.rewrite(index, Role::Value, module, copies);
            }
            ExprKind::Member(base, _) | ExprKind::Swizzle(base, _) => {
                self.rewrite(base, Role::Base, module, copies);
            }
            ExprKind::Plain(base) => self.rewrite(base, Role::Reference, module, copies),
            ExprKind::Assign(place, value)
                if self
                    .changed_type(place, module)
                    .is_some_and(|ty| !matches!(ty, Type::Atomic(_))) =>
            {
                self.rewrite(value, Role::Value, module, copies);
                self.rewrite(place, Role::Base, module, copies);
                let (place, value) = ((**place).clone(), (**value).clone());
                expr.kind = copies.write(place, value);
            }
            ExprKind::Builtin(builtin, arguments, _) => {
                for (index, argument) in arguments.iter_mut().enumerate() {
                    let role = match builtin.parameters.get(index) {
                        Some(Parameter::AtomicPlace | Parameter::Place) => Role::Reference,
                        Some(Parameter::ArrayPlace) => Role::Base,
                        _ => Role::Value,
                    };
                    self.rewrite(argument, role, module, copies);
                }
            }
            _ => walk::children_mut(expr, &mut |child| {
                self.rewrite(child, Role::Value, module, copies);
            }),
        }
        let Some(ty) = changed_type else { return };
        let plain = std::mem::replace(&mut expr.ty, ty);
        match role {
            Role::Base | Role::Reference => {}
            Role::Value if matches!(expr.ty, Type::Atomic(_)) => {
                let (place, diverges) = (expr.place, expr.diverges);
                let placeholder = ExprKind::Construct(Vec::new());
                let kind = std::mem::replace(&mut expr.kind, placeholder);
                let atomic = Expr { kind, ty: expr.ty.clone(), diverges, place };
                *expr =
                    Expr { kind: ExprKind::Plain(Box::new(atomic)), ty: plain, diverges, place };
            }
            Role::Value => *expr = copies.read(expr.clone(), plain),
        }
    }
}

/// Returns the global that contains a place, and the steps from the global to it.
fn path(expr: &Expr) -> Option<(GlobalId, Vec<Step>)> {
    let (base, step) = match &expr.kind {
        ExprKind::Global(id) => return Some((*id, Vec::new())),
        ExprKind::Member(base, member) => (base, Step::Member(*member)),
        ExprKind::Index(base, _) => (base, Step::Element),
        _ => return None,
    };
    let (id, mut steps) = path(base)?;
    steps.push(step);
    Some((id, steps))
}

/// Returns the type of the part of `ty` at the given steps.
fn type_of_part(module: &Module, ty: &Type, steps: &[Step]) -> Option<Type> {
    let Some((step, rest)) = steps.split_first() else { return Some(ty.clone()) };
    match (ty, step) {
        (Type::Array(element, _) | Type::Slice(element), Step::Element) => {
            type_of_part(module, element, rest)
        }
        (Type::Struct(id), Step::Member(member)) => {
            let member = module.structs.get(id.0)?.members.get(*member)?;
            type_of_part(module, &member.ty, rest)
        }
        _ => None,
    }
}

/// Returns whether a type is or contains a type that satisfies `predicate`.
fn contains_type(module: &Module, ty: &Type, predicate: &dyn Fn(&Type) -> bool) -> bool {
    predicate(ty)
        || match ty {
            Type::Array(element, _) | Type::Slice(element) => {
                contains_type(module, element, predicate)
            }
            Type::Tuple(parts) => parts.iter().any(|part| contains_type(module, part, predicate)),
            Type::Struct(id) => module.structs.get(id.0).is_some_and(|declared| {
                declared.members.iter().any(|member| contains_type(module, &member.ty, predicate))
            }),
            _ => false,
        }
}

/// Returns whether anything other than this global contains this struct.
fn is_used_elsewhere(
    module: &Module,
    id: StructId,
    global: GlobalId,
    value_types: &[Type],
) -> bool {
    let others = module.globals.iter().enumerate().filter(|(index, _)| *index != global.0);
    let function_types = module.functions.iter().flat_map(|function| {
        function.locals.iter().map(|local| &local.ty).chain([&function.result])
    });
    let mut types = others
        .map(|(_, other)| &other.ty)
        .chain(module.consts.iter().map(|constant| &constant.ty))
        .chain(function_types)
        .chain(value_types);
    types.any(|ty| contains_type(module, ty, &|ty| *ty == Type::Struct(id)))
}

/// Makes the part of a type at the given steps atomic. A struct that is also used elsewhere is copied for each global
/// in which it changes.
fn make_atomic(
    module: &mut Module,
    ty: &Type,
    steps: &[Step],
    global: GlobalId,
    copied_structs: &mut FxHashSet<(GlobalId, StructId)>,
    value_types: &[Type],
) -> Option<Type> {
    let Some((step, rest)) = steps.split_first() else {
        return match ty {
            Type::Scalar(scalar) => Some(Type::Atomic(*scalar)),
            Type::Atomic(_) => Some(ty.clone()),
            _ => None,
        };
    };
    match (ty, step) {
        (Type::Array(element, count), Step::Element) => {
            let element = make_atomic(module, element, rest, global, copied_structs, value_types)?;
            Some(Type::Array(Box::new(element), count.clone()))
        }
        (Type::Slice(element), Step::Element) => Some(Type::Slice(Box::new(make_atomic(
            module,
            element,
            rest,
            global,
            copied_structs,
            value_types,
        )?))),
        (Type::Struct(id), Step::Member(member)) => {
            let mut declared = module.structs.get(id.0)?.clone();
            let part = declared.members.get_mut(*member)?;
            part.ty =
                make_atomic(module, &part.ty.clone(), rest, global, copied_structs, value_types)?;
            if copied_structs.contains(&(global, *id))
                || !is_used_elsewhere(module, *id, global, value_types)
            {
                module.structs[id.0] = declared;
                return Some(ty.clone());
            }
            module.structs.push(declared);
            let copy = StructId(module.structs.len() - 1);
            copied_structs.insert((global, copy));
            Some(Type::Struct(copy))
        }
        _ => None,
    }
}
