//! Calls of WGSL's built-in functions, by their rows in the table.

use super::super::builtins::{self, Builtin, Class, Parameter, TextureParameter};
use super::super::tree::{ExprKind, Place, Scalar, Texture, Type};
use super::body::{Body, Node, error_node};
use super::calls::{Arguments, wrong_count};
use super::constants::not_constant;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::obligations::Obligation;
use super::operators::Shape;
use super::places::is_place;
use crate::prelude_types;
use syn::{Expr, ExprCall};

impl Body<'_, '_> {
    /// Lowers a call of a built-in function: the one of `candidates` with the right number of parameters.
    pub fn builtin(
        &mut self,
        candidates: &[&'static Builtin],
        name: &str,
        of: Option<Ty>,
        receiver: Option<Node>,
        arguments: &Arguments,
        extent: Place,
    ) -> syn::Result<Node> {
        let own = usize::from(receiver.is_some());
        let given = arguments.len() + own;
        let Some(builtin) =
            candidates.iter().copied().find(|builtin| builtin.parameters.len() == given)
        else {
            self.evaluate_all(arguments);
            let mut counts: Vec<usize> = candidates
                .iter()
                .map(|builtin| builtin.parameters.len().saturating_sub(own))
                .collect();
            counts.sort_unstable();
            counts.dedup();
            return refuse(extent, wrong_count(name, &counts, arguments.len()));
        };
        let t = of.unwrap_or_else(|| self.types.fresh(VariableKind::Any));
        let mut nodes = Vec::new();
        let mut parameters = builtin.parameters.iter();
        if let Some(receiver) = receiver
            && let Some(parameter) = parameters.next()
        {
            nodes.push(self.builtin_argument(receiver, *parameter, &t));
        }
        for (argument, parameter) in arguments.iter().zip(parameters) {
            let node = self.expr(argument);
            nodes.push(self.builtin_argument(node, *parameter, &t));
        }
        let ty = self.parameter_type(builtin.result, &t, extent);
        if builtin.class != Class::None {
            let obligation = Obligation::Class {
                name: builtin.name,
                class: builtin.class,
                ty: t,
                place: extent,
            };
            self.add_obligation(obligation);
        }
        let diverges = nodes.iter().any(|node| node.diverges);
        Ok(Node { kind: ExprKind::Builtin(builtin, nodes, None), ty, diverges, place: extent })
    }

    fn builtin_argument(&mut self, node: Node, parameter: Parameter, t: &Ty) -> Node {
        let found = self.types.resolve_shallow(&node.ty);
        if found == Ty::Error {
            return node;
        }
        match parameter {
            Parameter::AtomicPlace => {
                let (scalar, plain) = match (found.referent(), &found) {
                    (Ty::Plain(Type::Atomic(scalar)), _) => (Ty::from(*scalar), false),
                    (held, Ty::Reference(..)) => (held.clone(), true),
                    _ => {
                        let named = self.describe(&found);
                        self.report(
                            node.place,
                            format!(
                                "expected a reference to an atomic, found `{named}`: write `&mut …`"
                            ),
                        );
                        return error_node(node.place);
                    }
                };
                let node = Node { ty: found.referent().clone(), ..node };
                // WGSL allows atomics only in writable memory, even if they are only read.
                if plain && let Err(error) = self.writes(&node) {
                    self.items.errors.push(error);
                    return error_node(node.place);
                }
                self.types.unify(t, &scalar);
                node
            }
            Parameter::Place => {
                let Ty::Reference(_, to) = &found else {
                    self.report(node.place, "expected a reference: write `&…`");
                    return error_node(node.place);
                };
                let node = Node { ty: (**to).clone(), ..node };
                self.coerce(node, t)
            }
            Parameter::ArrayPlace => match found.referent() {
                Ty::Array(..) | Ty::Slice(_) if is_place(&node) => {
                    Node { ty: found.referent().clone(), ..node }
                }
                _ => {
                    let named = self.describe(&found);
                    self.report(node.place, format!("expected an array or slice, found `{named}`"));
                    error_node(node.place)
                }
            },
            other => {
                let node = match found {
                    // Methods auto-dereference, and glam's operators accept references.
                    Ty::Reference(_, _) => {
                        self.report(
                            node.place,
                            "expected a value, found a reference: write `*` before it",
                        );
                        error_node(node.place)
                    }
                    _ => node,
                };
                let expected = self.parameter_type(other, t, node.place);
                match (other, self.shape(&node.ty)) {
                    // A single scalar for all components is accepted too.
                    (Parameter::Each(scalar), shape) if shape.is_scalar() => {
                        self.coerce(node, &scalar.into())
                    }
                    (Parameter::Index, _) => self.integers(node, 1),
                    (Parameter::Constant(_), _) => {
                        let node = self.coerce(node, &expected);
                        self.require_constant(node)
                    }
                    _ => self.coerce(node, &expected),
                }
            }
        }
    }

    /// Returns the type of a parameter or result for a given `T`.
    fn parameter_type(&mut self, parameter: Parameter, t: &Ty, place: Place) -> Ty {
        if let Parameter::ArrayPlace | Parameter::Texture = parameter {
            return Ty::Error;
        }
        if let Some(ty) = self.part_of(parameter, t) {
            return ty;
        }
        let part = self.types.fresh(VariableKind::Any);
        self.add_obligation(Obligation::Part {
            parameter,
            t: t.clone(),
            part: part.clone(),
            place,
        });
        part
    }

    /// Checks that the type variable of a function is in its class. Returns whether this is decided.
    pub fn check_class(
        &mut self,
        name: &str,
        class: Class,
        ty: &Ty,
        place: Place,
        last: bool,
    ) -> bool {
        let shape = self.shape(ty);
        // A literal gets the type of the class if there is only one.
        let number = |scalar| class.admits(&Type::Scalar(scalar));
        let fits = match shape {
            Shape::Error => true,
            Shape::Unknown => {
                if last {
                    self.report(place, format!("type annotations needed for `{name}`"));
                }
                return last;
            }
            Shape::Float => number(Scalar::F32),
            Shape::Integer => number(Scalar::I32) || number(Scalar::U32),
            _ => match self.types.known(ty) {
                Some(known) => class.admits(&known),
                None if last => true,
                None => return false,
            },
        };
        if fits {
            return true;
        }
        let named = self.describe(ty);
        let float = class.scalars() == [Scalar::F32];
        let hint = match shape {
            Shape::Integer if float => ": write it with a decimal point, `1.0`",
            Shape::ScalarOrVector(from, None) if float && from.is_integer() => {
                ": convert it, `… as f32`"
            }
            Shape::ScalarOrVector(Scalar::I32 | Scalar::U32, Some(_)) if float => {
                ": convert it, `.as_vec3()`"
            }
            _ => "",
        };
        self.report(place, format!("`{name}` takes {}, not `{named}`{hint}", takes(class)));
        true
    }

    /// Lowers `texture_load(texture, …)` and similar calls.
    pub fn call_texture(&mut self, name: &str, call: &ExprCall) -> syn::Result<Node> {
        let mut arguments = call.args.iter();
        let Some(first) = arguments.next() else {
            return refuse(
                place(call),
                format!("the first argument of `{name}` must be a texture"),
            );
        };
        let texture = self.expr(first);
        let kind = match self.types.resolve_shallow(&texture.ty).referent() {
            Ty::Plain(Type::Texture(kind)) => kind.clone(),
            Ty::Error => {
                arguments.for_each(|argument| {
                    self.expr(argument);
                });
                return Ok(error_node(place(call)));
            }
            other => {
                let named = self.describe(other);
                return refuse(texture.place, format!("`{name}` takes a texture, not a `{named}`"));
            }
        };
        let arguments: Vec<&Expr> = arguments.collect();
        self.texture_builtin(name, texture, kind, &arguments, place(call))
    }

    /// Lowers `texture_load(texture, …)` or `texture.load(…)`.
    pub fn texture_builtin(
        &mut self,
        name: &str,
        texture: Node,
        kind: Texture,
        arguments: &[&Expr],
        place: Place,
    ) -> syn::Result<Node> {
        let texture = Node { ty: Ty::Plain(Type::Texture(kind.clone())), ..texture };
        let Some(found) = builtins::texture(name, &kind, arguments.len()) else {
            for argument in arguments {
                self.expr(argument);
            }
            let named = self.describe(&texture.ty);
            let other = (0..8).any(|count| builtins::texture(name, &kind, count).is_some());
            let why = match builtins::alternative(name, &kind) {
                _ if other => " with this number of arguments".to_owned(),
                Some(instead) => format!(": {instead}"),
                None => String::new(),
            };
            return refuse(place, format!("there is no `{name}` for a `{named}`{why}"));
        };
        let mut nodes = vec![texture];
        for (argument, ty) in arguments.iter().zip(&found.parameters) {
            let node = self.expr(argument);
            let node = match self.types.resolve_shallow(&node.ty) {
                Ty::Reference(_, to) if matches!(*to, Ty::Plain(Type::Sampler { .. })) => {
                    Node { ty: *to, ..node }
                }
                _ => node,
            };
            let node = match ty {
                TextureParameter::Type(ty) => self.coerce(node, &ty.into()),
                TextureParameter::Integers(size) => self.integers(node, *size),
                TextureParameter::Constant(ty) => {
                    let node = self.coerce(node, &ty.into());
                    self.require_constant(node)
                }
            };
            nodes.push(node);
        }
        let diverges = nodes.iter().any(|node| node.diverges);
        let kind = ExprKind::Builtin(found.builtin, nodes, None);
        Ok(Node { kind, ty: found.result.into(), diverges, place })
    }

    /// Checks for an `i32` or `u32`, or a vector of this size of either.
    fn integers(&mut self, node: Node, size: u8) -> Node {
        let fits = match self.shape(&node.ty) {
            Shape::Error => true,
            // A length can become either of two types; it gets the one that WGSL's functions take.
            Shape::Integer if self.types.open(&node.ty) == Some(VariableKind::Length) => false,
            Shape::Integer => size == 1,
            Shape::ScalarOrVector(Scalar::I32 | Scalar::U32, None) => size == 1,
            Shape::ScalarOrVector(Scalar::I32 | Scalar::U32, Some(given)) => size == given,
            _ => false,
        };
        if fits {
            return node;
        }
        let ty = if size > 1 { Type::Vector(size, Scalar::U32) } else { Type::Scalar(Scalar::U32) };
        self.coerce(node, &ty.into())
    }

    /// Rejects a value that is not a constant.
    fn require_constant(&mut self, node: Node) -> Node {
        if not_constant(&node).is_some_and(|part| part.ty != Ty::Error) {
            self.report(node.place, "this must be a literal or a constant");
            return error_node(node.place);
        }
        node
    }
}

fn takes(class: Class) -> String {
    match class {
        Class::None | Class::Any => "anything".to_owned(),
        Class::Float => "`f32` or vectors of it".to_owned(),
        Class::FloatVector => "vectors of `f32`".to_owned(),
        Class::Numeric => "numbers or vectors of them".to_owned(),
        Class::Signed => "signed numbers or vectors of them".to_owned(),
        Class::Integer => "integers or vectors of them".to_owned(),
        Class::Bool => "`bool` or vectors of it".to_owned(),
        Class::NumericVector => "vectors of numbers".to_owned(),
        Class::Value => "numbers, `bool` or vectors of them".to_owned(),
        Class::Atomic => "a `u32` or an `i32`".to_owned(),
        Class::Matrix => "square matrices".to_owned(),
        Class::Only(..) | Class::Matrices(_) => {
            let all: Vec<String> = class
                .types()
                .iter()
                .filter_map(prelude_types::plain_name)
                .map(|name| format!("`{name}`"))
                .collect();
            all.join(", ")
        }
    }
}
