//! Functions of `std` that WGSL has no built-in function for. Each is written here in Rust and lowered in place of the
//! call.
//!
//! The receiver and the arguments are evaluated first, in order, and bound to generated names. In the code, `T` is the
//! receiver's type, and `U` the unsigned integer of the same width.

use super::super::tree::{ExprKind, Scalar, Type};
use super::body::{Body, NameMeaning, Node};
use super::calls::wrong_count;
use super::control::after;
use super::errors::{place, refuse};
use super::infer::Ty;
use super::names::text;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use std::rc::Rc;
use syn::ExprMethodCall;

/// A method: its receiver, its parameters, and its Rust code.
struct Routine {
    name: &'static str,
    of: Receiver,
    takes: &'static [ParameterKind],
    /// The code. `a` is the receiver; `b` and `c` are the arguments.
    code: &'static str,
}

/// The type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    /// The receiver's type, or its element type.
    SameAsReceiver,
    /// A `u32`, or an index.
    Count,
    /// An array with the receiver's element type, passed as a place.
    Elements,
}

const SAME: ParameterKind = ParameterKind::SameAsReceiver;
const COUNT: ParameterKind = ParameterKind::Count;
const ELEMENTS: ParameterKind = ParameterKind::Elements;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    /// Any integer type.
    Integer,
    Unsigned,
    Signed,
    /// An integer type of less than 32 bits.
    Narrow,
    /// A 64-bit integer type.
    Wide,
    /// A `u8`.
    Byte,
    /// A vector of `f32`.
    Direction,
    /// An array or slice, passed as a place.
    Elements,
}

/// Defines methods: name, receiver, parameters, and code.
macro_rules! routines {
    ($($name:literal: $of:ident, [$($takes:expr),*] => $code:expr;)*) => {
        &[$(Routine { name: $name, of: Receiver::$of, takes: &[$($takes),*], code: $code },)*]
    };
}

/// It squares only as often as necessary, so that nothing overflows that does not overflow in Rust.
const POWER: &str = "{
    let (mut base, mut left, mut power): (T, u32, T) = (a, b, 1);
    while left > 0 {
        if left & 1 == 1 { power = OVER_MUL; }
        left >>= 1;
        if left > 0 { base = SQUARE; }
    }
    power
}";

