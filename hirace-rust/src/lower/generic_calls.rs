//! Calls of functions with type parameters. An instance of the function is created when all types are inferred.

use super::super::tree::{Count, EnumKind, ExprKind, Place};
use super::body::{Body, Node};
use super::callables::{CallableId, Types, anonymous, generic_arguments, lent};
use super::calls::check_argument_count;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::names::text;
use super::slices::is_part;
use syn::{AngleBracketedGenericArguments, FnArg, GenericArgument, GenericParam};

/// The meaning of names while types are inferred: type parameters, `Self` and const parameters.
pub type OpenNames = Vec<(String, Ty)>;

/// A call whose function is not known yet.
pub enum Pending {
    /// A call of a function with type parameters.
    Call(CallableId, OpenNames),
    /// `x.into()`, with the source type and the target type.
    Conversion(Ty, Ty),
    /// `Default::default()` for a type.
    Default(Ty),
}

/// Returns the enum and the arguments of a path `Option<T>` or `Result<T, E>`.
fn standard_enum(path: &syn::Path) -> Option<(EnumKind, Vec<&syn::Type>)> {
    let segment = path.segments.last()?;
    let syn::PathArguments::AngleBracketed(given) = &segment.arguments else { return None };
    let types = given.args.iter().map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let types: Vec<&syn::Type> = types.collect::<Option<_>>()?;
    Some((EnumKind::from_std_name(&text(&segment.ident), types.len())?, types))
}

fn named<'n>(names: &'n OpenNames, name: &str) -> Option<&'n Ty> {
    names.iter().find(|(other, _)| other == name).map(|(_, ty)| ty)
}

