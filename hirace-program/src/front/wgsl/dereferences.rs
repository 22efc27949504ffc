//! Finds the source locations of `*p` where naga loads through `p`.
//!
//! naga gives such a load the span of what `let p = &…` points to. The order determines which `*p` is meant: naga emits the loads
//! of a clause in the order in which their expressions end. If the number of loads differs from the number of such expressions,
//! the span of the whole clause is used, which is less precise but never wrong.

use super::tokens::{TokenKind, Tokens};
use crate::ir::operands;
use crate::ir::sites::{SiteId, Sites};
use crate::ir::walk::{self, FunctionId};
use crate::source_map::Span;
use naga::{Expression, Function, Handle, Module, Statement};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// Sets the spans of loads through named pointers to those of `*p`, where naga has the span of the declaration of `p`.
pub fn repair_spans(sites: &mut Sites, module: &Module, id: FunctionId, tokens: &Tokens<'_>) {
    let function = id.get(module);
    let named = NamedPointers::new(id, module, tokens);
    let loads = named.loads();
    if loads.is_empty() {
        return;
    }
    let mut clauses: BTreeMap<usize, Vec<Handle<Expression>>> = BTreeMap::new();
    let users = Users::new(function);
    let mut after = named.body.start;
    for load in loads {
        let at = match (function.named_expressions.get(&load), users.of(load)) {
            (Some(name), _) => match named.declaration(name, after) {
                Some(declaration) => {
                    after = declaration + 1;
                    Some(declaration)
                }
                None => None,
            },
            (None, Some(User::Span(span))) => Some(tokens.at(span.start)),
            // `break if …; } }` is the last statement in its loop.
            (None, Some(User::BreakIf(span))) => tokens.at(span.end).checked_sub(3),
            (None, None) => None,
        };
        if let Some(at) = at.filter(|at| named.body.contains(at)) {
            clauses.entry(tokens.clause(at).start).or_default().push(load);
        }
    }
    for (start, loads) in clauses {
        let written = named.dereferences(tokens.clause(start));
        let clause = tokens.span_of(tokens.clause(start));
        for (index, load) in loads.iter().enumerate() {
            let Some(SiteId(site)) = sites.load(id, *load) else { continue };
            let exact = if written.len() == loads.len() { written.get(index) } else { None };
            sites.list[site as usize].span = exact.copied().unwrap_or(clause);
        }
    }
}

/// The named pointers of a function.
struct NamedPointers<'a> {
    function: &'a Function,
    tokens: &'a Tokens<'a>,
    /// The token range of the function's body.
    body: Range<usize>,
}

impl<'a> NamedPointers<'a> {
    fn new(id: FunctionId, module: &'a Module, tokens: &'a Tokens<'a>) -> Self {
        let body = id.name(module).map_or(0..0, |name| tokens.body(name));
        Self { function: id.get(module), tokens, body }
    }

    /// Returns the loads through named pointers, in evaluation order. naga gives these loads the spans of their pointers: of the
    /// value of `let p = …`, or of a parameter, which is followed by `:`.
    fn loads(&self) -> Vec<Handle<Expression>> {
        let expressions = &self.function.expressions;
        let mut loads = Vec::new();
        walk::statements(&self.function.body, &mut |_, statement, _| {
            let Statement::Emit(range) = statement else { return };
            for load in range.clone() {
                let Expression::Load { pointer } = expressions[load] else { continue };
                let has_name = self.function.named_expressions.contains_key(&pointer);
                let span = Span::from(expressions.get_span(pointer));
                let parameter = self.tokens.text(self.tokens.at(span.end)) == ":";
                let own = Span::from(expressions.get_span(load));
                let atomic = self.tokens.text(self.tokens.at(own.start)) == "atomicLoad";
                if (has_name || parameter) && !atomic {
                    loads.push(load);
                }
            }
        });
        loads
    }

    /// Returns the declaration `let name = …` at or after `after` whose value contains a dereference. If the value is just
    /// another name, that name is looked up instead.
    fn declaration(&self, name: &str, after: usize) -> Option<usize> {
        let tokens = self.tokens;
        if name == "phony" {
            let mut phonies = (after..self.body.end)
                .filter(|&i| tokens.text(i) == "_" && tokens.text(i + 1) == "=");
            return phonies.find(|&i| !self.dereferences(tokens.clause(i)).is_empty());
        }
        let mut name = name;
        let mut at = after;
        while at < self.body.end {
            if tokens.text(at) == "let" && tokens.text(at + 1) == name {
                let clause = tokens.clause(at);
                let value = tokens.assignment(at).map_or(clause.end, |equals| equals + 1);
                if value + 1 == clause.end && tokens.kind(value) == TokenKind::Word {
                    (name, at) = (tokens.text(value), after);
                    // A name that is declared as itself would cause an endless loop.
                    if name == tokens.text(clause.start + 1) {
                        return None;
                    }
                    continue;
                }
                if !self.dereferences(clause).is_empty() {
                    return Some(at);
                }
            }
            at += 1;
        }
        None
    }

    /// Returns the spans in a clause where naga loads through a named pointer itself: `*p`, unless it is assigned to or accessed
    /// further (`(*p)[0]`, `&*p`), and `p.xy`.
    fn dereferences(&self, clause: Range<usize>) -> Vec<Span> {
        clause.filter_map(|i| self.star(i).or_else(|| self.swizzled(i))).collect()
    }

