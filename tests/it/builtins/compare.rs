//! Compares what a row computes in WGSL with what Rust computes, over many arguments.

use super::compute::{compute, expressions, parts, to_wgsl};
use super::samples::{Range, Sample, arguments, scalars};
use hirace::raw::front::rust::builtins::{self, Builtin, Parameter};
use hirace::raw::front::rust::tree::{Scalar, Type};
use libtest_mimic::Failed;
use std::cell::Cell;
use std::fmt::Write;

/// A Rust function that takes and returns values.
pub trait Function {
    /// Returns the types of the parameters.
    fn parameters() -> Vec<Type>;
    /// Returns the type of the result.
    fn result() -> Type;
    /// Applies the function to arguments as words; panics if the function panics.
    fn apply(&self, words: &[u32]) -> Vec<u32>;
}

macro_rules! functions {
    ($(($($ty:ident)*);)*) => {$(
        impl<$($ty: Sample,)* R: Sample> Function for fn($($ty),*) -> R {
            fn parameters() -> Vec<Type> {
                vec![$($ty::ty()),*]
            }
            fn result() -> Type {
                R::ty()
            }
            fn apply(&self, words: &[u32]) -> Vec<u32> {
                let mut words = words.iter().copied();
                self($($ty::from_words(&mut words)),*).words()
            }
        }
    )*};
}

functions! {
    (A);
    (A B);
    (A B C);
    (A B C D);
}

/// Functions whose results are bit-identical to Rust's, except for the sign of 0.
const EXACT: &str = "abs min max clamp ceil floor trunc round round_ties_even fract fract_gl signum copysign \
    to_bits from_bits new splat select from_array extend truncate with_x with_y with_z with_w to_array \
    as_vec2 as_vec3 as_vec4 min_element max_element perp saturate step from_cols from_rows from_diagonal \
    transpose diagonal col row from_mat2 from_mat3 from_mat4 from_scale from_translation to_homogeneous";

/// Functions that are also tested with large and small floats.
const WIDE: &str = "abs min max clamp ceil floor trunc round round_ties_even fract signum copysign sqrt exp \
    exp2 ln log2 log10 log powf powi cbrt hypot sin cos sin_cos tan asin acos atan atan2 sinh cosh tanh asinh \
    acosh atanh to_degrees to_radians recip midpoint new splat select extend truncate cmpeq cmpne cmplt \
    cmple cmpgt cmpge min_element max_element is_sign_negative is_sign_positive is_negative_mask step \
    saturate normalize_or_zero";

/// Functions that are also tested with floats that are not finite.
const ALL: &str = "to_bits from_bits is_nan is_finite is_infinite is_nan_mask is_finite_mask to_f32 \
    to_f32_const from_f32 from_f32_const";

/// Returns whether a list contains a name.
fn lists(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|listed| listed == name)
}

/// The state of the comparisons.
#[derive(Default)]
pub struct Compare {
    /// If set, nothing is run; only [`Self::functions`] is written.
    pub only_text: bool,
    /// A WGSL function for each comparison.
    pub functions: String,
    failures: Vec<String>,
    rows: usize,
}

impl Compare {
    /// Compares a method; the receiver is the first parameter.
    pub fn method<F: Function>(&mut self, name: &str, function: F) {
        let parameters = F::parameters();
        let found = builtins::methods(&parameters[0], name);
        let row = found.iter().find(|row| row.parameters.len() == parameters.len());
        self.row(name, row.copied(), &parameters[0].clone(), (parameters, F::result()), &|words| {
            function.apply(words)
        });
    }

    /// Compares an associated function of `T`.
    pub fn associated<T: Sample, F: Function>(&mut self, name: &str, function: F) {
        let row = builtins::find_associated(&T::ty(), name);
        self.row(name, row, &T::ty(), (F::parameters(), F::result()), &|words| {
            function.apply(words)
        });
    }

    /// Compares a constant.
    pub fn constant<T: Sample>(&mut self, name: &str, value: T) {
        let Some((wgsl, _)) = builtins::constant(&T::ty(), name) else {
            self.failures.push(format!("the constant {name} does not exist"));
            return;
        };
        self.rows += 1;
        let number = self.rows;
        let ty = to_wgsl(&T::ty());
        writeln!(self.functions, "fn constant{number}() -> {ty} {{ return {wgsl}; }}")
            .expect("strings can be written to");
        if self.only_text {
            return;
        }
        match compute(&[wgsl.to_owned()], &[], &T::ty(), &[vec![0]]) {
            Ok(made) if made[0] == value.words() => {}
            other => {
                self.failures.push(format!("{ty}::{name}: {other:?}, not {:?}", value.words()))
            }
        }
    }

