//! Copies one module into another, so that a pass can add functions written in WGSL.

use super::operands;
use naga::{
    ArraySize, Block, Constant, Expression, Function, GlobalVariable, Handle, Module, Override,
    Statement, Type, TypeInner,
};

/// The new handles of the items of a grafted module, each by its index in the module it came from.
#[derive(Debug, Default)]
pub struct GraftedHandles {
    types: Vec<Option<Handle<Type>>>,
    constants: Vec<Option<Handle<Constant>>>,
    overrides: Vec<Option<Handle<Override>>>,
    expressions: Vec<Option<Handle<Expression>>>,
    globals: Vec<Handle<GlobalVariable>>,
    functions: Vec<Handle<Function>>,
}

impl GraftedHandles {
    /// Returns the new handle of the function named `name` of `from`.
    pub fn function(&self, from: &Module, name: &str) -> Option<Handle<Function>> {
        let mut named = from.functions.iter();
        let (handle, _) = named.find(|(_, function)| function.name.as_deref() == Some(name))?;
        Some(self.functions[handle.index()])
    }

    /// Returns the new handle of the override named `name` of `from`.
    pub fn value(&self, from: &Module, name: &str) -> Option<Handle<Override>> {
        let mut named = from.overrides.iter();
        let (handle, _) = named.find(|(_, value)| value.name.as_deref() == Some(name))?;
        self.overrides[handle.index()]
    }
}

/// Appends everything in `from` except its entry points to `into`. Names may then occur twice; naga's writers make them unique.
pub fn graft(into: &mut Module, from: &Module) -> GraftedHandles {
    let mut graft = Graft {
        into,
        from,
        at: GraftedHandles {
            types: vec![None; from.types.len()],
            constants: vec![None; from.constants.len()],
            overrides: vec![None; from.overrides.len()],
            expressions: vec![None; from.global_expressions.len()],
            ..GraftedHandles::default()
        },
    };
    for (ty, _) in from.types.iter() {
        graft.ty(ty);
    }
    for (constant, _) in from.constants.iter() {
        graft.constant(constant);
    }
    for (value, _) in from.overrides.iter() {
        graft.value(value);
    }
    for (handle, global) in from.global_variables.iter() {
        graft.global(global, from.global_variables.get_span(handle));
    }
    for (handle, function) in from.functions.iter() {
        graft.function(function, from.functions.get_span(handle));
    }
    for (kind, &ty) in &from.special_types.predeclared_types {
        let ty = graft.ty(ty);
        graft.into.special_types.predeclared_types.insert(kind.clone(), ty);
    }
    graft.at
}

struct Graft<'a> {
    into: &'a mut Module,
    from: &'a Module,
    at: GraftedHandles,
}

impl Graft<'_> {
    fn ty(&mut self, handle: Handle<Type>) -> Handle<Type> {
        if let Some(known) = self.at.types[handle.index()] {
            return known;
        }
        let mut ty = self.from.types[handle].clone();
        match &mut ty.inner {
            TypeInner::Pointer { base, .. } => *base = self.ty(*base),
            TypeInner::Array { base, size, .. } | TypeInner::BindingArray { base, size } => {
                *base = self.ty(*base);
                if let ArraySize::Pending(length) = size {
                    *length = self.value(*length);
                }
            }
            TypeInner::Struct { members, .. } => {
                for member in members {
                    member.ty = self.ty(member.ty);
                }
            }
            _ => {}
        }
        let new = self.into.types.insert(ty, self.from.types.get_span(handle));
        *self.at.types[handle.index()].insert(new)
    }

    fn constant(&mut self, handle: Handle<Constant>) -> Handle<Constant> {
        if let Some(known) = self.at.constants[handle.index()] {
            return known;
        }
        let mut constant = self.from.constants[handle].clone();
        constant.ty = self.ty(constant.ty);
        constant.init = self.global_expression(constant.init);
        let new = self.into.constants.append(constant, self.from.constants.get_span(handle));
        *self.at.constants[handle.index()].insert(new)
    }

    fn value(&mut self, handle: Handle<Override>) -> Handle<Override> {
        if let Some(known) = self.at.overrides[handle.index()] {
            return known;
        }
        let mut value = self.from.overrides[handle].clone();
        value.ty = self.ty(value.ty);
        value.init = value.init.map(|init| self.global_expression(init));
        let new = self.into.overrides.append(value, self.from.overrides.get_span(handle));
        *self.at.overrides[handle.index()].insert(new)
    }

    fn global_expression(&mut self, handle: Handle<Expression>) -> Handle<Expression> {
        if let Some(known) = self.at.expressions[handle.index()] {
            return known;
        }
        let mut expression = self.from.global_expressions[handle].clone();
        operands::of_expression(&mut expression, &mut |operand| {
            *operand = self.global_expression(*operand);
        });
        self.leaves(&mut expression);
        let span = self.from.global_expressions.get_span(handle);
        let new = self.into.global_expressions.append(expression, span);
        *self.at.expressions[handle.index()].insert(new)
    }

    fn global(&mut self, global: &GlobalVariable, span: naga::Span) {
        let mut global = global.clone();
        global.ty = self.ty(global.ty);
        global.init = global.init.map(|init| self.global_expression(init));
        self.at.globals.push(self.into.global_variables.append(global, span));
    }

    /// Copies a function. Its expressions keep their handles because they are copied in order.
    fn function(&mut self, function: &Function, span: naga::Span) {
        let mut function = function.clone();
        for argument in &mut function.arguments {
            argument.ty = self.ty(argument.ty);
        }
        if let Some(result) = &mut function.result {
            result.ty = self.ty(result.ty);
        }
        for (_, variable) in function.local_variables.iter_mut() {
            variable.ty = self.ty(variable.ty);
        }
        for (_, expression) in function.expressions.iter_mut() {
            self.leaves(expression);
        }
        self.calls(&mut function.body);
        function.diagnostic_filter_leaf = None;
        self.at.functions.push(self.into.functions.append(function, span));
    }

    fn calls(&self, block: &mut Block) {
        for statement in block.iter_mut() {
            if let Statement::Call { function, .. } = statement {
                *function = self.at.functions[function.index()];
            }
            for inner in operands::children(statement) {
                self.calls(inner);
            }
        }
    }

    /// Remaps what an expression refers to other than its operands.
    fn leaves(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Constant(constant) => *constant = self.constant(*constant),
            Expression::Override(value) => *value = self.value(*value),
            Expression::ZeroValue(ty)
            | Expression::Compose { ty, .. }
            | Expression::AtomicResult { ty, .. }
            | Expression::WorkGroupUniformLoadResult { ty }
            | Expression::SubgroupOperationResult { ty } => *ty = self.ty(*ty),
            Expression::GlobalVariable(global) => *global = self.at.globals[global.index()],
            Expression::CallResult(function) => *function = self.at.functions[function.index()],
            _ => {}
        }
    }
}
