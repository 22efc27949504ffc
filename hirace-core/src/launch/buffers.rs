//! Converts a description of a buffer's contents to its bytes.

use super::npy::Elements;
use super::number::{Number, scalar_name};
use super::spec::{Bytes, Contents, Length};
use super::values::{Shape, TypeMismatch, Values, fit, type_name};
use crate::bounded::Limit;
use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::scalars::{
    Footprint, ScalarSlot, byte_counts, scalar_counts, scalar_types, scalars,
};
use crate::random::Random;
use naga::{Handle, Module, ScalarKind, Type};
use std::path::Path;

/// The maximum size of a buffer. The largest binding that common devices allow is smaller.
pub const MAX_BYTES: u32 = 1 << 30;

/// The maximum size of contents that are generated number by number, in bytes. Zeros take no memory, and what a file or a program
/// holds is in memory already.
pub const MAX_GENERATED_BYTES: u32 = 256 << 20;

/// The help for contents that are too large to generate.
const ZEROS_OR_A_FILE: &str =
    "use `zeros` or a file, or a smaller buffer: races show on small buffers too";

/// One number out of this many is one that the kernel compares with.
const SENTINELS: u32 = 4;

/// The parameters of contents that are not part of their description.
#[derive(Clone, Copy, Debug)]
pub struct FillContext<'a> {
    /// The deadline. Once it has passed, the rest of a buffer may be left unfilled.
    pub deadline: Deadline<'a>,
    /// The seed of random contents that have no seed of their own.
    pub seed: u64,
    /// Distinguishes the buffers of a launch that share a seed.
    pub stream: u64,
    /// The number of elements of a runtime-sized array whose length was not given.
    pub elements: u32,
    /// The exclusive upper bound of random integers, chosen so that most of them are valid indices.
    pub below: u32,
    /// Integers that the kernel compares with. Some elements of a guessed buffer get these values.
    pub sentinels: &'a [i64],
}

impl FillContext<'_> {
    /// Returns the random number generator of contents, which may have a seed of their own.
    fn random(&self, seed: Option<u64>) -> Random {
        match seed {
            Some(seed) => Random::stream(seed, 0),
            None => Random::stream(self.seed, self.stream),
        }
    }
}

/// The bytes of a buffer.
#[derive(Debug)]
pub struct FilledBuffer {
    /// The contents.
    pub bytes: Vec<u8>,
    /// Whether the length is determined by what was given.
    pub length_given: bool,
}

/// Returns the bytes of variable `name` of type `ty` that holds `contents`.
pub fn fill(
    module: &Module,
    name: &str,
    ty: Handle<Type>,
    contents: &Contents,
    context: &FillContext<'_>,
) -> Result<FilledBuffer> {
    let buffer = TypedBuffer {
        module,
        name,
        ty,
        footprint: Footprint::of(module, ty),
        deadline: context.deadline,
    };
    match contents {
        Contents::Zeros(length) => {
            let (bytes, _, length_given) = buffer.size(*length, context, MAX_BYTES)?;
            Ok(FilledBuffer { bytes: vec![0; bytes as usize], length_given })
        }
        Contents::Iota(length) => {
            let mut next = 0i128;
            buffer.generate(*length, context, |place| {
                next += 1;
                counted(next - 1, place.scalar)
            })
        }
        Contents::Permutation(length, seed) => buffer.permutation(*length, *seed, context),
        Contents::Random(length, seed) => {
            let mut random = context.random(*seed);
            buffer.generate(*length, context, |place| {
                random_number(&mut random, place, context.below)
            })
        }
        Contents::Fill(length, value) => buffer.generate(*length, context, |_| *value),
        Contents::Below(length, most, seed) => {
            let mut random = context.random(*seed);
            buffer
                .generate(*length, context, |place| number_below(&mut random, place.scalar, *most))
        }
        Contents::List(list) => buffer.numbers(list.len(), false, |i| list.get(i).copied()),
        Contents::File(path) => buffer.file(path),
        Contents::Values(values) => buffer.values(values),
        Contents::Bytes(bytes) => buffer.bytes(bytes),
        Contents::Texels(..) => Err(buffer.wrong("it is a buffer, not a texture".to_owned())),
    }
}

