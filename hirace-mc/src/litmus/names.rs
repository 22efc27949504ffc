//! The names in a litmus file: locations, columns, registers.

use super::token::{Kind, Token, Tokens};
use crate::program::Value;
use hirace_core::diagnostic::Result;

/// The maximum number of columns of a test.
pub const COLUMNS: usize = 256;

/// A location or a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// The initial value.
    pub initial: Value,
}

/// All names, by index.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The locations. As a value, a location is its index plus one, so that no location is 0.
    pub locations: Vec<Cell>,
    /// The registers of each column.
    pub registers: Vec<Vec<Cell>>,
    /// The number of columns, once it is known.
    pub columns: Option<usize>,
}

impl Names {
    /// Returns the index of a declared location.
    pub fn location(&self, tokens: &Tokens<'_>, token: Token, name: &str) -> Result<usize> {
        self.known(name).ok_or_else(|| {
            let wrong = tokens.wrong(token, format!("unknown location `{name}`"));
            Box::new(wrong.help(format!(
                "declare a location with its initial value, `{name}=0;`, or write `P0:{name}` for a register"
            )))
        })
    }

    /// Returns the index of a location, if it is declared.
    pub fn known(&self, name: &str) -> Option<usize> {
        self.locations.iter().position(|cell| cell.name == name)
    }

    /// Returns the index of a location, and declares it if necessary.
    pub fn declare(&mut self, name: &str) -> usize {
        self.known(name).unwrap_or_else(|| {
            self.locations.push(Cell { name: name.to_owned(), initial: 0 });
            self.locations.len() - 1
        })
    }

    /// Returns the index of a column from `P1` or `1`.
    pub fn column(&self, tokens: &Tokens<'_>, token: Token, name: &str) -> Result<usize> {
        let digits = name.strip_prefix('P').unwrap_or(name);
        let limit = self.columns.unwrap_or(COLUMNS);
        let column = digits.parse().ok().filter(|column| *column < limit);
        column.ok_or_else(|| {
            let wrong = tokens.wrong(token, format!("`{name}` is not a column"));
            Box::new(
                wrong
                    .help(format!("name a column `P0`, `P1` and so on; there are at most {limit}")),
            )
        })
    }

    /// Returns the index of a register of a column. A new register has the initial value 0.
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

    /// Reads the initial values: `{ x=0; P1:r0=x; }`.
    pub fn read(tokens: &mut Tokens<'_>) -> Result<Self> {
        let mut names = Self::default();
        tokens.expect("{", "before the initial values")?;
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
                let wrong = tokens.wrong(token, "expected the name of a location or register");
                return Err(Box::new(wrong.help("write `x=0;` or `P0:r0=0;`")));
            }
            false => None,
        };
        if tokens.sees("->") || tokens.sees("@") || tokens.sees("[") || tokens.sees("aliases") {
            let wrong = tokens.wrong(
                tokens.peek(),
                "arrays, proxies and aliases of a location are not supported",
            );
            return Err(Box::new(wrong.help("give each location its own name and a single value")));
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
                let wrong = tokens.wrong(value, "expected a number or the name of a location");
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
