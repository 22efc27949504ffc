//! A fully specified launch, in terms of the command line.

use super::alphabet::Alphabet;
use hirace_core::ir::globals::{Role, role};
use hirace_core::ir::scalars::{Footprint, scalars};
use hirace_core::launch::Launch;
use hirace_core::launch::number::Number;
use hirace_core::launch::spec::{Binding, LaunchSpec, Length};
use hirace_core::launch::subgroups::USUAL;
use hirace_core::program::Program;
use hirace_core::random::Random;
use hirace_core::vm::memory::Resource;
use naga::{Scalar, ScalarKind};

/// The maximum number of values that are listed one by one.
const MOST_NUMBERS: usize = 64;

/// The maximum number of elements of a buffer.
const MOST_ELEMENTS: u32 = 1 << 14;

/// The maximum number of invocations of a grid.
const MOST_INVOCATIONS: u64 = 1 << 13;

/// A fully specified launch of one entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The values of overrides and const parameters.
    pub overrides: Vec<(String, f64)>,
    /// The grid, in workgroups.
    pub workgroups: [u32; 3],
    /// The number of invocations per subgroup, if it is not the default. By default, a test works for any subgroup
    /// size.
    pub subgroup_size: Option<u32>,
    /// The bindings.
    pub given: Vec<DraftBinding>,
    /// The size of a workgroup in each dimension.
    workgroup: [u32; 3],
}

/// The contents of a buffer or texture.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftBinding {
    /// The variable.
    pub name: String,
    /// The contents.
    pub contents: BindingContents,
    /// The types of its scalars.
    layout: Layout,
}

/// The scalars of a type: those before its runtime-sized array, and those of one array element.
#[derive(Clone, Debug, PartialEq)]
struct Layout {
    fixed: Vec<Scalar>,
    element: Vec<Scalar>,
}

/// The contents of a buffer or texture.
#[derive(Clone, Debug, PartialEq)]
pub enum BindingContents {
    /// These numbers.
    Numbers(Vec<Number>),
    /// A pattern with a number of elements or texels, or without a length if the type has a fixed size.
    Pattern(Pattern, Option<Length>),
}

/// A pattern that fills a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// `zeros`
    Zeros,
    /// `iota`
    Iota,
    /// `random`, with a seed
    Random(u64),
    /// `permutation`, with a seed
    Permutation(u64),
    /// `fill`
    Fill(Number),
}

impl Layout {
    /// Returns the type of the scalar with this index.
    fn scalar(&self, index: usize) -> Option<Scalar> {
        match index.checked_sub(self.fixed.len()) {
            None => self.fixed.get(index).copied(),
            Some(_) if self.element.is_empty() => None,
            Some(rest) => self.element.get(rest % self.element.len()).copied(),
        }
    }

    fn count(&self, elements: usize) -> usize {
        self.fixed.len() + elements * self.element.len()
    }
}

