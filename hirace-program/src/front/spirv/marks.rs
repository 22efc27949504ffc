//! Finds the source expressions of instructions in the tokens of their statements.
//!
//! Compilers give an instruction a line, or one of the tokens of its expression, and do not say which part of the text an access
//! is. An access has a variable with a name and is a read, a write or an update, so the expressions of its statement that have this
//! name and this role are the candidates. If several remain, the one that contains the tokens of the access and of its indices is
//! taken. If that does not decide, the whole line is marked.

use super::declarations::SpirvDeclarations;
use super::lines::{Line, Lines};
use super::orders::is_atomic;
use super::types::Type;
use super::words::{Instruction, Words};
use crate::front::lexer::{Piece, scan};
use crate::front::statements::{PlacedToken, Statements};
use crate::source_map::{SourceMap, Span};
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The maximum number of tokens of a line in which expressions are searched.
const TOKENS: usize = 1_000;

/// The role of an expression in its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Read,
    Write,
    /// Compound assignments, and `++` and `--`.
    Update,
    /// The memory of an atomic function.
    Atomic,
}

/// The spans of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The expression or call.
    pub span: Span,
    /// Its statement, or the head of its compound statement.
    pub statement: Span,
}

/// Returns the spans of all instructions of a module in which the number of a line is that of a token: where to point at, and the
/// statement.
pub fn of_tokens(
    words: &Words,
    declared: &SpirvDeclarations,
    lines: &Lines,
    statements: &Statements<'_>,
    source: &SourceMap,
) -> Vec<(Span, Span)> {
    let token =
        |line: &Option<Line>| Some(Place::Token(line.as_ref()?.line.checked_sub(1)? as usize));
    let places: Vec<Option<Place>> = lines.of.iter().map(token).collect();
    let marks = Marks::new(words, declared, statements, &places);
    let spans = words.instructions().map(|instruction| {
        if let Some(mark) = marks.find(instruction) {
            return (mark.span, mark.statement);
        }
        let span = match places.get(instruction.index).and_then(Option::as_ref) {
            Some(Place::Token(at)) => statements.span(*at..at + 1).unwrap_or_default(),
            _ => Span::default(),
        };
        let line = source.trimmed_line(span);
        (line, line)
    });
    spans.collect()
}

/// Improves the `spans` of the instructions of a module that have a line of `file` without a column: where to point at becomes the
/// expression, if only one on the line may be it. `start` is the offset of the file's text in the source.
pub fn of_lines(
    words: &Words,
    declared: &SpirvDeclarations,
    lines: &Lines,
    file: u32,
    text: &str,
    start: u32,
    spans: &mut [(Span, Span)],
) {
    let is_bare = |line: &&Line| line.file == file && line.column == 0;
    if !lines.of.iter().flatten().any(|line| is_bare(&line)) {
        return;
    }
    let pieces = scan(text);
    let token = |piece: &Piece| PlacedToken {
        text: &text[piece.start..piece.end],
        span: Span::new(start + piece.start as u32, start + piece.end as u32),
    };
    let statements = Statements::new(pieces.iter().map(token).collect());
    let place = |line: &Option<Line>| {
        let line = line.as_ref().filter(is_bare)?.line;
        let from = pieces.partition_point(|piece| piece.line < line);
        let to = pieces.partition_point(|piece| piece.line <= line);
        (from < to && to - from <= TOKENS).then_some(Place::Line(from..to))
    };
    let places: Vec<Option<Place>> = lines.of.iter().map(place).collect();
    let marks = Marks::new(words, declared, &statements, &places);
    for (instruction, (span, _)) in words.instructions().zip(spans) {
        if let Some(mark) = marks.find(instruction) {
            *span = mark.span;
        }
    }
}

/// The place of an instruction.
#[derive(Clone, Debug)]
pub enum Place {
    /// A token of its expression.
    Token(usize),
    /// The tokens of its line.
    Line(Range<usize>),
}

/// Finds the expressions of instructions.
pub struct Marks<'a> {
    words: &'a Words,
    declared: &'a SpirvDeclarations,
    statements: &'a Statements<'a>,
    /// By instruction: the tokens of its line, or its only token.
    places: &'a [Option<Place>],
    /// By id: the index of the instruction that defines it.
    definitions: FxHashMap<u32, usize>,
    /// By structure and member: its name.
    members: FxHashMap<(u32, u32), String>,
    /// The type of instructions without a result.
    void: Option<u32>,
}

/// Memory that an instruction accesses.
struct Access {
    /// The names that its expression may begin with.
    names: Vec<String>,
    /// The instructions of its pointer and its indices.
    instructions: Vec<usize>,
    /// The variable and the indices.
    path: Vec<u32>,
}

