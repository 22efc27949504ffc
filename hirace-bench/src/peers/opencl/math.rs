//! Mathematical functions.

use super::function::Printer;
use super::operators::{cast_unsigned, sum_of};
use super::{Result, unsupported};
use naga::{Expression, Handle, MathFunction as Fun, ScalarKind, TypeInner};

/// The name of a function that reverses the bits of an integer, which OpenCL C lacks.
pub(super) const REVERSED: &str = "reversed";

/// The declaration of that function. Compilers would recognize a swap by shifts as an instruction that Oclgrind lacks.
pub(super) const REVERSING: &str = "\
__constant uint nibbles[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
uint reversed(uint bits) {
    uint result = 0u;
    for (uint at = 0u; at < 32u; at += 4u) result = result << 4 | nibbles[bits >> at & 15u];
    return result;
}
";

impl Printer<'_> {
    /// Prints a call of `fun`; the call is the value of `expression`.
    pub fn math(
        &self,
        expression: Handle<Expression>,
        fun: Fun,
        arguments: &[Handle<Expression>],
    ) -> Result<String> {
        let inner = match arguments.first() {
            Some(&first) => self.type_of(first),
            None => return unsupported("functions without arguments"),
        };
        let values: Result<Vec<String>> = arguments.iter().map(|&of| self.value(of)).collect();
        let values = values?;
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let ty = self.type_name(expression)?;
        match (inner, inner.scalar_kind()) {
            (TypeInner::Matrix { .. }, _) => matrix(fun, &ty, inner, &values),
            (_, Some(ScalarKind::Float)) => float(fun, inner, &values),
            (_, Some(ScalarKind::Sint | ScalarKind::Uint)) => integer(fun, &ty, inner, &values),
            _ => unsupported(format!("`{fun:?}`")),
        }
    }
}

fn integer(fun: Fun, ty: &str, inner: &TypeInner, values: &[&str]) -> Result<String> {
    let is_scalar = matches!(inner, TypeInner::Scalar(_));
    let is_signed = inner.scalar_kind() == Some(ScalarKind::Sint);
    // Returns the number of trailing zeros.
    let trailing = |a: &str| {
        let bits = cast_unsigned(inner, a);
        format!("as_{ty}(popcount(~{bits} & ({bits} - 1u)))")
    };
    Ok(match (fun, values) {
        (Fun::Abs, [a]) if is_signed => format!("as_{ty}(abs({a}))"),
        (Fun::Abs, [a]) => (*a).to_owned(),
        // Not by `?`, since compilers would turn it into an instruction that Oclgrind lacks.
        (Fun::Min, [a, b]) => format!("min({a}, {b})"),
        (Fun::Max, [a, b]) => format!("max({a}, {b})"),
        (Fun::Clamp, [a, low, high]) => format!("min(max({a}, {low}), {high})"),
        (Fun::Sign, [a]) if is_scalar => format!("({a} > 0) - ({a} < 0)"),
        // A comparison of components gives -1 for true.
        (Fun::Sign, [a]) => format!("({a} < 0) - ({a} > 0)"),
        (Fun::Dot, [a, b]) => match *inner {
            TypeInner::Vector { size, .. } => {
                let sum = sum_of(size, |at| format!("(uint){a}.s{at} * (uint){b}.s{at}"));
                format!("({ty})({sum})")
            }
            _ => return unsupported("`Dot`"),
        },
        (Fun::CountOneBits, [a]) => format!("popcount({a})"),
        (Fun::CountLeadingZeros, [a]) => format!("clz({a})"),
        (Fun::CountTrailingZeros, [a]) => trailing(a),
        (Fun::FirstTrailingBit, [a]) if is_scalar => {
            format!("({a} == 0 ? ({ty})-1 : {})", trailing(a))
        }
        (Fun::ReverseBits, [a]) if is_scalar => format!("({ty}){REVERSED}({a})"),
        (Fun::ExtractBits, [a, offset, count]) if is_scalar => {
            let (offset, count) = bits(offset, count);
            format!("({count} == 0u ? 0 : {a} << (32u - {count} - {offset}) >> (32u - {count}))")
        }
        (Fun::InsertBits, [a, new, offset, count]) if is_scalar => {
            let (offset, count) = bits(offset, count);
            let mask = format!("(0xffffffffu >> (32u - {count}) << {offset})");
            format!("({ty})({count} == 0u ? {a} : ({a} & ~{mask}) | ({new} << {offset} & {mask}))")
        }
        (Fun::Unpack4xU8, [a]) => format!("convert_uint4(as_uchar4({a}))"),
        (Fun::Unpack4xI8, [a]) => format!("convert_int4(as_char4({a}))"),
        (Fun::Unpack4x8unorm, [a]) => format!("convert_float4(as_uchar4({a})) / 255.0f"),
        (Fun::Pack4xU8, [a]) => format!("as_uint(convert_uchar4({a}))"),
        (Fun::Pack4xI8, [a]) => format!("as_uint(convert_char4({a}))"),
        (Fun::Pack4xU8Clamp, [a]) => format!("as_uint(convert_uchar4_sat({a}))"),
        (Fun::Pack4xI8Clamp, [a]) => format!("as_uint(convert_char4_sat({a}))"),
        (Fun::FirstLeadingBit, [a]) if is_signed => format!("31 - clz({a} ^ ({a} >> 31))"),
        (Fun::FirstLeadingBit, [a]) => format!("31u - clz({a})"),
        _ => return unsupported(format!("`{fun:?}`")),
    })
}

