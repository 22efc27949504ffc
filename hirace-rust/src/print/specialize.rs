//! Specialization of helpers for the memory that they are called with.
//!
//! WGSL has no pointers to buffers or workgroup memory as parameters, and no textures in variables. A helper with a
//! reference parameter is therefore printed once for each place that it is called with. The path from the buffer to
//! the place becomes part of the helper. The indices on the path become parameters of the helper and are evaluated
//! once, at the call. References to variables of a function stay pointers. Shared references to them become values,
//! because nothing can write through them.

use super::Selection;
use super::body::error;
use crate::lower::out_of_bounds;
use crate::tree::{
    ConstId, Count, Expr, ExprKind, Function, FunctionId, GlobalId, Literal, Local, LocalId,
    Module, Name, Parameter, PassMode, Place, Type,
};
use crate::walk;
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns the module of the selected kernels and everything they call, in which references refer only to variables of
/// functions.
pub(super) fn specialize(module: &Module, selection: &Selection) -> syn::Result<Module> {
    let mut pass = Specialize {
        module,
        made: FxHashMap::default(),
        in_progress: FxHashSet::default(),
        functions: Vec::new(),
        errors: Vec::new(),
    };
    for (index, function) in module.functions.iter().enumerate() {
        let Some(entry) = &function.entry else { continue };
        let selected = match selection {
            Selection::All => !entry.is_separate(),
            Selection::Instance(id, _) => id.0 == index,
        };
        if selected {
            let mut function = function.clone();
            pass.body(&mut function, &Substitutions::default());
            pass.functions.push(function);
        }
    }
    let errors = pass.errors.into_iter().reduce(|mut all, error| {
        all.combine(error);
        all
    });
    match errors {
        Some(errors) => Err(errors),
        None => Ok(Module { functions: pass.functions, ..module.clone() }),
    }
}

/// The argument that a parameter of a helper is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ParameterBinding {
    /// A const parameter with this value.
    Known(ConstValue),
    /// A parameter passed by value.
    Value,
    /// A shared reference to a variable or a value of this type. It is passed by value.
    Copy(Type),
    /// A mutable reference to a variable of a function. It stays a pointer to this type.
    Pointer(Type),
    /// A place in a global.
    Global(GlobalId, Type, Vec<(Step, Type)>),
}

/// The value of a const parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ConstValue {
    Int(i128),
    Bool(bool),
    /// The value of a constant: an override, or a const parameter of the kernel.
    Const(ConstId),
}

/// A step to a part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    Member(usize),
    Components(Vec<u8>),
    Plain,
    /// An element with a constant index.
    Constant(i128, Type),
    /// An element whose index is a parameter of this type.
    Index(Type),
}

impl ConstValue {
    /// Returns what a const argument is bound to. `lower` has reduced it to a literal or a constant.
    fn of(argument: &Expr) -> Option<ParameterBinding> {
        let known = match argument.kind {
            ExprKind::Literal(Literal::Int(value)) => Self::Int(value),
            ExprKind::Literal(Literal::Bool(value)) => Self::Bool(value),
            ExprKind::Const(id) => Self::Const(id),
            _ => return None,
        };
        Some(ParameterBinding::Known(known))
    }

    fn kind(self) -> ExprKind {
        match self {
            Self::Int(value) => ExprKind::Literal(Literal::Int(value)),
            Self::Bool(value) => ExprKind::Literal(Literal::Bool(value)),
            Self::Const(id) => ExprKind::Const(id),
        }
    }
}

struct Specialize<'a> {
    module: &'a Module,
    made: FxHashMap<(FunctionId, Vec<ParameterBinding>), FunctionId>,
    in_progress: FxHashSet<(FunctionId, Vec<ParameterBinding>)>,
    functions: Vec<Function>,
    errors: Vec<syn::Error>,
}

/// The replacements for removed parameters.
#[derive(Default)]
struct Substitutions {
    locals: FxHashMap<LocalId, Expr>,
    constants: FxHashMap<ConstId, ConstValue>,
}