/// Returns the scalars of variable `name` of type `ty` from its memory `bytes`, to be read as a value of `shape`, which is the
/// shape of the Rust type `rust`.
pub fn read(
    module: &Module,
    name: &str,
    ty: Handle<Type>,
    bytes: &[u8],
    shape: &Shape,
    rust: &str,
) -> Result<Vec<u8>> {
    let footprint = Footprint::of(module, ty);
    let buffer = TypedBuffer { module, name, ty, footprint, deadline: Deadline::NEVER };
    fit(module, ty, shape).map_err(|misfit| {
        let read = format!("`{name}` is `{}`: it cannot be read as `{rust}`", buffer.type_name());
        Box::new(explained(Diagnostic::new(read), &misfit, shape))
    })?;
    let elements = buffer.footprint.elements(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let mut read = Vec::with_capacity(bytes.len());
    scalars(module, ty, elements, &mut |place| {
        let start = place.offset as usize;
        read.extend(bytes.get(start..start + usize::from(place.scalar.width)).unwrap_or_default());
    });
    let given = read.len() as u64;
    match shape.packed_size() {
        Some(wanted) if wanted != given => {
            let Unit { name: unit, bytes, .. } = buffer.unit();
            let has = plural(given / bytes, unit);
            Err(Box::new(Diagnostic::new(format!(
                "`{name}` has {has}: `{rust}` takes {}",
                wanted / bytes
            ))))
        }
        _ => Ok(read),
    }
}

/// Adds to `error` where two types differ, if they differ only in a part.
fn explained(error: Diagnostic, misfit: &TypeMismatch, shape: &Shape) -> Diagnostic {
    let TypeMismatch { expected, got } = misfit;
    match *got == shape.to_string() {
        true => error.note(format!("in WGSL, that is {got}, but {expected} is expected")),
        false => error.note(format!("found {got} where {expected} is expected")),
    }
}

/// Returns the contents of a guessed buffer: like `random`, but atomics start at zero, because most of them are locks, flags or
/// counters.
pub fn infer_bytes(
    module: &Module,
    name: &str,
    ty: Handle<Type>,
    context: &FillContext<'_>,
) -> Result<Vec<u8>> {
    let footprint = Footprint::of(module, ty);
    let buffer = TypedBuffer { module, name, ty, footprint, deadline: context.deadline };
    let mut random = Random::stream(context.seed, context.stream);
    let filled = buffer.generate(None, context, |place| {
        let number = random_number(&mut random, place, context.below);
        match place.atomic {
            true => Number::Int(0),
            false => sentinel(&mut random, place, context.sentinels).unwrap_or(number),
        }
    })?;
    Ok(filled.bytes)
}

/// Returns the `n`-th number of a count, wrapped if `scalar` cannot hold it.
fn counted(n: i128, scalar: naga::Scalar) -> Number {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Uint | ScalarKind::Sint, width) => {
            Number::Int(n % (1i128 << (u32::from(width) * 8 - 1)))
        }
        // f16 holds the integers up to this bound exactly.
        (_, 2) => Number::Int(n % 2048),
        _ => Number::Int(n),
    }
}

fn random_number(random: &mut Random, place: ScalarSlot, below: u32) -> Number {
    match (place.scalar.kind, place.scalar.width) {
        (ScalarKind::Uint | ScalarKind::Sint, 2) => {
            Number::Int(random.below(below.min(1 << 15)).into())
        }
        (ScalarKind::Uint | ScalarKind::Sint, _) => {
            Number::Int(random.below(below.min(1 << 31)).into())
        }
        _ => Number::Float(random.unit() * 2.0 - 1.0),
    }
}

/// Returns a random number from 0 to below `most`, an integer if `scalar` is an integer type.
pub(super) fn number_below(random: &mut Random, scalar: naga::Scalar, most: Number) -> Number {
    match scalar.kind {
        ScalarKind::Uint | ScalarKind::Sint => {
            // The range of a signed scalar of this width.
            let held = if scalar.width == 2 { 1 << 15 } else { 1 << 31 };
            Number::Int(random.below((most.to_f64() as u32).min(held)).into())
        }
        _ => Number::Float(random.unit() * most.to_f64()),
    }
}

/// Returns, with a probability of 1 / [`SENTINELS`], one of the numbers that the kernel compares with.
fn sentinel(random: &mut Random, place: ScalarSlot, sentinels: &[i64]) -> Option<Number> {
    if sentinels.is_empty() || random.below(SENTINELS) != 0 {
        return None;
    }
    let value =
        Number::Int((*sentinels.get(random.below(sentinels.len() as u32) as usize)?).into());
    value.encode(place.scalar).map(|_| value)
}