impl Draft {
    /// Creates the draft of a launch with one dispatch. Returns `None` for other launches.
    pub fn of(program: &Program, launch: &Launch, overrides: &[(String, f64)]) -> Option<Self> {
        let [dispatch] = &launch.dispatches[..] else { return None };
        let module = &program.module;
        let workgroup = module.entry_points.get(dispatch.entry)?.workgroup_size;
        let mut given = Vec::new();
        for (handle, variable) in module.global_variables.iter() {
            let Some(Some(resource)) = launch.resources.by_global.get(handle.index()) else {
                continue;
            };
            let name = variable.name.clone()?;
            let seed = u64::try_from(handle.index()).unwrap_or(0) + 1;
            match resource {
                Resource::Sampler(_) => {}
                Resource::Texture(texture) => {
                    let length = Length::Texels(texture.size);
                    let layout = Layout { fixed: Vec::new(), element: Vec::new() };
                    let holds = BindingContents::Pattern(Pattern::Random(seed), Some(length));
                    given.push(DraftBinding { name, contents: holds, layout });
                }
                Resource::Buffer(buffer) => {
                    let footprint = Footprint::of(module, variable.ty);
                    let mut fixed = Vec::new();
                    scalars(module, variable.ty, 0, &mut |slot| fixed.push(slot.scalar));
                    let mut element = Vec::new();
                    if footprint.stride.is_some() {
                        scalars(module, variable.ty, 1, &mut |slot| element.push(slot.scalar));
                        element.drain(..fixed.len());
                    }
                    let elements = footprint.elements(buffer.len());
                    let layout = Layout { fixed, element };
                    let count = layout.count(elements as usize);
                    let is_data = role(module, handle) == Role::Data;
                    let numbers = || {
                        let (bytes, mut numbers) = (buffer.bytes(), Vec::new());
                        scalars(module, variable.ty, elements, &mut |slot| {
                            numbers.extend(Number::read(slot, &bytes));
                        });
                        (numbers.len() == count).then_some(BindingContents::Numbers(numbers))
                    };
                    let pattern = || {
                        let zeros = buffer.bytes().iter().all(|byte| *byte == 0);
                        let pattern = if zeros { Pattern::Zeros } else { Pattern::Random(seed) };
                        let length = footprint.stride.map(|_| Length::Elements(elements));
                        BindingContents::Pattern(pattern, length)
                    };
                    let is_short = count <= MOST_NUMBERS && (!is_data || count <= 4);
                    let holds =
                        if is_short || (count <= 256 && !is_data) { numbers()? } else { pattern() };
                    given.push(DraftBinding { name, contents: holds, layout });
                }
            }
        }
        let subgroup_size = (launch.subgroup_size != USUAL).then_some(launch.subgroup_size);
        let overrides = overrides.to_vec();
        Some(Self { overrides, workgroups: dispatch.workgroups, subgroup_size, given, workgroup })
    }

    /// Returns the launch as command-line flags would specify it.
    ///
    /// # Errors
    /// A binding cannot be written as a flag.
    pub fn spec(&self) -> hirace_core::diagnostic::Result<LaunchSpec> {
        let bindings = self.given.iter().map(|given| Binding::new(&given.name, &given.text()));
        Ok(LaunchSpec {
            workgroups: Some(self.workgroups),
            bindings: bindings.collect::<Result<_, _>>()?,
            overrides: self.overrides.clone(),
            subgroup_size: self.subgroup_size,
            ..LaunchSpec::default()
        })
    }