impl<'a> Marks<'a> {
    /// Creates the finder for a module with these places of its instructions.
    pub fn new(
        words: &'a Words,
        declared: &'a SpirvDeclarations,
        statements: &'a Statements<'a>,
        places: &'a [Option<Place>],
    ) -> Self {
        let mut definitions = FxHashMap::default();
        let mut members = FxHashMap::default();
        for instruction in words.instructions() {
            if let Some((id, _)) = instruction.result() {
                definitions.insert(id, instruction.index);
            }
            if instruction.op() == Some(Op::MemberName)
                && let (Some(ty), Some(member)) = (instruction.operand(0), instruction.operand(1))
            {
                members.insert((ty, member), instruction.text(2).0);
            }
        }
        let mut types = words.instructions();
        let void = types.find(|found| found.op() == Some(Op::TypeVoid));
        let void = void.and_then(|found| found.operand(0));
        Self { words, declared, statements, places, definitions, members, void }
    }

    /// Returns the spans of an instruction, if its expression is found.
    pub fn find(&self, instruction: Instruction<'_>) -> Option<Mark> {
        let place = self.places.get(instruction.index)?.clone()?;
        let range = match instruction.op()? {
            Op::Load => {
                let access = self.access(instruction.operand(2)?);
                if access.names.is_empty() {
                    return None;
                }
                let roles: &[Role] = match self.is_updated(instruction, &access) {
                    true => &[Role::Update],
                    false => &[Role::Read],
                };
                self.expression(instruction, &place, &access, roles)?
            }
            Op::Store => {
                let access = self.access(instruction.operand(0)?);
                if access.names.is_empty() {
                    return None;
                }
                self.expression(instruction, &place, &access, &[Role::Write, Role::Update])?
            }
            Op::AtomicStore => self.atomic(instruction, &place, 0)?,
            op if is_atomic(op) => self.atomic(instruction, &place, 2)?,
            Op::ControlBarrier | Op::MemoryBarrier => {
                self.call(&place, &|name| name.contains("arrier"))?
            }
            Op::FunctionCall => {
                let name = self.declared.names.get(&instruction.operand(2)?)?;
                let name = name.split('(').next().unwrap_or(name);
                self.call(&place, &|called| called == name)?
            }
            op if format!("{op:?}").starts_with("Image") => self.call(&place, &|name| {
                ["image", "texture", "texel"].iter().any(|of| name.starts_with(of))
            })?,
            _ => return None,
        };
        let span = self.statements.span(range.clone())?;
        let statement = self.statements.statement(range.start);
        let statement = self.statements.span(statement).unwrap_or(span);
        Some(Mark { span, statement })
    }

    /// Returns the memory that a pointer refers to.
    fn access(&self, pointer: u32) -> Access {
        let (mut id, mut path, mut instructions) = (pointer, Vec::new(), Vec::new());
        let mut first = None;
        // A module may define pointers in a circle.
        for _ in 0..64 {
            let found = self.definitions.get(&id).and_then(|index| self.words.get(*index));
            let Some(found) = found else { break };
            match found.op() {
                Some(Op::AccessChain | Op::InBoundsAccessChain) => {
                    instructions.push(found.index);
                    let indices = found.operands(3);
                    let own = indices.iter().filter_map(|index| self.definitions.get(index));
                    instructions.extend(own);
                    first = indices.first().copied().or(first);
                    path.splice(0..0, indices.iter().copied());
                }
                Some(Op::CopyObject | Op::ImageTexelPointer) => {}
                _ => break,
            }
            match found.operand(2) {
                Some(base) => id = base,
                None => break,
            }
        }
        path.insert(0, id);
        let names = if self.is_shared(id) { self.names(id, first) } else { Vec::new() };
        Access { names, instructions, path }
    }

    /// Returns whether a pointer is to memory that several invocations access. Only such accesses are shown.
    fn is_shared(&self, pointer: u32) -> bool {
        let ty = self.declared.results.get(&pointer);
        let class = ty.and_then(|ty| self.declared.pointers.get(ty)).map(|(class, _)| *class);
        let own = [
            StorageClass::Function,
            StorageClass::Private,
            StorageClass::Input,
            StorageClass::Output,
        ];
        class.is_none_or(|class| own.iter().all(|own| *own as u32 != class))
    }

    /// Returns the names by which a text refers to a variable, or to the member of it with this index.
    fn names(&self, variable: u32, index: Option<u32>) -> Vec<String> {
        if let Some(name) = self.declared.names.get(&variable) {
            return vec![name.clone()];
        }
        let declared = self.declared;
        let pointer = declared.variables.get(&variable).and_then(|ty| declared.pointers.get(ty));
        let Some((_, ty)) = pointer else { return Vec::new() };
        let Some(Type::Struct(_)) = declared.types.get(ty) else { return Vec::new() };
        let member = index.and_then(|index| declared.constants.get(&index));
        let name = member.and_then(|member| self.members.get(&(*ty, *member)));
        name.cloned().into_iter().collect()
    }

