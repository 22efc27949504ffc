//! Memory orderings of atomics and fences in models: `Ordering::Acquire` and `within(Scope::Workgroup)`.

use crate::ir::order::{Order, Ordering, Scope};

/// The memory ordering of an atomic operation or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// The ordering.
    pub order: Order,
    /// The ordering of a failed compare-exchange; for every other operation the same as `order`.
    pub failed: Order,
    /// The scope, if one is given.
    pub scope: Option<Scope>,
}

/// The orderings by their names in `std`, weakest first. Source maps store indices into this list.
pub const ORDERS: [(&str, Order); 5] = [
    ("Relaxed", Order::Relaxed),
    ("Acquire", Order::Acquire),
    ("Release", Order::Release),
    ("AcqRel", Order::AcquireRelease),
    ("SeqCst", Order::SequentiallyConsistent),
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
pub fn allowed(name: &str, failed: bool) -> &'static [Order] {
    use Order::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    match name {
        _ if failed => &[Relaxed, Acquire, SequentiallyConsistent],
        "load" => &[Relaxed, Acquire, SequentiallyConsistent],
        "store" => &[Relaxed, Release, SequentiallyConsistent],
        "fence" => &[Acquire, Release, AcquireRelease, SequentiallyConsistent],
        _ => &[Relaxed, Acquire, Release, AcquireRelease, SequentiallyConsistent],
    }
}

impl Ordered {
    /// The ordering of operations that specify none, such as the functions with WGSL's names.
    pub const RELAXED: Self = Self { order: Order::Relaxed, failed: Order::Relaxed, scope: None };

    /// Returns the memory ordering of an operation. `in_workgroup` says whether it accesses workgroup memory; this
    /// decides the default scope.
    pub fn of(self, in_workgroup: bool) -> Ordering {
        let shared = if in_workgroup { Scope::Workgroup } else { Scope::Device };
        let scope = self.scope.unwrap_or(shared);
        Ordering { failed: self.failed, ..Ordering::new(self.order, scope) }
    }

    /// Returns whether this is an ordering that WGSL cannot express.
    pub fn is_stronger(self) -> bool {
        self.scope.is_some() || self.order != Order::Relaxed || self.failed != Order::Relaxed
    }

    /// The number of distinct values.
    pub const COUNT: i64 = 5 * 5 * 6;

    /// Returns the number that encodes this value.
    pub fn number(self) -> i64 {
        let order =
            |order: Order| ORDERS.iter().position(|(_, known)| *known == order).unwrap_or(0);
        let scope = SCOPES.iter().position(|(_, scope)| Some(*scope) == self.scope);
        let scope = scope.map_or(0, |scope| scope + 1);
        ((order(self.order) * 5 + order(self.failed)) * 6 + scope) as i64
    }

    /// Decodes a value from its number.
    pub fn of_number(number: i64) -> Option<Self> {
        let number = usize::try_from(number).ok()?;
        let scope = match number % 6 {
            0 => None,
            scope => Some(SCOPES[scope - 1].1),
        };
        let (_, order) = *ORDERS.get(number / 30)?;
        Some(Self { order, failed: ORDERS[number / 6 % 5].1, scope })
    }
}