    /// Returns the number of invocations in each dimension.
    pub fn extent(&self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.workgroups[d].saturating_mul(self.workgroup[d]))
    }

    fn invocations(&self) -> u64 {
        self.extent().iter().map(|n| u64::from(*n)).product()
    }

    /// Returns sizes of this launch that its numbers may refer to.
    pub fn sizes(&self) -> Vec<u32> {
        let extent = self.extent();
        let mut sizes = extent.to_vec();
        sizes.extend(self.workgroups);
        sizes.push(u32::try_from(self.invocations()).unwrap_or(u32::MAX));
        sizes.push(self.workgroup.iter().product());
        sizes.extend(self.given.iter().filter_map(DraftBinding::elements));
        sizes
    }

    /// Picks a number for a scalar of this type, or an integer that matches a size of the launch.
    fn pick(&self, scalar: Scalar, alphabet: &Alphabet, random: &mut Random) -> Number {
        match scalar.kind {
            ScalarKind::Float if random.below(4u32) > 0 && !alphabet.floats.is_empty() => {
                Number::Float(alphabet.floats[random.below(alphabet.floats.len())])
            }
            ScalarKind::Float => Number::Float(random.unit() * 200.0 - 100.0),
            kind => {
                let mut value = match random.below(8u32) {
                    0 | 1 => {
                        let sizes = self.sizes();
                        let size = i128::from(sizes[random.below(sizes.len())]);
                        size + i128::from(random.below(3u32)) - 1
                    }
                    2 => i128::from(random.below(16u32)),
                    // Combine two flags.
                    3 => alphabet.int(random) | alphabet.int(random),
                    4 => alphabet.int(random).saturating_add(alphabet.int(random)),
                    _ => alphabet.int(random),
                };
                if kind == ScalarKind::Sint && random.below(6u32) == 0 {
                    value = -value;
                }
                clamped(value, scalar)
            }
        }
    }

    /// Returns a copy with a few random changes.
    #[must_use]
    pub fn changed(&self, alphabet: &Alphabet, random: &mut Random) -> Self {
        let mut draft = self.clone();
        for _ in 0..=random.below(3u32) {
            draft.change(alphabet, random);
        }
        draft
    }

    fn change(&mut self, alphabet: &Alphabet, random: &mut Random) {
        match random.below(10u32) {
            0 => self.resize(alphabet, random),
            1 if !self.overrides.is_empty() => {
                let nth = random.below(self.overrides.len());
                let value = self.overrides[nth].1;
                self.overrides[nth].1 = match random.below(3u32) {
                    0 => value * 2.0,
                    1 => (value / 2.0).floor(),
                    _ => f64::from(alphabet.size(random)),
                };
            }
            _ if self.given.is_empty() => self.resize(alphabet, random),
            kind => {
                let nth = random.below(self.given.len());
                let mut given = self.given[nth].clone();
                match kind {
                    2 => given.set_length(self, random),
                    3 => given.refill(self, alphabet, random),
                    _ => given.set_numbers(self, alphabet, random),
                }
                self.given[nth] = given;
            }
        }
    }

    /// Changes the grid. Buffers whose length matches the launch keep matching it.
    fn resize(&mut self, alphabet: &Alphabet, random: &mut Random) {
        let before = self.clone();
        let dimension = match random.below(4u32) {
            0 | 1 => 0,
            2 => usize::from(self.workgroups[1] > 1 || self.workgroup[1] > 1),
            _ => random.below(3usize),
        };
        self.workgroups[dimension] = match random.below(4u32) {
            0 => 1,
            1 => 1 + random.below(5u32),
            2 => alphabet.size(random).div_ceil(self.workgroup[dimension].max(1)),
            _ => self.workgroups[dimension] + 1,
        };
        if self.invocations() > MOST_INVOCATIONS {
            *self = before;
            return;
        }
        let (old, new) = (before.extent(), self.extent());
        let all = |extent: [u32; 3]| extent.iter().fold(1u32, |all, n| all.saturating_mul(*n));
        let follow = |n: u32| match (old.iter().position(|size| *size == n), n == all(old)) {
            (_, true) => all(new),
            (Some(d), _) if n > 1 => new[d],
            _ => n,
        };
        for given in &mut self.given {
            if let BindingContents::Numbers(numbers) = &mut given.contents
                && given.layout.element.is_empty()
            {
                for number in numbers {
                    if let Number::Int(n) = *number
                        && let Ok(n) = u32::try_from(n)
                    {
                        *number = Number::Int(follow(n).into());
                    }
                }
            }
            if let BindingContents::Pattern(_, Some(length)) = &mut given.contents {
                *length = match *length {
                    Length::Elements(n) => {
                        // Scale in proportion if the lengths differ.
                        let scaled =
                            u64::from(n) * u64::from(all(new)) / u64::from(all(old)).max(1);
                        let scaled = u32::try_from(scaled).unwrap_or(MOST_ELEMENTS);
                        Length::Elements(scaled.clamp(1, MOST_ELEMENTS))
                    }
                    Length::Texels(size) => Length::Texels(size.map(follow)),
                };
            }
        }
    }

    /// Returns simpler variants of this draft, the simplest first. Variants with `true` replace contents by zeros, so
    /// they are equivalent only if these contents do not matter.
    pub fn simpler(&self) -> Vec<(Self, bool)> {
        let mut simpler = Vec::new();
        for dimension in 0..3 {
            if self.workgroups[dimension] > 1 {
                let mut draft = self.clone();
                draft.workgroups[dimension] = 1;
                simpler.push((draft, false));
            }
        }
        for (nth, given) in self.given.iter().enumerate() {
            let length = match &given.contents {
                BindingContents::Pattern(_, length) => *length,
                BindingContents::Numbers(_) if given.layout.element.is_empty() => continue,
                BindingContents::Numbers(_) => given.elements().map(Length::Elements),
            };
            for pattern in [Pattern::Zeros, Pattern::Iota] {
                let holds = BindingContents::Pattern(pattern, length);
                let is_simpler = match given.contents {
                    BindingContents::Pattern(Pattern::Zeros, _) => false,
                    BindingContents::Pattern(Pattern::Iota, _) => pattern == Pattern::Zeros,
                    _ => true,
                };
                if is_simpler {
                    let mut draft = self.clone();
                    draft.given[nth].contents = holds;
                    simpler.push((draft, pattern == Pattern::Zeros));
                }
            }
        }
        simpler
    }
}