/// Clamps the offset and the number of bits to the width of an integer.
fn bits(offset: &str, count: &str) -> (String, String) {
    let offset = format!("min({offset}, 32u)");
    let count = format!("min({count}, 32u - {offset})");
    (offset, count)
}

fn float(fun: Fun, inner: &TypeInner, values: &[&str]) -> Result<String> {
    let is_scalar = matches!(inner, TypeInner::Scalar(_));
    let name = match fun {
        Fun::Abs => "fabs",
        Fun::Min => "fmin",
        Fun::Max => "fmax",
        Fun::Sin => "sin",
        Fun::Sinh => "sinh",
        Fun::Cos => "cos",
        Fun::Cosh => "cosh",
        Fun::Tan => "tan",
        Fun::Tanh => "tanh",
        Fun::Acos => "acos",
        Fun::Acosh => "acosh",
        Fun::Asin => "asin",
        Fun::Asinh => "asinh",
        Fun::Atan => "atan",
        Fun::Atanh => "atanh",
        Fun::Atan2 => "atan2",
        Fun::Radians => "radians",
        Fun::Degrees => "degrees",
        Fun::Ceil => "ceil",
        Fun::Floor => "floor",
        // Rounds ties to even.
        Fun::Round => "rint",
        Fun::Trunc => "trunc",
        Fun::Exp => "exp",
        Fun::Exp2 => "exp2",
        Fun::Log => "log",
        Fun::Log2 => "log2",
        Fun::Pow => "pow",
        Fun::Sqrt => "sqrt",
        Fun::Sign => "sign",
        Fun::Fma => "fma",
        Fun::Step => "step",
        Fun::SmoothStep => "smoothstep",
        Fun::Ldexp => "ldexp",
        Fun::Dot => "dot",
        Fun::Cross => "cross",
        Fun::Distance => "distance",
        Fun::Length => "length",
        Fun::Normalize => "normalize",
        _ => "",
    };
    if !name.is_empty() {
        return Ok(format!("{name}({})", values.join(", ")));
    }
    Ok(match (fun, values) {
        (Fun::Clamp, [a, low, high]) => format!("fmin(fmax({a}, {low}), {high})"),
        (Fun::Saturate, [a]) if is_scalar => format!("fmin(fmax({a}, 0.0f), 1.0f)"),
        (Fun::Saturate, [a]) => format!("clamp({a}, 0.0f, 1.0f)"),
        (Fun::Fract, [a]) => format!("{a} - floor({a})"),
        (Fun::InverseSqrt, [a]) => format!("1.0f / sqrt({a})"),
        (Fun::Mix, [a, b, ratio]) => format!("{a} * (1.0f - {ratio}) + {b} * {ratio}"),
        (Fun::Reflect, [a, b]) => format!("{a} - 2.0f * dot({b}, {a}) * {b}"),
        _ => return unsupported(format!("`{fun:?}`")),
    })
}

fn matrix(fun: Fun, ty: &str, inner: &TypeInner, values: &[&str]) -> Result<String> {
    match (fun, inner, values) {
        (Fun::Transpose, &TypeInner::Matrix { columns, rows, scalar }, [a]) => {
            let row = super::types::vector(columns, scalar)?;
            let rows = (0..rows as u32).map(|at| {
                let of = (0..columns as u32).map(|column| format!("{a}.c[{column}].s{at}"));
                format!("({row})({})", of.collect::<Vec<_>>().join(", "))
            });
            Ok(format!("({ty}){{{{{}}}}}", rows.collect::<Vec<_>>().join(", ")))
        }
        _ => unsupported(format!("`{fun:?}` of matrices")),
    }
}
