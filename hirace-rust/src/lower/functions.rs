//! Kernels and helpers: their parameters, then their bodies.

use super::super::tree::{
    Const, ConstId, ConstKind, Entry, Expr, ExprKind, Function, FunctionId, GlobalId, Literal,
    Name, Parameter, PassMode, Scalar, Type,
};
use super::attributes;
use super::body::Body;
use super::callables::{Callable, CallableId, Types, receiver_borrow};
use super::errors::{at, error, place, refuse};
use super::evaluate::{Value, evaluate};
use super::infer::Ty;
use super::items::Items;
use super::names::{name, text};
use super::types;
use crate::postcondition;
use rustc_hash::FxHashMap;
use syn::{FnArg, Pat};

/// The maximum workgroup size in each dimension, as naga checks it in WGSL.
const LARGEST_SIZE: i128 = 16384;

/// The properties of a function that its calls and its body need.
pub struct Signature<'a> {
    pub callable: Callable<'a>,
    /// The types that its type parameters stand for.
    pub types: Types,
    pub name: Name,
    /// The workgroup size; `None` for a helper.
    pub kernel: Option<Vec<syn::Expr>>,
    /// Whether one of its globals has the same name as different memory in another kernel.
    pub has_separate_globals: bool,
    pub generics: FxHashMap<String, ConstId>,
    /// The const parameters, in order.
    pub order: Vec<ConstId>,
    pub parameters: Vec<DeclaredParameter>,
    pub result: Ty,
}

/// A declared parameter.
#[derive(Clone)]
pub struct DeclaredParameter {
    pub name: Name,
    /// The type. For a reference, a reference type.
    pub ty: Ty,
    pub means: ParameterMeaning,
    /// The pattern that destructures it, if it is more than a name.
    pub pattern: Option<syn::Pat>,
}

/// The meaning of a parameter.
#[derive(Clone, Copy)]
pub enum ParameterMeaning {
    /// A value or place that is passed by the caller.
    Passed(PassMode),
    /// Memory of the module.
    Global(GlobalId),
}