    /// Returns whether the memory that an instruction reads is also written by its expression.
    fn is_updated(&self, load: Instruction<'_>, access: &Access) -> bool {
        let following = (load.index + 1..).map_while(|index| self.words.get(index)).take(16);
        let mut of_value = load.operand(1).into_iter().collect::<Vec<u32>>();
        for next in following {
            match next.op() {
                Some(Op::Line | Op::NoLine | Op::AccessChain | Op::InBoundsAccessChain) => {}
                Some(Op::ExtInst) if next.operand(0) == self.void => {}
                Some(Op::Store) => {
                    let is_own = next.operand(1).is_some_and(|value| of_value.contains(&value));
                    return is_own
                        && next
                            .operand(0)
                            .is_some_and(|pointer| self.access(pointer).path == access.path);
                }
                _ => {
                    let uses = next.operands(2).iter().any(|id| of_value.contains(id));
                    match next.result() {
                        Some((id, _)) if uses => of_value.push(id),
                        Some(_) => {}
                        None => return false,
                    }
                }
            }
        }
        false
    }

    /// Returns the tokens that indicate the expression of an access.
    fn hints(&self, instruction: usize, access: &Access) -> Vec<usize> {
        let of = access.instructions.iter().chain([&instruction]);
        let places = of.filter_map(|index| self.places.get(*index)?.as_ref());
        let token = |place: &Place| match place {
            Place::Token(at) => Some(*at),
            Place::Line(_) => None,
        };
        places.filter_map(token).collect()
    }

    fn expression(
        &self,
        instruction: Instruction<'_>,
        place: &Place,
        access: &Access,
        roles: &[Role],
    ) -> Option<Range<usize>> {
        let all: Vec<(Range<usize>, Role)> = self.candidates(place, &access.names);
        let of_role: Vec<Range<usize>> = all
            .iter()
            .filter(|(_, role)| roles.contains(role))
            .map(|(range, _)| range.clone())
            .collect();
        // An argument of a function that writes it is neither.
        let candidates = match of_role.is_empty() {
            true => all.into_iter().map(|(range, _)| range).collect(),
            false => of_role,
        };
        self.choose(candidates, place, &self.hints(instruction.index, access))
    }

    fn atomic(
        &self,
        instruction: Instruction<'_>,
        place: &Place,
        pointer: usize,
    ) -> Option<Range<usize>> {
        let access = self.access(instruction.operand(pointer)?);
        let of_atomics = self.candidates(place, &access.names).into_iter();
        let of_atomics = of_atomics.filter(|(_, role)| *role == Role::Atomic);
        let calls = of_atomics.filter_map(|(range, _)| self.statements.enclosing_call(range.start));
        let hints = self.hints(instruction.index, &access);
        self.choose(calls.collect(), place, &hints)
            .or_else(|| self.call(place, &|name| name.contains("tomic")))
    }

    /// Returns the call of a function whose name has this property.
    fn call(&self, place: &Place, is_called: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
        let within = self.within(place);
        let calls = within.filter(|at| is_called(self.statements.text(*at)));
        let calls = calls.filter_map(|at| self.statements.call(at)).collect();
        self.choose(calls, place, &[])
    }

    /// Returns the tokens of the statements of a place.
    fn within(&self, place: &Place) -> Range<usize> {
        match place {
            Place::Token(at) => self.statements.statement(*at),
            Place::Line(tokens) => tokens.clone(),
        }
    }

    /// Returns the expressions in a statement that begin with one of these names, with their roles.
    fn candidates(&self, place: &Place, names: &[String]) -> Vec<(Range<usize>, Role)> {
        let is_named = |at: &usize| {
            let text = self.statements.text(*at);
            let is_member =
                at.checked_sub(1).is_some_and(|before| self.statements.text(before) == ".");
            !is_member && names.iter().any(|name| name == text)
        };
        let found = self.within(place).filter(is_named);
        found
            .map(|at| {
                let range = self.statements.postfix(at);
                let role = self.role(&range);
                (range, role)
            })
            .collect()
    }

    fn role(&self, range: &Range<usize>) -> Role {
        let before = range.start.checked_sub(1).map_or("", |at| self.statements.text(at));
        let after = self.statements.text(range.end);
        match after {
            "=" => return Role::Write,
            "++" | "--" => return Role::Update,
            "==" | "!=" | "<=" | ">=" => {}
            _ if after.len() > 1 && after.ends_with('=') => return Role::Update,
            _ => {}
        }
        if matches!(before, "++" | "--") {
            return Role::Update;
        }
        let function = range.start.checked_sub(2).map_or("", |at| self.statements.text(at));
        match before == "(" && function.contains("tomic") {
            true => Role::Atomic,
            false => Role::Read,
        }
    }

    /// Returns the candidate that the tokens of an access indicate, or the only one.
    fn choose(
        &self,
        candidates: Vec<Range<usize>>,
        place: &Place,
        hints: &[usize],
    ) -> Option<Range<usize>> {
        let last = match place {
            Place::Token(at) => *at,
            Place::Line(_) => {
                let mut candidates = candidates.into_iter();
                return candidates.next().filter(|_| candidates.next().is_none());
            }
        };
        candidates.into_iter().min_by_key(|range| {
            let held = hints.iter().filter(|hint| range.contains(hint)).count();
            let distance = match range.contains(&last) {
                true => range.len(),
                false => 1_000_000 + range.start.abs_diff(last),
            };
            (std::cmp::Reverse(held), distance)
        })
    }
}
