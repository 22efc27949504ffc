//! Functions written in WGSL that a pass adds to a module, and the built-in values that they need.

use crate::ir::graft::{self, GraftedHandles};
use crate::ir::rebuild::FunctionBuilder;
use crate::ir::spans;
use naga::{
    Binding, BuiltIn, Expression, Function, FunctionArgument, Handle, Module, Override, Scalar,
    Span, Statement, Type, TypeInner, UniqueArena, VectorSize,
};

/// The runtime of a pass: the handles that rewritten code refers to.
pub struct Runtime {
    module: Module,
    grafted: GraftedHandles,
    prefix: String,
    /// `u32`.
    pub u32: Handle<Type>,
    /// `vec3<u32>`.
    pub vec3: Handle<Type>,
}

impl Runtime {
    /// Adds the runtime `text`, whose names begin with `prefix`, to `into`.
    pub fn graft(into: &mut Module, text: &str, prefix: &str) -> Result<Self, String> {
        let mut module = naga::front::wgsl::parse_str(text)
            .map_err(|error| error.emit_to_string_with_path(text, "runtime.wgsl"))?;
        spans::forget_spans(&mut module);
        let grafted = graft::graft(into, &module);
        let [u32, vec3] = [
            TypeInner::Scalar(Scalar::U32),
            TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 },
        ]
        .map(|inner| into.types.insert(Type { name: None, inner }, Span::UNDEFINED));
        Ok(Self { module, grafted, prefix: prefix.to_owned(), u32, vec3 })
    }

    /// Returns the prefix of the runtime's names.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns a name with the prefix.
    pub fn name(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// Returns the function with this name, given without the prefix.
    pub fn function(&self, name: &str) -> Option<Handle<Function>> {
        self.grafted.function(&self.module, &self.name(name))
    }

    /// Returns the override with this name, given with the prefix.
    pub fn value(&self, name: &str) -> Option<Handle<Override>> {
        self.grafted.value(&self.module, name)
    }

    /// Calls the function with this name, given without the prefix, if the runtime has it.
    pub fn call(
        &self,
        into: &mut FunctionBuilder<'_>,
        name: &str,
        arguments: Vec<Handle<Expression>>,
        span: Span,
    ) {
        if let Some(function) = self.function(name) {
            into.push(Statement::Call { function, arguments, result: None }, span);
        }
    }

    /// Returns the value of `builtin` in an entry point with these types: its existing argument, because a built-in value may be
    /// bound only once, or a new one.
    pub fn builtin(
        &self,
        into: &mut FunctionBuilder<'_>,
        types: &UniqueArena<Type>,
        builtin: BuiltIn,
    ) -> Handle<Expression> {
        let is = |binding: &Option<Binding>| *binding == Some(Binding::BuiltIn(builtin));
        let mut found = None;
        for (index, argument) in into.function.arguments.iter().enumerate() {
            if is(&argument.binding) {
                found = Some((index as u32, None));
            } else if argument.binding.is_none()
                && let TypeInner::Struct { members, .. } = &types[argument.ty].inner
                && let Some(member) = members.iter().position(|member| is(&member.binding))
            {
                found = Some((index as u32, Some(member as u32)));
            }
        }
        let (index, member) = found.unwrap_or_else(|| {
            let (name, ty) = match builtin {
                BuiltIn::WorkGroupId => ("workgroup_id", self.vec3),
                BuiltIn::NumWorkGroups => ("num_workgroups", self.vec3),
                BuiltIn::LocalInvocationId => ("local_invocation_id", self.vec3),
                _ => ("local_invocation_index", self.u32),
            };
            let binding = Some(Binding::BuiltIn(builtin));
            let argument = FunctionArgument { name: Some(self.name(name)), ty, binding };
            into.function.arguments.push(argument);
            (into.function.arguments.len() as u32 - 1, None)
        });
        let argument = into.declare(Expression::FunctionArgument(index), Span::UNDEFINED);
        match member {
            None => argument,
            Some(index) => {
                into.emit(Expression::AccessIndex { base: argument, index }, Span::UNDEFINED)
            }
        }
    }
}
