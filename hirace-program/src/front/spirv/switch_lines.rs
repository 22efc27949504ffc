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
    // By line: the number of instructions that have it.
    let mut with_line: FxHashMap<u32, usize> = FxHashMap::default();
    let mut found = Vec::new();
    for instruction in words.instructions().filter(|found| found.op() == Some(Op::Switch)) {
        let own = lines.of.get(instruction.index).copied().flatten();
        let Some(own) = own.filter(|line| line.file == file) else { continue };
        let after = lines.of.iter().skip(instruction.index + 1).take_while(|line| line.is_some());
        let after = after.flatten().find(|line| line.file == file && line.line > own.line);
        let end = after.map_or(own.line.saturating_add(LINES), |line| line.line);
        let first = keywords.partition_point(|line| *line < own.line);
        let nth = with_line.entry(own.line).or_default();
        let keyword = keywords.get(first + *nth).filter(|line| **line <= end);
        *nth += 1;
        found.extend(keyword.map(|line| (instruction.index, *line)));
    }
    found
}
