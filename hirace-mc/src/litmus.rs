//! Litmus tests: small programs in columns, in the file formats of the Vulkan and PTX memory model tests.
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
//! A column is one invocation. Locations are 32-bit words. Where a value is expected, the name of a location stands for
//! its address. Initial values default to 0.
//!
//! # Unsupported
//! Arrays, proxies, aliases of a location, clusters, and barriers at which invocations arrive without waiting are
//! rejected with a diagnostic. `semav`, `semvis` and `nonpriv` are ignored: in these models, synchronization always
//! makes memory available and visible.

mod columns;
mod condition;
mod instruction;
mod liveness;
mod mnemonic;
mod names;
mod run;
mod strengthening;
#[cfg(test)]
pub(crate) mod tests;
mod token;

pub use condition::{Claim, Comparison, Condition, Quantifier, Term};
pub use names::Cell;
pub use run::State;
pub use strengthening::StrongerForm;

use crate::program::{ScopePosition, Value};
use hirace_core::diagnostic::Result;
use hirace_core::source_map::{SourceMap, Span};
use instruction::Instruction;
use names::Names;
use token::{Kind, Token, Tokens};

/// The syntax of instructions and the available scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The syntax of the tests of Vulkan's memory model.
    Vulkan,
    /// The syntax of the tests of PTX's memory model.
    Ptx,
}

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The name in the first line.
    pub name: String,
    /// The dialect.
    pub dialect: Dialect,
    /// The locations. The location with index `i` is [`Location`](crate::program::Location)` (i + 1)`.
    pub locations: Vec<Cell>,
    /// The condition on final states.
    pub claim: Option<Claim>,
    /// The maximum number of iterations of a loop whose state changes. Later iterations are not explored.
    pub loop_bound: u32,
    source: SourceMap,
    columns: Vec<Column>,
    scope_positions: Vec<ScopePosition>,
    /// The spans of instructions by site; sites count through the columns.
    places: Vec<Span>,
}

/// The program of one invocation.
#[derive(Clone, Debug)]
struct Column {
    code: Vec<Instruction>,
    registers: Vec<Cell>,
    /// The site of the first instruction.
    site: u32,
    /// The loop heads, which are the targets of backward jumps, ascending, each with the registers that are live there.
    heads: Vec<(u32, Vec<usize>)>,
    /// For each register, whether an instruction or the condition uses it.
    used: Vec<bool>,
}

/// The default for the maximum number of iterations of a loop.
pub const DEFAULT_LOOP_BOUND: u32 = 16;

impl Test {
    /// Reads a test. Errors are reported at their location.
    pub fn read(source: &SourceMap) -> Result<Self> {
        let (dialect, name, at) = head(source)?;
        let mut tokens = Tokens::new(source, at)?;
        while tokens.peek().kind == Kind::Quoted {
            tokens.take()?;
        }
        let mut names = Names::read(&mut tokens)?;
        let (scope_positions, columns) = columns::read(&mut tokens, dialect, &mut names)?;
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
            let live = liveness::find_live(&code, &heads, registers.len(), &at_end);
            let heads = heads.into_iter().zip(live).collect();
            let used = liveness::find_used(&code, at_end);
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
            loop_bound: DEFAULT_LOOP_BOUND,
            source,
            columns,
            scope_positions,
            places,
        })
    }

    /// Returns the span of an instruction.
    pub fn place(&self, site: u32) -> Span {
        self.places.get(site as usize).copied().unwrap_or_default()
    }

    /// Returns the source text.
    pub fn source(&self) -> &SourceMap {
        &self.source
    }

    /// Returns the registers of a column with their final values.
    pub fn registers<'a>(
        &'a self,
        column: usize,
        state: &'a State,
    ) -> impl Iterator<Item = (&'a str, Value)> {
        let names = self.columns[column].registers.iter().map(|cell| cell.name.as_str());
        names.zip(state.registers().iter().copied())
    }

    /// Returns whether a condition holds for a final state: the states of the columns, and memory by the index of a
    /// location.
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

/// Returns the targets of backward jumps, ascending.
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

/// Reads the first non-empty line: the dialect and the name. Also returns the offset of its end.
fn head(source: &SourceMap) -> Result<(Dialect, String, usize)> {
    let text = source.text();
    let start = text.len() - text.trim_start().len();
    let line = text[start..].lines().next().unwrap_or("");
    let end = start + line.len();
    let (word, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let dialect =
        match word.to_ascii_uppercase().as_str() {
            "VULKAN" => Dialect::Vulkan,
            "PTX" => Dialect::Ptx,
            _ => {
                let span = Span::new(start as u32, (start + word.len()) as u32);
                let wrong = hirace_core::diagnostic::Diagnostic::at(
                    source,
                    span,
                    "this is not a litmus test for Vulkan or PTX",
                );
                return Err(Box::new(wrong.help(
                    "begin the file with `VULKAN` or `PTX`, followed by the name of the test",
                )));
            }
        };
    Ok((dialect, name.trim().to_owned(), end))
}
