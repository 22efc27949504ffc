//! Arguments of entry points.

use super::arithmetic::limits;
use super::form::Form;
use super::symbol::{Level, Symbols};
use super::value::Value;
use super::walk::Walk;
use naga::{Binding, BuiltIn, Handle, Type, TypeInner};

impl Walk<'_> {
    /// Returns the value of an argument of the entry point.
    pub fn built_in(&mut self, binding: Option<&Binding>, ty: Handle<Type>) -> Value {
        let module = &self.program.module;
        let three = |forms: [Option<Form>; 3]| {
            let parts: Option<Vec<Value>> =
                forms.into_iter().map(|form| form.map(Value::Int)).collect();
            parts.map(Value::Parts)
        };
        let natural = |form: &Form, symbols: &Symbols| symbols.range(form).1 <= limits(false).1;
        let ids = self.ids.clone();
        let known = match binding {
            Some(Binding::BuiltIn(built_in)) => match built_in {
                BuiltIn::LocalInvocationId => three(ids.local.map(Some)),
                BuiltIn::WorkGroupId => three(ids.workgroup.map(Some)),
                BuiltIn::NumWorkGroups => three(ids.workgroups.map(Some)),
                BuiltIn::WorkGroupSize => {
                    three(ids.size.map(|extent| Some(Form::constant(extent.into()))))
                }
                BuiltIn::GlobalInvocationId => three([0, 1, 2].map(|dimension| {
                    ids.global(dimension).filter(|form| natural(form, &self.symbols))
                })),
                BuiltIn::LocalInvocationIndex => ids.index().map(Value::Int),
                _ => None,
            },
            None => match &module.types[ty].inner {
                TypeInner::Struct { members, .. } => {
                    let parts = members.iter();
                    let parts =
                        parts.map(|member| self.built_in(member.binding.as_ref(), member.ty));
                    Some(Value::Parts(parts.collect()))
                }
                _ => None,
            },
            _ => None,
        };
        known.unwrap_or_else(|| self.unknown(&module.types[ty].inner, Level::Invocation))
    }
}