static ROUTINES: &[Routine] = routines! {
    "contains": Elements, [SAME] => "{
        let mut found = false;
        for i in 0..(a.len()) { if a[i] == b { found = true; break; } }
        found
    }";
    "pow": Integer, [COUNT] => POWER;
    "wrapping_pow": Integer, [COUNT] => POWER;
    "saturating_pow": Unsigned, [COUNT] => POWER;
    "isqrt": Integer, [] => "{
        let (mut rest, mut root, mut bit): (T, T, T) = (a, 0, 1 << (T::BITS - 2));
        while bit > rest { bit >>= 2; }
        while bit != 0 {
            if rest >= root | bit {
                rest = rest.wrapping_sub(root | bit);
                root = (root >> 1) | bit;
            } else {
                root >>= 1;
            }
            bit >>= 2;
        }
        root
    }";
    "ilog10": Integer, [] => "{ let (mut rest, mut digits) = (a, 0u32); while rest >= 10 { rest /= 10; digits += 1; } digits }";
    "ilog": Integer, [SAME] => "{ let (mut rest, mut digits) = (a, 0u32); while rest >= b { rest /= b; digits += 1; } digits }";
    "saturating_mul": Unsigned, [SAME] => "if b != 0 && a > T::MAX / b { T::MAX } else { a.wrapping_mul(b) }";
    "saturating_mul": Signed, [SAME] => "if a == 0 { 0 } else {
        let product = a.wrapping_mul(b);
        if product / a == b && !(a == -1 && b == T::MIN) { product }
        else if (a < 0) == (b < 0) { T::MAX } else { T::MIN }
    }";
    "overflowing_mul": Unsigned, [SAME] => "(a.wrapping_mul(b), b != 0 && a > T::MAX / b)";
    "swap": Elements, [COUNT, COUNT] => "{ let (i, j) = (b, c); let held = a[i]; a[i] = a[j]; a[j] = held; }";
    "fill": Elements, [SAME] => "{ let value = b; for i in 0..(a.len()) { a[i] = value; } }";
    "copy_from_slice": Elements, [ELEMENTS] => "{ assert!(a.len() == b.len()); for i in 0..(a.len()) { a[i] = b[i]; } }";
    "reverse": Elements, [] => "for i in 0..(a.len()) / 2 {
        let j = a.len().wrapping_sub(1).wrapping_sub(i);
        let held = a[i]; a[i] = a[j]; a[j] = held;
    }";
    "is_empty": Elements, [] => "a.len() == 0";
    // Methods of integers that WGSL has no type for. Their arithmetic wraps already. `U` is the unsigned integer of
    // the same width.
    "wrapping_add": Narrow, [SAME] => "a + b";
    "wrapping_sub": Narrow, [SAME] => "a - b";
    "wrapping_mul": Narrow, [SAME] => "a * b";
    "wrapping_neg": Narrow, [] => "0 - a";
    "saturating_add": Narrow, [SAME] => "(a as i32 + b as i32).clamp(T::MIN as i32, T::MAX as i32) as T";
    "saturating_sub": Narrow, [SAME] => "(a as i32 - b as i32).clamp(T::MIN as i32, T::MAX as i32) as T";
    "min": Narrow, [SAME] => "if b < a { b } else { a }";
    "max": Narrow, [SAME] => "if b > a { b } else { a }";
    "clamp": Narrow, [SAME, SAME] => "if a < b { b } else if a > c { c } else { a }";
    "abs": Narrow, [] => "if a < 0 { 0 - a } else { a }";
    "signum": Narrow, [] => "(a as i32).signum() as T";
    "abs_diff": Narrow, [SAME] => "(a as i32 - b as i32).unsigned_abs() as U";
    "unsigned_abs": Narrow, [] => "(a as i32).unsigned_abs() as U";
    "rem_euclid": Narrow, [SAME] => "(a as i32).rem_euclid(b as i32) as T";
    "div_euclid": Narrow, [SAME] => "(a as i32).div_euclid(b as i32) as T";
    "div_ceil": Narrow, [SAME] => "(a as u32).div_ceil(b as u32) as T";
    "count_ones": Narrow, [] => "(a as U as u32).count_ones()";
    "count_zeros": Narrow, [] => "T::BITS - (a as U as u32).count_ones()";
    "leading_zeros": Narrow, [] => "(a as U as u32).leading_zeros() - (32 - T::BITS)";
    "trailing_zeros": Narrow, [] => "(a as U as u32 | 1 << T::BITS).trailing_zeros()";
    "leading_ones": Narrow, [] => "((a as U as u32) ^ (U::MAX as u32)).leading_zeros() - (32 - T::BITS)";
    "trailing_ones": Narrow, [] => "((a as U as u32) ^ (U::MAX as u32) | 1 << T::BITS).trailing_zeros()";
    "reverse_bits": Narrow, [] => "((a as U as u32).reverse_bits() >> (32 - T::BITS)) as T";
    "is_ascii": Byte, [] => "a < 128";
    "is_ascii_digit": Byte, [] => "a >= b'0' && a <= b'9'";
    "is_ascii_uppercase": Byte, [] => "a >= b'A' && a <= b'Z'";
    "is_ascii_lowercase": Byte, [] => "a >= b'a' && a <= b'z'";
    "is_ascii_alphabetic": Byte, [] => "(a | 32) >= b'a' && (a | 32) <= b'z'";
    "is_ascii_alphanumeric": Byte, [] => "a >= b'0' && a <= b'9' || (a | 32) >= b'a' && (a | 32) <= b'z'";
    "is_ascii_hexdigit": Byte, [] => "a >= b'0' && a <= b'9' || (a | 32) >= b'a' && (a | 32) <= b'f'";
    "is_ascii_whitespace": Byte, [] => "a == 32 || a == 9 || a == 10 || a == 12 || a == 13";
    "is_ascii_graphic": Byte, [] => "a > 32 && a < 127";
    "is_ascii_control": Byte, [] => "a < 32 || a == 127";
    "to_ascii_uppercase": Byte, [] => "if a >= b'a' && a <= b'z' { a - 32 } else { a }";
    "to_ascii_lowercase": Byte, [] => "if a >= b'A' && a <= b'Z' { a + 32 } else { a }";
    // As in glam: `None` if the length is zero, or if the inverse of the length is not finite or not positive.
    "try_normalize": Direction, [] => "{
        let length = a.length();
        let inverse = 1.0 / length;
        if length > 0.0 && inverse > 0.0 && inverse <= f32::MAX { Some(a * inverse) } else { None }
    }";
    "is_power_of_two": Narrow, [] => "(a as u32).is_power_of_two()";
    "rotate_left": Narrow, [COUNT] => "((a as U as u32) << (b % T::BITS) | (a as U as u32) >> (T::BITS - b % T::BITS)) as T";
    "rotate_right": Narrow, [COUNT] => "((a as U as u32) >> (b % T::BITS) | (a as U as u32) << (T::BITS - b % T::BITS)) as T";
    "swap_bytes": Narrow, [] => "if T::BITS == 8 { a } else { ((a as U as u32) << 8 | (a as U as u32) >> 8) as T }";
    "ilog2": Wide, [] => "63 - a.leading_zeros().min(63)";
    "next_power_of_two": Wide, [] => "(1 as T) << ((64 - a.saturating_sub(1).leading_zeros()) & 63)";
    "is_negative": Narrow, [] => "a < 0";
    "is_positive": Narrow, [] => "a > 0";
};