impl DraftBinding {
    /// Returns the SPEC, as `--buffer` takes it.
    pub fn text(&self) -> String {
        match &self.contents {
            BindingContents::Numbers(numbers) => {
                let scalar = |index| self.layout.scalar(index);
                let numbers = numbers.iter().enumerate();
                let numbers: Vec<String> =
                    numbers.map(|(index, number)| written(*number, scalar(index))).collect();
                numbers.join(",")
            }
            BindingContents::Pattern(pattern, length) => {
                let length = length.map(|length| length.to_string());
                let (length, colon) = match &length {
                    Some(length) => (&length[..], ":"),
                    None => ("", ""),
                };
                match pattern {
                    Pattern::Zeros => format!("zeros{colon}{length}"),
                    Pattern::Iota => format!("iota{colon}{length}"),
                    Pattern::Random(seed) => format!("random:{length}:{seed}"),
                    Pattern::Permutation(seed) => format!("permutation:{length}:{seed}"),
                    Pattern::Fill(number) => {
                        let number = written(*number, self.layout.scalar(0));
                        match length {
                            "" => format!("fill:{number}"),
                            length => format!("fill:{length}:{number}"),
                        }
                    }
                }
            }
        }
    }

    /// Returns the number of elements of its runtime-sized array.
    fn elements(&self) -> Option<u32> {
        match &self.contents {
            BindingContents::Pattern(_, Some(Length::Elements(n))) => Some(*n),
            BindingContents::Numbers(numbers) if !self.layout.element.is_empty() => {
                let rest = numbers.len().saturating_sub(self.layout.fixed.len());
                u32::try_from(rest / self.layout.element.len()).ok()
            }
            _ => None,
        }
    }

    fn set_length(&mut self, draft: &Draft, random: &mut Random) {
        let sizes = draft.sizes();
        let size = sizes[random.below(sizes.len())];
        let wanted = match random.below(5u32) {
            0 => size.saturating_sub(1),
            1 => size.saturating_add(1),
            2 => size.saturating_mul(2),
            3 => 1 + random.below(8u32),
            _ => size,
        };
        let wanted = wanted.clamp(1, MOST_ELEMENTS);
        match &mut self.contents {
            BindingContents::Pattern(_, Some(Length::Elements(n))) => *n = wanted,
            BindingContents::Pattern(_, Some(Length::Texels(texels))) => {
                let nth = random.below(2usize);
                texels[nth] = wanted.min(256);
            }
            BindingContents::Numbers(numbers) if !self.layout.element.is_empty() => {
                let count = self.layout.count(wanted as usize);
                if count <= MOST_NUMBERS {
                    let mut next = numbers.iter().copied().cycle();
                    *numbers = (0..count).filter_map(|_| next.next()).collect();
                    // A number of one type may not be valid for another type.
                    let is_whole =
                        |n: &Number| matches!(n, Number::Int(n) if (0..1 << 31).contains(n));
                    if !numbers.iter().all(is_whole) {
                        numbers.fill(Number::Int(0));
                    }
                }
            }
            _ => {}
        }
    }

