//! Conversions: `x as T`, `bitcast::<T>(x)`, `x.into()`, `u32::try_from(x)`, `n.to_le_bytes()`, `u32::from_le_bytes(bytes)`; and
//! `array.map(f)`.

use super::super::tree::{Binary, Count, EnumKind, ExprKind, Place, Scalar, Type};
use super::body::{Body, Node, error_node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::obligations::Obligation;
use super::operators::Shape;
use syn::{ExprCall, ExprCast, ExprMethodCall, GenericArgument, PathArguments};

/// The length of the longest array that is mapped element by element.
const MAX_CONVERSION_BITS: u32 = 64;

impl Body<'_, '_> {
    /// Lowers `x.into()`. The conversion is chosen once its result type is known.
    pub fn lower_into(&mut self, value: Node, extent: Place) -> Node {
        let to = self.types.fresh(VariableKind::Any);
        let diverges = value.diverges;
        let pending = super::generic_calls::PendingCall::Conversion(value.ty.clone(), to.clone());
        self.pending.push(pending);
        let kind = ExprKind::Instance(self.pending.len() - 1, vec![value]);
        Node { kind, ty: to, diverges, place: extent }
    }

    /// Resolves `x.into()` when both types are known.
    pub fn resolve_conversion(
        &mut self,
        (from, to): (Ty, Ty),
        mut arguments: Vec<Node>,
        extent: Place,
    ) -> Option<ExprKind<Ty>> {
        let value = arguments.pop()?;
        let (from, to) = (self.types.deep(&from), self.types.deep(&to));
        if from == to {
            return Some(value.kind);
        }
        for id in self.find_associated(&to, "from") {
            let callable = self.items.callables.get(id);
            let (Some(syn::FnArg::Typed(parameter)), 1) =
                (callable.head.inputs.first(), callable.head.inputs.len())
            else {
                continue;
            };
            let mut names = vec![("Self".to_owned(), to.clone())];
            let Ok(takes) = self.open_type(&parameter.ty, &mut names) else { continue };
            if takes != from {
                continue;
            }
            let own = self.types.known(&to)?;
            let made = self.items.instance(id, vec![("Self".to_owned(), own)], extent);
            let made = self.items.errors.keep(made)?;
            return Some(ExprKind::Call(made, vec![value]));
        }
        let scalars = |ty: &Ty| match ty {
            Ty::Plain(Type::Scalar(scalar)) => Some(*scalar),
            _ => None,
        };
        if let (Some(a), Some(b)) = (scalars(&from), scalars(&to))
            && is_lossless(a, b)
        {
            return Some(ExprKind::Convert(Box::new(value)));
        }
        let (from, to) = (self.describe(&from), self.describe(&to));
        self.report(extent, format!("there is no monitored `impl From<{from}> for {to}`"));
        None
    }

    /// Lowers `n.to_le_bytes()`, its variants, and `array.map(f)`. Returns `None` for other methods.
    pub fn lower_from(
        &mut self,
        receiver: &Node,
        method: &str,
        call: &ExprMethodCall,
    ) -> syn::Result<Option<Node>> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let of = self.types.resolve_shallow(self.types.resolve_shallow(&receiver.ty).referent());
        let receiver = Node { ty: of.clone(), ..receiver.clone() };
        let scalar = match &of {
            Ty::Plain(Type::Scalar(scalar)) => Some(*scalar),
            _ => None,
        };
        Ok(Some(match (method, scalar, call.args.len()) {
            ("to_le_bytes" | "to_be_bytes" | "to_ne_bytes", Some(scalar), 0)
                if has_bytes(scalar) =>
            {
                let mut statements = Vec::new();
                let bits = at.convert(receiver, &scalar.with_sign(false).into());
                let bits = self.named_value("bits", bits, &mut statements);
                let shifts = shifts(scalar, method == "to_be_bytes");
                let byte = |by: i128| {
                    let by = at.number(by, &Ty::U32);
                    let shifted = at.binary(Binary::ShiftRight, bits.clone(), by);
                    at.convert(shifted, &Scalar::U8.into())
                };
                let kind = ExprKind::Construct(shifts.into_iter().map(byte).collect());
                let ty = Ty::array(Scalar::U8.into(), Count::Literal(scalar.bits() / 8));
                after(statements, at.node(kind, &ty))
            }
            ("map", None, 1) => {
                let Ty::Array(element, length) = &of else { return Ok(None) };
                let Ty::Length(Count::Literal(count)) = self.types.resolve_shallow(length) else {
                    return refuse(
                        extent,
                        "the length of this array must be a number: write a loop",
                    );
                };
                if count > MAX_CONVERSION_BITS {
                    return refuse(extent, "this array is too long: write a loop");
                }
                let function = self.expr(&call.args[0]);
                let mut statements = Vec::new();
                let parts: Vec<Node> = match receiver.kind {
                    // An array cannot contain references.
                    ExprKind::Construct(parts) if parts.len() == count as usize => parts
                        .into_iter()
                        .map(|part| self.hold_parts(part, &mut statements))
                        .collect(),
                    kind => {
                        let all = Node { kind, ..receiver };
                        let all = self.named_value("items", all, &mut statements);
                        let part = |nth: u32| {
                            let index = at.number(nth.into(), &Ty::U32);
                            let kind = ExprKind::Index(Box::new(all.clone()), Box::new(index));
                            at.node(kind, element)
                        };
                        (0..count).map(part).collect()
                    }
                };
                let ty = self.types.fresh(VariableKind::Any);
                let mut mapped = Vec::new();
                for part in parts {
                    let value = self.call_node(&function, vec![part], extent)?;
                    mapped.push(self.coerce(value, &ty));
                }
                let ty = Ty::array(ty, Count::Literal(count));
                after(statements, at.node(ExprKind::Construct(mapped), &ty))
            }
            _ => return Ok(None),
        }))
    }

    /// Lowers `u32::from_le_bytes(bytes)` and its variants. Returns `None` for other functions.
    pub fn of_bytes(&mut self, ty: &Type, name: &str, call: &syn::ExprCall) -> Option<Node> {
        let (scalar, shifts) = match (name, ty, call.args.len()) {
            ("from_be_bytes" | "from_le_bytes" | "from_ne_bytes", Type::Scalar(scalar), 1)
                if has_bytes(*scalar) =>
            {
                (*scalar, shifts(*scalar, name == "from_be_bytes"))
            }
            _ => return None,
        };
        let bits = Ty::from(scalar.with_sign(false));
        let extent = place(call);
        let bytes = self.value(&call.args[0]);
        let bytes =
            self.coerce(bytes, &Ty::array(Scalar::U8.into(), Count::Literal(scalar.bits() / 8)));
        if bytes.ty == Ty::Error {
            return Some(error_node(extent));
        }
        let mut statements = Vec::new();
        let bytes = self.named_value("bytes", bytes, &mut statements);
        let at = NodeBuilder(extent);
        let part = |(nth, by): (i128, i128)| {
            let index = at.number(nth, &Ty::U32);
            let byte = ExprKind::Index(Box::new(bytes.clone()), Box::new(index));
            let byte = at.convert(at.node(byte, &Scalar::U8.into()), &bits);
            at.binary(Binary::ShiftLeft, byte, at.number(by, &Ty::U32))
        };
        let parts = (0..).zip(shifts).map(part);
        let all = parts.reduce(|a, b| at.binary(Binary::Or, a, b));
        Some(after(statements, at.convert(all?, &ty.into())))
    }
}