    fn star(&self, star: usize) -> Option<Span> {
        let tokens = self.tokens;
        if tokens.text(star) != "*" || star > 0 && tokens.ends_operand(star - 1) {
            return None;
        }
        let mut name = star + 1;
        while tokens.text(name) == "(" {
            name += 1;
        }
        let parentheses = name - star - 1;
        if tokens.kind(name) != TokenKind::Word
            || (1..=parentheses).any(|i| tokens.text(name + i) != ")")
        {
            return None;
        }
        let span = tokens.span_of(star..name + parentheses + 1);
        let (mut before, mut after) = (star, name + parentheses + 1);
        while self.is_group(before, after) {
            (before, after) = (before - 1, after + 1);
        }
        let goes_on = match tokens.text(after) {
            "[" | "=" => true,
            "." => !is_swizzle(tokens.text(after + 1)),
            _ => false,
        };
        let address = before > 0
            && tokens.text(before - 1) == "&"
            && !(before > 1 && tokens.ends_operand(before - 2));
        (!goes_on && !address).then_some(span)
    }

    /// Returns whether the tokens from `start` up to `end` are the complete contents of parentheses that are not those of a call.
    fn is_group(&self, start: usize, end: usize) -> bool {
        let Some(open) = start.checked_sub(1) else { return false };
        if self.tokens.text(open) != "(" || self.tokens.text(end) != ")" {
            return false;
        }
        let Some(before) = open.checked_sub(1) else { return true };
        !self.tokens.ends_operand(before) && !self.ends_template(before)
    }

    /// Returns whether a `>` ends the `<…>` of a type, as opposed to a comparison.
    fn ends_template(&self, index: usize) -> bool {
        let tokens = self.tokens;
        if !matches!(tokens.text(index), ">" | ">>") {
            return false;
        }
        (0..index)
            .rev()
            .take_while(|&i| {
                tokens.kind(i) != TokenKind::Punctuation
                    || matches!(tokens.text(i), "<" | ">" | ">>" | ",")
            })
            .any(|i| {
                let generators = ["vec", "mat", "array", "bitcast"];
                tokens.text(i + 1) == "<"
                    && generators.iter().any(|g| tokens.text(i).starts_with(g))
            })
    }

    fn swizzled(&self, name: usize) -> Option<Span> {
        let tokens = self.tokens;
        let swizzled = tokens.kind(name) == TokenKind::Word
            && tokens.text(name + 1) == "."
            && is_swizzle(tokens.text(name + 2))
            && (name == 0 || tokens.text(name - 1) != ".")
            && self.is_pointer(tokens.text(name));
        swizzled.then(|| tokens.span(name))
    }

    /// Returns whether `name` is a pointer according to its declaration in this function.
    fn is_pointer(&self, name: &str) -> bool {
        let tokens = self.tokens;
        let declared = self.body.clone().any(|i| {
            tokens.text(i) == "let"
                && tokens.text(i + 1) == name
                && tokens.assignment(i).is_some_and(|equals| tokens.text(equals + 1) == "&")
        });
        let is_parameter =
            |argument: &naga::FunctionArgument| argument.name.as_deref() == Some(name);
        declared || self.bound_parameter(name) || self.function.arguments.iter().any(is_parameter)
    }

    /// Returns whether `name` is declared as a pointer in the parameter list of the function.
    fn bound_parameter(&self, name: &str) -> bool {
        let tokens = self.tokens;
        let head = tokens.statement(self.body.start.saturating_sub(2));
        head.into_iter().any(|i| {
            tokens.text(i) == name && tokens.text(i + 1) == ":" && tokens.text(i + 2) == "ptr"
        })
    }
}

fn is_swizzle(member: &str) -> bool {
    (2..=4).contains(&member.len())
        && (member.chars().all(|c| "xyzw".contains(c))
            || member.chars().all(|c| "rgba".contains(c)))
}

/// The first user of each expression. For the value of a whole operand, this is the expression that has it as an operand in the
/// source.
struct Users(FxHashMap<Handle<Expression>, User>);

#[derive(Clone, Copy)]
enum User {
    /// An expression or statement with this span.
    Span(Span),
    /// The `break if` of the loop with this span.
    BreakIf(Span),
}

impl Users {
    fn new(function: &Function) -> Self {
        let mut users = FxHashMap::default();
        for (user, expression) in function.expressions.iter() {
            let span = Span::from(function.expressions.get_span(user));
            operands::of_expression(&mut expression.clone(), &mut |used| {
                users.entry(*used).or_insert(User::Span(span));
            });
        }
        walk::statements(&function.body, &mut |_, statement, span| {
            let user = match statement {
                Statement::Loop { .. } => User::BreakIf(span.into()),
                _ => User::Span(span.into()),
            };
            if matches!(statement, Statement::Emit(_) | Statement::Block(_)) {
                return;
            }
            operands::of_statement(&mut operands::without_blocks(statement), &mut |used| {
                users.entry(*used).or_insert(user);
            });
        });
        Self(users)
    }

    fn of(&self, value: Handle<Expression>) -> Option<User> {
        self.0.get(&value).copied()
    }
}
