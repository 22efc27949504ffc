//! Conversions by method: `x.into()`, `n.to_le_bytes()`, `u32::from_le_bytes(bytes)`; and `array.map(f)`.

use super::super::tree::{Binary, Count, ExprKind, Place, Scalar, Type};
use super::body::{Body, Node, error_node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use syn::ExprMethodCall;

/// The length of the longest array that is mapped element by element.
const MOST: u32 = 64;

impl Body<'_, '_> {
    /// Lowers `x.into()`. The conversion is chosen once its result type is known.
    pub fn turned_into(&mut self, value: Node, extent: Place) -> Node {
        let to = self.types.fresh(VariableKind::Any);
        let diverges = value.diverges;
        let pending = super::generic_calls::Pending::Conversion(value.ty.clone(), to.clone());
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
        for id in self.associated(&to, "from") {
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
    pub fn converted(
        &mut self,
        receiver: &Node,
        method: &str,
        call: &ExprMethodCall,
    ) -> syn::Result<Option<Node>> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let of = self.types.shallow(self.types.shallow(&receiver.ty).referent());
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
                let Ty::Length(Count::Literal(count)) = self.types.shallow(length) else {
                    return refuse(
                        extent,
                        "the length of this array must be a number: write a loop",
                    );
                };
                if count > MOST {
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
