//! Constants: scalars are inlined, all others have a name.

use super::types::{Types, vector};
use super::{Result, unsupported};
use naga::{Constant, Expression, Handle, Literal, Module, ScalarKind, Type, TypeInner};
use std::cell::RefCell;
use std::collections::BTreeMap;

pub(super) struct Constants<'a> {
    module: &'a Module,
    /// The declarations, in the order of the constants: operands come first.
    declared: RefCell<BTreeMap<Handle<Constant>, String>>,
}

impl<'a> Constants<'a> {
    pub fn new(module: &'a Module) -> Self {
        Self { module, declared: RefCell::default() }
    }

    /// Returns the declarations of all named constants.
    pub fn declared(&self) -> String {
        self.declared.borrow().values().map(String::as_str).collect()
    }

    /// Returns the value of a constant.
    pub fn value(&self, constant: Handle<Constant>, types: &Types<'_>) -> Result<String> {
        let of = &self.module.constants[constant];
        if matches!(self.module.types[of.ty].inner, TypeInner::Scalar(_)) {
            return self.initial(of.init, of.ty, types);
        }
        let name = format!("k{}", constant.index());
        let initial = self.initial(of.init, of.ty, types)?;
        let text = format!("__constant {} {name} = {initial};\n", types.name(of.ty)?);
        self.declared.borrow_mut().insert(constant, text);
        Ok(name)
    }

    /// Returns the initializer of a variable of this type with the value `init`.
    pub fn initial(
        &self,
        init: Handle<Expression>,
        ty: Handle<Type>,
        types: &Types<'_>,
    ) -> Result<String> {
        let module = self.module;
        let components = match module.global_expressions[init] {
            Expression::Constant(constant) => {
                return self.initial(module.constants[constant].init, ty, types);
            }
            Expression::ZeroValue(_) => return types.zero(ty),
            Expression::Literal(literal) => return print_literal(literal),
            Expression::Compose { ref components, .. } => components.as_slice(),
            _ => &[],
        };
        match module.types[ty].inner {
            TypeInner::Vector { scalar, .. } => {
                let sign = if scalar.kind == ScalarKind::Bool { "-" } else { "" };
                let lanes: Vec<String> =
                    self.lanes(init)?.into_iter().map(|lane| format!("{sign}{lane}")).collect();
                Ok(format!("(({})({}))", types.name(ty)?, lanes.join(", ")))
            }
            TypeInner::Array { base, .. } if !components.is_empty() => {
                let all: Result<Vec<String>> =
                    components.iter().map(|&of| self.initial(of, base, types)).collect();
                Ok(format!("{{{{{}}}}}", all?.join(", ")))
            }
            TypeInner::Struct { ref members, .. } if members.len() == components.len() => {
                let mut all = Vec::new();
                for (index, (member, &of)) in members.iter().zip(components).enumerate() {
                    let value = match types.vec3_scalar(member.ty) {
                        Some(_) => format!("{{{}}}", self.lanes(of)?.join(", ")),
                        None => self.initial(of, member.ty, types)?,
                    };
                    all.push(format!(".m{index} = {value}"));
                }
                Ok(format!("{{{}}}", all.join(", ")))
            }
            TypeInner::Matrix { rows, scalar, .. } if !components.is_empty() => {
                let mut columns = Vec::new();
                for &column in components {
                    let lanes = self.lanes(column)?.join(", ");
                    columns.push(format!("(({})({lanes}))", vector(rows, scalar)?));
                }
                Ok(format!("{{{{{}}}}}", columns.join(", ")))
            }
            _ => unsupported("constants of this kind"),
        }
    }

    /// Returns the scalars of a scalar or a vector.
    fn lanes(&self, of: Handle<Expression>) -> Result<Vec<String>> {
        match self.module.global_expressions[of] {
            Expression::Literal(literal) => Ok(vec![print_literal(literal)?]),
            Expression::Constant(constant) => self.lanes(self.module.constants[constant].init),
            Expression::ZeroValue(ty) => Ok(match self.module.types[ty].inner {
                TypeInner::Vector { size, .. } => vec!["0".to_owned(); size as usize],
                _ => vec!["0".to_owned()],
            }),
            Expression::Splat { size, value } => {
                Ok(vec![self.lanes(value)?.join(", "); size as usize])
            }
            Expression::Compose { ref components, .. } => {
                let lanes: Result<Vec<Vec<String>>> =
                    components.iter().map(|&component| self.lanes(component)).collect();
                Ok(lanes?.concat())
            }
            _ => unsupported("constants of this kind"),
        }
    }
}

/// Prints a literal.
pub(super) fn print_literal(literal: Literal) -> Result<String> {
    Ok(match literal {
        Literal::I32(value) if value == i32::MIN => "(-2147483647 - 1)".to_owned(),
        Literal::I32(value) => format!("({value})"),
        Literal::U32(value) => format!("{value}u"),
        Literal::F32(value) => format!("({value:?}f)"),
        Literal::Bool(value) => u8::from(value).to_string(),
        _ => return unsupported("literals of this kind"),
    })
}
