//! The table of a litmus test: who stands where, and what each does.

use super::instruction::{Instruction, Reader};
use super::names::{COLUMNS, Names};
use super::{Dialect, Kind, Token, Tokens};
use crate::program::Whereabouts;
use hirace_core::diagnostic::Result;
use hirace_core::source_map::Span;
use rustc_hash::FxHashMap;

/// The instructions of a column, with where they are.
pub type Lines = Vec<(Instruction, Span)>;

/// What is known of a column while rows are read.
#[derive(Default)]
struct Growing<'a> {
    lines: Lines,
    labels: FxHashMap<&'a str, u32>,
    /// Labels that are jumped to, as instructions number them.
    wanted: Vec<Token>,
}

/// Reads the table, to where the claim begins.
pub fn read(
    tokens: &mut Tokens<'_>,
    dialect: Dialect,
    names: &mut Names,
) -> Result<(Vec<Whereabouts>, Vec<Lines>)> {
    let first = tokens.peek();
    let whereabouts = heads(tokens, dialect, names)?;
    if names.registers.len() > whereabouts.len() {
        let wrong = tokens
            .wrong(first, format!("`P{}` has registers, and no column", names.registers.len() - 1));
        return Err(Box::new(wrong.help("columns are `P0` and so on, from left to right")));
    }
    names.columns = Some(whereabouts.len());
    let mut columns: Vec<Growing<'_>> = whereabouts.iter().map(|_| Growing::default()).collect();
    while !is_over(tokens) {
        let last = columns.len() - 1;
        for (column, growing) in columns.iter_mut().enumerate() {
            cell(tokens, dialect, names, column, growing)?;
            match column == last {
                true => tokens.expect(";", "at the end of a row, after its last column")?,
                false => tokens
                    .expect("|", "between columns, of which each row has as many as the first")?,
            };
        }
    }
    let columns = columns.into_iter().map(|column| resolved(tokens, column));
    Ok((whereabouts, columns.collect::<Result<_>>()?))
}

fn is_over(tokens: &Tokens<'_>) -> bool {
    tokens.peek().kind == Kind::End
        || ["exists", "forall", "filter", "~", "not"].iter().any(|word| tokens.sees(word))
}

/// The first row: `P0@sg 0, wg 0, qf 0 | …;`.
fn heads(tokens: &mut Tokens<'_>, dialect: Dialect, names: &Names) -> Result<Vec<Whereabouts>> {
    let mut keys = Keys::default();
    let mut all = Vec::new();
    loop {
        let (token, name) = tokens.word("the name of a column")?;
        if names.column(tokens, token, name)? != all.len() {
            let wrong = tokens.wrong(token, format!("`P{}` is expected here", all.len()));
            return Err(Box::new(wrong.help("columns are `P0` and so on, from left to right")));
        }
        if all.len() == COLUMNS {
            return Err(Box::new(
                tokens.wrong(token, format!("there are more than {COLUMNS} columns")),
            ));
        }
        all.push(keys.whereabouts(tokens, dialect, all.len() as u32)?);
        if tokens.accept(";")? {
            return Ok(all);
        }
        tokens.expect("|", "between columns, or `;` after the last")?;
    }
}

/// Groups that were met, each named by the groups that it is in.
#[derive(Default)]
struct Keys {
    of: [FxHashMap<[u32; 4], u32>; 4],
}

impl Keys {
    fn whereabouts(
        &mut self,
        tokens: &mut Tokens<'_>,
        dialect: Dialect,
        column: u32,
    ) -> Result<Whereabouts> {
        // From the widest: device, queue family, workgroup, subgroup. PTX's tests say nothing of warps.
        let mut given = [0, 0, 0, if dialect == Dialect::Ptx { column } else { 0 }];
        if tokens.accept("@")? {
            loop {
                let (token, name) = tokens.word("a group, as `wg 0`")?;
                let level = match (dialect, name) {
                    (Dialect::Vulkan, "dv") | (Dialect::Ptx, "gpu") => 0,
                    (Dialect::Vulkan, "qf") => 1,
                    (Dialect::Vulkan, "wg") | (Dialect::Ptx, "cta") => 2,
                    (Dialect::Vulkan, "sg") => 3,
                    _ => {
                        let wrong =
                            tokens.wrong(token, format!("there are no groups called `{name}`"));
                        return Err(Box::new(wrong.help(match dialect {
                            Dialect::Vulkan => "there are `sg`, `wg`, `qf` and `dv`",
                            Dialect::Ptx => "there are `cta` and `gpu`",
                        })));
                    }
                };
                let number = tokens.take()?;
                let Kind::Number(number @ 0..) = number.kind else {
                    return Err(Box::new(
                        tokens.wrong(number, "the number of the group is expected here"),
                    ));
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
        Ok(Whereabouts {
            device: index(0),
            queue_family: index(1),
            workgroup: index(2),
            subgroup: index(3),
        })
    }
}

/// Labels, and an instruction or none.
fn cell<'a>(
    tokens: &mut Tokens<'a>,
    dialect: Dialect,
    names: &mut Names,
    column: usize,
    growing: &mut Growing<'a>,
) -> Result<()> {
    while !tokens.sees("|") && !tokens.sees(";") {
        let (token, text) = tokens.word("an instruction")?;
        if tokens.accept(":")? {
            if growing.labels.insert(text, growing.lines.len() as u32).is_some() {
                return Err(Box::new(
                    tokens.wrong(token, format!("the label `{text}` is there twice")),
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

/// With jumps that know where they go.
fn resolved(tokens: &Tokens<'_>, column: Growing<'_>) -> Result<Lines> {
    let Growing { mut lines, labels, wanted } = column;
    for (instruction, _) in &mut lines {
        if let Instruction::Goto(target) | Instruction::Branch { target, .. } = instruction {
            let token = wanted[*target as usize];
            let label = tokens.text(token);
            *target = *labels.get(label).ok_or_else(|| {
                let wrong =
                    tokens.wrong(token, format!("there is no label `{label}` in this column"));
                Box::new(
                    wrong.help(format!("write `{label}:` before the instruction that is meant")),
                )
            })?;
        }
    }
    Ok(lines)
}
