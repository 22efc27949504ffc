//! Tests of random expressions of `half::f16`: the executor must compute from their WGSL what `half` computes, to the bit. The
//! values are computed while the text is written.

use super::expressions::{COMPARISONS, holds, trial};
use super::native::{LANES, kernel};
use super::output;
use crate::random::generate::Random;
use half::f16;
use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    let name = "rust::halves::expressions_compute_what_half_does";
    vec![trial(name, LANES.into(), "results were finite", compare)]
}

/// An expression: its text, and its value in each lane.
struct Expr {
    text: String,
    values: Vec<f16>,
}

impl Expr {
    fn of(&self, text: String, of: impl Fn(f16) -> f16) -> Self {
        Self { text, values: self.values.iter().map(|&x| of(x)).collect() }
    }

    fn with(&self, y: &Self, text: String, of: impl Fn(f16, f16) -> f16) -> Self {
        let pairs = self.values.iter().zip(&y.values);
        Self { text, values: pairs.map(|(&x, &y)| of(x, y)).collect() }
    }
}

struct Writer {
    random: Random,
    /// The inputs `a` and `b` of each lane.
    given: [Vec<f16>; 2],
}

/// Compares a function with what `half` computes, and returns the number of lanes with a finite result.
fn compare(seed: u64) -> Result<u64, String> {
    let mut random = Random::new(seed);
    let mut numbers = || (0..LANES).map(|_| number(&mut random)).collect::<Vec<f16>>();
    let given = [numbers(), numbers()];
    let listed =
        given.clone().map(|of| of.iter().map(|x| format!("{}, ", x.to_bits())).collect::<String>());
    let mut writer = Writer { random, given };
    let found = writer.expr(1 + seed as u32 % 4);
    let text = kernel(
        "f",
        &format!(
            "use half::f16;
    const A: [u32; {LANES}] = [{}];
    const B: [u32; {LANES}] = [{}];
    fn f(lane: u32) -> u32 {{
        let a = f16::from_bits(A[lane as usize] as u16);
        let b = f16::from_bits(B[lane as usize] as u16);
        let found: f16 = {};
        if found.is_nan() {{ 0x10000 }} else {{ u32::from(found.to_bits()) }}
    }}",
            listed[0], listed[1], found.text
        ),
    );
    let failed = |what: &str| format!("{what}\n{text}");
    let got = output(&text, LANES).map_err(|error| failed(&error))?;
    let bits = |x: &f16| if x.is_nan() { 0x10000 } else { u32::from(x.to_bits()) };
    let wanted: Vec<u32> = found.values.iter().map(bits).collect();
    match got == wanted {
        true => Ok(found.values.iter().filter(|x| x.is_finite()).count() as u64),
        false => Err(failed(&format!("gives\n{got:x?}, but half computes\n{wanted:x?}"))),
    }
}

/// Returns a boundary value, or any number; none whose bits are not a number.
fn number(random: &mut Random) -> f16 {
    let ends = [0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff, 0x7c00];
    let end = *random.pick(&ends);
    let x = match random.below(4) {
        0 => f16::from_bits(end),
        1 => f16::from_bits(end | 0x8000),
        2 => f16::from_f32(random.below(4000) as f32 / 64.0 - 30.0),
        _ => f16::from_bits(random.bits() as u16),
    };
    if x.is_nan() { f16::ONE } else { x }
}

impl Writer {
    fn simple(&mut self) -> Expr {
        let all = |text: String, value| Expr { text, values: vec![value; LANES as usize] };
        match self.random.below(6) {
            0 => {
                // With more digits than the type has.
                let value = number(&mut self.random).to_f32() * 1.1 + 0.3;
                let value = if value.is_finite() { value } else { 1e5 };
                all(format!("f16::from_f32({value:?})"), f16::from_f32(value))
            }
            1 => {
                let constants = [
                    ("MAX", f16::MAX),
                    ("MIN_POSITIVE", f16::MIN_POSITIVE),
                    ("EPSILON", f16::EPSILON),
                    ("PI", f16::PI),
                    ("NEG_INFINITY", f16::NEG_INFINITY),
                    ("NEG_ZERO", f16::NEG_ZERO),
                ];
                let (name, value) = *self.random.pick(&constants);
                all(format!("f16::{name}"), value)
            }
            other => {
                let nth = other as usize % 2;
                Expr { text: ["a", "b"][nth].to_owned(), values: self.given[nth].clone() }
            }
        }
    }

    fn expr(&mut self, depth: u32) -> Expr {
        let Some(depth) = depth.checked_sub(1) else { return self.simple() };
        match self.random.below(8) {
            0..=2 => {
                let (x, y) = (self.expr(depth), self.expr(depth));
                let op = *self.random.pick(&["+", "-", "*", "/"]);
                let text = format!("({} {op} {})", x.text, y.text);
                x.with(&y, text, |x, y| match op {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x * y,
                    _ => x / y,
                })
            }
            3 => {
                let x = self.expr(depth);
                let text = format!("(-{})", x.text);
                x.of(text, |x| -x)
            }
            4 => {
                let (x, y) = (self.expr(depth), self.expr(depth));
                let name = *self.random.pick(&["min", "max", "copysign"]);
                let text = format!("{}.{name}({})", x.text, y.text);
                x.with(&y, text, |x, y| match name {
                    "min" => x.min(y),
                    "max" => x.max(y),
                    _ => x.copysign(y),
                })
            }
            5 => {
                let x = self.expr(depth);
                let (before, after, of): (&str, &str, fn(f16) -> f16) = match self.random.below(4) {
                    0 => ("", ".signum()", f16::signum),
                    1 => ("", ".clamp(f16::NEG_ONE, f16::PI)", |x| x.clamp(f16::NEG_ONE, f16::PI)),
                    2 => ("f16::from_bits(", ".to_bits())", |x| x),
                    _ => ("f16::from(u8::from(", ".is_finite()))", |x| {
                        u8::from(x.is_finite()).into()
                    }),
                };
                let text = format!("{before}{}{after}", x.text);
                x.of(text, of)
            }
            6 => {
                // By way of `f32`, which has more digits and does not overflow.
                let (x, y) = (self.expr(depth), self.expr(depth));
                let op = *self.random.pick(&["+", "*"]);
                let text = format!("f16::from_f32({}.to_f32() {op} f32::from({}))", x.text, y.text);
                x.with(&y, text, |x, y| {
                    let (x, y) = (x.to_f32(), y.to_f32());
                    f16::from_f32(if op == "+" { x + y } else { x * y })
                })
            }
            _ => self.chosen(depth),
        }
    }

    /// Returns one of two expressions, selected by a comparison.
    fn chosen(&mut self, depth: u32) -> Expr {
        let [x, y, then, otherwise] = [(); 4].map(|()| self.expr(depth));
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
}