impl Body<'_, '_> {
    /// Creates an inference variable for each parameter.
    pub fn open_names(&mut self, generics: &syn::Generics) -> OpenNames {
        let names = generic_arguments(generics).filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(text(&parameter.ident)),
            GenericParam::Const(parameter) => Some(text(&parameter.ident)),
            GenericParam::Lifetime(_) => None,
        });
        names.map(|name| (name, self.types.fresh(VariableKind::Any))).collect()
    }

    /// Converts a type in the source, in which `names` stand for inference variables.
    pub fn open_type(&mut self, ty: &syn::Type, names: &mut OpenNames) -> syn::Result<Ty> {
        Ok(match ty {
            syn::Type::Paren(inner) => self.open_type(&inner.elem, names)?,
            syn::Type::Group(inner) => self.open_type(&inner.elem, names)?,
            syn::Type::Infer(_) => self.types.fresh(VariableKind::Any),
            syn::Type::Reference(reference) => {
                let to = self.open_type(&reference.elem, names)?;
                Ty::Reference(reference.mutability.is_some(), Box::new(to))
            }
            syn::Type::Slice(slice) => Ty::Slice(Box::new(self.open_type(&slice.elem, names)?)),
            syn::Type::Array(array) => {
                let element = self.open_type(&array.elem, names)?;
                if let syn::Expr::Infer(_) = array.len {
                    let length = self.types.fresh(VariableKind::Any);
                    return Ok(Ty::Array(Box::new(element), Box::new(length)));
                }
                let parameter = match &array.len {
                    syn::Expr::Path(path) => path.path.get_ident(),
                    _ => None,
                };
                if let Some(length) = parameter.and_then(|name| named(names, &text(name))) {
                    return Ok(Ty::Array(Box::new(element), Box::new(length.clone())));
                }
                Ty::array(element, self.items.count(&array.len)?)
            }
            syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                let parts = tuple.elems.iter().map(|part| self.open_type(part, names));
                Ty::Tuple(parts.collect::<syn::Result<_>>()?)
            }
            syn::Type::Path(path) if path.qself.is_none() => {
                if let Some((which, given)) = standard_enum(&path.path) {
                    let parts = given.into_iter().map(|part| self.open_type(part, names));
                    return Ok(Ty::Enum(which, parts.collect::<syn::Result<_>>()?));
                }
                let name = path.path.get_ident().map(text);
                match name.and_then(|name| named(names, &name)) {
                    Some(stands_for) => stands_for.clone(),
                    None => match &path.path.segments.iter().collect::<Vec<_>>()[..] {
                        [of, output] if named(names, &text(&of.ident)).is_some() => {
                            let of = named(names, &text(&of.ident)).cloned();
                            self.projected(of.unwrap_or(Ty::Error), &text(&output.ident))
                        }
                        _ => self.items.ty(ty)?.into(),
                    },
                }
            }
            syn::Type::Path(syn::TypePath { qself: Some(of), path, .. }) => {
                let of = self.open_type(&of.ty, names)?;
                self.projected(of, &super::names::last(path))
            }
            other => self.items.ty(other)?.into(),
        })
    }

    /// Returns the associated type `name` of `of`, such as `T::Output`. Returns `of` itself if it has no such type, and a new
    /// inference variable if `of` is not known yet.
    fn projected(&mut self, of: Ty, name: &str) -> Ty {
        self.resolve_obligations();
        let Some(known) = self.types.known(&of) else {
            return match self.types.open(&of) {
                // Operations on numbers return the same type.
                Some(kind) if kind != VariableKind::Any => of,
                _ => self.types.fresh(VariableKind::Any),
            };
        };
        match self.items.associated_type(&known, name) {
            Some(Ok(ty)) => ty.into(),
            None => known.into(),
            Some(Err(error)) => {
                self.items.errors.push(error);
                Ty::Error
            }
        }
    }

    /// Lowers a call of a function that may have type parameters, with arguments that have been lowered.
    pub fn call_callable(
        &mut self,
        id: CallableId,
        of: Option<&Ty>,
        given: Option<&AngleBracketedGenericArguments>,
        arguments: Vec<Node>,
        extent: Place,
    ) -> syn::Result<Node> {
        let callable = self.items.callables.get(id);
        let name = text(&callable.head.ident);
        let inputs = &callable.head.inputs;
        check_argument_count(&name, inputs.len(), arguments.len(), extent)?;
        let mut names = OpenNames::new();
        if let Some(owner) = callable.owner {
            names = self.open_names(owner.generics);
            let own = self.open_type(owner.of, &mut names)?;
            if let Some(of) = of {
                self.types.unify(&own, of);
            }
            names.push(("Self".to_owned(), own));
        }
        let own = self.open_names(&callable.head.generics);
        let first_own = names.len();
        names.extend(own);
        if let Some(given) = given {
            self.apply_generic_arguments(&name, given, &mut names, first_own)?;
        }
        let mut parameters = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            parameters.push(match input {
                FnArg::Receiver(receiver) => {
                    let own = named(&names, "Self").cloned().unwrap_or(Ty::Error);
                    match lent(receiver) {
                        Some(mutable) => Ty::Reference(mutable, Box::new(own)),
                        None => own,
                    }
                }
                FnArg::Typed(typed) => {
                    let written = &*typed.ty;
                    if let syn::Type::ImplTrait(_) = super::callables::referent(written) {
                        let ty = self.types.fresh(VariableKind::Any);
                        names.push((anonymous(index), ty.clone()));
                        match super::types::reference(written) {
                            Some((mutable, _)) => Ty::Reference(mutable, Box::new(ty)),
                            None => ty,
                        }
                    } else {
                        self.open_type(written, &mut names)?
                    }
                }
            });
        }
        let result = match &callable.head.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(ty),
        };
        let mut all = Vec::new();
        for parameter in callable.const_parameters() {
            let length = named(&names, &text(&parameter.ident)).cloned().unwrap_or(Ty::Error);
            let kind = ExprKind::Construct(Vec::new());
            all.push(Node { kind, ty: length, diverges: false, place: extent });
        }
        for (argument, parameter) in arguments.into_iter().zip(&parameters) {
            let argument = self.lend(argument, parameter);
            all.push(argument);
        }
        for (parameter, bound) in callable.closures() {
            if let Some(ty) = named(&names, &parameter).cloned() {
                self.closure_is(&ty, bound, &mut names);
            }
        }
        // The arguments' types may be needed to determine the result type.
        let result = match result {
            None => Ty::UNIT,
            Some(ty) => self.open_type(ty, &mut names)?,
        };
        if self.constant && callable.head.constness.is_none() {
            let message =
                format!("a constant can only call a `const fn`: declare `{name}` as `const fn`");
            return refuse(extent, message);
        }
        if self.constant || self.takes_closures(&all) {
            let constants = callable.const_parameters().count();
            let arguments = all.split_off(constants).into_iter().zip(parameters);
            // `lend` returned the borrowed places without a reference, so references are added to their types here.
            let arguments = arguments.map(|(argument, parameter)| match parameter {
                Ty::Reference(mutable, _) => {
                    Node { ty: Ty::Reference(mutable, Box::new(argument.ty)), ..argument }
                }
                _ => argument,
            });
            let arguments = arguments.collect();
            return self.inline_callable(id, names, arguments, result, extent);
        }
        let diverges = all.iter().any(|argument| argument.diverges);
        self.pending.push(Pending::Call(id, names));
        let kind = ExprKind::Instance(self.pending.len() - 1, all);
        Ok(Node { kind, ty: result, diverges, place: extent })
    }

    /// Returns whether a call must be inlined, because closures and parts of arrays are not values.
    fn takes_closures(&self, arguments: &[Node]) -> bool {
        let mut types = arguments.iter().map(|argument| self.types.deep(&argument.ty));
        types.any(|ty| matches!(ty.referent(), Ty::Closure(_))) || arguments.iter().any(is_part)
    }

    /// Applies the explicit generic arguments of a call: `f::<f32, 4>(…)`.
    fn apply_generic_arguments(
        &mut self,
        name: &str,
        given: &AngleBracketedGenericArguments,
        names: &mut OpenNames,
        first: usize,
    ) -> syn::Result<()> {
        let wanted = names.len() - first;
        if given.args.len() != wanted {
            let found = given.args.len();
            return refuse(
                place(given),
                format!("`{name}` takes {wanted} generic arguments, not {found}"),
            );
        }
        for (index, argument) in given.args.iter().enumerate() {
            let said = match argument {
                GenericArgument::Type(ty) => {
                    let mut all = std::mem::take(names);
                    let said =
                        self.length_named(ty).map_or_else(|| self.open_type(ty, &mut all), Ok);
                    *names = all;
                    said?
                }
                GenericArgument::Const(value) => Ty::Length(self.items.count(value)?),
                other => return refuse(place(other), "expected a type or a value"),
            };
            let parameter = names[first + index].1.clone();
            self.types.unify(&parameter, &said);
        }
        Ok(())
    }

    /// Returns the length that `ty` denotes if it is the name of a constant. The parser takes such a name for a type.
    fn length_named(&mut self, ty: &syn::Type) -> Option<Ty> {
        let syn::Type::Path(path) = ty else { return None };
        let ident = path.path.get_ident()?;
        let id = self.items.constant(&text(ident), ident.span()).ok()??;
        let value = syn::Expr::Path(syn::ExprPath {
            attrs: Vec::new(),
            qself: None,
            path: path.path.clone(),
        });
        match self.items.count(&value) {
            Ok(count) => Some(Ty::Length(count)),
            Err(_) => Some(Ty::Length(Count::Const(id))),
        }
    }

    /// Resolves a call to its function when the types are known.
    pub fn resolve_instance(
        &mut self,
        index: usize,
        arguments: Vec<Node>,
        extent: Place,
    ) -> Option<ExprKind<Ty>> {
        let (id, open) = match &self.pending[index] {
            Pending::Call(callable, types) => (*callable, types.clone()),
            Pending::Conversion(from, to) => {
                let types = (from.clone(), to.clone());
                return self.resolve_conversion(types, arguments, extent);
            }
            Pending::Default(ty) => return Some(self.resolve_default(&ty.clone(), extent)),
        };
        let callable = self.items.callables.get(id);
        let parameters = callable.type_parameters();
        let mut types = Types::new();
        for (name, ty) in open {
            if name != "Self" && !parameters.contains(&name) {
                continue;
            }
            let Some(known) = self.types.known(&ty) else {
                if !self.has_error(&self.types.deep(&ty)) {
                    let function = text(&callable.head.ident);
                    let message = match name.starts_with("impl ") || name == "Self" {
                        true => "type annotations needed: write `let x: T = …`".to_owned(),
                        false => format!("cannot infer `{name}`: write `{function}::<…>(…)`"),
                    };
                    self.report(extent, message);
                }
                return None;
            };
            types.push((name, known));
        }
        let made = self.items.instance(id, types, extent);
        let made = self.items.errors.keep(made)?;
        Some(ExprKind::Call(made, arguments))
    }
}