    /// Changes the pattern.
    fn refill(&mut self, draft: &Draft, alphabet: &Alphabet, random: &mut Random) {
        let length = match &self.contents {
            BindingContents::Pattern(_, length) => *length,
            BindingContents::Numbers(_) => match self.elements() {
                Some(elements) => Some(Length::Elements(elements)),
                // Numbers that control the kernel are listed one by one.
                None => return,
            },
        };
        let pattern = match random.below(6u32) {
            0 => Pattern::Zeros,
            1 => Pattern::Iota,
            2 | 3 => Pattern::Random(random.below(1000u64)),
            4 => Pattern::Permutation(random.below(1000u64)),
            _ => match self.common_scalar() {
                Some(scalar) => Pattern::Fill(draft.pick(scalar, alphabet, random)),
                None => Pattern::Zeros,
            },
        };
        self.contents = BindingContents::Pattern(pattern, length);
    }

    /// Returns the type of all scalars, if they have the same type.
    fn common_scalar(&self) -> Option<Scalar> {
        let mut all = self.layout.fixed.iter().chain(&self.layout.element);
        let first = *all.next()?;
        all.all(|scalar| *scalar == first).then_some(first)
    }

    /// Changes single numbers of a short buffer, or makes the buffer short.
    fn set_numbers(&mut self, draft: &Draft, alphabet: &Alphabet, random: &mut Random) {
        if let BindingContents::Pattern(_, length) = self.contents {
            let elements = match length {
                Some(Length::Elements(n)) => n as usize,
                None => 0,
                Some(Length::Texels(_)) => return self.refill(draft, alphabet, random),
            };
            let count = self.layout.count(elements);
            if count > MOST_NUMBERS || count == 0 {
                return self.refill(draft, alphabet, random);
            }
            self.contents = BindingContents::Numbers(vec![Number::Int(0); count]);
            self.each(draft, alphabet, random, 1);
            return;
        }
        let odds = match random.below(3u32) {
            0 => 1,
            _ => match &self.contents {
                BindingContents::Numbers(numbers) => u32::try_from(numbers.len()).unwrap_or(1),
                BindingContents::Pattern(..) => 1,
            },
        };
        self.each(draft, alphabet, random, odds.max(1));
    }

    /// Replaces one of `odds` numbers on average, and at least one.
    fn each(&mut self, draft: &Draft, alphabet: &Alphabet, random: &mut Random, odds: u32) {
        let BindingContents::Numbers(numbers) = &mut self.contents else { return };
        let sure = random.below(numbers.len().max(1));
        for (index, number) in numbers.iter_mut().enumerate() {
            if (index == sure || random.below(odds) == 0)
                && let Some(scalar) = self.layout.scalar(index)
            {
                *number = draft.pick(scalar, alphabet, random);
            }
        }
    }
}

/// Formats a number as briefly as its type allows.
pub fn written(number: Number, scalar: Option<Scalar>) -> String {
    match (number, scalar) {
        (Number::Float(x), Some(Scalar { width: 4, .. })) => (x as f32).to_string(),
        (number, _) => number.to_string(),
    }
}

/// Clamps a number to the range of a scalar type.
fn clamped(value: i128, scalar: Scalar) -> Number {
    let bits = u32::from(scalar.width) * 8;
    let (least, most) = match scalar.kind {
        ScalarKind::Sint => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        ScalarKind::Bool => (0, 1),
        _ => (0, (1i128 << bits) - 1),
    };
    Number::Int(value.clamp(least, most))
}
