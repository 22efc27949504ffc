//! The instructions of a column.

use super::Dialect;
use super::condition::Comparison;
use super::mnemonic::{Function, Mnemonic, ModifierError};
use super::names::Names;
use super::token::{Kind, Token, Tokens};
use crate::program::{Atomic, Class, Scope, Value};
use hirace_core::diagnostic::Result;

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Reads a location into a register.
    Load { to: usize, at: Operand, how: AccessAttributes },
    /// Writes a value to a location.
    Store { at: Operand, value: Operand, how: AccessAttributes },
    /// Reads and writes a location atomically. For a compare-exchange, the expected value is the first of `values`.
    Update {
        to: Option<usize>,
        at: Operand,
        function: Function,
        values: [Operand; 2],
        how: AccessAttributes,
    },
    /// Orders memory.
    Fence(Atomic),
    /// Waits at a barrier of the workgroup or subgroup.
    Barrier { number: u32, waits: Scope, orders: Option<Atomic> },
    /// `avdevice`, or `visdevice`.
    ToDevice { visible: bool },
    /// Computes a value from two values.
    Compute { to: usize, function: Function, values: [Operand; 2] },
    /// Jumps to a label if the comparison holds.
    Branch { left: Operand, comparison: Comparison, right: Operand, target: u32 },
    /// Jumps to a label.
    Goto(u32),
}

/// An operand: a value or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A constant, or the address of a location.
    Value(Value),
    /// A register.
    Register(usize),
}

/// The attributes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessAttributes {
    /// The storage class.
    pub class: Class,
    /// The atomic attributes; `None` for a plain access.
    pub atomic: Option<Atomic>,
    /// See [`crate::program::Access::available`].
    pub available: Option<Scope>,
}

/// A parser for the instruction of one cell.
pub struct Reader<'r, 'a> {
    /// The tokens to read.
    pub tokens: &'r mut Tokens<'a>,
    /// The names of locations and registers.
    pub names: &'r mut Names,
    /// The dialect of the test.
    pub dialect: Dialect,
    /// The index of the column.
    pub column: usize,
    /// The labels that branches name. The target of a branch is an index into this list until all labels are known.
    pub wanted: Vec<Token>,
}

impl Reader<'_, '_> {
    /// Reads an instruction whose first word has already been taken.
    pub fn read(&mut self, token: Token, text: &str) -> Result<Instruction> {
        let (name, parts) = text.split_once('.').unwrap_or((text, ""));
        let flawed = |tokens: &Tokens<'_>, (message, help): ModifierError| {
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
            Ok(AccessAttributes { class: mnemonic.class.unwrap_or(Class(0)), atomic, available })
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
                    let wrong = self.tokens.wrong(token, format!("unknown instruction `{name}`"));
                    Err(Box::new(wrong.help(match self.dialect {
                        Dialect::Vulkan => "the instructions are `ld`, `st`, `rmw`, `membar`, `cbar`, `avdevice`, `visdevice`, `mov`, `add` and other arithmetic, `beq`, `bne`, `goto`",
                        Dialect::Ptx => "the instructions are `ld`, `st`, `atom`, `red`, `fence`, `bar.cta.sync`, `mov`, `add` and other arithmetic, `beq`, `bne`, `goto`",
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
                let wrong = self
                    .tokens
                    .wrong(token, "the scope of a barrier must be a workgroup or a subgroup");
                return Err(Box::new(wrong.help("write `.wg` or `.sg`, or `.cta` in PTX")));
            }
        };
        let number = self.tokens.take()?;
        let Kind::Number(number @ 0..) = number.kind else {
            return Err(Box::new(self.tokens.wrong(number, "expected the number of the barrier")));
        };
        let complete = Mnemonic { scope: Some(waits), ..*mnemonic };
        let complete = match self.dialect {
            Dialect::Ptx => {
                Mnemonic { order: Some(crate::program::MemoryOrder::AcquireRelease), ..complete }
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
        let (token, name) = self.tokens.word("the register for the result")?;
        if self.names.known(name).is_some() {
            let wrong = self
                .tokens
                .wrong(token, format!("expected a register, found the location `{name}`"));
            return Err(Box::new(
                wrong.help("write the register for the result first: `ld.sc0 r0, x`"),
            ));
        }
        Ok(self.names.register(self.column, name))
    }

    /// Reads `x`, `[x]`, `r0` or `[r0]`.
    fn address(&mut self) -> Result<Operand> {
        let bracket = self.tokens.accept("[")?;
        let token = self.tokens.peek();
        let operand = self.operand()?;
        if let Kind::Number(_) = token.kind {
            let wrong = self.tokens.wrong(token, "expected a location");
            return Err(Box::new(
                wrong.help("write a location, or a register that holds its address"),
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
                let wrong = self.tokens.wrong(token, "expected an operand");
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
        "ble" => Comparison::LessOrEqual,
        "bgt" => Comparison::Greater,
        "bge" => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
