//! Stronger forms of instructions: with a stronger order, a wider scope, or atomic instead of plain.

use super::mnemonic::Mnemonic;
use super::{Dialect, Test};
use crate::program::{MemoryOrder, Scope};
use hirace_core::source_map::Span;

/// A stronger form of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrongerForm {
    /// The text, without the operands.
    pub text: String,
    /// The number of steps in order and scope by which it is stronger than the original.
    pub steps: u32,
    /// Whether it makes a plain access atomic.
    pub makes_atomic: bool,
}

impl Test {
    /// Returns the instructions by site, with the spans of their names.
    pub fn sites(&self) -> impl Iterator<Item = (u32, Span)> {
        (0..).zip(self.places.iter().copied())
    }

    /// Returns the stronger forms of the instruction at a site. Scopes wider than the narrowest one that all
    /// invocations share are left out, because they have no further effect.
    pub fn stronger_forms(&self, site: u32) -> Vec<StrongerForm> {
        let text = self.source.snippet(self.place(site));
        let (name, parts) = text.split_once('.').unwrap_or((text, ""));
        let Ok(original) = Mnemonic::parse(self.dialect, parts) else { return Vec::new() };
        let Some(orders) = orders(self.dialect, name) else { return Vec::new() };
        let is_access = matches!(name, "ld" | "st" | "rmw" | "atom" | "red");
        let makes_atomic = matches!(name, "ld" | "st") && !original.is_atomic;
        let barrier = matches!(name, "cbar" | "bar" | "barrier");
        let order = original.order.unwrap_or(MemoryOrder::Relaxed);
        let rank = |of: MemoryOrder| orders.iter().position(|(known, _)| *known == of);
        let own = rank(order).unwrap_or(0);
        let scopes: Vec<_> = scopes(self.dialect)
            .iter()
            .filter(|(scope, _)| match original.scope.filter(|_| !makes_atomic) {
                Some(own) if barrier => *scope == own,
                Some(own) => *scope >= own,
                None => true,
            })
            .filter(|(scope, _)| {
                *scope <= self.narrowest_common_scope() || Some(*scope) == original.scope
            })
            .collect();
        let mut all = Vec::new();
        for (to, (order, word)) in orders.iter().enumerate().skip(own) {
            for (wider, (_, scope)) in scopes.iter().enumerate() {
                let mut parts = kept_modifiers(self.dialect, parts, makes_atomic);
                if self.dialect == Dialect::Vulkan && *order != MemoryOrder::Relaxed {
                    let classes = self.classes();
                    let missing = classes.filter(|class| !parts.contains(class));
                    parts.extend(missing.collect::<Vec<_>>());
                }
                let atomic = is_access && self.dialect == Dialect::Vulkan;
                let order = Some(*word).filter(|word| !word.is_empty());
                let head = [Some(name), atomic.then_some("atom"), order, Some(*scope)];
                let head = head.into_iter().flatten().map(str::to_owned);
                let written = head.chain(parts).collect::<Vec<_>>().join(".");
                if Mnemonic::parse(
                    self.dialect,
                    written.split_once('.').map_or("", |(_, parts)| parts),
                ) != Ok(original)
                {
                    let steps = (to - own + wider) as u32;
                    all.push(StrongerForm { text: written, steps, makes_atomic });
                }
            }
        }
        all.dedup();
        all
    }

    /// Returns the narrowest scope of which one instance contains all invocations of the test.
    fn narrowest_common_scope(&self) -> Scope {
        let all = scopes(self.dialect).iter().map(|(scope, _)| *scope);
        let mut shared = all.filter(|scope| {
            self.scope_positions.iter().all(|one| one.share(self.scope_positions[0], *scope))
        });
        shared.next().unwrap_or(Scope::System)
    }

    /// Returns the modifiers that order the storage classes that the test accesses.
    fn classes(&self) -> impl Iterator<Item = String> {
        let named = |class: &u8| {
            let word = format!("sc{class}");
            self.places
                .iter()
                .any(|place| self.source.snippet(*place).split('.').any(|part| part == word))
        };
        (0..4).filter(named).map(|class| format!("semsc{class}")).collect::<Vec<_>>().into_iter()
    }
}

/// Returns the modifiers that stay in a stronger form: those that specify neither an order, nor a scope, nor a plain access.
fn kept_modifiers(dialect: Dialect, parts: &str, is_plain: bool) -> Vec<String> {
    let mut kept = Vec::new();
    let mut parts = parts.split('.').filter(|part| !part.is_empty());
    while let Some(part) = parts.next() {
        match part {
            "av" | "vis" => {
                let scope = parts.next().unwrap_or("dv");
                // An atomic access is available and visible in its scope.
                if !is_plain {
                    kept.extend([part.to_owned(), scope.to_owned()]);
                }
            }
            "atom" | "weak" | "volatile" => {}
            _ if dialect.scope(part).is_some() || super::mnemonic::order(part).is_some() => {}
            _ => kept.push(part.to_owned()),
        }
    }
    kept
}

type Orders = &'static [(MemoryOrder, &'static str)];

/// Returns the orders that an instruction may have, weakest first; `None` if it has no order.
fn orders(dialect: Dialect, name: &str) -> Option<Orders> {
    use MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    Some(match (dialect, name) {
        (Dialect::Vulkan, "ld") => &[(Relaxed, ""), (Acquire, "acq")],
        (Dialect::Vulkan, "st") => &[(Relaxed, ""), (Release, "rel")],
        (Dialect::Vulkan, "rmw") => {
            &[(Relaxed, ""), (Acquire, "acq"), (Release, "rel"), (AcquireRelease, "acq_rel")]
        }
        (Dialect::Vulkan, "membar") => {
            &[(Acquire, "acq"), (Release, "rel"), (AcquireRelease, "acq_rel")]
        }
        (Dialect::Vulkan, "cbar") => &[(AcquireRelease, "acq_rel")],
        (Dialect::Ptx, "ld") => &[(Relaxed, "relaxed"), (Acquire, "acquire")],
        (Dialect::Ptx, "st") => &[(Relaxed, "relaxed"), (Release, "release")],
        (Dialect::Ptx, "atom" | "red") => &[
            (Relaxed, "relaxed"),
            (Acquire, "acquire"),
            (Release, "release"),
            (AcquireRelease, "acq_rel"),
        ],
        (Dialect::Ptx, "fence" | "membar") => {
            &[(AcquireRelease, "acq_rel"), (SequentiallyConsistent, "sc")]
        }
        _ => return None,
    })
}

/// Returns the scopes of a dialect, narrowest first.
fn scopes(dialect: Dialect) -> &'static [(Scope, &'static str)] {
    match dialect {
        Dialect::Vulkan => &[
            (Scope::Subgroup, "sg"),
            (Scope::Workgroup, "wg"),
            (Scope::QueueFamily, "qf"),
            (Scope::Device, "dv"),
        ],
        Dialect::Ptx => {
            &[(Scope::Workgroup, "cta"), (Scope::Device, "gpu"), (Scope::System, "sys")]
        }
    }
}
