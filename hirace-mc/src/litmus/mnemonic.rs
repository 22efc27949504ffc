//! Instruction modifiers, which are separated by dots: `ld.atom.acq.wg.sc0.semsc0`.

use super::Dialect;
use crate::program::{Atomic, Class, Classes, MemoryOrder, Scope};

/// The modifiers of an instruction, of both dialects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mnemonic {
    /// Whether the access is atomic: `atom`, or in PTX an order other than `weak`.
    pub is_atomic: bool,
    /// The memory order; `None` means relaxed.
    pub order: Option<MemoryOrder>,
    /// The scope.
    pub scope: Option<Scope>,
    /// The storage class: `sc0` and so on.
    pub class: Option<Class>,
    /// The ordered storage classes: `semsc0` and so on.
    pub orders: Classes,
    /// The scope of `av` or `vis`.
    pub available: Option<Scope>,
    /// The function of an update.
    pub function: Option<Function>,
}

/// The function of an update or of a computation on two values.
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
    /// Returns the function with this name.
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

/// An error in an instruction: the message and the help.
pub type ModifierError = (String, &'static str);

impl Mnemonic {
    /// Parses the modifiers, which is the text after the first dot.
    pub fn parse(dialect: Dialect, parts: &str) -> Result<Self, ModifierError> {
        let mut made = Self::default();
        let mut parts = parts.split('.').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            match dialect {
                _ if Function::named(part).is_some() => made.function = Function::named(part),
                Dialect::Vulkan if matches!(part, "av" | "vis") => {
                    let scope = parts.next().and_then(|scope| dialect.scope(scope));
                    made.available = Some(scope.ok_or_else(|| {
                        (format!("`.{part}` needs a scope"), "write `.av.dv` or `.vis.wg`")
                    })?);
                }
                Dialect::Vulkan => made.vulkan(part)?,
                Dialect::Ptx => made.ptx(part)?,
            }
        }
        Ok(made)
    }

    fn vulkan(&mut self, part: &str) -> Result<(), ModifierError> {
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
                // In these models, synchronization always makes memory available and visible, and no shared memory is
                // private.
                "semav" | "semvis" | "nonpriv" => {}
                _ => return Err(unknown(part, VULKAN)),
            }
        }
        Ok(())
    }

    fn ptx(&mut self, part: &str) -> Result<(), ModifierError> {
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

    /// Returns the modifiers as atomic attributes, or an error if the scope is missing.
    pub fn atomic(&self, dialect: Dialect) -> Result<Atomic, ModifierError> {
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
        Ok(Atomic { order: self.order.unwrap_or(MemoryOrder::Relaxed), scope, orders })
    }
}

const VULKAN: &str = "the modifiers in Vulkan tests are `atom`, `acq`, `rel`, `acq_rel`, `sg`, `wg`, `qf`, `dv`, `sc0` to `sc3`, `semsc0` to `semsc3`, `semav`, `semvis`, `av.SCOPE`, `vis.SCOPE`";
const PTX: &str = "the modifiers in PTX tests are `weak`, `relaxed`, `acquire`, `release`, `acq_rel`, `sc`, `volatile`, `cta`, `gpu`, `sys`";

fn unknown(part: &str, help: &'static str) -> ModifierError {
    (format!("unknown modifier `.{part}`"), help)
}

/// Returns the order with this name.
pub fn order(part: &str) -> Option<MemoryOrder> {
    Some(match part {
        "relaxed" | "rlx" => MemoryOrder::Relaxed,
        "acq" | "acquire" => MemoryOrder::Acquire,
        "rel" | "release" => MemoryOrder::Release,
        "acq_rel" => MemoryOrder::AcquireRelease,
        "sc" => MemoryOrder::SequentiallyConsistent,
        _ => return None,
    })
}

fn class(digits: &str) -> Option<Class> {
    digits.parse().ok().filter(|class| *class < 4).map(Class)
}

impl Dialect {
    /// Returns the scope with this name.
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
