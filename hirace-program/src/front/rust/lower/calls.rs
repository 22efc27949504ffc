//! Calls: of helpers, of WGSL's own functions, and of methods.

use super::super::builtins::{self, Builtin, Class, Parameter, TextureParameter};
use super::super::tree::{
    Arm, ExprKind, FunctionId, Literal, Pattern, Place, Scalar, Texture, Type,
};
use super::body::{Body, Node, wrong};
use super::constants::not_constant;
use super::errors::{at, place, refuse};
use super::expressions::closed;
use super::functions::Means;
use super::infer::{Kind, Ty};
use super::names::{did_you_mean, text};
use super::operators::{Obligation, Shape};
use super::places::{components, is_place};
use super::types;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, ExprMethodCall, Token};

type Arguments = Punctuated<Expr, Token![,]>;

impl Body<'_, '_> {
    /// `f(…)`, `T::f(…)`.
    pub fn call(&mut self, call: &ExprCall) -> syn::Result<Node> {
        let Expr::Path(path) = &*call.func else {
            return refuse(
                place(&call.func),
                "functions are no values in WGSL: call them by their names",
            );
        };
        let path = &path.path;
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        if let ["bitcast"] | [.., "prelude", "bitcast"] =
            names.iter().map(String::as_str).collect::<Vec<_>>()[..]
            && !self.items.functions.contains_key("bitcast")
        {
            return self.bitcast(path, call);
        }
        if let Some(given) = path.segments.iter().find(|segment| !segment.arguments.is_none()) {
            return refuse(
                place(&given.arguments),
                "no parameters are given here: types are inferred",
            );
        }
        match names.as_slice() {
            [name] => self.call_named(name, path, call),
            [.., of, name] if of == "self" || of == "prelude" => self.call_named(name, path, call),
            [first, .., of, name] if first != "glam" && first != "hirace" => {
                self.evaluate_all(&call.args);
                let of_type = types::plain(of).map(|_| format!("write `x.{name}(…)`"));
                refuse(place(path), of_type.unwrap_or_else(|| closed(&names)))
            }
            [.., of, name] => match self.type_of_path(of, path)? {
                Some(ty) => self.call_associated(&ty, name, path, call),
                None => {
                    self.evaluate_all(&call.args);
                    refuse(place(path), closed(&names))
                }
            },
            [] => refuse(place(path), "a name is missing"),
        }
    }

    fn call_named(&mut self, name: &str, path: &syn::Path, call: &ExprCall) -> syn::Result<Node> {
        if self.find(name).is_some() {
            return refuse(
                place(path),
                format!("`{name}` is a variable: functions are no values in WGSL"),
            );
        }
        if let Some(id) = self.items.functions.get(name).copied() {
            return self.call_helper(id, call);
        }
        let candidates = builtins::functions(name);
        let texture =
            candidates.iter().any(|builtin| builtin.parameters.contains(&Parameter::Texture));
        if texture {
            return self.call_texture(name, call);
        }
        if candidates.is_empty() {
            self.evaluate_all(&call.args);
            return refuse(place(path), self.unknown_function(name));
        }
        self.builtin(&candidates, name, None, None, &call.args, place(call))
    }

    /// Looks for errors in the arguments of a call that has one itself.
    fn evaluate_all(&mut self, arguments: &Arguments) {
        for argument in arguments {
            self.expr(argument);
        }
    }

