//! The instructions of a column.

use super::Dialect;
use super::condition::Comparison;
use super::mnemonic::{Function, Mnemonic, Wrong};
use super::names::Names;
use super::token::{Kind, Token, Tokens};
use crate::program::{Atomic, Class, Scope, Value};
use hirace_core::diagnostic::Result;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Reads a location into a register.
    Load { to: usize, at: Operand, how: How },
    /// Writes a location.
    Store { at: Operand, value: Operand, how: How },
    /// Reads and writes at once. Who compares has what is expected first.
    Update { to: Option<usize>, at: Operand, function: Function, values: [Operand; 2], how: How },
    /// Orders.
    Fence(Atomic),
    /// Waits for the workgroup or subgroup.
    Barrier { number: u32, waits: Scope, orders: Option<Atomic> },
    /// `avdevice`, or `visdevice`.
    ToDevice { visible: bool },
    /// Computes.
    Compute { to: usize, function: Function, values: [Operand; 2] },
    /// Goes to a label if two values compare so.
    Branch { left: Operand, comparison: Comparison, right: Operand, target: u32 },
    /// Goes to a label.
    Goto(u32),
}

/// A value, or where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Itself; of a location its address.
    Value(Value),
    /// In a register.
    Register(usize),
}

/// How a location is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// The kind of memory.
    pub class: Class,
    /// What is atomic about it.
    pub atomic: Option<Atomic>,
    /// See [`crate::program::Access::available`].
    pub available: Option<Scope>,
}

/// What reads the instruction of one cell.
pub struct Reader<'r, 'a> {
    /// Where it stands.
    pub tokens: &'r mut Tokens<'a>,
    /// What names mean.
    pub names: &'r mut Names,
    /// How instructions look.
    pub dialect: Dialect,
    /// The column.
    pub column: usize,
    /// Labels that were named by branches, by instruction. Their targets are their indices here until all are known.
    pub wanted: Vec<Token>,
}