/// Whether the deadline has passed. The clock is read so rarely that this costs nothing.
pub(super) struct DeadlinePoll<'a> {
    deadline: Deadline<'a>,
    asked: u32,
    over: bool,
}

impl<'a> DeadlinePoll<'a> {
    pub fn new(deadline: Deadline<'a>) -> Self {
        Self { deadline, asked: 0, over: false }
    }

    pub fn now(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(1 << 12) && !self.over {
            self.over = self.deadline.is_over();
        }
        self.over
    }
}

/// A variable whose bytes are computed.
struct TypedBuffer<'a> {
    module: &'a Module,
    name: &'a str,
    ty: Handle<Type>,
    footprint: Footprint,
    deadline: Deadline<'a>,
}

/// The unit in which values of a type are counted: scalars, or bytes if the scalars have different sizes.
struct Unit {
    name: &'static str,
    bytes: u64,
    /// The number of units before the runtime-sized array, and the number that each of its elements adds.
    counts: (u64, u64),
}

impl TypedBuffer<'_> {
    /// Returns the size in bytes, the number of elements of the runtime-sized array, and whether that number was given. A size
    /// above `most` is an error.
    fn size(
        &self,
        length: Option<Length>,
        context: &FillContext<'_>,
        most: u32,
    ) -> Result<(u32, u32, bool)> {
        let (elements, given) = match (length, self.footprint.stride) {
            (Some(Length::Elements(n)), Some(_)) => (n, true),
            (Some(Length::Elements(n)), None) => {
                let expected = self.fixed_length();
                if expected != n {
                    return Err(self.wrong(format!(
                        "its size is fixed by its type `{}`: expected {}, got {n}",
                        self.type_name(),
                        plural(expected.into(), "element"),
                    )));
                }
                (0, true)
            }
            (Some(Length::Texels(_)), _) => {
                return Err(self
                    .wrong("it is a buffer, not a texture: its length is one number".to_owned()));
            }
            (None, Some(_)) => (context.elements, false),
            (None, None) => (0, true),
        };
        let bytes = self.footprint.bytes(elements).filter(|&bytes| bytes <= most);
        let bytes = bytes.ok_or_else(|| {
            let what = match self.footprint.stride {
                Some(_) => format!("{elements} elements are"),
                None => format!("its type `{}` takes", self.type_name()),
            };
            let most_mib = most >> 20;
            match most {
                MAX_BYTES => self.wrong(format!("{what} more than {most_mib} MiB")),
                _ => {
                    let generated =
                        format!("{what} more than {most_mib} MiB of generated contents");
                    Box::new(self.wrong(generated).help(ZEROS_OR_A_FILE))
                }
            }
        })?;
        Ok((bytes, elements, given))
    }

    fn generate(
        &self,
        length: Option<Length>,
        context: &FillContext<'_>,
        number: impl FnMut(ScalarSlot) -> Number,
    ) -> Result<FilledBuffer> {
        self.generate_sized(self.size(length, context, MAX_GENERATED_BYTES)?, number)
    }

    /// Generates the contents of a buffer of a [`size`](Self::size).
    fn generate_sized(
        &self,
        (bytes, elements, length_given): (u32, u32, bool),
        mut number: impl FnMut(ScalarSlot) -> Number,
    ) -> Result<FilledBuffer> {
        let mut bytes = vec![0; bytes as usize];
        let mut misfit = None;
        let mut over = DeadlinePoll::new(self.deadline);
        scalars(self.module, self.ty, elements, &mut |place| {
            if over.now() {
                return;
            }
            let value = number(place);
            match value.encode(place.scalar) {
                Some(encoded) => put(&mut bytes, place.offset, &encoded),
                None => misfit = misfit.or(Some((value, place.scalar))),
            }
        });
        match misfit {
            None => Ok(FilledBuffer { bytes, length_given }),
            Some((value, scalar)) => Err(self.wrong(format!(
                "{value} is not a value of its scalar type {}",
                scalar_name(scalar)
            ))),
        }
    }

    /// Returns the numbers from 0 to the number of scalars in a random order.
    fn permutation(
        &self,
        length: Option<Length>,
        seed: Option<u64>,
        context: &FillContext<'_>,
    ) -> Result<FilledBuffer> {
        let size = self.size(length, context, MAX_GENERATED_BYTES)?;
        let (fixed, per_element) = scalar_counts(self.module, self.ty);
        let count = fixed.saturating_add(per_element.saturating_mul(size.1.into()));
        let mut order: Vec<u32> =
            (0..u32::try_from(count).map_err(|_| self.too_large())?).collect();
        let mut random = context.random(seed);
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i as u32 + 1) as usize);
        }
        let mut next = order.into_iter();
        self.generate_sized(size, |place| counted(next.next().unwrap_or(0).into(), place.scalar))
    }

    /// Returns the unit in which values of this type are counted.
    fn unit(&self) -> Unit {
        let types = scalar_types(self.module, self.ty);
        match types.first() {
            Some((first, _)) if types.iter().all(|(scalar, _)| scalar.width == first.width) => {
                self.scalar_unit(first.width.into())
            }
            _ => Unit { name: "byte", bytes: 1, counts: byte_counts(self.module, self.ty) },
        }
    }

    /// Returns the unit of scalars of `bytes` bytes.
    fn scalar_unit(&self, bytes: u64) -> Unit {
        Unit { name: "scalar", bytes, counts: scalar_counts(self.module, self.ty) }
    }

    /// Returns the number of elements of the runtime-sized array if there are `count` units in total.
    fn elements_of(&self, count: usize, unit: &Unit) -> Result<u32> {
        let Unit { name: unit, counts: (fixed, per_element), .. } = *unit;
        let wrong_count = |expected: String| {
            self.wrong(format!("its type `{}` takes {expected}, got {count}", self.type_name()))
        };
        let elements: u64 = match ((count as u64).checked_sub(fixed), per_element) {
            (Some(0), 0) => 0,
            (Some(rest), 1..) if rest.is_multiple_of(per_element) => rest / per_element,
            (_, 0) => return Err(wrong_count(plural(fixed, unit))),
            _ if fixed == 0 => {
                return Err(wrong_count(format!("a multiple of {}", plural(per_element, unit))));
            }
            _ => {
                return Err(wrong_count(format!(
                    "{} and then a multiple of {per_element}",
                    plural(fixed, unit)
                )));
            }
        };
        u32::try_from(elements).map_err(|_| self.too_large())
    }

    /// Returns zeros for `elements` elements in the runtime-sized array.
    fn room(&self, elements: u32) -> Result<Vec<u8>> {
        let bytes = self.footprint.bytes(elements).filter(|&bytes| bytes <= MAX_BYTES);
        Ok(vec![0; bytes.ok_or_else(|| self.too_large())? as usize])
    }

    fn too_large(&self) -> Box<Diagnostic> {
        self.wrong(format!("more than {} MiB", MAX_BYTES >> 20))
    }

    /// Returns the bytes of values of a Rust type.
    fn values(&self, values: &Values) -> Result<FilledBuffer> {
        let Values { shape, bytes: given, rust } = values;
        fit(self.module, self.ty, shape).map_err(|misfit| {
            let what = format!("`{rust}` does not fill its type `{}`", self.type_name());
            let error = explained(*self.wrong(what), &misfit, shape);
            Box::new(match (misfit.expected.as_str(), misfit.got.as_str()) {
                ("u32" | "atomic<u32>", "i32") => {
                    error.help("write `1u32`: integer literals are `i32` in Rust by default")
                }
                _ => error,
            })
        })?;
        let unit = self.unit();
        let elements = self.elements_of(given.len() / unit.bytes as usize, &unit)?;
        let mut bytes = self.room(elements)?;
        let mut left = &given[..];
        scalars(self.module, self.ty, elements, &mut |place| {
            if let Some(own) = left.split_off(..usize::from(place.scalar.width)) {
                put(&mut bytes, place.offset, own);
            }
        });
        Ok(FilledBuffer { bytes, length_given: true })
    }

    /// Returns memory that is already laid out for WGSL.
    fn bytes(&self, given: &Bytes) -> Result<FilledBuffer> {
        let Footprint { fixed, stride } = self.footprint;
        let Bytes { bytes, element, rust, padded } = given;
        if bytes.len() > MAX_BYTES as usize {
            return Err(self.too_large());
        }
        let apart = |stride: u32| {
            let (a, b) = (stride.max(1), (*element).max(1));
            !a.is_multiple_of(b) && !b.is_multiple_of(a)
        };
        let got = bytes.len() as u32;
        match stride {
            Some(stride) if !padded && fixed == 0 && apart(stride) => {
                return Err(self.wrong(format!(
                    "`{rust}` has {element} bytes, the elements of its type `{}` are {stride} bytes apart",
                    self.type_name()
                )));
            }
            _ if *padded && stride.is_some() && got >= fixed => {}
            _ => self.check_size(got, &format!("`{rust}`"))?,
        }
        Ok(FilledBuffer { bytes: bytes.clone(), length_given: true })
    }

    /// Returns an error if `got` bytes of `what` are not a whole number of elements.
    fn check_size(&self, got: u32, what: &str) -> Result<()> {
        let Footprint { fixed, stride } = self.footprint;
        let fits = match stride {
            None => got == fixed,
            Some(_) => self.footprint.bytes(self.footprint.elements(got)).is_some_and(|n| n == got),
        };
        if fits {
            return Ok(());
        }
        let expected = match stride {
            None => plural(fixed.into(), "byte"),
            Some(stride) if fixed == 0 => format!("a multiple of {stride} bytes"),
            Some(stride) => format!("{fixed} bytes and then a multiple of {stride}"),
        };
        Err(self
            .wrong(format!("its type `{}` takes {expected}, {what} has {got}", self.type_name())))
    }

    /// Writes `count` numbers in the order of the layout. With `exact`, rounding is an error.
    fn numbers(
        &self,
        count: usize,
        exact: bool,
        get: impl Fn(usize) -> Option<Number>,
    ) -> Result<FilledBuffer> {
        let elements = self.elements_of(count, &self.scalar_unit(1))?;
        let mut bytes = self.room(elements)?;
        let mut index = 0;
        let mut misfit = None;
        let mut over = DeadlinePoll::new(self.deadline);
        scalars(self.module, self.ty, elements, &mut |place| {
            if over.now() {
                return;
            }
            let value = get(index);
            let encoded = value.and_then(|value| {
                value.encode(place.scalar).filter(|_| !exact || value.fits_exactly(place.scalar))
            });
            match (encoded, value) {
                (Some(encoded), _) => put(&mut bytes, place.offset, &encoded),
                (None, Some(value)) => misfit = misfit.or(Some((index, value, place.scalar))),
                (None, None) => {}
            }
            index += 1;
        });
        match misfit {
            None => Ok(FilledBuffer { bytes, length_given: true }),
            Some((index, value, scalar)) => Err(self.wrong(format!(
                "number {index} (counted from 0) must be {}{}, got {value}",
                if exact { "exactly representable as " } else { "of type " },
                scalar_name(scalar)
            ))),
        }
    }

    fn file(&self, path: &Path) -> Result<FilledBuffer> {
        let shown = path.display();
        if path.extension().is_some_and(|extension| extension == "npy") {
            let file = std::fs::File::open(path)
                .map_err(|error| self.wrong(format!("cannot read {shown}: {error}")))?;
            let elements = Elements::read(file, MAX_BYTES)
                .map_err(|error| self.wrong(format!("cannot use {shown}: {error}")))?;
            return self.numbers(elements.count(), true, |i| elements.get(i)).map_err(
                |mut error| {
                    error.notes.push(format!("the numbers come from {shown}"));
                    error
                },
            );
        }
        let limit = Limit { name: "buffer limit", bytes: MAX_BYTES.into() };
        let bytes = limit
            .file(path)
            .map_err(|error| self.wrong(format!("cannot read {shown}: {error}")))?;
        self.check_size(bytes.len() as u32, &shown.to_string())?;
        Ok(FilledBuffer { bytes, length_given: true })
    }

    /// Returns the number of elements of an array type of fixed size, or 1 for any other type of fixed size.
    fn fixed_length(&self) -> u32 {
        use naga::TypeInner;
        match self.module.types[self.ty].inner {
            TypeInner::Array { size: naga::ArraySize::Constant(n), .. } => n.get(),
            _ => 1,
        }
    }

    fn type_name(&self) -> String {
        type_name(self.module, self.ty)
    }

    fn wrong(&self, what: String) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(format!("contents of `{}`: {what}", self.name)))
    }
}

pub(super) fn put(bytes: &mut [u8], offset: u32, encoded: &[u8]) {
    let start = offset as usize;
    if let Some(place) = bytes.get_mut(start..start + encoded.len()) {
        place.copy_from_slice(encoded);
    }
}

fn plural(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
#[path = "buffers_tests.rs"]
mod tests;
