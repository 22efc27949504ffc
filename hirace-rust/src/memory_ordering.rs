//! Memory orderings of atomics and fences in models: `MemorySemantics::Acquire` and `within(Scope::Workgroup)`.

use crate::ir::order::{MemoryOrder, MemorySemantics, Scope};

/// The memory ordering of an atomic operation or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationOrdering {
    /// The ordering.
    pub order: MemoryOrder,
    /// The ordering of a failed compare-exchange; for every other operation the same as `order`.
    pub failed: MemoryOrder,
    /// The scope, if one is given.
    pub scope: Option<Scope>,
}

/// The orderings by their names in `std`, weakest first. Source maps store indices into this list.
pub const ORDERS: [(&str, MemoryOrder); 5] = [
    ("Relaxed", MemoryOrder::Relaxed),
    ("Acquire", MemoryOrder::Acquire),
    ("Release", MemoryOrder::Release),
    ("AcqRel", MemoryOrder::AcquireRelease),
    ("SeqCst", MemoryOrder::SequentiallyConsistent),
];

/// The scopes by name, narrowest first. Source maps store the index plus one, and 0 for no scope.
pub const SCOPES: [(&str, Scope); 5] = [
    ("Subgroup", Scope::Subgroup),
    ("Workgroup", Scope::Workgroup),
    ("QueueFamily", Scope::QueueFamily),
    ("Device", Scope::Device),
    ("System", Scope::System),
];

/// Returns the orderings that a call accepts, by the name of the atomic's method or `fence`. `failed` selects the
/// ordering of a failed compare-exchange.
pub fn allowed_orders(name: &str, failed: bool) -> &'static [MemoryOrder] {
    use MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    match name {
        _ if failed => &[Relaxed, Acquire, SequentiallyConsistent],
        "load" => &[Relaxed, Acquire, SequentiallyConsistent],
        "store" => &[Relaxed, Release, SequentiallyConsistent],
        "fence" => &[Acquire, Release, AcquireRelease, SequentiallyConsistent],
        _ => &[Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent],
    }
}

impl OperationOrdering {
    /// The ordering of operations that specify none, such as the functions with WGSL's names.
    pub const RELAXED: Self =
        Self { order: MemoryOrder::Relaxed, failed: MemoryOrder::Relaxed, scope: None };

    /// Returns the memory ordering of an operation. `in_workgroup` says whether it accesses workgroup memory; this
    /// decides the default scope.
    pub fn to_ordering(self, in_workgroup: bool) -> MemorySemantics {
        let shared = if in_workgroup { Scope::Workgroup } else { Scope::Device };
        let scope = self.scope.unwrap_or(shared);
        MemorySemantics { on_failure: self.failed, ..MemorySemantics::new(self.order, scope) }
    }

    /// Returns whether this is an ordering that WGSL cannot express.
    pub fn exceeds_wgsl(self) -> bool {
        self.scope.is_some()
            || self.order != MemoryOrder::Relaxed
            || self.failed != MemoryOrder::Relaxed
    }

    /// The number of distinct values.
    pub const COUNT: i64 = 5 * 5 * 6;

    /// Returns the number that encodes this value.
    pub fn number(self) -> i64 {
        let order =
            |order: MemoryOrder| ORDERS.iter().position(|(_, known)| *known == order).unwrap_or(0);
        let scope = SCOPES.iter().position(|(_, scope)| Some(*scope) == self.scope);
        let scope = scope.map_or(0, |scope| scope + 1);
        ((order(self.order) * 5 + order(self.failed)) * 6 + scope) as i64
    }

    /// Decodes a value from its number.
    pub fn from_number(number: i64) -> Option<Self> {
        let number = usize::try_from(number).ok()?;
        let scope = match number % 6 {
            0 => None,
            scope => Some(SCOPES[scope - 1].1),
        };
        let (_, order) = *ORDERS.get(number / 30)?;
        Some(Self { order, failed: ORDERS[number / 6 % 5].1, scope })
    }
}