impl Reader<'_, '_> {
    /// Reads an instruction, whose first word was taken.
    pub fn read(&mut self, token: Token, text: &str) -> Result<Instruction> {
        let (name, parts) = text.split_once('.').unwrap_or((text, ""));
        let flawed = |tokens: &Tokens<'_>, (message, help): Wrong| {
            Box::new(tokens.wrong(token, message).help(help))
        };
        if let Some(comparison) = comparison(name) {
            let left = self.operand()?;
            self.comma()?;
            let right = self.operand()?;
            self.comma()?;
            return Ok(Instruction::Branch { left, comparison, right, target: self.label()? });
        }
        let mnemonic =
            Mnemonic::parse(self.dialect, parts).map_err(|wrong| flawed(self.tokens, wrong))?;
        let how = |always: bool, dialect: Dialect| {
            let atomic = match always || mnemonic.is_atomic {
                true => Some(mnemonic.atomic(dialect)?),
                false => None,
            };
            let available =
                mnemonic.available.or((dialect == Dialect::Ptx).then_some(Scope::System));
            Ok(How { class: mnemonic.class.unwrap_or(Class(0)), atomic, available })
        };
        let how = |always: bool, reader: &Self| {
            how(always, reader.dialect).map_err(|wrong| flawed(reader.tokens, wrong))
        };
        match (name, self.dialect) {
            ("ld", _) => {
                let to = self.destination()?;
                self.comma()?;
                Ok(Instruction::Load { to, at: self.address()?, how: how(false, self)? })
            }
            ("st", _) => {
                let at = self.address()?;
                self.comma()?;
                Ok(Instruction::Store { at, value: self.operand()?, how: how(false, self)? })
            }
            ("rmw", Dialect::Vulkan) | ("atom" | "red", Dialect::Ptx) => {
                let to = match name {
                    "red" => None,
                    _ => {
                        let to = self.destination()?;
                        self.comma()?;
                        Some(to)
                    }
                };
                let at = self.address()?;
                self.comma()?;
                let function = mnemonic.function.unwrap_or(Function::Exchange);
                let first = self.operand()?;
                let second = match function {
                    Function::CompareExchange => {
                        self.comma()?;
                        self.operand()?
                    }
                    _ => Operand::Value(0),
                };
                Ok(Instruction::Update {
                    to,
                    at,
                    function,
                    values: [first, second],
                    how: how(true, self)?,
                })
            }
            ("membar", Dialect::Vulkan) | ("fence" | "membar", Dialect::Ptx) => {
                let atomic =
                    mnemonic.atomic(self.dialect).map_err(|wrong| flawed(self.tokens, wrong))?;
                Ok(Instruction::Fence(atomic))
            }
            ("cbar", Dialect::Vulkan) | ("bar" | "barrier", Dialect::Ptx) => {
                self.barrier(token, &mnemonic)
            }
            ("avdevice", Dialect::Vulkan) => Ok(Instruction::ToDevice { visible: false }),
            ("visdevice", Dialect::Vulkan) => Ok(Instruction::ToDevice { visible: true }),
            ("goto", _) => Ok(Instruction::Goto(self.label()?)),
            ("mov", _) => {
                let to = self.destination()?;
                self.comma()?;
                let values = [self.operand()?, Operand::Value(0)];
                Ok(Instruction::Compute { to, function: Function::Or, values })
            }
            (name, _) => match Function::named(name) {
                Some(function)
                    if !matches!(function, Function::Exchange | Function::CompareExchange) =>
                {
                    let to = self.destination()?;
                    self.comma()?;
                    let left = self.operand()?;
                    self.comma()?;
                    Ok(Instruction::Compute { to, function, values: [left, self.operand()?] })
                }
                _ => {
                    let wrong =
                        self.tokens.wrong(token, format!("there is no instruction `{name}`"));
                    Err(Box::new(wrong.help(match self.dialect {
                        Dialect::Vulkan => "there are `ld`, `st`, `rmw`, `membar`, `cbar`, `avdevice`, `visdevice`, `mov`, `add` and others that compute, `beq`, `bne`, `goto`",
                        Dialect::Ptx => "there are `ld`, `st`, `atom`, `red`, `fence`, `bar.cta.sync`, `mov`, `add` and others that compute, `beq`, `bne`, `goto`",
                    })))
                }
            },
        }
    }

    fn barrier(&mut self, token: Token, mnemonic: &Mnemonic) -> Result<Instruction> {
        let waits = match (self.dialect, mnemonic.scope) {
            (Dialect::Ptx, None) => Scope::Workgroup,
            (_, Some(scope @ (Scope::Subgroup | Scope::Workgroup))) => scope,
            _ => {
                let wrong =
                    self.tokens.wrong(token, "a barrier waits for a workgroup or a subgroup");
                return Err(Box::new(wrong.help("write `.wg` or `.sg`, and in PTX `.cta`")));
            }
        };
        let number = self.tokens.take()?;
        let Kind::Number(number @ 0..) = number.kind else {
            return Err(Box::new(
                self.tokens.wrong(number, "the number of the barrier is expected here"),
            ));
        };
        let complete = Mnemonic { scope: Some(waits), ..*mnemonic };
        let complete = match self.dialect {
            Dialect::Ptx => {
                Mnemonic { order: Some(crate::program::Order::AcquireRelease), ..complete }
            }
            Dialect::Vulkan => complete,
        };
        let orders = complete.order.and_then(|_| complete.atomic(self.dialect).ok());
        Ok(Instruction::Barrier { number: number as u32, waits, orders })
    }

    fn comma(&mut self) -> Result<()> {
        self.tokens.expect(",", "between operands").map(drop)
    }

    fn label(&mut self) -> Result<u32> {
        let (token, _) = self.tokens.word("a label")?;
        self.wanted.push(token);
        Ok(self.wanted.len() as u32 - 1)
    }

    fn destination(&mut self) -> Result<usize> {
        let (token, name) = self.tokens.word("the register that takes the result")?;
        if self.names.known(name).is_some() {
            let wrong = self
                .tokens
                .wrong(token, format!("`{name}` is a location, and a register is expected here"));
            return Err(Box::new(
                wrong.help("the result goes to a register, which stands first: `ld.sc0 r0, x`"),
            ));
        }
        Ok(self.names.register(self.column, name))
    }

    /// `x`, `[x]`, `r0` or `[r0]`.
    fn address(&mut self) -> Result<Operand> {
        let bracket = self.tokens.accept("[")?;
        let token = self.tokens.peek();
        let operand = self.operand()?;
        if let Kind::Number(_) = token.kind {
            let wrong = self.tokens.wrong(token, "a location is expected here");
            return Err(Box::new(
                wrong.help("name one, or a register that holds the address of one"),
            ));
        }
        if bracket {
            self.tokens.expect("]", "after an address in brackets")?;
        }
        Ok(operand)
    }

    fn operand(&mut self) -> Result<Operand> {
        let token = self.tokens.take()?;
        let text = self.tokens.text(token);
        match token.kind {
            Kind::Number(value) => Ok(Operand::Value(u64::from(value as u32))),
            Kind::Word => match self.names.known(text) {
                Some(location) => Ok(Operand::Value(location as Value + 1)),
                None if text.starts_with(['r', 'R', '%', '$']) => {
                    Ok(Operand::Register(self.names.register(self.column, text)))
                }
                None => self.names.location(self.tokens, token, text).map(|_| Operand::Value(0)),
            },
            _ => {
                let wrong = self.tokens.wrong(token, "an operand is expected here");
                Err(Box::new(wrong.help("write a number, a register or a location")))
            }
        }
    }
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "beq" => Comparison::Equal,
        "bne" => Comparison::Differ,
        "blt" => Comparison::Less,
        "ble" => Comparison::AtMost,
        "bgt" => Comparison::Greater,
        "bge" => Comparison::AtLeast,
        _ => return None,
    })
}