impl Body<'_, '_> {
    /// Lowers a method that is a routine. Returns `None` if it is not one.
    pub fn routine(
        &mut self,
        receiver: &Node,
        ty: &Ty,
        call: &ExprMethodCall,
    ) -> Option<syn::Result<Node>> {
        let name = text(&call.method);
        let known = self.types.known(ty);
        let is = |of: Receiver| match (&known, of) {
            (Some(Type::Scalar(scalar)), Receiver::Integer) => scalar.is_integer(),
            (Some(Type::Scalar(scalar)), Receiver::Signed) => scalar.is_signed(),
            (Some(Type::Scalar(scalar)), Receiver::Unsigned) => {
                scalar.is_integer() && !scalar.is_signed()
            }
            (Some(Type::Scalar(scalar)), Receiver::Narrow) => scalar.narrow_bits().is_some(),
            (Some(ty), Receiver::Wide) => ty.is_wide(),
            (Some(ty), Receiver::Byte) => *ty == Type::Scalar(Scalar::U8),
            (Some(ty), Receiver::Direction) => matches!(ty, Type::Vector(_, Scalar::F32)),
            (_, Receiver::Elements) => matches!(ty, Ty::Array(..) | Ty::Slice(_)),
            _ => false,
        };
        let found = ROUTINES.iter().find(|routine| routine.name == name && is(routine.of))?;
        Some(self.run_routine(found, receiver.clone(), ty, call))
    }

