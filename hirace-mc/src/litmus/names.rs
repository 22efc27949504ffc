//! What a litmus file speaks of by name: locations, columns, registers.

use super::token::{Kind, Token, Tokens};
use crate::program::Value;
use hirace_core::diagnostic::Result;

/// The most columns of a test.
pub const COLUMNS: usize = 256;

/// A location, or a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// What it holds before anything is written there.
    pub initial: Value,
}

/// All names, by the index of what they are given to.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Locations. As a value a location is its index and one more, so that none is 0.
    pub locations: Vec<Cell>,
    /// The registers of each column.
    pub registers: Vec<Vec<Cell>>,
    /// How many columns there are, once that is known.
    pub columns: Option<usize>,
}

impl Names {
    /// A location that was named before.
    pub fn location(&self, tokens: &Tokens<'_>, token: Token, name: &str) -> Result<usize> {
        self.known(name).ok_or_else(|| {
            let wrong = tokens.wrong(token, format!("there is no location `{name}`"));
            Box::new(wrong.help(format!(
                "give it a value at the start, as `{name}=0;`; a register is named `P0:{name}`"
            )))
        })
    }

    /// A location of this name, if there is one.
    pub fn known(&self, name: &str) -> Option<usize> {
        self.locations.iter().position(|cell| cell.name == name)
    }

    /// The location of this name, from now on.
    pub fn declare(&mut self, name: &str) -> usize {
        self.known(name).unwrap_or_else(|| {
            self.locations.push(Cell { name: name.to_owned(), initial: 0 });
            self.locations.len() - 1
        })
    }

    /// A column, from `P1` or `1`.
    pub fn column(&self, tokens: &Tokens<'_>, token: Token, name: &str) -> Result<usize> {
        let digits = name.strip_prefix('P').unwrap_or(name);
        let limit = self.columns.unwrap_or(COLUMNS);
        let column = digits.parse().ok().filter(|column| *column < limit);
        column.ok_or_else(|| {
            let wrong = tokens.wrong(token, format!("`{name}` is no column"));
            Box::new(
                wrong.help(format!("columns are `P0` and so on, at the most {limit} of them here")),
            )
        })
    }

    /// The register of a column, by its index; it is 0 at first if nothing else was said.
    pub fn register(&mut self, column: usize, name: &str) -> usize {
        if self.registers.len() <= column {
            self.registers.resize(column + 1, Vec::new());
        }
        let registers = &mut self.registers[column];
        registers.iter().position(|cell| cell.name == name).unwrap_or_else(|| {
            registers.push(Cell { name: name.to_owned(), initial: 0 });
            registers.len() - 1
        })
    }

    /// Reads `{ x=0; P1:r0=x; }`.
    pub fn read(tokens: &mut Tokens<'_>) -> Result<Self> {
        let mut names = Self::default();
        tokens.expect("{", "before the values that locations have at first")?;
        while !tokens.accept("}")? {
            if !tokens.accept(";")? {
                names.initial(tokens)?;
                if !tokens.sees("}") {
                    tokens.expect(";", "after a value")?;
                }
            }
        }
        Ok(names)
    }

    fn initial(&mut self, tokens: &mut Tokens<'_>) -> Result<()> {
        let bracket = tokens.accept("[")?;
        let token = tokens.take()?;
        let name = tokens.text(token);
        if bracket {
            tokens.expect("]", "after the name of a location in brackets")?;
        }
        let register = match tokens.accept(":")? {
            true => {
                let column = self.column(tokens, token, name)?;
                let (_, register) = tokens.word("the name of a register")?;
                Some((column, self.register(column, register)))
            }
            false if token.kind != Kind::Word => {
                let wrong =
                    tokens.wrong(token, "the name of a location or of a register is expected here");
                return Err(Box::new(wrong.help("write `x=0;` or `P0:r0=0;`")));
            }
            false => None,
        };
        if tokens.sees("->") || tokens.sees("@") || tokens.sees("[") || tokens.sees("aliases") {
            let wrong = tokens.wrong(
                tokens.peek(),
                "arrays, proxies and other names of a location are not taken",
            );
            return Err(Box::new(
                wrong.help("give each location a name of its own, and one value"),
            ));
        }
        let location = register.is_none().then(|| self.declare(name));
        if !tokens.accept("=")? {
            return Ok(());
        }
        let value = tokens.take()?;
        let initial = match value.kind {
            Kind::Number(value) => u64::from(value as u32),
            Kind::Word => self.declare(tokens.text(value)) as Value + 1,
            _ => {
                let wrong =
                    tokens.wrong(value, "a number or the name of a location is expected here");
                return Err(Box::new(wrong));
            }
        };
        match (location, register) {
            (Some(location), _) => self.locations[location].initial = initial,
            (None, Some((column, register))) => self.registers[column][register].initial = initial,
            (None, None) => {}
        }
        Ok(())
    }
}