impl<'a> Items<'a> {
    /// Lowers the signature of a function.
    pub fn signature(&mut self, id: CallableId, types: Types) -> Signature<'a> {
        let callable = self.callables.get(id);
        let (attributes, head) = (callable.attributes, callable.head);
        self.type_names = types.iter().cloned().collect();
        let mut signature = Signature {
            name: self.name_of(&callable),
            callable,
            types,
            kernel: None,
            has_separate_globals: false,
            generics: FxHashMap::default(),
            order: Vec::new(),
            parameters: Vec::new(),
            result: Ty::UNIT,
        };
        let marker = match (self.alone, self.is_model) {
            (true, false) => "monitor",
            (true, true) => "model",
            (false, _) => "kernel",
        };
        let known: &[&str] = match callable.owner.is_some() {
            true => &[],
            false => &[marker, postcondition::ATTRIBUTE],
        };
        self.ensured(callable, marker);
        let kernel = attributes::check(attributes, known)
            .and_then(|()| attributes::find(attributes, marker))
            .and_then(|found| match found {
                Some(attribute) => attributes::workgroup_size(attribute).map(Some),
                None if self.alone && self.signatures.is_empty() => refuse(
                    at(head.ident.span()),
                    format!(
                        "missing workgroup size: write `#[hirace::{marker}(workgroup_size(64))]`"
                    ),
                ),
                None => Ok(None),
            });
        signature.kernel = match kernel {
            Ok(kernel) => kernel,
            Err(error) => {
                self.errors.push(error);
                attributes.iter().any(|a| super::names::last(a.path()) == marker).then(Vec::new)
            }
        };
        let checked = check_head(head);
        self.errors.keep(checked);
        self.const_parameters(&mut signature);
        self.generics = std::mem::take(&mut signature.generics);
        self.separate = false;
        for (index, argument) in head.inputs.iter().enumerate() {
            self.parameter = index;
            let declared = match &signature.kernel {
                Some(_) => self.kernel_parameter(argument),
                None => self.helper_parameter(argument),
            };
            let declared = declared.unwrap_or_else(|error| {
                self.errors.push(error);
                broken(argument)
            });
            if signature.parameters.iter().any(|other| other.name.text == declared.name.text) {
                let twice = format!("the name `{}` is declared multiple times", declared.name.text);
                self.errors.push(error(declared.name.place, twice));
            }
            signature.parameters.push(declared);
        }
        signature.has_separate_globals = self.separate;
        if let syn::ReturnType::Type(_, ty) = &head.output {
            signature.result = match (&signature.kernel, self.ty(ty)) {
                (_, Err(error)) => {
                    self.errors.push(error);
                    Ty::Error
                }
                (Some(_), Ok(result)) if result != Type::Unit => {
                    self.errors.push(error(
                        place(ty),
                        "a kernel cannot return a value: write results to a buffer, `&mut [T]`",
                    ));
                    Ty::Error
                }
                (_, Ok(result)) if self.is_unsized(&result) || holds_memory(&result) => {
                    let named = self.describe(&result.into());
                    self.errors
                        .push(error(place(ty), format!("a function cannot return a `{named}`")));
                    Ty::Error
                }
                (_, Ok(result)) => result.into(),
            };
        }
        signature.generics = std::mem::take(&mut self.generics);
        signature
    }

    /// Checks the postconditions of a kernel. No code is generated for them.
    fn ensured(&mut self, callable: Callable<'_>, marker: &str) {
        let is_named =
            |name: &str| callable.attributes.iter().any(|a| super::names::last(a.path()) == name);
        for claim in callable.attributes {
            if super::names::last(claim.path()) != postcondition::ATTRIBUTE {
                continue;
            }
            if !is_named(marker) {
                self.errors.push(error(
                    place(claim),
                    "`ensures` is only supported on kernels: use `assert!`",
                ));
            }
            let read = claim.parse_args().and_then(|condition| postcondition::read(&condition));
            self.errors.keep(read.map(|_| ()));
        }
    }

    fn const_parameters(&mut self, signature: &mut Signature<'a>) {
        for parameter in signature.callable.const_parameters() {
            let ty = match self.constant_type(&parameter.ty) {
                Ok(ty @ Type::Scalar(scalar)) if !scalar.is_float() && !scalar.is_wide() => ty,
                Ok(_) => {
                    let message =
                        "a const parameter must be an integer of at most 32 bits or a `bool`";
                    self.errors.push(error(place(&parameter.ty), message));
                    Type::Scalar(Scalar::Usize)
                }
                Err(error) => {
                    self.errors.push(error);
                    Type::Scalar(Scalar::Usize)
                }
            };
            let kind = ConstKind::Parameter;
            let id = self.add_constant(Const { name: name(&parameter.ident), ty, kind });
            signature.generics.insert(text(&parameter.ident), id);
            signature.order.push(id);
        }
    }

    /// Returns the WGSL name of a function. For an associated function, its type is prepended.
    fn name_of(&self, callable: &Callable<'_>) -> Name {
        let name = name(&callable.head.ident);
        let Some(of) = self.type_names.get("Self").filter(|_| callable.owner.is_some()) else {
            return name;
        };
        let mut text: String = self.describe(&of.into());
        text.retain(|c| c.is_alphanumeric() || c == '_');
        Name { text: format!("{text}_{}", name.text), ..name }
    }

    fn helper_parameter(&mut self, argument: &FnArg) -> syn::Result<DeclaredParameter> {
        if let FnArg::Receiver(receiver) = argument {
            return self.receiver(receiver);
        }
        if let FnArg::Typed(typed) = argument
            && !matches!(&*typed.pat, Pat::Ident(ident) if ident.subpat.is_none())
        {
            let named =
                syn::Ident::new(&format!("parameter_{}", self.parameter), at_of(&typed.pat));
            let plain: Pat = syn::parse_quote!(#named);
            let argument = syn::PatType { pat: Box::new(plain), ..typed.clone() };
            let declared = self.helper_parameter(&FnArg::Typed(argument))?;
            return Ok(DeclaredParameter { pattern: Some((*typed.pat).clone()), ..declared });
        }
        let (ident, written, attributes) = parts(argument)?;
        if let Some(attribute) = attributes.iter().find(|a| !a.path().is_ident("allow")) {
            return refuse(
                place(attribute),
                "only kernels can have such parameters: pass the value as an argument, or mark the function with \
                 `#[kernel(workgroup_size(64))]`",
            );
        }
        let (passed, ty) = match types::reference(written) {
            Some((mutable, to)) => {
                let ty = self.referent(to)?;
                let passed = if mutable { PassMode::Mutable } else { PassMode::Shared };
                (passed, Ty::Reference(mutable, Box::new(ty.into())))
            }
            None => {
                let ty = self.ty(written)?;
                if self.is_unsized(&ty) || holds_memory(&ty) {
                    let named = self.describe(&ty.into());
                    return refuse(
                        place(written),
                        format!("a `{named}` cannot be passed by value: write `&{named}`"),
                    );
                }
                (PassMode::Value, ty.into())
            }
        };
        Ok(DeclaredParameter {
            name: name(ident),
            ty,
            means: ParameterMeaning::Passed(passed),
            pattern: None,
        })
    }

    /// Lowers `self`, `&self` or `&mut self`.
    fn receiver(&mut self, receiver: &syn::Receiver) -> syn::Result<DeclaredParameter> {
        let Some(of) = self.type_names.get("Self").cloned() else {
            return refuse(place(receiver), "`self` is only available in functions of an `impl`");
        };
        let name = Name { text: "self".to_owned(), place: at(receiver.self_token.span) };
        let ty = Ty::from(of);
        let (ty, passed) = match receiver_borrow(receiver) {
            None => (ty, PassMode::Value),
            Some(true) => (Ty::Reference(true, Box::new(ty)), PassMode::Mutable),
            Some(false) => (Ty::Reference(false, Box::new(ty)), PassMode::Shared),
        };
        Ok(DeclaredParameter { name, ty, means: ParameterMeaning::Passed(passed), pattern: None })
    }

    /// Lowers the body of a function and adds it to the module.
    pub fn function(&mut self, id: FunctionId) {
        let signature = &mut self.signatures[id.0];
        let callable = signature.callable;
        self.type_names = signature.types.iter().cloned().collect();
        let name = signature.name.clone();
        let (parameters, result) = (signature.parameters.clone(), signature.result.clone());
        let (kernel, order, apart) =
            (signature.kernel.clone(), signature.order.clone(), signature.has_separate_globals);
        let constants = if kernel.is_none() { order.clone() } else { Vec::new() };
        self.generics = std::mem::take(&mut signature.generics);
        let globals = parameters.iter().filter_map(|parameter| match parameter.means {
            ParameterMeaning::Global(id) => Some(id),
            ParameterMeaning::Passed(_) => None,
        });
        let globals = globals.collect();
        let entry =
            kernel.map(|sizes| Entry { globals, separate: apart, ..self.entry(&sizes, order) });
        let lowered = Body::function(self, callable.block, &parameters, result.clone());
        self.signatures[id.0].generics = std::mem::take(&mut self.generics);
        let Some((locals, body, passed)) = lowered else { return };
        let parameters =
            passed.into_iter().map(|(local, passed)| Parameter { local, passed }).collect();
        let result = if let Ty::Error = result { Type::Unit } else { body_result(&result) };
        self.module.functions.push(Function {
            name,
            entry,
            constants,
            parameters,
            result,
            locals,
            body,
            place: callable.place,
        });
    }

    fn entry(&mut self, sizes: &[syn::Expr], generics: Vec<ConstId>) -> Entry {
        let mut all = [(); 3].map(|()| one());
        for (size, written) in all.iter_mut().zip(sizes) {
            let Some(value) = Body::size(self, written) else { continue };
            let wrong = match evaluate(&self.module, &value) {
                Some(Value::Int(..=0)) => Some("the workgroup size must be at least 1".to_owned()),
                Some(Value::Int(size)) if size > LARGEST_SIZE => {
                    Some(format!("the workgroup size must be at most {LARGEST_SIZE}"))
                }
                _ => None,
            };
            if let Some(wrong) = wrong {
                self.errors.push(error(place(written), wrong));
            }
            *size = value;
        }
        Entry { workgroup_size: all, generics, globals: Vec::new(), separate: false }
    }
}