/// Returns whether kernels support byte conversions of an integer type.
fn has_bytes(scalar: Scalar) -> bool {
    scalar.is_integer() && !scalar.is_local()
}

/// Returns the shift of each byte of an integer, in memory order.
fn shifts(scalar: Scalar, big_endian: bool) -> Vec<i128> {
    let mut shifts: Vec<i128> = (0..scalar.bits()).step_by(8).map(i128::from).collect();
    if big_endian {
        shifts.reverse();
    }
    shifts
}

/// Returns whether `std` converts between two types with `from` and `into`.
pub fn is_lossless(from: Scalar, to: Scalar) -> bool {
    use Scalar::{Bool, F16, F32, I8, Isize, U8, Usize};
    match (from, to) {
        (Bool, _) => to.is_integer(),
        (Usize | Isize, _) => false,
        (F16, F32) | (U8 | I8, F16) => true,
        (_, F32) => from.narrow_bits().is_some(),
        (_, Usize | Isize) => from.narrow_bits().is_some() && from.fits_in(to),
        _ => from.is_integer() && from.fits_in(to),
    }
}

impl Body<'_, '_> {
    /// Lowers `x as T`.
    pub fn cast(&mut self, cast: &ExprCast) -> syn::Result<Node> {
        let node = self.value(&cast.expr);
        let to = match &*cast.ty {
            syn::Type::Infer(_) => self.types.fresh(VariableKind::Any),
            ty => self.items.ty(ty)?.into(),
        };
        // As in rustc, a literal gets the type that it is cast to, if that is possible.
        if matches!(node.kind, ExprKind::Literal(_))
            && self.types.open(&node.ty) == Some(VariableKind::Integer)
            && matches!(&to, Ty::Plain(Type::Scalar(scalar)) if scalar.is_integer())
        {
            self.types.unify(&node.ty, &to);
        }
        self.add_obligation(Obligation::Cast {
            from: node.ty.clone(),
            to: to.clone(),
            place: place(cast),
        });
        let diverges = node.diverges;
        Ok(Node { kind: ExprKind::Convert(Box::new(node)), ty: to, diverges, place: place(cast) })
    }