impl Substitutions {
    /// Inserts known array lengths into a type.
    fn fill(&self, ty: &mut Type) {
        match ty {
            Type::Array(element, count) => {
                self.fill(element);
                if let Count::Const(id) = count {
                    match self.constants.get(id) {
                        Some(ConstValue::Int(length)) => *count = Count::Literal(*length as u32),
                        Some(ConstValue::Const(other)) => *count = Count::Const(*other),
                        Some(ConstValue::Bool(_)) | None => {}
                    }
                }
            }
            Type::Slice(element) => self.fill(element),
            Type::Tuple(parts) | Type::Enum(_, parts) => {
                parts.iter_mut().for_each(|part| self.fill(part));
            }
            _ => {}
        }
    }
}

impl Specialize<'_> {
    fn body(&mut self, function: &mut Function, replaced: &Substitutions) {
        walk::block_children_mut(&mut function.body, &mut |expr| self.expr(expr, replaced));
    }

    fn expr(&mut self, expr: &mut Expr, replaced: &Substitutions) {
        walk::children_mut(expr, &mut |child| self.expr(child, replaced));
        replaced.fill(&mut expr.ty);
        match &mut expr.kind {
            ExprKind::Const(id) => {
                if let Some(value) = replaced.constants.get(id) {
                    expr.kind = value.kind();
                }
            }
            ExprKind::Local(id) => {
                if let Some(stands_for) = replaced.locals.get(id) {
                    let at = expr.place;
                    *expr = stands_for.clone();
                    move_to(expr, at);
                }
            }
            ExprKind::Call(callee, arguments) => {
                let at = expr.place;
                let (callee, given) = (*callee, std::mem::take(arguments));
                expr.kind = self.call(callee, given, at);
            }
            // Lengths and indices that were const parameters are known here.
            ExprKind::Index(base, index) => {
                let message = out_of_bounds(self.module, &base.ty, index);
                self.errors.extend(message.map(|message| error(index.place, &message)));
            }
            _ => {}
        }
    }

    fn call(&mut self, callee: FunctionId, given: Vec<Expr>, at: Place) -> ExprKind {
        let Some(target) = self.module.functions.get(callee.0) else {
            return ExprKind::Call(callee, given);
        };
        let mut arguments = Vec::new();
        let mut given = given.into_iter();
        let constants = given.by_ref().take(target.constants.len());
        let mut bindings: Vec<ParameterBinding> =
            constants.filter_map(|value| ConstValue::of(&value)).collect();
        for (parameter, argument) in target.parameters.iter().zip(given) {
            let bound = match parameter.passed {
                PassMode::Value | PassMode::BuiltIn(_) => ParameterBinding::Value,
                PassMode::Shared | PassMode::Mutable => {
                    if let Some((global, ty, steps, indices)) = root(&argument) {
                        arguments.extend(indices);
                        bindings.push(ParameterBinding::Global(global, ty, steps));
                        continue;
                    }
                    match parameter.passed {
                        PassMode::Mutable => ParameterBinding::Pointer(argument.ty.clone()),
                        _ => ParameterBinding::Copy(argument.ty.clone()),
                    }
                }
            };
            bindings.push(bound);
            arguments.push(argument);
        }
        match self.helper(callee, bindings, at) {
            Some(made) => ExprKind::Call(made, arguments),
            None => ExprKind::Construct(Vec::new()),
        }
    }

    /// Returns the specialization of `callee` for `bindings`.
    fn helper(
        &mut self,
        callee: FunctionId,
        bindings: Vec<ParameterBinding>,
        at: Place,
    ) -> Option<FunctionId> {
        let key = (callee, bindings);
        if let Some(made) = self.made.get(&key) {
            return Some(*made);
        }
        if !self.in_progress.insert(key.clone()) {
            let message = "WGSL has no recursion: write a loop";
            self.errors.push(error(at, message));
            return None;
        }
        let mut function = self.module.functions.get(callee.0)?.clone();
        let mut replaced = Substitutions::default();
        let mut parameters = Vec::new();
        for (id, bound) in function.constants.iter().zip(&key.1) {
            if let ParameterBinding::Known(value) = bound {
                replaced.constants.insert(*id, *value);
            }
        }
        function.locals.iter_mut().for_each(|local| replaced.fill(&mut local.ty));
        replaced.fill(&mut function.result);
        let bounds = key.1.iter().skip(function.constants.len());
        for (parameter, bound) in function.parameters.iter().zip(bounds) {
            let local = parameter.local;
            let mut passed = |passed, ty: Option<&Type>| {
                if let (Some(ty), Some(local)) = (ty, function.locals.get_mut(local.0)) {
                    local.ty = ty.clone();
                }
                parameters.push(Parameter { local, passed });
            };
            match bound {
                ParameterBinding::Known(_) | ParameterBinding::Value => {
                    passed(parameter.passed, None)
                }
                ParameterBinding::Copy(ty) | ParameterBinding::Pointer(ty) => {
                    let copy = matches!(bound, ParameterBinding::Copy(_));
                    passed(if copy { PassMode::Value } else { PassMode::Mutable }, Some(ty));
                    // An array is passed for a slice parameter: its uses know the length.
                    if let Some(of) = function.locals.get(local.0) {
                        let same = of_kind(ExprKind::Local(local), ty, of.name.place);
                        replaced.locals.insert(local, same);
                    }
                }
                ParameterBinding::Global(global, ty, steps) => {
                    let Some(of) = function.locals.get(local.0) else { continue };
                    let name = of.name.clone();
                    let mut at = of_kind(ExprKind::Global(*global), ty, name.place);
                    for (step, ty) in steps {
                        let index = match step {
                            Step::Index(ty) => Some(index(&mut function.locals, &name, ty)),
                            _ => None,
                        };
                        let passed = PassMode::Value;
                        parameters.extend(index.map(|local| Parameter { local, passed }));
                        at = into(at, step, index, ty, name.place);
                    }
                    replaced.locals.insert(local, at);
                }
            }
        }
        function.parameters = parameters;
        self.body(&mut function, &replaced);
        self.functions.push(function);
        let made = FunctionId(self.functions.len() - 1);
        self.in_progress.remove(&key);
        self.made.insert(key, made);
        Some(made)
    }
}

