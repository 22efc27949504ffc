//! Lines of `switch` statements.
//!
//! Compilers often give `OpSwitch` no line of its own: it then has the line of the statement before. If the text is known, the
//! keyword is searched between that line and the next line of the module.

use super::lines::Lines;
use super::words::Words;
use crate::front::lexer::scan;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// The number of lines in which the keyword is searched if no line follows.
const LINES: u32 = 3;

/// Returns the instructions that begin a `switch` of this file, with the lines of the keyword, if they are known. `text` is that of
/// the file.
pub fn find(words: &Words, lines: &Lines, file: u32, text: &str) -> Vec<(usize, u32)> {
    if words.instructions().all(|instruction| instruction.op() != Some(Op::Switch)) {
        return Vec::new();
    }
    let pieces = scan(text);
    let is_keyword =
        |piece: &&crate::front::lexer::Piece| &text[piece.start..piece.end] == "switch";
    let keywords: Vec<u32> = pieces.iter().filter(is_keyword).map(|piece| piece.line).collect();
    let following = following_lines(lines, file);
    // By line: the number of instructions that have it.
    let mut with_line: FxHashMap<u32, usize> = FxHashMap::default();
    let mut found = Vec::new();
    for instruction in words.instructions().filter(|found| found.op() == Some(Op::Switch)) {
        let own = lines.of.get(instruction.index).copied().flatten();
        let Some(own) = own.filter(|line| line.file == file) else { continue };
        let after = following.get(instruction.index).copied().flatten();
        let end = after.unwrap_or(own.line.saturating_add(LINES));
        let first = keywords.partition_point(|line| *line < own.line);
        let nth = with_line.entry(own.line).or_default();
        let keyword = keywords.get(first + *nth).filter(|line| **line <= end);
        *nth += 1;
        found.extend(keyword.map(|line| (instruction.index, *line)));
    }
    found
}

/// Returns, for each instruction with a line of this file, the first greater line of the file that follows before an instruction
/// without a line.
fn following_lines(lines: &Lines, file: u32) -> Vec<Option<u32>> {
    let mut following = vec![None; lines.of.len()];
    // The lines that follow and are greater than all before them, the first one last.
    let mut greater: Vec<u32> = Vec::new();
    for (line, following) in lines.of.iter().zip(&mut following).rev() {
        match line {
            None => greater.clear(),
            Some(line) if line.file == file => {
                while greater.last().is_some_and(|last| *last <= line.line) {
                    greater.pop();
                }
                *following = greater.last().copied();
                greater.push(line.line);
            }
            Some(_) => {}
        }
    }
    following
}