    /// Returns whether a type is an enum without fields.
    pub fn is_fieldless(&self, ty: &Ty) -> bool {
        let variants = self.items.variants(&self.types.resolve_shallow(ty));
        variants.is_some_and(|all| all.iter().all(|variant| variant.parts.is_empty()))
    }

    /// Checks that `from as to` is allowed. Returns whether this is decided.
    pub fn check_cast(&mut self, from: &Ty, to: &Ty, place: Place, last: bool) -> bool {
        use Shape::*;
        let (source, target) = (self.shape(from), self.shape(to));
        let instead = match (source, target) {
            (Error, _) | (_, Error) => return true,
            (Unknown, _) | (_, Unknown) => {
                if last {
                    self.report(place, "type annotations needed for this conversion");
                }
                return last;
            }
            (ScalarOrVector(Scalar::F16, None), ScalarOrVector(Scalar::F16, None)) => return true,
            (ScalarOrVector(Scalar::F16, None), ScalarOrVector(Scalar::F32, None)) => {
                "write `….to_f32()`"
            }
            (ScalarOrVector(Scalar::F16, None), ScalarOrVector(_, None)) => {
                "convert it to `f32` first, `….to_f32()`"
            }
            (ScalarOrVector(Scalar::F32, None) | Float, ScalarOrVector(Scalar::F16, None)) => {
                "write `f16::from_f32(…)`"
            }
            (ScalarOrVector(_, None) | Integer, ScalarOrVector(Scalar::F16, None)) => {
                "convert it to `f32` first, `f16::from_f32(… as f32)`"
            }
            (ScalarOrVector(Scalar::Bool, None), ScalarOrVector(Scalar::F32, None)) => {
                "write `select(0.0, 1.0, …)`"
            }
            (_, ScalarOrVector(Scalar::Bool, None)) if source == target => return true,
            (_, ScalarOrVector(Scalar::Bool, None)) => "compare it, `… != 0`",
            (ScalarOrVector(_, None) | Integer | Float, ScalarOrVector(_, None)) => return true,
            (Other, ScalarOrVector(to, None)) if to.is_integer() && self.is_fieldless(from) => {
                return true;
            }
            (ScalarOrVector(_, Some(_)), ScalarOrVector(_, Some(_))) => {
                "use a method, `.as_vec3()`, `.as_uvec3()` or `.as_ivec3()`"
            }
            _ => "`as` converts only between numbers",
        };
        let (from, to) = (self.describe(from), self.describe(to));
        self.report(place, format!("`{from}` cannot be converted to `{to}` with `as`: {instead}"));
        true
    }
}

