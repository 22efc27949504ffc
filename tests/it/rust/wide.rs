//! Tests of random expressions of 64-bit and other integers: the executor must compute from their WGSL what Rust computes. The
//! values are computed while the text is written, in a type that is wide enough for all of them.

use super::expressions::{COMPARISONS, holds, trial};
use super::native::{LANES, kernel};
use super::output;
use crate::random::generate::Random;
use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    let name = "rust::wide::expressions_compute_what_rust_does";
    vec![trial(name, 1, "were compared", |seed| compare(seed).map(u64::from))]
}

#[derive(Clone, Copy, PartialEq)]
enum Type {
    U64,
    I64,
    U32,
    I32,
    U8,
    I16,
}

use Type::{I16, I32, I64, U8, U32, U64};

impl Type {
    const ALL: [Self; 6] = [U64, I64, U32, I32, U8, I16];

    fn name(self) -> &'static str {
        match self {
            U64 => "u64",
            I64 => "i64",
            U32 => "u32",
            I32 => "i32",
            U8 => "u8",
            I16 => "i16",
        }
    }

    fn bits(self) -> u32 {
        match self {
            U64 | I64 => 64,
            U32 | I32 => 32,
            I16 => 16,
            U8 => 8,
        }
    }

    /// Wraps a number to the type.
    fn wrap(self, value: i128) -> i128 {
        match self {
            U64 => (value as u64).into(),
            I64 => (value as i64).into(),
            U32 => (value as u32).into(),
            I32 => (value as i32).into(),
            U8 => (value as u8).into(),
            I16 => (value as i16).into(),
        }
    }
}

/// An expression: its text, and its value in each lane.
struct Expr {
    text: String,
    values: Vec<i128>,
}

impl Expr {
    fn of(&self, ty: Type, text: String, of: impl Fn(i128) -> i128) -> Self {
        Self { text, values: self.values.iter().map(|&x| ty.wrap(of(x))).collect() }
    }

    fn with(&self, y: &Self, ty: Type, text: String, of: impl Fn(i128, i128) -> i128) -> Self {
        let pairs = self.values.iter().zip(&y.values);
        Self { text, values: pairs.map(|(&x, &y)| ty.wrap(of(x, y))).collect() }
    }
}

struct Writer {
    random: Random,
    /// The inputs `a` and `b` of each lane.
    given: [Vec<i128>; 2],
}

/// Compares a function, and returns whether it was accepted.
fn compare(seed: u64) -> Result<bool, String> {
    let mut random = Random::new(seed);
    let mut numbers = || (0..LANES).map(|_| number(&mut random).into()).collect::<Vec<i128>>();
    let given = [numbers(), numbers()];
    let listed = given.clone().map(|of| of.iter().map(|x| format!("{x}, ")).collect::<String>());
    let mut writer = Writer { random, given };
    let found = writer.expr(U64, 1 + seed as u32 % 4);
    let text = kernel(
        "f",
        &format!(
            "const A: [u64; {LANES}] = [{}];
    const B: [u64; {LANES}] = [{}];
    fn f(lane: u32) -> u32 {{
        let (a, b) = (A[lane as usize], B[lane as usize] as i64);
        let found: u64 = {};
        (found >> 32) as u32 ^ (found as u32).rotate_left(9)
    }}",
            listed[0], listed[1], found.text
        ),
    );
    let failed = |what: &str| format!("{what}\n{text}");
    let got = match output(&text, LANES) {
        Ok(got) => got,
        // Constants are computed at compile time, and must not leave their range.
        Err(error) if error.contains("out of range") || error.contains("overflows") => {
            return Ok(false);
        }
        Err(error) => return Err(failed(&error)),
    };
    let wanted: Vec<u32> = (found.values.iter())
        .map(|&found| (found >> 32) as u32 ^ (found as u32).rotate_left(9))
        .collect();
    match got == wanted {
        true => Ok(true),
        false => Err(failed(&format!("gives\n{got:?}, but in Rust\n{wanted:?}"))),
    }
}

/// Returns a boundary value, or any number.
fn number(random: &mut Random) -> u64 {
    let end = 1u64 << *random.pick(&[0, 7, 15, 31, 32, 33, 63]);
    match random.below(4) {
        0 => end,
        1 => end.wrapping_sub(1),
        2 => end.wrapping_neg(),
        _ => random.bits() >> random.below(64),
    }
}

impl Writer {
    fn simple(&mut self, ty: Type) -> Expr {
        if self.random.chance(30) {
            let value = ty.wrap(number(&mut self.random).into());
            // The minimum of a signed type is the negation of an out-of-range literal, which Rust accepts.
            let text = format!("({value}{})", ty.name());
            return Expr { text, values: vec![value; LANES as usize] };
        }
        let nth = self.random.below(2) as usize;
        let (name, own) = [("a", U64), ("b", I64)][nth];
        let given = Expr { text: String::new(), values: self.given[nth].clone() };
        given.of(ty, format!("({name} as {})", ty.name()), |x| own.wrap(x))
    }

    fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        let Some(depth) = depth.checked_sub(1) else { return self.simple(ty) };
        let wide = ty.bits() == 64;
        match self.random.below(if wide { 9 } else { 5 }) {
            0 | 1 => {
                let (x, y) = (self.expr(ty, depth), self.expr(ty, depth));
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                let text = format!("({} {op} {})", x.text, y.text);
                x.with(&y, ty, text, move |x, y| match op {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x.wrapping_mul(y),
                    "&" => x & y,
                    "|" => x | y,
                    _ => x ^ y,
                })
            }
            2 => {
                let from = *self.random.pick(&Type::ALL);
                let x = self.expr(from, depth);
                x.of(ty, format!("({} as {})", x.text, ty.name()), |x| x)
            }
            3 => {
                let (x, by) = (self.expr(ty, depth), self.expr(U32, depth));
                let most = ty.bits() - 1;
                let op = *self.random.pick(&["<<", ">>"]);
                let text = format!("({} {op} ({} & {most}))", x.text, by.text);
                x.with(&by, ty, text, move |x, by| {
                    let by = by & i128::from(most);
                    if op == "<<" { x << by } else { x >> by }
                })
            }
            4 => self.chosen(ty, depth),
            5 => {
                let (x, y) = (self.expr(ty, depth), self.expr(ty, depth));
                let name = *self.random.pick(&["wrapping_div", "wrapping_rem"]);
                let text = format!("{}.{name}({} | 1)", x.text, y.text);
                x.with(
                    &y,
                    ty,
                    text,
                    move |x, y| {
                        if name == "wrapping_div" { x / (y | 1) } else { x % (y | 1) }
                    },
                )
            }
            6 => self.counted(ty, depth),
            _ => self.joined(ty, depth),
        }
    }

    /// Returns one of two expressions, selected by a comparison.
    fn chosen(&mut self, ty: Type, depth: u32) -> Expr {
        let of = *self.random.pick(&Type::ALL);
        let [x, y] = [(); 2].map(|()| self.expr(of, depth));
        let [then, otherwise] = [(); 2].map(|()| self.expr(ty, depth));
        let op = *self.random.pick(&COMPARISONS);
        let text = format!(
            "(if {} {op} {} {{ {} }} else {{ {} }})",
            x.text, y.text, then.text, otherwise.text
        );
        let values =
            (0..LANES as usize).map(|lane| match holds(op, x.values[lane], y.values[lane]) {
                true => then.values[lane],
                false => otherwise.values[lane],
            });
        Expr { values: values.collect(), text }
    }

    /// Returns a method call on one number.
    fn counted(&mut self, ty: Type, depth: u32) -> Expr {
        let x = self.expr(ty, depth);
        let name = *self.random.pick(&[
            "count_ones()",
            "leading_zeros()",
            "trailing_zeros()",
            "swap_bytes()",
            "reverse_bits()",
            "wrapping_neg()",
            "rotate_left(13)",
            "rotate_right(40)",
        ]);
        let text = format!("({}.{name} as {})", x.text, ty.name());
        x.of(ty, text, move |x| {
            let bits = x as u64;
            match name {
                "count_ones()" => bits.count_ones().into(),
                "leading_zeros()" => bits.leading_zeros().into(),
                "trailing_zeros()" => bits.trailing_zeros().into(),
                "swap_bytes()" => bits.swap_bytes().into(),
                "reverse_bits()" => bits.reverse_bits().into(),
                "wrapping_neg()" => -x,
                "rotate_left(13)" => bits.rotate_left(13).into(),
                _ => bits.rotate_right(40).into(),
            }
        })
    }

    /// Returns a method call on two numbers.
    fn joined(&mut self, ty: Type, depth: u32) -> Expr {
        let (x, y) = (self.expr(ty, depth), self.expr(ty, depth));
        let name = *self.random.pick(&[
            "min",
            "max",
            "abs_diff",
            "saturating_add",
            "saturating_sub",
            "saturating_mul",
            "checked_add",
            "checked_sub",
            "checked_mul",
        ]);
        let checked = name.starts_with("checked");
        let otherwise = if checked { ".unwrap_or(77)" } else { "" };
        let text = format!("({}.{name}({}){otherwise} as {})", x.text, y.text, ty.name());
        let (least, most) = match ty {
            I64 => (i64::MIN.into(), i64::MAX.into()),
            _ => (0, i128::from(u64::MAX)),
        };
        x.with(&y, ty, text, move |x, y| {
            let whole = match name {
                "min" => Some(x.min(y)),
                "max" => Some(x.max(y)),
                "abs_diff" => return (x - y).abs(),
                "saturating_add" | "checked_add" => Some(x + y),
                "saturating_sub" | "checked_sub" => Some(x - y),
                _ => x.checked_mul(y),
            };
            let whole = whole.unwrap_or(i128::MAX);
            match checked && !(least..=most).contains(&whole) {
                true => 77,
                false => whole.clamp(least, most),
            }
        })
    }
}