    fn unknown_function(&self, name: &str) -> String {
        match name {
            "Some" | "None" => {
                return "WGSL has no `Option`: keep a flag beside the value".to_owned();
            }
            "Ok" | "Err" => {
                return "WGSL has no `Result`: return a flag beside the value".to_owned();
            }
            _ => {}
        }
        if self.items.types.contains_key(name) {
            return format!("write the members' names: `{name} {{ … }}`");
        }
        if types::plain(name).is_some() {
            return format!("write `{name}::new(…)`, or `… as {name}` for a number");
        }
        if let Some(why) = builtins::refused(name) {
            return format!("there is no `{name}` in kernels: {why}");
        }
        let own = did_you_mean(name, self.items.functions.keys().map(String::as_str));
        let meant = match builtins::similar(name) {
            Some(similar) if own.is_empty() => format!(" (did you mean `{similar}`?)"),
            _ => own,
        };
        let hint = if meant.is_empty() && self.items.alone {
            "; a function alone sees the prelude only: put it and its helpers into a `#[hirace::monitor] mod`"
        } else {
            ""
        };
        format!("unknown function `{name}`{meant}{hint}")
    }

    fn call_helper(&mut self, id: FunctionId, call: &ExprCall) -> syn::Result<Node> {
        let Some(signature) = self.items.signatures.get(id.0) else {
            return refuse(
                place(call),
                "a constant is computed of literals, other constants and WGSL's own functions",
            );
        };
        let name = signature.name.text.clone();
        if signature.kernel.is_some() {
            self.evaluate_all(&call.args);
            return refuse(
                place(call),
                format!(
                    "`{name}` is a kernel, which is only launched: move what both do into a helper"
                ),
            );
        }
        let parameters: Vec<Ty> = signature
            .parameters
            .iter()
            .map(|parameter| match parameter.means {
                Means::Passed(_) => parameter.ty.clone(),
                Means::Global(_) => Ty::Error,
            })
            .collect();
        let result = signature.result.clone();
        if parameters.len() != call.args.len() {
            self.evaluate_all(&call.args);
            return refuse(place(call), wrong_count(&name, &[parameters.len()], call.args.len()));
        }
        let arguments: Vec<Node> = call
            .args
            .iter()
            .zip(&parameters)
            .map(|(argument, ty)| self.argument(argument, ty))
            .collect();
        let diverges = arguments.iter().any(|argument| argument.diverges);
        Ok(Node { kind: ExprKind::Call(id, arguments), ty: result, diverges, place: place(call) })
    }

    /// An argument for a parameter of a type; for a reference, the place.
    fn argument(&mut self, argument: &Expr, expected: &Ty) -> Node {
        let node = self.expr(argument);
        let Ty::Reference(mutable, to) = expected else {
            return match self.types.shallow(&node.ty) {
                // What is wrong with it is said by what it is.
                Ty::Reference(..) => self.coerce(node, expected),
                _ => self.coerce(node, expected),
            };
        };
        let (given, found) = match self.types.shallow(&node.ty) {
            Ty::Reference(given, found) => (given, *found),
            _ => return self.coerce(node, expected),
        };
        if *mutable && !given && !matches!(found, Ty::Plain(Type::Atomic(_))) {
            self.fail(node.place, "this is only read: lend it with `&mut`");
            return wrong(node.place);
        }
        let fits = match (&**to, &found) {
            // An array is lent where one of any length is taken.
            (Ty::Plain(Type::Slice(element)), Ty::Array(found, _)) => {
                self.types.unify(&Ty::from(&**element), found)
            }
            (to, found) => self.types.unify(to, found),
        };
        if fits {
            return Node { ty: found, ..node };
        }
        self.coerce(node, expected)
    }