impl Body<'_, '_> {
    /// Lowers `bitcast(x)`. The type is given by `::<T>`, or inferred from the context.
    pub fn bitcast(&mut self, path: &syn::Path, call: &ExprCall) -> syn::Result<Node> {
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        let [argument] = arguments[..] else {
            return refuse(place(call), "`bitcast` takes 1 argument");
        };
        let node = self.value(argument);
        let given = path.segments.last().map(|segment| &segment.arguments);
        let to = match given {
            Some(PathArguments::AngleBracketed(given)) => {
                match given.args.iter().collect::<Vec<_>>()[..] {
                    [GenericArgument::Type(syn::Type::Infer(_))] => {
                        self.types.fresh(VariableKind::Any)
                    }
                    [GenericArgument::Type(ty)] => self.items.ty(ty)?.into(),
                    _ => return refuse(place(given), "missing type: write `bitcast::<u32>(…)`"),
                }
            }
            _ => self.types.fresh(VariableKind::Any),
        };
        self.add_obligation(Obligation::Bits {
            from: node.ty.clone(),
            to: to.clone(),
            place: place(call),
        });
        let diverges = node.diverges;
        Ok(Node { kind: ExprKind::Bitcast(Box::new(node)), ty: to, diverges, place: place(call) })
    }

    /// Checks that two types have the same number of bits. Returns whether this is decided.
    pub fn check_bits(&mut self, from: &Ty, to: &Ty, place: Place, last: bool) -> bool {
        let components = |shape| match shape {
            Shape::Integer | Shape::Float => Some(1),
            Shape::ScalarOrVector(Scalar::Bool | Scalar::Usize | Scalar::Isize, _) => None,
            Shape::ScalarOrVector(scalar, _) if scalar.is_wide() => None,
            Shape::ScalarOrVector(_, components) => Some(components.unwrap_or(1)),
            _ => None,
        };
        for ty in [from, to] {
            if self.types.open(ty) == Some(VariableKind::Length) {
                self.types.unify(ty, &Ty::U32);
            }
        }
        let (source, target) = (self.shape(from), self.shape(to));
        match (source, target) {
            (Shape::Error, _) | (_, Shape::Error) => return true,
            (Shape::Unknown, _) | (_, Shape::Unknown) => {
                if last {
                    self.report(place, "type annotations needed: write `bitcast::<u32>(…)`");
                }
                return last;
            }
            _ => {}
        }
        if components(source).is_none() || components(source) != components(target) {
            let (from, to) = (self.describe(from), self.describe(to));
            let why = "both must be numbers, or vectors with the same number of components, of the same width";
            self.report(place, format!("`{from}` cannot be bit-cast to `{to}`: {why}"));
        }
        true
    }
}

impl Body<'_, '_> {
    /// Lowers `T::try_from(value)`. The error value is represented by a `bool`, because it cannot be inspected.
    pub fn try_from(&mut self, to: Scalar, value: Node, extent: Place) -> syn::Result<Node> {
        self.resolve_obligations();
        if self.types.open(&value.ty).is_some() {
            self.types.unify(&value.ty, &Scalar::I32.into());
        }
        let from = match self.types.known(&value.ty) {
            Some(Type::Scalar(from)) => from.range(),
            _ => None,
        };
        let (Some(from), Some(range)) = (from, to.range()) else {
            let (given, named) = (self.describe(&value.ty), to.name());
            let message = format!(
                "`{named}` cannot be converted from `{given}` like this: write `… as {named}`"
            );
            return refuse(extent, message);
        };
        let at = NodeBuilder(extent);
        let mut statements = Vec::new();
        let value = self.named_value("value", value, &mut statements);
        let compared = |operator, end| at.test(operator, value.clone(), at.number(end, &value.ty));
        let least = (range.0 > from.0).then(|| compared(Binary::GreaterOrEqual, range.0));
        let greatest = (range.1 < from.1).then(|| compared(Binary::LessOrEqual, range.1));
        let fits = least.into_iter().chain(greatest);
        let fits = fits.reduce(|a, b| at.test(Binary::AndThen, a, b));
        let ty = Ty::Enum(EnumKind::Result, vec![to.into(), Ty::BOOL]);
        let same = vec![at.convert(value.clone(), &to.into())];
        let same = at.node(ExprKind::Variant(0, same), &ty);
        let other = at.node(ExprKind::Variant(1, vec![at.truth(true)]), &ty);
        Ok(after(
            statements,
            match fits {
                Some(fits) => at.choose(fits, same, other),
                None => same,
            },
        ))
    }
}
