//! How atomics and fences order memory in a model: what `Ordering::Acquire` and `within(Scope::Workgroup)` say.

use crate::ir::order::{Order, Ordering, Scope};

/// What an atomic or a fence says of its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// How strongly it orders.
    pub order: Order,
    /// The same of a compare-exchange that finds another value; of all others, their order.
    pub failed: Order,
    /// For whom, if it says so.
    pub scope: Option<Scope>,
}

/// By `std`'s names, the weaker first. A map has their indices for them.
pub const ORDERS: [(&str, Order); 5] = [
    ("Relaxed", Order::Relaxed),
    ("Acquire", Order::Acquire),
    ("Release", Order::Release),
    ("AcqRel", Order::AcquireRelease),
    ("SeqCst", Order::SequentiallyConsistent),
];

/// Likewise, the narrower first; who says none has 0.
pub const SCOPES: [(&str, Scope); 5] = [
    ("Subgroup", Scope::Subgroup),
    ("Workgroup", Scope::Workgroup),
    ("QueueFamily", Scope::QueueFamily),
    ("Device", Scope::Device),
    ("System", Scope::System),
];

/// The orders that a call may have, by its name: of an atomic's method, or `fence`. Of a compare-exchange, `failed` asks
/// for that of finding another value.
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
    /// What says nothing, as the functions of WGSL's names.
    pub const RELAXED: Self = Self { order: Order::Relaxed, failed: Order::Relaxed, scope: None };

    /// What it does, where it is of workgroup memory, or of other or none.
    pub fn of(self, in_workgroup: bool) -> Ordering {
        let shared = if in_workgroup { Scope::Workgroup } else { Scope::Device };
        let scope = self.scope.unwrap_or(shared);
        Ordering { failed: self.failed, ..Ordering::new(self.order, scope) }
    }

    /// Whether it says what WGSL has no word for.
    pub fn is_stronger(self) -> bool {
        self.scope.is_some() || self.order != Order::Relaxed || self.failed != Order::Relaxed
    }

    /// How many there are.
    pub const COUNT: i64 = 5 * 5 * 6;

    /// A number for each.
    pub fn number(self) -> i64 {
        let order =
            |order: Order| ORDERS.iter().position(|(_, known)| *known == order).unwrap_or(0);
        let scope = SCOPES.iter().position(|(_, scope)| Some(*scope) == self.scope);
        let scope = scope.map_or(0, |scope| scope + 1);
        ((order(self.order) * 5 + order(self.failed)) * 6 + scope) as i64
    }

    /// That of a number.
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