fn one() -> Expr {
    Expr {
        kind: ExprKind::Literal(Literal::Int(1)),
        ty: Type::Scalar(Scalar::U32),
        diverges: false,
        place: at(proc_macro2::Span::call_site()),
    }
}

fn body_result(result: &Ty) -> Type {
    super::infer::Inference::default().known(result).unwrap_or(Type::Unit)
}

/// Returns whether a value of this type cannot be copied out of its memory.
pub fn holds_memory(ty: &Type) -> bool {
    matches!(ty, Type::Atomic(_) | Type::Texture(_) | Type::Sampler { .. } | Type::Slice(_))
}

/// Returns the name, type and attributes of a parameter.
pub fn parts(argument: &FnArg) -> syn::Result<(&syn::Ident, &syn::Type, &[syn::Attribute])> {
    match argument {
        FnArg::Receiver(receiver) => refuse(
            place(receiver),
            "a kernel cannot have a `self` parameter: write a name and a type",
        ),
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                Ok((&pattern.ident, &typed.ty, &typed.attrs))
            }
            other => refuse(
                place(other),
                "patterns in parameters are not supported here: destructure the parameter with `let` in the body, or \
                 name an unused one `_x`",
            ),
        },
    }
}

fn at_of(pattern: &Pat) -> proc_macro2::Span {
    place(pattern).first
}

/// Returns the placeholder for a parameter with an error, so that uses of its name are not errors.
fn broken(argument: &FnArg) -> DeclaredParameter {
    let name = match parts(argument) {
        Ok((ident, ..)) => name(ident),
        Err(_) => Name { text: String::new(), place: place(argument) },
    };
    DeclaredParameter {
        name,
        ty: Ty::Error,
        means: ParameterMeaning::Passed(PassMode::Value),
        pattern: None,
    }
}

fn check_head(head: &syn::Signature) -> syn::Result<()> {
    if let Some(token) = &head.asyncness {
        return refuse(
            place(token),
            "kernels cannot be asynchronous: every invocation runs to its end",
        );
    }
    if let syn::Safety::Unsafe(token) = &head.safety {
        return refuse(place(token), "kernels have no unsafe code: remove `unsafe`");
    }
    if let Some(abi) = &head.abi {
        return refuse(place(abi), "kernels and helpers have no ABI: remove `extern`");
    }
    if let Some(variadic) = &head.variadic {
        return refuse(place(variadic), "variadic functions are not supported in WGSL");
    }
    Ok(())
}
