//! The table of a litmus test: the position of each invocation in the scope hierarchy, and its instructions.

use super::instruction::{Instruction, Reader};
use super::names::{COLUMNS, Names};
use super::{Dialect, Kind, Token, Tokens};
use crate::program::ScopePosition;
use hirace_core::diagnostic::Result;
use hirace_core::source_map::Span;
use rustc_hash::FxHashMap;

/// The maximum number of instructions of all columns. The memory of an exploration grows with the square of it.
const INSTRUCTIONS: usize = 512;

/// The instructions of a column, with their spans.
pub type Lines = Vec<(Instruction, Span)>;

/// The state of a column while rows are read.
#[derive(Default)]
struct ColumnBuilder<'a> {
    lines: Lines,
    labels: FxHashMap<&'a str, u32>,
    /// The labels that jumps refer to. Until labels are resolved, the target of a jump is an index into this list.
    wanted: Vec<Token>,
}

/// Reads the table, up to the condition.
pub fn read(
    tokens: &mut Tokens<'_>,
    dialect: Dialect,
    names: &mut Names,
) -> Result<(Vec<ScopePosition>, Vec<Lines>)> {
    let first = tokens.peek();
    let scope_positions = heads(tokens, dialect, names)?;
    if names.registers.len() > scope_positions.len() {
        let wrong = tokens
            .wrong(first, format!("`P{}` has registers but no column", names.registers.len() - 1));
        return Err(Box::new(
            wrong.help("name the columns `P0`, `P1` and so on, from left to right"),
        ));
    }
    names.columns = Some(scope_positions.len());
    let mut columns: Vec<ColumnBuilder<'_>> =
        scope_positions.iter().map(|_| ColumnBuilder::default()).collect();
    let mut count = 0;
    while !is_over(tokens) {
        let last = columns.len() - 1;
        for (column, growing) in columns.iter_mut().enumerate() {
            let before = growing.lines.len();
            cell(tokens, dialect, names, column, growing)?;
            count += growing.lines.len() - before;
            if let (true, Some((_, span))) = (count > INSTRUCTIONS, growing.lines.last()) {
                let message = format!("more than {INSTRUCTIONS} instructions");
                let token = Token { kind: Kind::Word, span: *span };
                return Err(Box::new(tokens.wrong(token, message)));
            }
            match column == last {
                true => tokens.expect(";", "after the last column of a row")?,
                false => tokens
                    .expect("|", "between columns; each row has as many columns as the first")?,
            };
        }
    }
    let columns = columns.into_iter().map(|column| resolved(tokens, column));
    Ok((scope_positions, columns.collect::<Result<_>>()?))
}

fn is_over(tokens: &Tokens<'_>) -> bool {
    tokens.peek().kind == Kind::End
        || ["exists", "forall", "filter", "~", "not"].iter().any(|word| tokens.sees(word))
}

/// Reads the first row: `P0@sg 0, wg 0, qf 0 | …;`.
fn heads(tokens: &mut Tokens<'_>, dialect: Dialect, names: &Names) -> Result<Vec<ScopePosition>> {
    let mut keys = Keys::default();
    let mut all = Vec::new();
    loop {
        let (token, name) = tokens.word("the name of a column")?;
        if names.column(tokens, token, name)? != all.len() {
            let wrong = tokens.wrong(token, format!("expected `P{}`", all.len()));
            return Err(Box::new(
                wrong.help("name the columns `P0`, `P1` and so on, from left to right"),
            ));
        }
        if all.len() == COLUMNS {
            return Err(Box::new(tokens.wrong(token, format!("more than {COLUMNS} columns"))));
        }
        all.push(keys.scope_position(tokens, dialect, all.len() as u32)?);
        if tokens.accept(";")? {
            return Ok(all);
        }
        tokens.expect("|", "between columns, or `;` after the last")?;
    }
}

/// The indices of the scope instances seen so far, per level. The key is the path of given numbers from the device down.
#[derive(Default)]
struct Keys {
    of: [FxHashMap<[u32; 4], u32>; 4],
}

impl Keys {
    fn scope_position(
        &mut self,
        tokens: &mut Tokens<'_>,
        dialect: Dialect,
        column: u32,
    ) -> Result<ScopePosition> {
        // From the widest scope: device, queue family, workgroup, subgroup. PTX tests do not specify warps, so each column
        // is a separate warp.
        let mut given = [0, 0, 0, if dialect == Dialect::Ptx { column } else { 0 }];
        if tokens.accept("@")? {
            loop {
                let (token, name) = tokens.word("a group such as `wg 0`")?;
                let level = match (dialect, name) {
                    (Dialect::Vulkan, "dv") | (Dialect::Ptx, "gpu") => 0,
                    (Dialect::Vulkan, "qf") => 1,
                    (Dialect::Vulkan, "wg") | (Dialect::Ptx, "cta") => 2,
                    (Dialect::Vulkan, "sg") => 3,
                    _ => {
                        let wrong = tokens.wrong(token, format!("unknown group `{name}`"));
                        return Err(Box::new(wrong.help(match dialect {
                            Dialect::Vulkan => "the groups are `sg`, `wg`, `qf` and `dv`",
                            Dialect::Ptx => "the groups are `cta` and `gpu`",
                        })));
                    }
                };
                let number = tokens.take()?;
                let Kind::Number(number @ 0..) = number.kind else {
                    return Err(Box::new(tokens.wrong(number, "expected the number of the group")));
                };
                given[level] = number as u32;
                if !tokens.accept(",")? {
                    break;
                }
            }
        }
        let mut index = |level: usize| {
            let key = std::array::from_fn(|at| if at <= level { given[at] } else { 0 });
            let known = self.of[level].len() as u32;
            *self.of[level].entry(key).or_insert(known)
        };
        Ok(ScopePosition {
            device: index(0),
            queue_family: index(1),
            workgroup: index(2),
            subgroup: index(3),
        })
    }
}

/// Reads the labels of a cell and its instruction, if it has one.
fn cell<'a>(
    tokens: &mut Tokens<'a>,
    dialect: Dialect,
    names: &mut Names,
    column: usize,
    growing: &mut ColumnBuilder<'a>,
) -> Result<()> {
    while !tokens.sees("|") && !tokens.sees(";") {
        let (token, text) = tokens.word("an instruction")?;
        if tokens.accept(":")? {
            if growing.labels.insert(text, growing.lines.len() as u32).is_some() {
                return Err(Box::new(
                    tokens.wrong(token, format!("the label `{text}` is defined twice")),
                ));
            }
            continue;
        }
        let wanted = std::mem::take(&mut growing.wanted);
        let mut reader =
            Reader { tokens: &mut *tokens, names: &mut *names, dialect, column, wanted };
        let instruction = reader.read(token, text)?;
        growing.wanted = reader.wanted;
        growing.lines.push((instruction, token.span));
        return Ok(());
    }
    Ok(())
}

/// Returns the instructions with resolved jump targets.
fn resolved(tokens: &Tokens<'_>, column: ColumnBuilder<'_>) -> Result<Lines> {
    let ColumnBuilder { mut lines, labels, wanted } = column;
    for (instruction, _) in &mut lines {
        if let Instruction::Goto(target) | Instruction::Branch { target, .. } = instruction {
            let token = wanted[*target as usize];
            let label = tokens.text(token);
            *target = *labels.get(label).ok_or_else(|| {
                let wrong = tokens
                    .wrong(token, format!("the label `{label}` is not defined in this column"));
                Box::new(wrong.help(format!("write `{label}:` before the target instruction")))
            })?;
        }
    }
    Ok(lines)
}
