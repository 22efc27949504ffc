//! Litmus tests: small programs in columns, as the files of the Vulkan and PTX models have them.
//!
//! ```text
//! VULKAN MP
//! "A message is passed."
//! { x=0; y=0; P1:r0=0; }
//!  P0@sg 0, wg 0, qf 0         | P1@sg 0, wg 1, qf 0             ;
//!  st.av.dv.sc0 x, 1           | ld.atom.acq.dv.sc0.semsc0 r0, y ;
//!  st.atom.rel.dv.sc0.semsc0 y, 1 | ld.vis.dv.sc0 r1, x          ;
//! exists (P1:r0 == 1 /\ P1:r1 == 0)
//! ```
//!
//! A column is one invocation. Locations are words of 32 bits, and a location's name is its address wherever a value
//! is expected. What is not given a value at the start is 0.
//!
//! # What is not taken
//! Arrays, proxies and several names of a location, clusters, barriers that only arrive: a diagnostic says so. What
//! `semav`, `semvis` and `nonpriv` say is not followed: the models here take whatever synchronises to make available
//! and visible.

mod columns;
mod condition;
mod instruction;
mod live;
mod mnemonic;
mod names;
mod run;
mod stronger;
#[cfg(test)]
pub(crate) mod tests;
mod token;

pub use condition::{Claim, Comparison, Condition, Quantifier, Term};
pub use names::Cell;
pub use run::State;
pub use stronger::Strengthened;

use crate::program::{Value, Whereabouts};
use hirace_core::diagnostic::Result;
use hirace_core::source_map::{SourceMap, Span};
use instruction::Instruction;
use names::Names;
use token::{Kind, Token, Tokens};

/// How instructions look, and what scopes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Of the tests of Vulkan's memory model.
    Vulkan,
    /// Of the tests of PTX's.
    Ptx,
}

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// As its first line has it.
    pub name: String,
    /// How it is written.
    pub dialect: Dialect,
    /// The locations: the one of index `i` is [`Location`](crate::program::Location)` (i + 1)`.
    pub locations: Vec<Cell>,
    /// What is claimed of it.
    pub claim: Option<Claim>,
    /// How often a loop whose state changes may go back; what comes after is not explored.
    pub turns: u32,
    source: SourceMap,
    columns: Vec<Column>,
    whereabouts: Vec<Whereabouts>,
    /// Where instructions are, by site: those of the first column come first.
    places: Vec<Span>,
}

/// What one invocation does.
#[derive(Clone, Debug)]
struct Column {
    code: Vec<Instruction>,
    registers: Vec<Cell>,
    /// The site of the first instruction.
    site: u32,
    /// Where jumps go back to, ascending, each with the registers that matter there.
    heads: Vec<(u32, Vec<usize>)>,
    /// For each register, whether an instruction uses it or the claim names it.
    used: Vec<bool>,
}

/// How often a loop may go back, if nothing else is said.
pub const TURNS: u32 = 16;

impl Test {
    /// Reads a test. What is wrong with it is said at its place.
    pub fn read(source: &SourceMap) -> Result<Self> {
        let (dialect, name, at) = head(source)?;
        let mut tokens = Tokens::new(source, at)?;
        while tokens.peek().kind == Kind::Quoted {
            tokens.take()?;
        }
        let mut names = Names::read(&mut tokens)?;
        let (whereabouts, columns) = columns::read(&mut tokens, dialect, &mut names)?;
        let claim = Claim::read(&mut tokens, &mut names)?;
        names.registers.resize(columns.len(), Vec::new());
        let mut places = Vec::new();
        let columns = columns.into_iter().zip(names.registers).enumerate();
        let columns = columns.map(|(column, (lines, registers))| {
            let site = places.len() as u32;
            let (code, spans): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
            places.extend(spans);
            let named =
                |register| claim.as_ref().is_some_and(|claim| claim.names(column, register));
            let at_end: Vec<bool> = (0..registers.len()).map(named).collect();
            let heads = heads(&code);
            let live = live::live(&code, &heads, registers.len(), &at_end);
            let heads = heads.into_iter().zip(live).collect();
            let used = live::used(&code, at_end);
            Column { code, registers, site, heads, used }
        });
        let columns = columns.collect();
        let source = source.clone();
        let locations = names.locations;
        Ok(Self {
            name,
            dialect,
            locations,
            claim,
            turns: TURNS,
            source,
            columns,
            whereabouts,
            places,
        })
    }

    /// Where an instruction stands.
    pub fn place(&self, site: u32) -> Span {
        self.places.get(site as usize).copied().unwrap_or_default()
    }

    /// The file.
    pub fn source(&self) -> &SourceMap {
        &self.source
    }

    /// The registers of a column, with what they hold at its end.
    pub fn registers<'a>(
        &'a self,
        column: usize,
        state: &'a State,
    ) -> impl Iterator<Item = (&'a str, Value)> {
        let names = self.columns[column].registers.iter().map(|cell| cell.name.as_str());
        names.zip(state.registers().iter().copied())
    }

    /// Whether a condition holds of a final state: of each column, and of a location by its index.
    pub fn holds(
        &self,
        condition: &Condition,
        states: &[State],
        memory: &impl Fn(usize) -> Value,
    ) -> bool {
        condition.holds(&|term| match term {
            Term::Value(value) => value,
            Term::Location(location) => memory(location),
            Term::Register(column, register) => {
                let state = states.get(column);
                state.and_then(|state| state.registers().get(register)).copied().unwrap_or(0)
            }
        })
    }
}

/// Where jumps go back to, ascending.
fn heads(code: &[Instruction]) -> Vec<u32> {
    let back = code.iter().enumerate().filter_map(|(pc, instruction)| match instruction {
        Instruction::Goto(target) | Instruction::Branch { target, .. } => {
            (*target as usize <= pc).then_some(*target)
        }
        _ => None,
    });
    let mut heads: Vec<u32> = back.collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// The first line that is not empty: the dialect and a name. With where the next begins.
fn head(source: &SourceMap) -> Result<(Dialect, String, usize)> {
    let text = source.text();
    let start = text.len() - text.trim_start().len();
    let line = text[start..].lines().next().unwrap_or("");
    let end = start + line.len();
    let (word, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let dialect = match word.to_ascii_uppercase().as_str() {
        "VULKAN" => Dialect::Vulkan,
        "PTX" => Dialect::Ptx,
        _ => {
            let span = Span::new(start as u32, (start + word.len()) as u32);
            let wrong = hirace_core::diagnostic::Diagnostic::at(
                source,
                span,
                "this is no litmus test of Vulkan or PTX",
            );
            return Err(Box::new(wrong.help("its first line is `VULKAN`, or `PTX`, and its name")));
        }
    };
    Ok((dialect, name.trim().to_owned(), end))
}
