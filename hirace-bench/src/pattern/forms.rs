//! The forms of the patterns, and the valid combinations of tags.

use super::{Data, Tag, Tags};

/// The granularity of parallelism: which invocations work on the edges of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// An invocation works on the vertex and follows no edges.
    Vertex,
    /// An invocation works on one edge.
    Neighbor,
    /// An invocation works on all edges.
    Neighbors,
    /// A subgroup works on all edges.
    Warp,
    /// A workgroup works on all edges.
    Block,
}

impl Granularity {
    /// Returns the name as it occurs in the names of kernels: `block` in `push_block`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Neighbor => "neighbor",
            Self::Neighbors => "neighbors",
            Self::Warp => "warp",
            Self::Block => "block",
        }
    }
}

/// A pattern in one of its forms.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The pattern.
    pub pattern: &'static str,
    /// The granularity of parallelism.
    pub granularity: Granularity,
    /// The tags that vary the style of the kernel.
    pub styles: &'static [Tag],
    /// The tags that plant bugs.
    pub bugs: &'static [Tag],
    /// Whether values are accessed without atomics.
    pub plain: bool,
    /// The template.
    pub text: &'static str,
}

impl Form {
    /// Returns whether values can have this type.
    pub fn supports(&self, data: Data) -> bool {
        data != Data::F32 || self.plain
    }

    /// Returns all valid combinations of tags.
    pub fn combinations(&self) -> impl Iterator<Item = Tags> {
        let tags: Vec<Tag> = self.styles.iter().chain(self.bugs).copied().collect();
        let sets = (0..1usize << tags.len()).map(move |set| {
            let chosen = tags.iter().enumerate().filter(move |(at, _)| set >> at & 1 != 0);
            chosen.map(|(_, &tag)| tag).collect::<Tags>()
        });
        sets.filter(|&tags| self.is_valid(tags))
    }

    fn is_valid(&self, tags: Tags) -> bool {
        let both = |a, b| tags.has(a) && tags.has(b);
        // With subgroup operations there is no barrier to omit.
        let no_barrier = both(Tag::Shfl, Tag::SyncBug);
        // Invocations that process several vertices have no bounds check to omit.
        let no_bounds_check =
            self.granularity == Granularity::Neighbors && both(Tag::Persistent, Tag::BoundsBug);
        // Results that are stored elsewhere do not race.
        let no_race = both(Tag::Traverse, Tag::RaceBug);
        !(no_barrier || no_bounds_check || no_race)
    }
}

use Tag::{AtomicBug, BoundsBug, Break, Cond, GuardBug, Last, Persistent, RaceBug, Reverse, Shfl};
use Tag::{SyncBug, Traverse};

macro_rules! form {
    ($pattern:literal $form:literal $granularity:ident $styles:expr, $bugs:expr, $plain:literal) => {
        Form {
            pattern: $pattern,
            granularity: Granularity::$granularity,
            styles: &$styles,
            bugs: &$bugs,
            plain: $plain,
            text: include_str!(concat!("../../patterns/", $pattern, "_", $form, ".rs")),
        }
    };
}

/// All forms of all patterns.
#[rustfmt::skip]
pub static FORMS: [Form; 21] = [
    form!("conditional_edge" "neighbor" Neighbor [Persistent, Last, Cond], [AtomicBug, GuardBug, BoundsBug], false),
    form!("conditional_edge" "neighbors" Neighbors [Persistent, Reverse, Cond, Break], [AtomicBug, GuardBug, BoundsBug], false),
    form!("conditional_edge" "warp" Warp [Persistent, Cond, Break], [AtomicBug, GuardBug], false),
    form!("conditional_edge" "block" Block [Persistent, Cond, Break, Shfl], [AtomicBug, GuardBug, SyncBug], false),
    form!("conditional_vertex" "neighbor" Neighbor [Persistent, Last], [AtomicBug, BoundsBug], false),
    form!("conditional_vertex" "neighbors" Neighbors [Persistent, Reverse, Break], [AtomicBug, BoundsBug], false),
    form!("conditional_vertex" "warp" Warp [Persistent, Break], [AtomicBug], false),
    form!("conditional_vertex" "block" Block [Persistent, Break], [AtomicBug], false),
    form!("pull" "neighbor" Neighbor [Persistent, Last, Cond], [BoundsBug], true),
    form!("pull" "neighbors" Neighbors [Persistent, Reverse, Cond, Break], [BoundsBug], true),
    form!("pull" "warp" Warp [Persistent, Cond, Break], [], true),
    form!("pull" "block" Block [Persistent, Cond, Break, Shfl], [SyncBug], true),
    form!("push" "neighbor" Neighbor [Persistent, Last, Cond], [AtomicBug, BoundsBug], false),
    form!("push" "neighbors" Neighbors [Persistent, Reverse, Cond, Break], [AtomicBug, BoundsBug], false),
    form!("push" "warp" Warp [Persistent, Cond, Break], [AtomicBug], false),
    form!("push" "block" Block [Persistent, Cond, Break], [AtomicBug], false),
    form!("populate_worklist" "neighbor" Neighbor [Persistent, Last], [AtomicBug, BoundsBug], false),
    form!("populate_worklist" "neighbors" Neighbors [Persistent, Reverse, Break], [AtomicBug, BoundsBug], false),
    form!("populate_worklist" "warp" Warp [Persistent, Break], [AtomicBug], false),
    form!("populate_worklist" "block" Block [Persistent, Break], [AtomicBug], false),
    form!("path_compression" "vertex" Vertex [Persistent, Traverse], [RaceBug], false),
];
