//! Values of local and private variables, and loads.

use super::Rule;
use super::symbol::Level;
use super::value::{MAX_PARTS, Value, Variable};
use super::walk::Walk;
use crate::ir::walk;
use naga::{AddressSpace, Expression, Handle};

impl Walk<'_> {
    /// Returns the value of a load.
    pub fn load(&mut self, expression: Handle<Expression>, pointer: Handle<Expression>) -> Value {
        if let Value::Pointer(variable, path) = self.value(pointer) {
            let held = self.state.variables.get(&variable);
            let level = held.map_or(Level::Invocation, |value| value.level(&self.symbols));
            let part = path.as_ref().zip(held).and_then(|(path, value)| value.at(path));
            if let Some(part) = part {
                return part.clone();
            }
            let level = if path.is_some() { level } else { Level::Invocation };
            return self.unknown_of(expression, level);
        }
        let function = self.frame().function;
        match walk::root_global(function, pointer) {
            Some(global) if self.is_constant(global) => match self.constant_offset(pointer) {
                Some(offset) => {
                    let inner = self.inner(self.frame().id, expression).clone();
                    self.constant_at(global, &inner, offset, &mut MAX_PARTS.clone())
                }
                None => {
                    let level = self.level_of_indices(pointer);
                    self.unknown_of(expression, level)
                }
            },
            Some(_) if !self.rules.keep(Rule::Loads) => {
                self.unknown_of(expression, Level::Dispatch)
            }
            _ => self.unknown_of(expression, Level::Invocation),
        }
    }

    /// Stores a value through a pointer to a local or private variable.
    pub fn store(&mut self, pointer: Handle<Expression>, value: Value) {
        let Some(variable) = self.variable(pointer) else { return };
        let path = match self.value(pointer) {
            Value::Pointer(_, path) => path,
            _ => None,
        };
        let place =
            path.as_ref().and_then(|path| self.state.variables.get_mut(&variable)?.at_mut(path));
        if let Some(place) = place {
            *place = value;
        } else {
            let level = Level::Invocation;
            let unknown = match path {
                Some(path) if path.is_empty() => value,
                // The store may change any part of the variable, so all parts are unknown from now on.
                _ => Value::Other(self.opaque(level)),
            };
            self.state.variables.insert(variable, unknown);
        }
    }

    /// Sets the initial values of the function's local variables.
    pub fn initialize_locals(&mut self) {
        let (number, function) = (self.frame().number, self.frame().function);
        for (local, variable) in function.local_variables.iter() {
            let value = match variable.init {
                Some(init) => self.value(init),
                None => self.zero(variable.ty),
            };
            self.state.variables.insert(Variable::Local(number, local), value);
        }
    }

    /// Sets the initial values of private variables.
    pub fn initialize_privates(&mut self) {
        let module = &self.program.module;
        for (global, variable) in module.global_variables.iter() {
            if variable.space == AddressSpace::Private {
                let value = match variable.init {
                    Some(init) => self.constant(init, 0),
                    None => self.zero(variable.ty),
                };
                self.state.variables.insert(Variable::Private(global), value);
            }
        }
    }
}
