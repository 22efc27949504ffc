//! The patterns of irregular programs, with and without bugs, as kernels in Rust.
//!
//! After Y. Liu, N. Azami, C. Walters and M. Burtscher, "The Indigo Program-Verification Microbenchmark Suite of
//! Irregular Parallel Code Patterns", ISPASS 2022; the kernels are new implementations. Each works on a graph. There is
//! a template for each pattern and [`Form`] (in `patterns/`), with lines that depend on tags. A [`Variant`] is a
//! template with a selection of tags. Some tags are a matter of style, others plant a bug.
//!
//! The suite mixes atomic and plain accesses to one word, which WGSL cannot express. The kernels here use plain
//! accesses to memory that other accesses use atomically; these are monitored as plain accesses.

mod forms;
mod template;

pub use forms::{FORMS, Form, Granularity};
pub use template::RenderedPattern;

use std::fmt;
use std::str::FromStr;

/// A difference between variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tag {
    /// There are fewer invocations than vertices: each processes several vertices.
    Persistent,
    /// Uses the last edge of a vertex instead of the first.
    Last,
    /// Processes the edges of a vertex from the last to the first.
    Reverse,
    /// Uses only edges to a higher vertex.
    Cond,
    /// Stops after the first edge that was used.
    Break,
    /// Reduces values by subgroup operations instead of in workgroup memory.
    Shfl,
    /// Stores the results in another buffer than the one that is read.
    Traverse,
    /// Uses a plain read and a plain write where an atomic is needed.
    AtomicBug,
    /// A plain read decides whether an atomic is needed.
    GuardBug,
    /// Uses plain accesses where atomic ones are needed.
    RaceBug,
    /// Omits the barrier between writing and reading.
    SyncBug,
    /// Omits the bounds check of indices.
    BoundsBug,
}

impl Tag {
    /// All tags.
    pub const ALL: [Self; 12] = [
        Self::Persistent,
        Self::Last,
        Self::Reverse,
        Self::Cond,
        Self::Break,
        Self::Shfl,
        Self::Traverse,
        Self::AtomicBug,
        Self::GuardBug,
        Self::RaceBug,
        Self::SyncBug,
        Self::BoundsBug,
    ];

    /// Returns the name in templates and in names of variants.
    pub fn name(self) -> &'static str {
        match self {
            Self::Persistent => "persistent",
            Self::Last => "last",
            Self::Reverse => "reverse",
            Self::Cond => "cond",
            Self::Break => "break",
            Self::Shfl => "shfl",
            Self::Traverse => "traverse",
            Self::AtomicBug => "atomicBug",
            Self::GuardBug => "guardBug",
            Self::RaceBug => "raceBug",
            Self::SyncBug => "syncBug",
            Self::BoundsBug => "boundsBug",
        }
    }

    /// Returns whether the tag plants a data race. [`Tag::BoundsBug`] does not by itself.
    pub fn races(self) -> bool {
        matches!(self, Self::AtomicBug | Self::GuardBug | Self::RaceBug | Self::SyncBug)
    }
}

/// A set of tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tags(u16);

impl Tags {
    /// Returns whether the set contains `tag`.
    pub fn has(self, tag: Tag) -> bool {
        self.0 >> tag as u8 & 1 != 0
    }

    /// Returns the set with `tag` added.
    #[must_use]
    pub fn with(self, tag: Tag) -> Self {
        Self(self.0 | 1 << tag as u8)
    }

    /// Returns the tags of the set, style before bugs.
    pub fn each(self) -> impl Iterator<Item = Tag> {
        Tag::ALL.into_iter().filter(move |&tag| self.has(tag))
    }
}

impl FromIterator<Tag> for Tags {
    fn from_iter<T: IntoIterator<Item = Tag>>(tags: T) -> Self {
        tags.into_iter().fold(Self::default(), Self::with)
    }
}

/// The type of the values on a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Data {
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `f32`: only for values that are accessed without atomics, since WGSL has only integer atomics.
    F32,
}

impl Data {
    /// All types.
    pub const ALL: [Self; 3] = [Self::I32, Self::U32, Self::F32];

    /// Returns the name of the type in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
        }
    }
}

/// The kind of bug that was planted in a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// No bug was planted.
    Clean,
    /// A data race was planted. The graph decides whether it occurs.
    Racy,
    /// Only a bounds check is omitted. This can cause a data race, since indices are clamped.
    BoundsOnly,
}

/// A kernel of the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The template.
    pub form: &'static Form,
    /// The selected tags.
    pub tags: Tags,
    /// The type of the values.
    pub data: Data,
}

impl Variant {
    /// Returns all variants with values of type `data`.
    pub fn all(data: Data) -> impl Iterator<Item = Self> {
        FORMS
            .iter()
            .filter(move |form| form.supports(data))
            .flat_map(move |form| form.combinations().map(move |tags| Self { form, tags, data }))
    }

    /// Returns the label.
    pub fn label(&self) -> Label {
        if self.tags.each().any(Tag::races) {
            Label::Racy
        } else if self.tags.has(Tag::BoundsBug) {
            Label::BoundsOnly
        } else {
            Label::Clean
        }
    }

    /// Returns whether the set of racy words depends on the order of invocations. This holds for worklists whose slots are
    /// assigned by a racy counter.
    pub fn racy_words_depend_on_order(&self) -> bool {
        self.form.pattern == "populate_worklist" && self.tags.has(Tag::AtomicBug)
    }

    /// Returns the variant without its data races.
    #[must_use]
    pub fn race_free(&self) -> Self {
        Self { tags: self.tags.each().filter(|tag| !tag.races()).collect(), ..*self }
    }

    /// Returns the source.
    pub fn render(&self) -> RenderedPattern {
        template::render(self)
    }
}

/// Writes the name, for example `push_block_persistent_cond_atomicBug_i32`.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.form.pattern, self.form.granularity.name())?;
        for tag in self.tags.each() {
            write!(f, "_{}", tag.name())?;
        }
        write!(f, "_{}", self.data.name())
    }
}

/// The error that no variant has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant `{0}`: names are like `push_block_persistent_cond_atomicBug_i32`")]
pub struct UnknownVariant(pub String);

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(name: &str) -> Result<Self, UnknownVariant> {
        let all = Data::ALL.into_iter().flat_map(Self::all);
        all.into_iter()
            .find(|variant| variant.to_string() == name)
            .ok_or_else(|| UnknownVariant(name.to_owned()))
    }
}

#[cfg(test)]
mod tests;