    /// Fails with the disagreements, or if the number of compared rows is not `rows`.
    pub fn finish(self, rows: usize) -> Result<(), Failed> {
        match self.failures.is_empty() {
            true if self.rows != rows => {
                Err(format!("{} rows were compared, expected {rows}", self.rows).into())
            }
            true => Ok(()),
            false => Err(format!(
                "{} of {}:\n{}",
                self.failures.len(),
                self.rows,
                self.failures.join("\n")
            )
            .into()),
        }
    }

    /// Compares a row. Not generic, so that it is compiled once.
    fn row(
        &mut self,
        name: &str,
        row: Option<&'static Builtin>,
        variable: &Type,
        (mut parameters, result): (Vec<Type>, Type),
        function: &dyn Fn(&[u32]) -> Vec<u32>,
    ) {
        let Some(row) = row else {
            self.failures.push(format!("{name} of {variable:?} was not found"));
            return;
        };
        let said: Vec<Option<Type>> =
            row.parameters.iter().map(|parameter| parameter.of(Some(variable))).collect();
        if said != parameters.iter().cloned().map(Some).collect::<Vec<_>>()
            || row.result.of(Some(variable)) != Some(result.clone())
        {
            self.failures.push(format!("{name} of {variable:?} has other types in Rust"));
            return;
        }
        self.rows += 1;
        // No other compiler of WGSL has 64-bit integers.
        if self.only_text && variable.is_wide() {
            return;
        }
        let expressions = expressions(row, Some(variable));
        self.write(&expressions, &parameters, &result);
        if self.only_text {
            return;
        }
        let range = match () {
            () if lists(ALL, name) => Range::All,
            () if lists(WIDE, name) => Range::Wide,
            () => Range::Moderate,
        };
        let scalars_of: Vec<Scalar> = parameters.iter().flat_map(scalars).collect();
        let mut given = arguments(&scalars_of, range);
        if let Some(at) = row.parameters.iter().position(|parameter| *parameter == Parameter::Index)
        {
            // Indices within the matrix.
            let before: usize = parameters[..at].iter().map(|ty| scalars(ty).len()).sum();
            given.iter_mut().for_each(|words| words[before] %= 2);
            parameters[at] = Type::Scalar(Scalar::U32);
        }
        let floats = |words: &[u32]| -> Vec<f32> {
            let floats =
                words.iter().zip(&scalars_of).filter(|(_, scalar)| **scalar == Scalar::F32);
            floats.map(|(word, _)| f32::from_bits(*word)).collect()
        };
        given.retain(|words| in_domain(name, &floats(words)));
        let wanted: Vec<Option<Vec<u32>>> =
            given.iter().map(|words| quietly(|| function(words))).collect();
        let made = match compute(&expressions, &parameters, &result, &given) {
            Ok(made) => made,
            Err(error) => {
                self.failures.push(format!("{name} of {variable:?} does not run: {error}"));
                return;
            }
        };
        let kinds = scalars(&result);
        let mut judged = 0;
        for ((given, wanted), made) in given.iter().zip(&wanted).zip(&made) {
            let Some(wanted) = wanted else { continue };
            let finite = wanted.iter().zip(&kinds).all(|(word, kind)| match kind {
                Scalar::F32 => f32::from_bits(*word).is_finite(),
                Scalar::F16 => half(*word).is_finite(),
                _ => true,
            });
            if !finite && range != Range::All {
                continue;
            }
            judged += 1;
            let tolerance = tolerance(name, &floats(given));
            let same =
                wanted.iter().zip(made).zip(&kinds).all(|((wanted, made), kind)| match kind {
                    Scalar::F32 => {
                        near(name, f32::from_bits(*made), f32::from_bits(*wanted), tolerance)
                    }
                    Scalar::F16 => made == wanted || half(*made).is_nan() && half(*wanted).is_nan(),
                    _ => made == wanted,
                });
            if !same {
                let show = |words: &[u32], kinds: &[Scalar]| -> Vec<String> {
                    let shown = words.iter().zip(kinds).map(|(word, kind)| match kind {
                        Scalar::F32 => format!("{:?}", f32::from_bits(*word)),
                        Scalar::F16 => format!("{:?}", half(*word)),
                        Scalar::I32 => (*word as i32).to_string(),
                        _ => word.to_string(),
                    });
                    shown.collect()
                };
                self.failures.push(format!(
                    "{}::{name}({:?}) is {:?}, not {:?}",
                    to_wgsl(variable),
                    show(given, &scalars_of),
                    show(made, &kinds),
                    show(wanted, &kinds)
                ));
                return;
            }
        }
        if judged < 4 {
            self.failures
                .push(format!("{name} of {variable:?}: only {judged} arguments have a result"));
        }
    }

