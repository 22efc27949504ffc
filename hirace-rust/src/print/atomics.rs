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
    if !pass.touched.is_empty() {
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
    let errors = pass.errors.into_iter().reduce(|mut all, error| {
        all.combine(error);
        all
    });
    errors.map_or(Ok(()), Err)
}

/// A step to a part of a value; all elements of an array are one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Member(usize),
    Element,
}

/// How the enclosing expression uses an expression.
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
    touched: Vec<(GlobalId, Vec<Step>, Place)>,
    /// The types of values that are not scalars.
    values: Vec<Type>,
    /// The new types of the globals that contain them.
    types: FxHashMap<GlobalId, Type>,
    errors: Vec<syn::Error>,
}

impl Retype {
    /// Records the places in `expr` that are accessed atomically, and the types used as values.
    fn find(&mut self, expr: &Expr, module: &Module) {
        walk::children(expr, &mut |child| self.find(child, module));
        if !matches!(expr.kind, ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Plain(_)) {
            walk::children(expr, &mut |child| {
                if matches!(child.ty, Type::Struct(_) | Type::Array(..)) {
                    self.values.push(child.ty.clone());
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
            let shared = |id: &GlobalId| {
                let space = module.globals.get(id.0).map(|global| global.space);
                matches!(space, Some(Space::StorageReadWrite(_) | Space::Workgroup))
            };
            match path(argument) {
                Some((id, steps)) if shared(&id) => {
                    self.touched.push((id, steps, argument.place));
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
        let mut own = FxHashSet::default();
        for (id, steps, place) in std::mem::take(&mut self.touched) {
            let Some(ty) = module.globals.get(id.0).map(|global| global.ty.clone()) else {
                continue;
            };
            match atomic(module, &ty, &steps, id, &mut own, &self.values) {
                Some(ty) => {
                    module.globals[id.0].ty = ty.clone();
                    self.types.insert(id, ty);
                }
                None => {
                    let message = "this cannot be accessed atomically: only `u32` and `i32`, also in arrays and \
                                   structs, can";
                    self.errors.push(error(place, message));
                }
            }
        }
    }

    /// Returns the WGSL type of a place of which a part has become atomic.
    fn changed(&self, place: &Expr, module: &Module) -> Option<Type> {
        let (id, steps) = path(place)?;
        let ty = of_part(module, self.types.get(&id)?, &steps)?;
        holds(module, &ty, &|ty| matches!(ty, Type::Atomic(_))).then_some(ty)
    }

    fn rewrite(
        &mut self,
        expr: &mut Expr,
        role: Role,
        module: &Module,
        copies: &mut CopyBuilder<'_>,
    ) {
        let changed = self.changed(expr, module);
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
                if self.changed(place, module).is_some_and(|ty| !matches!(ty, Type::Atomic(_))) =>
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
        let Some(ty) = changed else { return };
        let plain = std::mem::replace(&mut expr.ty, ty);
        match role {
            Role::Base | Role::Reference => {}
            Role::Value if matches!(expr.ty, Type::Atomic(_)) => {
                let (place, diverges) = (expr.place, expr.diverges);
                let nothing = ExprKind::Construct(Vec::new());
                let kind = std::mem::replace(&mut expr.kind, nothing);
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

/// Returns the type of a part.
fn of_part(module: &Module, ty: &Type, steps: &[Step]) -> Option<Type> {
    let Some((step, rest)) = steps.split_first() else { return Some(ty.clone()) };
    match (ty, step) {
        (Type::Array(of, _) | Type::Slice(of), Step::Element) => of_part(module, of, rest),
        (Type::Struct(id), Step::Member(member)) => {
            let member = module.structs.get(id.0)?.members.get(*member)?;
            of_part(module, &member.ty, rest)
        }
        _ => None,
    }
}

/// Returns whether a type is or contains a type that satisfies `wanted`.
fn holds(module: &Module, ty: &Type, wanted: &dyn Fn(&Type) -> bool) -> bool {
    wanted(ty)
        || match ty {
            Type::Array(of, _) | Type::Slice(of) => holds(module, of, wanted),
            Type::Tuple(parts) => parts.iter().any(|part| holds(module, part, wanted)),
            Type::Struct(id) => module.structs.get(id.0).is_some_and(|declared| {
                declared.members.iter().any(|member| holds(module, &member.ty, wanted))
            }),
            _ => false,
        }
}

/// Returns whether anything other than this global contains this struct.
fn is_used_elsewhere(module: &Module, id: StructId, global: GlobalId, values: &[Type]) -> bool {
    let others = module.globals.iter().enumerate().filter(|(index, _)| *index != global.0);
    let of_functions = module.functions.iter().flat_map(|function| {
        function.locals.iter().map(|local| &local.ty).chain([&function.result])
    });
    let mut types = others
        .map(|(_, other)| &other.ty)
        .chain(module.consts.iter().map(|constant| &constant.ty))
        .chain(of_functions)
        .chain(values);
    types.any(|ty| holds(module, ty, &|ty| *ty == Type::Struct(id)))
}

/// Makes the part of a type at the given steps atomic. A struct that is also used elsewhere is copied for each global
/// in which it changes.
fn atomic(
    module: &mut Module,
    ty: &Type,
    steps: &[Step],
    of_global: GlobalId,
    own: &mut FxHashSet<(GlobalId, StructId)>,
    values: &[Type],
) -> Option<Type> {
    let Some((step, rest)) = steps.split_first() else {
        return match ty {
            Type::Scalar(scalar) => Some(Type::Atomic(*scalar)),
            Type::Atomic(_) => Some(ty.clone()),
            _ => None,
        };
    };
    match (ty, step) {
        (Type::Array(of, count), Step::Element) => {
            let of = atomic(module, of, rest, of_global, own, values)?;
            Some(Type::Array(Box::new(of), count.clone()))
        }
        (Type::Slice(of), Step::Element) => {
            Some(Type::Slice(Box::new(atomic(module, of, rest, of_global, own, values)?)))
        }
        (Type::Struct(id), Step::Member(member)) => {
            let mut declared = module.structs.get(id.0)?.clone();
            let part = declared.members.get_mut(*member)?;
            part.ty = atomic(module, &part.ty.clone(), rest, of_global, own, values)?;
            if own.contains(&(of_global, *id)) || !is_used_elsewhere(module, *id, of_global, values)
            {
                module.structs[id.0] = declared;
                return Some(ty.clone());
            }
            module.structs.push(declared);
            let copy = StructId(module.structs.len() - 1);
            own.insert((of_global, copy));
            Some(Type::Struct(copy))
        }
        _ => None,
    }
}