    fn run_routine(
        &mut self,
        routine: &Routine,
        receiver: Node,
        ty: &Ty,
        call: &ExprMethodCall,
    ) -> syn::Result<Node> {
        let (given, wanted) = (call.args.len(), routine.takes.len());
        if given != wanted {
            self.evaluate_all(&call.args);
            return refuse(place(call), wrong_count(routine.name, &[wanted], given));
        }
        let extent = place(call);
        let mut statements = Vec::new();
        let mut meanings: Vec<(&str, NameMeaning)> = Vec::new();
        let element = match ty {
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            other => other.clone(),
        };
        match routine.of {
            Receiver::Elements => {
                let changes = routine.code.contains("] = ");
                if changes {
                    self.writes(&Node { ty: ty.clone(), ..receiver.clone() })?;
                }
                let meaning = match receiver.kind {
                    ExprKind::Local(id) => NameMeaning::Local(id),
                    ExprKind::Global(id) => NameMeaning::Global(id, receiver.ty.clone()),
                    kind => {
                        let lent = Ty::Reference(changes, Box::new(ty.clone()));
                        let place = Node { kind, ty: lent, ..receiver };
                        NameMeaning::Place(Rc::new(self.fix_place(place, &mut statements)))
                    }
                };
                meanings.push(("a", meaning));
            }
            _ => {
                let receiver = Node { ty: ty.clone(), ..receiver };
                let base = self.named_value("base", receiver, &mut statements);
                meanings.push(("a", NameMeaning::Place(Rc::new(base))));
            }
        }
        for ((argument, takes), name) in call.args.iter().zip(routine.takes).zip(["b", "c"]) {
            let node = self.expr(argument);
            if *takes == ParameterKind::Elements {
                let (elements, of, _) = self.fix_iterated_array(node, None, &mut statements)?;
                if !self.types.unify(&element, &of) {
                    let (wanted, found) = (self.describe(&element), self.describe(&of));
                    let message = format!("expected elements of `{wanted}`, found `{found}`");
                    return refuse(place(argument), message);
                }
                meanings.push((name, NameMeaning::Place(Rc::new(elements))));
                continue;
            }
            let node = match self.types.resolve_shallow(&node.ty) {
                Ty::Reference(false, to) => Node { ty: *to, ..node },
                _ => self.no_reference(node),
            };
            let node = match (takes, routine.of) {
                (ParameterKind::SameAsReceiver, _) => self.coerce(node, &element),
                (_, Receiver::Elements) => self.index_value(node),
                _ => self.coerce(node, &Scalar::U32.into()),
            };
            let argument = self.named_value("argument", node, &mut statements);
            meanings.push((name, NameMeaning::Place(Rc::new(argument))));
        }
        let code = self.code(routine, ty, call.method.span())?;
        let value = self.scoped(|body| {
            for (name, meaning) in meanings {
                body.name(hidden(name), meaning);
            }
            body.expr(&code)
        });
        Ok(Node { place: extent, ..after(statements, value) })
    }

    /// Returns a routine's code with its names and types substituted, located at `span`.
    fn code(&self, routine: &Routine, ty: &Ty, span: Span) -> syn::Result<syn::Expr> {
        let named = self.describe(ty);
        let multiply = match routine.name {
            "wrapping_pow" => ["power.wrapping_mul(base)", "base.wrapping_mul(base)"],
            "saturating_pow" => ["power.saturating_mul(base)", "base.saturating_mul(base)"],
            _ => ["power * base", "base * base"],
        };
        let code = routine.code.replace("OVER_MUL", multiply[0]).replace("SQUARE", multiply[1]);
        let tokens: TokenStream = code.parse().map_err(|_| super::errors::already_reported())?;
        let unsigned = match self.types.known(ty) {
            Some(Type::Scalar(scalar)) => scalar.with_sign(false).name(),
            _ => "u32",
        };
        syn::parse2(renamed(tokens, (&named, unsigned), span))
    }
}

/// Returns the generated name for a routine's `a`. It is in scope only while the routine is lowered.
fn hidden(name: &str) -> String {
    format!("hirace_routine_{name}")
}

/// Returns tokens at one span, with names substituted for the arguments and types.
fn renamed(tokens: TokenStream, types: (&str, &str), span: Span) -> TokenStream {
    let mut after_dot = false;
    let one = |token: TokenTree| {
        let is_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        let mut token = match token {
            TokenTree::Group(group) => {
                let inner = renamed(group.stream(), types, span);
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            TokenTree::Ident(ident) if !after_dot && ident == "T" => {
                TokenTree::Ident(proc_macro2::Ident::new(types.0, span))
            }
            TokenTree::Ident(ident) if !after_dot && ident == "U" => {
                TokenTree::Ident(proc_macro2::Ident::new(types.1, span))
            }
            TokenTree::Ident(ident)
                if !after_dot && ["a", "b", "c"].iter().any(|name| ident == name) =>
            {
                TokenTree::Ident(proc_macro2::Ident::new(&hidden(&ident.to_string()), span))
            }
            other => other,
        };
        token.set_span(span);
        after_dot = is_dot;
        token
    };
    tokens.into_iter().map(one).collect()
}