    /// Writes a WGSL function with these expressions.
    fn write(&mut self, expressions: &[String], parameters: &[Type], result: &Type) {
        let number = self.rows;
        let parameters = parameters.iter().enumerate();
        let parameters: Vec<String> =
            parameters.map(|(number, ty)| format!("a{number}: {}", to_wgsl(ty))).collect();
        for (part, (expression, ty)) in expressions.iter().zip(parts(result)).enumerate() {
            writeln!(
                self.functions,
                "fn row{number}part{part}({}) -> {} {{ return {expression}; }}",
                parameters.join(", "),
                to_wgsl(&ty)
            )
            .expect("strings can be written to");
        }
    }
}

/// Returns the `f16` of these bits.
fn half(word: u32) -> half::f16 {
    half::f16::from_bits(word as u16)
}

/// Returns whether Rust specifies the result for these floats, and WGSL's accuracy allows a comparison.
fn in_domain(name: &str, floats: &[f32]) -> bool {
    let last = |back: usize| floats.get(floats.len().wrapping_sub(back)).copied().unwrap_or(0.0);
    match name {
        "clamp_length" => 0.0 <= last(2) && last(2) <= last(1),
        "clamp_length_max" | "clamp_length_min" => 0.0 <= last(1),
        "smoothstep" => {
            let components = floats.len() / 3;
            (0..components).all(|i| floats[components + i] < floats[2 * components + i])
        }
        // WGSL's remainder is computed from a rounded quotient.
        "rem_euclid" | "div_euclid" => {
            let half = floats.len() / 2;
            (0..half).all(|i| {
                let (dividend, divisor) = (floats[i], floats[half + i]);
                let quotient = dividend / divisor;
                let exact = (4.0 * dividend).fract() == 0.0 && (4.0 * divisor).fract() == 0.0;
                exact || (quotient - quotient.round()).abs() > 1e-4
            })
        }
        "inverse" => {
            let words = |range: std::ops::Range<usize>| {
                range.map(|i| floats[i].to_bits()).collect::<Vec<_>>()
            };
            let words = words(0..floats.len());
            let mut words = words.into_iter();
            let determinant = match floats.len() {
                4 => hirace::prelude::Mat2::from_words(&mut words).determinant(),
                _ => hirace::prelude::Mat3::from_words(&mut words).determinant(),
            };
            determinant.abs() > 1.0 && floats.iter().all(|float| float.abs() < 9.0)
        }
        _ => true,
    }
}

/// Returns how far a float may be off, in addition to the relative error.
fn tolerance(name: &str, arguments: &[f32]) -> f32 {
    let largest = arguments.iter().fold(1.0, |largest: f32, float| largest.max(float.abs()));
    match name {
        _ if lists(EXACT, name) || lists(ALL, name) => 0.0,
        _ if lists(WIDE, name) => 1e-5,
        "determinant" => 1e-5 * largest.powi(4),
        // glam's arc cosine is an approximation.
        "angle_between" | "angle_to" => 2e-3,
        "inverse" => 1e-3,
        _ => 1e-5 * largest * largest,
    }
}

fn near(name: &str, made: f32, wanted: f32, tolerance: f32) -> bool {
    if tolerance == 0.0 {
        return made == wanted || made.is_nan() && wanted.is_nan();
    }
    let mut off = (made - wanted).abs();
    if name == "angle_to" {
        off = off.min((off - std::f32::consts::TAU).abs());
    }
    off <= tolerance.max(2e-5 * wanted.abs())
}

thread_local! {
    /// Whether panics of this thread are expected.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of a function; `None` if it panics, in which case nothing is printed.
fn quietly<R>(function: impl Fn() -> R) -> Option<R> {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    QUIET.set(true);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(function));
    QUIET.set(false);
    result.ok()
}