/// Declares a local for an index on the path to the place that `parameter` refers to.
fn index(locals: &mut Vec<Local>, parameter: &Name, ty: &Type) -> LocalId {
    let name = Name { text: format!("{}_index", parameter.text), place: parameter.place };
    locals.push(Local { name, ty: ty.clone(), mutable: false });
    LocalId(locals.len() - 1)
}

fn of_kind(kind: ExprKind, ty: &Type, place: Place) -> Expr {
    Expr { kind, ty: ty.clone(), diverges: false, place }
}

/// Returns the part of `base` that a step selects.
fn into(base: Expr, step: &Step, index: Option<LocalId>, ty: &Type, place: Place) -> Expr {
    let base = Box::new(base);
    let kind = match step {
        Step::Member(member) => ExprKind::Member(base, *member),
        Step::Components(components) => ExprKind::Swizzle(base, components.clone()),
        Step::Plain => ExprKind::Plain(base),
        Step::Constant(value, of) => {
            let literal = ExprKind::Literal(Literal::Int(*value));
            ExprKind::Index(base, Box::new(of_kind(literal, of, place)))
        }
        Step::Index(of) => {
            let local = index.map_or(ExprKind::Construct(Vec::new()), ExprKind::Local);
            ExprKind::Index(base, Box::new(of_kind(local, of, place)))
        }
    };
    of_kind(kind, ty, place)
}

/// Gives a copied place the source location of the parameter that it replaces.
fn move_to(expr: &mut Expr, place: Place) {
    expr.place = place;
    walk::children_mut(expr, &mut |child| move_to(child, place));
}

type Rooted = (GlobalId, Type, Vec<(Step, Type)>, Vec<Expr>);

/// Returns the global that contains a place, its type, the steps to the place, and the indices on the path.
fn root(expr: &Expr) -> Option<Rooted> {
    let (base, step, index) = match &expr.kind {
        ExprKind::Global(id) => return Some((*id, expr.ty.clone(), Vec::new(), Vec::new())),
        ExprKind::Member(base, member) => (base, Step::Member(*member), None),
        ExprKind::Swizzle(base, components) => (base, Step::Components(components.clone()), None),
        ExprKind::Plain(base) => (base, Step::Plain, None),
        ExprKind::Index(base, index) => match index.kind {
            ExprKind::Literal(Literal::Int(value)) => {
                (base, Step::Constant(value, index.ty.clone()), None)
            }
            _ => (base, Step::Index(index.ty.clone()), Some((**index).clone())),
        },
        _ => return None,
    };
    let (global, ty, mut steps, mut indices) = root(base)?;
    steps.push((step, expr.ty.clone()));
    indices.extend(index);
    Some((global, ty, steps, indices))
}