    fn call_associated(
        &mut self,
        ty: &Type,
        name: &str,
        path: &syn::Path,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        let found = builtins::associated(ty, name);
        let candidates: Vec<&'static Builtin> = match found {
            Some(builtin) => vec![builtin],
            None => builtins::methods(ty, name),
        };
        if candidates.is_empty() {
            if let ("from", Type::Scalar(_), [value]) =
                (name, ty, &call.args.iter().collect::<Vec<_>>()[..])
            {
                let value = self.value(value);
                return self.lossless(ty, value, call);
            }
            self.evaluate_all(&call.args);
            let named = self.describe(&ty.into());
            let instead = match (ty, name) {
                (Type::Atomic(_), "new") => {
                    ": atomics are in memory alone, as parameters `&Atomic<u32>`"
                }
                (Type::Struct(_), _) => ": WGSL has no methods; write a function of the module",
                (_, "default") => ": write the value",
                _ => "",
            };
            return refuse(place(path), format!("`{named}` has no function `{name}`{instead}"));
        }
        self.builtin(&candidates, name, Some(ty.into()), None, &call.args, place(call))
    }

    /// `u32::from(flag)`: what std converts without loss.
    fn lossless(&mut self, ty: &Type, value: Node, call: &ExprCall) -> syn::Result<Node> {
        self.settle();
        let to = Ty::from(ty);
        let fits = match (self.shape(&value.ty), self.shape(&to)) {
            (Shape::Error, _) => true,
            (Shape::Of(from, None), Shape::Of(to, None)) => from == to || from == Scalar::Bool,
            (Shape::Integer | Shape::Float, _) => self.types.unify(&value.ty, &to),
            _ => false,
        };
        let (from, named) = (self.describe(&value.ty), self.describe(&to));
        if !fits {
            return refuse(
                place(call),
                format!(
                    "`{named}` is not made of a `{from}` like this: convert it, `… as {named}`"
                ),
            );
        }
        let diverges = value.diverges;
        Ok(Node { kind: ExprKind::Convert(Box::new(value)), ty: to, diverges, place: place(call) })
    }

    /// `receiver.method(…)`.
    pub fn method_call(&mut self, call: &ExprMethodCall) -> syn::Result<Node> {
        if let Some(given) = &call.turbofish {
            return refuse(place(given), "no parameters are given here: types are inferred");
        }
        let receiver = self.expr(&call.receiver);
        let name = text(&call.method);
        let ty = self.seen(&receiver)?;
        if ty == Ty::Error {
            self.evaluate_all(&call.args);
            return Ok(wrong(place(call)));
        }
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match (&ty, name.as_str(), &arguments[..]) {
            (Ty::Array(_, count), "len", []) => return Ok(self.length(count, call)),
            (Ty::Plain(Type::Vector(size, scalar)), _, []) if is_swizzle(&name, *size) => {
                let all = components(&name, *size).unwrap_or_default();
                let ty = Ty::Plain(Type::Vector(all.len() as u8, *scalar));
                let diverges = receiver.diverges;
                let kind = ExprKind::Swizzle(Box::new(receiver), all);
                return Ok(Node { kind, ty, diverges, place: place(call) });
            }
            (Ty::Plain(Type::Matrix { rows, .. }), "col" | "col_mut", [index]) => {
                let index = self.value(index);
                let index = self.index_value(index);
                let column = Ty::Plain(Type::Vector(*rows, Scalar::F32));
                let diverges = receiver.diverges || index.diverges;
                let receiver = Node { ty: ty.clone(), ..receiver };
                if name == "col_mut" {
                    self.writes(&receiver)?;
                }
                let kind = ExprKind::Index(Box::new(receiver), Box::new(index));
                let ty = if name == "col" { column } else { Ty::Reference(true, Box::new(column)) };
                return Ok(Node { kind, ty, diverges, place: place(call) });
            }
            (Ty::Plain(Type::Atomic(scalar)), "plain", []) => {
                let ty = Ty::Reference(true, Box::new((*scalar).into()));
                let diverges = receiver.diverges;
                let receiver = Node { ty: Ty::Plain(Type::Atomic(*scalar)), ..receiver };
                let kind = ExprKind::Plain(Box::new(receiver));
                return Ok(Node { kind, ty, diverges, place: place(call) });
            }
            (Ty::Plain(Type::Exchange(_)), "is_ok" | "is_err", []) => {
                return Ok(exchanged(name == "is_ok", receiver, place(call)));
            }
            (Ty::Plain(Type::Texture(kind)), ..) => {
                let kind = kind.clone();
                return self.texture_builtin(&name, receiver, kind, &arguments, place(call));
            }
            (_, "clone", []) if !matches!(ty, Ty::Plain(Type::Atomic(_) | Type::Slice(_))) => {
                return Ok(Node { ty, place: place(call), ..receiver });
            }
            _ => {}
        }
        let candidates = match self.types.known(&ty) {
            Some(known) => builtins::methods(&known, &name),
            None => Vec::new(),
        };
        if candidates.is_empty() {
            self.evaluate_all(&call.args);
            return refuse(at(call.method.span()), self.unknown_method(&ty, &name));
        }
        let receiver = Node { ty, ..receiver };
        self.builtin(&candidates, &name, None, Some(receiver), &call.args, place(call))
    }

    fn unknown_method(&self, ty: &Ty, name: &str) -> String {
        let named = self.describe(ty);
        let instead = match name {
            "iter" | "iter_mut" | "into_iter" | "chunks" | "windows" | "map" | "fold" | "sum"
            | "zip" | "enumerate" | "for_each" | "filter" => {
                ": WGSL has no iterators; loop over a range, `for i in 0..x.len()`".to_owned()
            }
            "unwrap" | "expect" | "unwrap_or" | "ok" | "err" | "map_err" => {
                ": tell `Ok(old)` and `Err(old)` apart with `match`".to_owned()
            }
            "push" | "pop" | "insert" | "remove" | "extend_from_slice" => {
                ": WGSL allocates nothing; write to an index".to_owned()
            }
            "swap" if matches!(ty, Ty::Array(..) | Ty::Plain(Type::Slice(_))) => {
                ": write `let t = x[i]; x[i] = x[j]; x[j] = t;`".to_owned()
            }
            "fill" | "copy_from_slice" => ": loop over it".to_owned(),
            "get" | "get_mut" | "first" | "last" => ": write `x[i]`".to_owned(),
            "length" | "size" | "count" => ": write `x.len()`".to_owned(),
            "is_empty" => ": write `x.len() == 0`".to_owned(),
            "into" | "try_into" => ": convert it with `as`, or `T::from(x)`".to_owned(),
            "borrow" | "as_ref" | "as_mut" | "as_slice" | "to_vec" | "to_owned" => {
                ": references are only passed to functions, `&x`".to_owned()
            }
            _ if matches!(
                ty,
                Ty::Plain(
                    Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. } | Type::Texture(_)
                )
            ) && let Some(why) = builtins::refused(name) =>
            {
                format!(": {why}")
            }
            _ => match (ty, builtins::similar(name)) {
                (Ty::Plain(Type::Vector(size, _)), _) if components(name, 4).is_some() => {
                    format!(": it has {size} components")
                }
                (Ty::Plain(Type::Struct(_)), _) => {
                    ": WGSL has no methods; write a function of the module".to_owned()
                }
                (_, Some(similar)) if similar != name => format!(" (did you mean `{similar}`?)"),
                _ => String::new(),
            },
        };
        format!("`{named}` has no method `{name}`{instead}")
    }

    /// A call of a function of WGSL's own: of `candidates` the one with as many parameters.
    fn builtin(
        &mut self,
        candidates: &[&'static Builtin],
        name: &str,
        of: Option<Ty>,
        receiver: Option<Node>,
        arguments: &Arguments,
        whole: Place,
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
            return refuse(whole, wrong_count(name, &counts, arguments.len()));
        };
        let t = of.unwrap_or_else(|| self.types.fresh(Kind::Any));
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
        let ty = self.parameter_type(builtin.result, &t, whole);
        if builtin.class != Class::None {
            let obligation =
                Obligation::Class { name: builtin.name, class: builtin.class, ty: t, place: whole };
            self.oblige(obligation);
        }
        let diverges = nodes.iter().any(|node| node.diverges);
        Ok(Node { kind: ExprKind::Builtin(builtin, nodes), ty, diverges, place: whole })
    }

    fn builtin_argument(&mut self, node: Node, parameter: Parameter, t: &Ty) -> Node {
        let found = self.types.shallow(&node.ty);
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
                        self.fail(
                            node.place,
                            format!("an atomic is used in its place: lend it, `&mut …` (this is a `{named}`)"),
                        );
                        return wrong(node.place);
                    }
                };
                let node = Node { ty: found.referent().clone(), ..node };
                // WGSL has atomics, even if they are only read, in memory that can be written to.
                if plain && let Err(error) = self.writes(&node) {
                    self.items.errors.push(error);
                    return wrong(node.place);
                }
                self.types.unify(t, &scalar);
                node
            }
            Parameter::Place => {
                let Ty::Reference(_, to) = &found else {
                    self.fail(node.place, "this takes a place: lend it, `&…`");
                    return wrong(node.place);
                };
                let node = Node { ty: (**to).clone(), ..node };
                self.coerce(node, t)
            }
            Parameter::ArrayPlace => match found.referent() {
                Ty::Array(..) | Ty::Plain(Type::Slice(_)) if is_place(&node) => {
                    Node { ty: found.referent().clone(), ..node }
                }
                _ => {
                    let named = self.describe(&found);
                    self.fail(node.place, format!("this takes an array or slice, not a `{named}`"));
                    wrong(node.place)
                }
            },
            other => {
                let node = match found {
                    // Methods see through references, and so do glam's operators.
                    Ty::Reference(_, _) => {
                        self.fail(
                            node.place,
                            "this is a reference: write `*` before it, for its value",
                        );
                        wrong(node.place)
                    }
                    _ => node,
                };
                let expected = self.parameter_type(other, t, node.place);
                match (other, self.shape(&node.ty)) {
                    // One for all components does as well.
                    (Parameter::Each(scalar), shape) if shape.is_scalar() => {
                        self.coerce(node, &scalar.into())
                    }
                    (Parameter::Index, _) => self.whole(node, 1),
                    (Parameter::Constant(_), _) => {
                        let node = self.coerce(node, &expected);
                        self.known_while_compiling(node)
                    }
                    _ => self.coerce(node, &expected),
                }
            }
        }
    }

    /// The type of a parameter or result where `T` is `t`.
    fn parameter_type(&mut self, parameter: Parameter, t: &Ty, place: Place) -> Ty {
        if let Parameter::ArrayPlace | Parameter::Texture = parameter {
            return Ty::Error;
        }
        if let Some(ty) = self.part_of(parameter, t) {
            return ty;
        }
        let part = self.types.fresh(Kind::Any);
        self.oblige(Obligation::Part { parameter, whole: t.clone(), part: part.clone(), place });
        part
    }

    /// Whether it is decided that the type variable of a function is of its class.
    pub fn check_class(
        &mut self,
        name: &str,
        class: Class,
        ty: &Ty,
        place: Place,
        last: bool,
    ) -> bool {
        let shape = self.shape(ty);
        // A literal becomes what the class has, if that leaves no choice.
        let number = |scalar| class.admits(&Type::Scalar(scalar));
        let fits = match shape {
            Shape::Error => true,
            Shape::Unknown => {
                if last {
                    self.fail(place, format!("the types of `{name}` are not known: say them"));
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
            Shape::Integer if float => ": write it with a point, `1.0`",
            Shape::Of(Scalar::I32 | Scalar::U32, None) if float => ": convert it, `… as f32`",
            Shape::Of(Scalar::I32 | Scalar::U32, Some(_)) if float => ": convert it, `.as_vec3()`",
            _ => "",
        };
        self.fail(place, format!("`{name}` takes {}, not `{named}`{hint}", takes(class)));
        true
    }

    /// `texture_load(texture, …)` and the like.
    fn call_texture(&mut self, name: &str, call: &ExprCall) -> syn::Result<Node> {
        let mut arguments = call.args.iter();
        let Some(first) = arguments.next() else {
            return refuse(place(call), format!("`{name}` takes a texture first"));
        };
        let texture = self.expr(first);
        let kind = match self.types.shallow(&texture.ty).referent() {
            Ty::Plain(Type::Texture(kind)) => kind.clone(),
            Ty::Error => {
                arguments.for_each(|argument| {
                    self.expr(argument);
                });
                return Ok(wrong(place(call)));
            }
            other => {
                let named = self.describe(other);
                return refuse(texture.place, format!("`{name}` takes a texture, not a `{named}`"));
            }
        };
        let arguments: Vec<&Expr> = arguments.collect();
        self.texture_builtin(name, texture, kind, &arguments, place(call))
    }

    /// `texture_load(texture, …)`, or `texture.load(…)`.
    fn texture_builtin(
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
            let why = if other { " with so many arguments" } else { "" };
            return refuse(place, format!("there is no `{name}` of a `{named}`{why}"));
        };
        let mut nodes = vec![texture];
        for (argument, ty) in arguments.iter().zip(&found.parameters) {
            let node = self.expr(argument);
            let node = match self.types.shallow(&node.ty) {
                Ty::Reference(_, to) if matches!(*to, Ty::Plain(Type::Sampler { .. })) => {
                    Node { ty: *to, ..node }
                }
                _ => node,
            };
            let node = match ty {
                TextureParameter::Type(ty) => self.coerce(node, &ty.into()),
                TextureParameter::Whole(size) => self.whole(node, *size),
                TextureParameter::Constant(ty) => {
                    let node = self.coerce(node, &ty.into());
                    self.known_while_compiling(node)
                }
            };
            nodes.push(node);
        }
        let diverges = nodes.iter().any(|node| node.diverges);
        let kind = ExprKind::Builtin(found.builtin, nodes);
        Ok(Node { kind, ty: found.result.into(), diverges, place })
    }

    /// An `i32` or `u32`, or a vector of so many of one of them.
    fn whole(&mut self, node: Node, size: u8) -> Node {
        let fits = match self.shape(&node.ty) {
            Shape::Error => true,
            Shape::Integer => size == 1,
            Shape::Of(Scalar::I32 | Scalar::U32, None) => size == 1,
            Shape::Of(Scalar::I32 | Scalar::U32, Some(given)) => size == given,
            _ => false,
        };
        if fits {
            return node;
        }
        let ty = if size > 1 { Type::Vector(size, Scalar::U32) } else { Type::Scalar(Scalar::U32) };
        self.coerce(node, &ty.into())
    }

    /// Refuses what is known only while a kernel runs.
    fn known_while_compiling(&mut self, node: Node) -> Node {
        if not_constant(&node).is_some_and(|part| part.ty != Ty::Error) {
            self.fail(node.place, "this must be known while compiling: a literal or a constant");
            return wrong(node.place);
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
                .filter_map(types::plain_name)
                .map(|name| format!("`{name}`"))
                .collect();
            all.join(", ")
        }
    }
}

fn is_swizzle(name: &str, size: u8) -> bool {
    name.len() > 1 && components(name, size).is_some()
}

fn wrong_count(name: &str, counts: &[usize], given: usize) -> String {
    let wanted: Vec<String> = counts.iter().map(usize::to_string).collect();
    let wanted = wanted.join(" or ");
    let noun = if counts == [1] { "argument" } else { "arguments" };
    format!("`{name}` takes {wanted} {noun}, not {given}")
}

/// `receiver.is_ok()` of an exchange, or `.is_err()`.
fn exchanged(ok: bool, receiver: Node, place: Place) -> Node {
    let bool = |value| Node {
        kind: ExprKind::Literal(Literal::Bool(value)),
        ty: Ty::BOOL,
        diverges: false,
        place,
    };
    let arm = |pattern, value| Arm { pattern, guard: None, body: bool(value) };
    let arms =
        vec![arm(Pattern::Exchanged(ok, Box::new(Pattern::Any)), true), arm(Pattern::Any, false)];
    let diverges = receiver.diverges;
    Node { kind: ExprKind::Match(Box::new(receiver), arms), ty: Ty::BOOL, diverges, place }
}
