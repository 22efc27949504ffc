//! `match`: a `switch` if all patterns are integers, otherwise a chain of `if`s.

use super::body::{Body, Local};
use super::expr::{Effect, Piece, Precedence};
use super::flow::Destination;
use super::loops::breaks_out;
use super::place::call;
use super::text::Text;
use super::types::{self, Variants};
use super::value::logic;
use crate::tree::{Arm, Binary, Expr, ExprKind, Literal, LocalId, Module, Pattern, Place, Type};

/// The scrutinee of a `match`, as the names of its evaluated parts.
#[derive(Clone, Debug)]
enum Scrutinee {
    One(Piece),
    Tuple(Vec<Scrutinee>, Type),
    /// A value of an enum: the entire value, its tag, and its slots.
    Enum(Piece, Piece, Vec<Scrutinee>, Type),
    /// The name of the result of a compare-exchange.
    Exchange(String, Type),
}

/// The values that names in patterns are bound to.
type Bindings = Vec<(LocalId, Piece)>;

impl Body<'_> {
    /// Prints a `match`.
    pub(super) fn match_expr(
        &mut self,
        expr: &Expr,
        scrutinee: &Expr,
        arms: &[Arm],
        to: &Destination,
    ) {
        let head = expr.place.start().to(scrutinee.place);
        if let Some(cases) = self.cases(scrutinee, arms) {
            return self.switch(head, scrutinee, &cases, to);
        }
        let scrutinee = self.scrutinee(scrutinee);
        let ended = self.arms("", head, &scrutinee, arms, to);
        self.lines.ended |= ended;
    }

    fn scrutinee(&mut self, expr: &Expr) -> Scrutinee {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Construct(parts), Type::Tuple(kinds)) if parts.len() == kinds.len() => {
                let parts = parts.iter().map(|part| self.scrutinee(part)).collect();
                Scrutinee::Tuple(parts, expr.ty.clone())
            }
            (ExprKind::Builtin(builtin, arguments, _), Type::Exchange(_)) => {
                Scrutinee::Exchange(self.exchange(expr, builtin, arguments), expr.ty.clone())
            }
            _ => {
                let mut piece = self.value(expr);
                self.bind(&mut piece, &expr.ty);
                parts_of(self.scope.module, &piece, &expr.ty)
            }
        }
    }

    /// Returns the value of a scrutinee.
    fn value_of(&mut self, scrutinee: &Scrutinee) -> Piece {
        match scrutinee {
            Scrutinee::One(piece) | Scrutinee::Enum(piece, ..) => piece.clone(),
            Scrutinee::Tuple(parts, ty) => {
                let parts: Vec<Text> = parts.iter().map(|part| self.value_of(part).text).collect();
                Piece::primary(call(&self.scope.ty(ty), &parts), Effect::Constant)
            }
            Scrutinee::Exchange(name, ty) => {
                let parts =
                    [format!("{name}.old_value"), format!("{name}.exchanged")].map(Text::from);
                Piece::primary(call(&self.scope.ty(ty), &parts), Effect::Constant)
            }
        }
    }

    /// Prints arms as a chain of `if`s, after `before` on the same line. Returns whether the code after them is unreachable.
    fn arms(
        &mut self,
        before: &str,
        head: Place,
        scrutinee: &Scrutinee,
        arms: &[Arm],
        to: &Destination,
    ) -> bool {
        let Some((arm, rest)) = arms.split_first() else {
            if !before.is_empty() {
                self.line("}");
            }
            return false;
        };
        let mut bindings = Vec::new();
        let mut test = self.test(&arm.pattern, scrutinee, &mut bindings);
        if rest.is_empty() && arm.guard.is_none() {
            // The arms are exhaustive, so the last one needs no test.
            test = None;
        }
        let variables = self.alias(&bindings);
        if let Some(guard) = &arm.guard {
            let (lines, piece) = self.nested(|body| body.value(guard));
            if !lines.is_empty() && !before.is_empty() {
                self.restore(&variables);
                let (inner, ()) = self.nested(|body| {
                    let ended = body.arms("", head, scrutinee, arms, to);
                    body.lines.ended |= ended;
                });
                self.line("} else {");
                self.lines.nest(&inner);
                self.line("}");
                return inner.ended;
            }
            test = Some(match (test, lines.is_empty()) {
                (None, true) => piece,
                (Some(test), true) => logic(&test, Binary::AndThen, &piece),
                (test, false) => {
                    let name = self.fresh("matched");
                    let first = test.map_or(Text::from("true"), |test| test.text);
                    self.line(
                        Text::from(format!("var {name}: bool = ")).text(&first).str(";").at(head),
                    );
                    self.line(format!("if ({name}) {{"));
                    self.lines.nest(&lines);
                    self.depth += 1;
                    self.line(Text::from(format!("{name} = ")).text(&piece.text).str(";"));
                    self.depth -= 1;
                    self.line("}");
                    Piece::primary(name, Effect::Constant)
                }
            });
        }
        let Some(test) = test else {
            if before.is_empty() {
                self.arm(arm, &bindings, &variables, to);
                return self.lines.ended;
            }
            let (inner, ()) = self.nested(|body| body.arm(arm, &bindings, &variables, to));
            if inner.is_empty() {
                self.line("}");
                return false;
            }
            self.line("} else {");
            self.lines.nest(&inner);
            self.line("}");
            return inner.ended;
        };
        let test = Text::from("if (").text(&test.text).str(")").at(head);
        self.line(Text::from(before).text(&test).str(" {"));
        let (inner, ()) = self.nested(|body| body.arm(arm, &bindings, &variables, to));
        self.lines.nest(&inner);
        let ended = self.arms("} else ", head, scrutinee, rest, to);
        inner.ended && ended
    }

    /// Makes the names in a pattern aliases of their values. Returns the names that were variables, each with its variable.
    fn alias(&mut self, bindings: &Bindings) -> Vec<(LocalId, Local)> {
        let mut variables = Vec::new();
        for (id, piece) in bindings {
            if let Some(local) = self.locals.get_mut(id.0) {
                let before = std::mem::replace(local, Local::Alias(piece.clone()));
                if matches!(before, Local::Var(..)) {
                    variables.push((*id, before));
                }
            }
        }
        variables
    }

    fn restore(&mut self, variables: &[(LocalId, Local)]) {
        for (id, local) in variables {
            self.locals[id.0] = local.clone();
        }
    }

    /// Prints the body of an arm, after the variables of its pattern.
    fn arm(
        &mut self,
        arm: &Arm,
        bindings: &Bindings,
        variables: &[(LocalId, Local)],
        to: &Destination,
    ) {
        self.restore(variables);
        for (id, local) in variables {
            let piece = bindings.iter().find(|(of, _)| of == id).map(|(_, piece)| piece.clone());
            let ty = self.function.and_then(|function| function.locals.get(id.0));
            let ty = ty.map(|local| self.scope.ty(&local.ty));
            if let (Local::Var(name, _), Some(piece), Some(ty)) = (local, piece, ty) {
                let line = Text::from(format!("var {name}: {ty} = ")).text(&piece.text).str(";");
                self.line(line);
            }
        }
        match &arm.body.kind {
            ExprKind::Block(None, block) => self.block(block, to),
            _ if arm.body.ty == Type::Unit => self.run(&arm.body, &Destination::Discarded),
            _ => self.run(&arm.body, to),
        }
    }

    /// Returns the condition under which a pattern matches a scrutinee, or `None` if it always does.
    fn test(
        &mut self,
        pattern: &Pattern,
        scrutinee: &Scrutinee,
        bindings: &mut Bindings,
    ) -> Option<Piece> {
        match (pattern, scrutinee) {
            (Pattern::Bind(local, inner), _) => {
                let piece = self.value_of(scrutinee);
                bindings.push((*local, piece));
                self.test(inner, scrutinee, bindings)
            }
            (Pattern::Value(value), Scrutinee::One(piece)) => match &value.kind {
                ExprKind::Literal(Literal::Bool(true)) => Some(piece.clone()),
                ExprKind::Literal(Literal::Bool(false)) => {
                    let text = Text::from("!").text(&piece.within(Precedence::Primary));
                    Some(Piece { text, level: Precedence::Unary, ..piece.clone() })
                }
                _ => Some(piece.binary(Binary::Equal, false, &self.value(value))),
            },
            (Pattern::Range(start, end, inclusive), Scrutinee::One(piece)) => {
                let start = start
                    .as_ref()
                    .map(|start| piece.binary(Binary::GreaterOrEqual, false, &self.value(start)));
                let less = if *inclusive { Binary::LessOrEqual } else { Binary::Less };
                let end = end.as_ref().map(|end| piece.binary(less, false, &self.value(end)));
                all([start, end])
            }
            (Pattern::Either(patterns), _) => {
                let mut either: Option<Piece> = None;
                let mut always = false;
                for pattern in patterns {
                    let mut own = Vec::new();
                    match (self.test(pattern, scrutinee, &mut own), either.take()) {
                        (None, _) => always = true,
                        (Some(test), None) => either = Some(test),
                        (Some(test), Some(before)) => {
                            either = Some(logic(&before, Binary::OrElse, &test));
                        }
                    }
                    self.merge(pattern, bindings, own);
                }
                either.filter(|_| !always)
            }
            (Pattern::Tuple(patterns), Scrutinee::Tuple(parts, _)) => {
                let tests: Vec<_> = patterns
                    .iter()
                    .zip(parts)
                    .map(|(pattern, part)| self.test(pattern, part, bindings))
                    .collect();
                all(tests)
            }
            (Pattern::Variant(nth, patterns), Scrutinee::Enum(_, tag, slots, ty)) => {
                let Type::Enum(which, arguments) = ty else { return None };
                let of = Variants::of(self.scope.module, *which, arguments);
                let number = Piece::primary(of.number(*nth), Effect::Constant);
                let is_it = tag.binary(Binary::Equal, false, &number);
                let places = of.places.get(*nth).cloned().unwrap_or_default();
                let mut tests = vec![Some(is_it)];
                let kept = patterns.iter().zip(places);
                for (pattern, slot) in kept.filter_map(|(pattern, slot)| Some((pattern, slot?))) {
                    tests.push(self.test(pattern, &slots[slot], bindings));
                }
                all(tests)
            }
            (Pattern::ExchangeResult(exchanged, inner), Scrutinee::Exchange(name, _)) => {
                let not = if *exchanged { "" } else { "!" };
                let level = if *exchanged { Precedence::Primary } else { Precedence::Unary };
                let text = format!("{not}{name}.exchanged");
                let test = Piece { level, ..Piece::primary(text, Effect::Constant) };
                let old = Piece::primary(format!("{name}.old_value"), Effect::Constant);
                let inner = self.test(inner, &Scrutinee::One(old), bindings);
                all([Some(test), inner])
            }
            _ => None,
        }
    }

    /// Adds the bindings of one alternative of an or-pattern.
    fn merge(&mut self, pattern: &Pattern, bindings: &mut Bindings, own: Bindings) {
        for (id, piece) in own {
            let known = bindings.iter().find(|(of, _)| *of == id).map(|(_, piece)| piece);
            match known.map(|known| known.text.as_str() == piece.text.as_str()) {
                None => bindings.push((id, piece)),
                Some(true) => {}
                Some(false) => {
                    let local = self.function.and_then(|function| function.locals.get(id.0));
                    if let Some(local) = local {
                        let message = "this name is bound to different parts of the value in the alternatives: write a \
                                       separate arm for each alternative";
                        self.error(local.name.place, message);
                    }
                    let _ = pattern;
                }
            }
        }
    }

    /// Returns the cases of a `switch`, each an arm with its values, if the `match` can be printed as one.
    fn cases<'m>(&self, scrutinee: &Expr, arms: &'m [Arm]) -> Option<Vec<SwitchCase<'m>>> {
        // A `switch` of WGSL takes only 32-bit integers.
        if !matches!(scrutinee.ty, Type::Scalar(scalar) if scalar.is_integer() && !scalar.is_wide())
        {
            return None;
        }
        let mut cases: Vec<SwitchCase<'m>> = Vec::new();
        let mut seen = Vec::new();
        for arm in arms {
            // A `break` inside the `switch` would leave the `switch`.
            if arm.guard.is_some() || breaks_out(&arm.body) {
                return None;
            }
            let mut case =
                SwitchCase { arm, values: Vec::new(), default: false, bound: Vec::new() };
            self.case(&arm.pattern, &mut case, &mut seen)?;
            let last = case.default;
            // An arm is omitted if earlier arms match all of its values.
            if case.default || !case.values.is_empty() {
                cases.push(case);
            }
            if last {
                break;
            }
        }
        if cases.iter().filter(|case| !case.values.is_empty()).count() < 2 {
            return None;
        }
        if let Some(last) = cases.last_mut() {
            last.default = true;
        }
        Some(cases)
    }

    fn case<'m>(
        &self,
        pattern: &'m Pattern,
        case: &mut SwitchCase<'m>,
        seen: &mut Vec<i128>,
    ) -> Option<()> {
        match pattern {
            Pattern::Wildcard => case.default = true,
            Pattern::Bind(local, inner) => {
                case.bound.push(*local);
                self.case(inner, case, seen)?;
            }
            Pattern::Value(value) => {
                let number = self.scope.number(value)?;
                if !seen.contains(&number) {
                    seen.push(number);
                    case.values.push(value);
                }
            }
            Pattern::Either(patterns) => {
                for pattern in patterns {
                    self.case(pattern, case, seen)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn switch(
        &mut self,
        head: Place,
        scrutinee: &Expr,
        cases: &[SwitchCase<'_>],
        to: &Destination,
    ) {
        let mut piece = self.value(scrutinee);
        if cases.iter().any(|case| !case.bound.is_empty()) {
            self.bind(&mut piece, &scrutinee.ty);
        }
        self.line(Text::from("switch (").text(&piece.text).str(")").at(head).str(" {"));
        let mut ended = true;
        self.depth += 1;
        for case in cases {
            let values = case.values.iter().map(|value| self.value(value).text.as_str().to_owned());
            let values = values.chain(case.default.then(|| "default".to_owned()));
            let values = values.collect::<Vec<_>>().join(", ");
            let keyword = if values == "default" { "" } else { "case " };
            let bindings: Bindings =
                case.bound.iter().map(|local| (*local, piece.clone())).collect();
            let variables = self.alias(&bindings);
            let (lines, ()) = self.nested(|body| body.arm(case.arm, &bindings, &variables, to));
            ended &= lines.ended;
            self.braces(Text::from(format!("{keyword}{values}:")), &lines, None);
        }
        self.depth -= 1;
        self.line("}");
        self.lines.ended |= ended;
    }
}

/// A case of a `switch`.
struct SwitchCase<'m> {
    arm: &'m Arm,
    values: Vec<&'m Expr>,
    default: bool,
    bound: Vec<LocalId>,
}

/// Returns a scrutinee whose parts are members of `piece`.
fn parts_of(module: &Module, piece: &Piece, ty: &Type) -> Scrutinee {
    let name = piece.text.as_str();
    match ty {
        Type::Tuple(parts) => {
            let part = |(index, ty): (usize, &Type)| {
                let text = format!("{name}.{}", types::part_name(index));
                parts_of(module, &Piece::primary(text, Effect::Constant), ty)
            };
            Scrutinee::Tuple(parts.iter().enumerate().map(part).collect(), ty.clone())
        }
        Type::Enum(which, arguments) => {
            let of = Variants::of(module, *which, arguments);
            if of.is_fieldless() {
                return Scrutinee::Enum(piece.clone(), piece.clone(), Vec::new(), ty.clone());
            }
            let tag = Piece::primary(format!("{name}.tag"), Effect::Constant);
            let slot = |(index, ty): (usize, &Type)| {
                let text = format!("{name}.{}", types::part_name(index));
                parts_of(module, &Piece::primary(text, Effect::Constant), ty)
            };
            let slots = of.slots.iter().enumerate().map(slot).collect();
            Scrutinee::Enum(piece.clone(), tag, slots, ty.clone())
        }
        Type::Exchange(_) => Scrutinee::Exchange(name.to_owned(), ty.clone()),
        _ => Scrutinee::One(piece.clone()),
    }
}

/// Returns the conjunction of some tests, or `None` if there are none.
fn all(tests: impl IntoIterator<Item = Option<Piece>>) -> Option<Piece> {
    let tests = tests.into_iter().flatten();
    tests.reduce(|a, b| logic(&a, Binary::AndThen, &b))
}
