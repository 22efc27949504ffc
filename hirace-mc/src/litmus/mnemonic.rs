//! What hangs by dots on an instruction: `ld.atom.acq.wg.sc0.semsc0`.

use super::Dialect;
use crate::program::{Atomic, Class, Classes, Order, Scope};

/// What stood there, of what both dialects have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mnemonic {
    /// `atom`, or in PTX an order other than `weak`.
    pub is_atomic: bool,
    /// How it orders; relaxed if nothing was said.
    pub order: Option<Order>,
    /// For whom.
    pub scope: Option<Scope>,
    /// `sc0` and so on.
    pub class: Option<Class>,
    /// `semsc0` and so on.
    pub orders: Classes,
    /// `av` or `vis`, with its scope.
    pub available: Option<Scope>,
    /// What an update computes.
    pub function: Option<Function>,
}

/// What an update or a computation makes of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareExchange,
}

impl Function {
    /// From its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "add" | "plus" => Self::Add,
            "sub" => Self::Sub,
            "min" => Self::Min,
            "max" => Self::Max,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "exch" => Self::Exchange,
            "cas" => Self::CompareExchange,
            _ => return None,
        })
    }
}

/// What is wrong with a part of an instruction, and what would be right.
pub type Wrong = (String, &'static str);

impl Mnemonic {
    /// From what follows the first dot.
    pub fn parse(dialect: Dialect, parts: &str) -> Result<Self, Wrong> {
        let mut made = Self::default();
        let mut parts = parts.split('.').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            match dialect {
                _ if Function::named(part).is_some() => made.function = Function::named(part),
                Dialect::Vulkan if matches!(part, "av" | "vis") => {
                    let scope = parts.next().and_then(|scope| dialect.scope(scope));
                    made.available = Some(scope.ok_or_else(|| {
                        (format!("`{part}` has no scope"), "write `.av.dv` or `.vis.wg`")
                    })?);
                }
                Dialect::Vulkan => made.vulkan(part)?,
                Dialect::Ptx => made.ptx(part)?,
            }
        }
        Ok(made)
    }

    fn vulkan(&mut self, part: &str) -> Result<(), Wrong> {
        let dialect = Dialect::Vulkan;
        if let Some(scope) = dialect.scope(part) {
            self.scope = Some(scope);
        } else if let Some(order) = order(part) {
            self.order = Some(order);
        } else if let Some(class) = part.strip_prefix("semsc").and_then(class) {
            self.orders.0 |= 1 << class.0;
        } else if let Some(class) = part.strip_prefix("sc").and_then(class) {
            self.class = Some(class);
        } else {
            match part {
                "atom" => self.is_atomic = true,
                // What orders also makes available and visible, and what others can touch is never private.
                "semav" | "semvis" | "nonpriv" => {}
                _ => return Err(unknown(part, VULKAN)),
            }
        }
        Ok(())
    }

    fn ptx(&mut self, part: &str) -> Result<(), Wrong> {
        if let Some(scope) = Dialect::Ptx.scope(part) {
            self.scope = Some(scope);
        } else if let Some(order) = order(part) {
            self.order = Some(order);
            self.is_atomic = true;
        } else {
            match part {
                "weak" | "u32" | "s32" | "b32" | "global" | "generic" | "sync" => {}
                "volatile" => {
                    self.is_atomic = true;
                    self.scope = Some(Scope::System);
                }
                _ => return Err(unknown(part, PTX)),
            }
        }
        Ok(())
    }

    /// As something atomic; an error if nothing says for whom.
    pub fn atomic(&self, dialect: Dialect) -> Result<Atomic, Wrong> {
        let scopes = match dialect {
            Dialect::Vulkan => "add `.sg`, `.wg`, `.qf` or `.dv`",
            Dialect::Ptx => "add `.cta`, `.gpu` or `.sys`",
        };
        let scope =
            self.scope.ok_or_else(|| ("an atomic operation needs a scope".to_owned(), scopes))?;
        let orders = match dialect {
            Dialect::Vulkan => self.orders,
            Dialect::Ptx => Classes::ALL,
        };
        Ok(Atomic { order: self.order.unwrap_or(Order::Relaxed), scope, orders })
    }
}

const VULKAN: &str = "Vulkan's have `atom`, `acq`, `rel`, `acq_rel`, `sg`, `wg`, `qf`, `dv`, `sc0` to `sc3`, `semsc0` to `semsc3`, `semav`, `semvis`, `av.SCOPE`, `vis.SCOPE`";
const PTX: &str = "PTX's have `weak`, `relaxed`, `acquire`, `release`, `acq_rel`, `sc`, `volatile`, `cta`, `gpu`, `sys`";

fn unknown(part: &str, help: &'static str) -> Wrong {
    (format!("`.{part}` has no meaning here"), help)
}

/// The order of this name.
pub fn order(part: &str) -> Option<Order> {
    Some(match part {
        "relaxed" | "rlx" => Order::Relaxed,
        "acq" | "acquire" => Order::Acquire,
        "rel" | "release" => Order::Release,
        "acq_rel" => Order::AcquireRelease,
        "sc" => Order::SequentiallyConsistent,
        _ => return None,
    })
}

fn class(digits: &str) -> Option<Class> {
    digits.parse().ok().filter(|class| *class < 4).map(Class)
}

impl Dialect {
    /// The scope of this name.
    pub fn scope(self, name: &str) -> Option<Scope> {
        Some(match (self, name) {
            (Self::Vulkan, "sg") => Scope::Subgroup,
            (Self::Vulkan, "wg") | (Self::Ptx, "cta") => Scope::Workgroup,
            (Self::Vulkan, "qf") => Scope::QueueFamily,
            (Self::Vulkan, "dv") | (Self::Ptx, "gpu") => Scope::Device,
            (Self::Ptx, "sys") => Scope::System,
            _ => return None,
        })
    }
}
