//! The patterns of irregular programs, with and without bugs, as kernels in Rust.
//!
//! After Y. Liu, N. Azami, C. Walters and M. Burtscher, «The Indigo Program-Verification Microbenchmark
//! Suite of Irregular Parallel Code Patterns», ISPASS 2022; the kernels are written anew. Each works on a
//! graph. There is a template for each pattern and [`Form`] (`patterns/`), which has lines that are there
//! with some tags and not with others; a [`Variant`] is a template with tags chosen. Some tags are a matter
//! of style, others plant a bug.
//!
//! What the suite does by mixing atomic and plain accesses to one word, WGSL cannot say. The kernels here do it
//! with plain accesses to memory that other accesses use atomically, which are watched as what they are.

mod forms;
mod template;

pub use forms::{FORMS, Form, Share};
pub use template::Rendered;

use std::fmt;
use std::str::FromStr;

/// What a variant does differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tag {
    /// Fewer invocations than vertices: each goes on to further ones.
    Persistent,
    /// The last edge of a vertex instead of the first.
    Last,
    /// The edges of a vertex from the last to the first.
    Reverse,
    /// Only edges to a higher vertex.
    Cond,
    /// No more edges after the first that was taken.
    Break,
    /// Values are reduced by subgroup operations instead of in workgroup memory.
    Shfl,
    /// Results go elsewhere than where they are read.
    Traverse,
    /// A plain read, and a plain write, where an atomic is needed.
    AtomicBug,
    /// A plain read decides whether an atomic is needed.
    GuardBug,
    /// Plain accesses where atomic ones are needed.
    RaceBug,
    /// The barrier between writing and reading is missing.
    SyncBug,
    /// The test that keeps indices within bounds is missing.
    BoundsBug,
}

impl Tag {
    /// All of them.
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

    /// Its name in templates and in names of variants.
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

    /// Whether it plants a data race. [`Tag::BoundsBug`] does not by itself.
    pub fn races(self) -> bool {
        matches!(self, Self::AtomicBug | Self::GuardBug | Self::RaceBug | Self::SyncBug)
    }
}

/// A set of tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tags(u16);

impl Tags {
    /// Whether `tag` is one of them.
    pub fn has(self, tag: Tag) -> bool {
        self.0 >> tag as u8 & 1 != 0
    }

    /// These and `tag`.
    #[must_use]
    pub fn with(self, tag: Tag) -> Self {
        Self(self.0 | 1 << tag as u8)
    }

    /// All of them, style before bugs.
    pub fn each(self) -> impl Iterator<Item = Tag> {
        Tag::ALL.into_iter().filter(move |&tag| self.has(tag))
    }
}

impl FromIterator<Tag> for Tags {
    fn from_iter<T: IntoIterator<Item = Tag>>(tags: T) -> Self {
        tags.into_iter().fold(Self::default(), Self::with)
    }
}

/// What the values on a graph are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Data {
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `f32`: only where no value is touched by atomics, which WGSL has for integers alone.
    F32,
}

impl Data {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::I32, Self::U32, Self::F32];

    /// The type in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
        }
    }
}

/// What a variant is known to be from how it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Nothing was planted.
    Clean,
    /// A data race was planted. Whether it happens hangs on the graph.
    Racy,
    /// Only a test of bounds is missing. A data race can come of it, where an index is clamped.
    BoundsOnly,
}

/// One kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Its template.
    pub form: &'static Form,
    /// What was chosen.
    pub tags: Tags,
    /// What the values are.
    pub data: Data,
}

impl Variant {
    /// Every variant there is with values of type `data`.
    pub fn all(data: Data) -> impl Iterator<Item = Self> {
        FORMS
            .iter()
            .filter(move |form| form.takes(data))
            .flat_map(move |form| form.combinations().map(move |tags| Self { form, tags, data }))
    }

    /// What it is known to be.
    pub fn label(&self) -> Label {
        if self.tags.each().any(Tag::races) {
            Label::Racy
        } else if self.tags.has(Tag::BoundsBug) {
            Label::BoundsOnly
        } else {
            Label::Clean
        }
    }

    /// Whether the order of invocations decides which words race: those of a worklist do whose slots are given
    /// out by a counter that races.
    pub fn order_decides_words(&self) -> bool {
        self.form.pattern == "populate_worklist" && self.tags.has(Tag::AtomicBug)
    }

    /// The same without the data races.
    #[must_use]
    pub fn race_free(&self) -> Self {
        Self { tags: self.tags.each().filter(|tag| !tag.races()).collect(), ..*self }
    }

    /// Its source.
    pub fn render(&self) -> Rendered {
        template::render(self)
    }
}

/// `push_block_persistent_cond_atomicBug_i32`
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.form.pattern, self.form.share.name())?;
        for tag in self.tags.each() {
            write!(f, "_{}", tag.name())?;
        }
        write!(f, "_{}", self.data.name())
    }
}

/// There is no variant of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no variant `{0}`; one is `push_block_persistent_cond_atomicBug_i32`")]
pub struct Unknown(pub String);

impl FromStr for Variant {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let all = Data::ALL.into_iter().flat_map(Self::all);
        all.into_iter()
            .find(|variant| variant.to_string() == name)
            .ok_or_else(|| Unknown(name.to_owned()))
    }
}

#[cfg(test)]
mod tests;
