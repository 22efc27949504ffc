//! Limits the expansion of macros before pp-rs expands them. naga uses pp-rs for GLSL, which has no such limit, and processes
//! arguments and conditions in one step of any length.
//!
//! pp-rs itself decides which directives are active: it is given only the directives, each after its line number, and stops at
//! every number. The text between directives, and the conditions, are expanded by this module in the same way, but counted.

use super::lines::{JoinedText, Line, Token, lines};
use crate::source_map::Span;
use pp_rs::pp::Preprocessor;
use pp_rs::token::TokenValue;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The maximum number of tokens that all macros of a file may generate.
const TOKENS: usize = 500_000;
/// The maximum nesting depth of macro calls in arguments, and of parentheses in a condition.
const DEPTH: usize = 200;

type Rejected = (Span, String);

/// Returns an error for a text whose macros expand too far.
pub fn check(text: &str) -> Result<(), Rejected> {
    let joined = JoinedText::new(text);
    let lines = lines(&joined);
    conditions(&lines)?;
    if !lines.iter().any(|line| line.directive() == Some("define")) {
        return Ok(());
    }
    let directives: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at].directive().is_some()).collect();
    let mut alone = String::new();
    for at in &directives {
        alone.push_str(&format!("{at}\n"));
        for token in &lines[*at].tokens {
            if token.spaced {
                alone.push(' ');
            }
            alone.push_str(token.text);
        }
        alone.push('\n');
    }
    let mut expander = Expander::default();
    for token in Preprocessor::new(&alone).flatten() {
        let TokenValue::Integer(number) = token.value else { continue };
        let Some(at) = usize::try_from(number.value).ok().filter(|at| *at < lines.len()) else {
            continue;
        };
        let Some(name) = lines[at].directive() else { continue };
        // Since its number is not skipped, the text before it is not skipped either.
        let before = directives.partition_point(|other| *other < at);
        let begin = before.checked_sub(1).map_or(0, |last| directives[last] + 1);
        expander.lines(lines[begin..at].iter())?;
        // Conditions are expanded, and so is the rest of an invalid line, whatever it begins with.
        expander.tokens(lines[at].expanded())?;
        match name {
            "define" => expander.define(&lines[at]),
            "undef" => {
                if let Some(name) = lines[at].tokens.get(2) {
                    expander.defined.remove(name.text);
                }
            }
            "if" | "ifdef" | "ifndef" | "elif" | "else" => {
                expander.rest_of_condition(&lines, &directives[before + 1..])?;
            }
            _ => {}
        }
    }
    let rest = directives.last().map_or(0, |last| last + 1);
    expander.lines(lines[rest..].iter())
}

/// Returns an error for conditions with too many parentheses, because pp-rs's parser recurses.
fn conditions(lines: &[Line<'_>]) -> Result<(), Rejected> {
    for line in lines.iter().filter(|line| line.directive().is_some()) {
        let (mut depth, mut operators) = (0_usize, 0);
        for token in &line.tokens {
            match token.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "!" | "~" | "-" | "+" => operators += 1,
                _ => {}
            }
            if depth > DEPTH || operators > 10 * DEPTH {
                let limit = "a directive may have at most 200 nested parentheses and 2,000 signs";
                return Err((token.span, limit.to_owned()));
            }
        }
    }
    Ok(())
}

/// A macro definition.
#[derive(Debug)]
struct Macro<'a> {
    /// The names of its parameters, if it has a parameter list.
    parameters: Option<Vec<&'a str>>,
    body: Vec<Token<'a>>,
}

/// The macros that a token was expanded from, which are not expanded again in it.
type ExpansionChain<'a> = Option<Rc<OuterMacro<'a>>>;

#[derive(Debug)]
struct OuterMacro<'a> {
    name: &'a str,
    next: ExpansionChain<'a>,
}

type Item<'a> = (Token<'a>, ExpansionChain<'a>);

#[derive(Default)]
struct Expander<'a> {
    defined: FxHashMap<&'a str, Rc<Macro<'a>>>,
    /// Number of tokens generated so far.
    made: usize,
}

impl<'a> Expander<'a> {
    fn define(&mut self, line: &Line<'a>) {
        let Some(name) = line.tokens.get(2) else { return };
        let mut rest = &line.tokens[3..];
        let mut parameters = None;
        if let [first, list @ ..] = rest
            && first.text == "("
            && !first.spaced
        {
            let end = list.iter().position(|token| token.text == ")").unwrap_or(list.len());
            let names = list[..end].iter().map(|token| token.text);
            parameters = Some(names.filter(|name| *name != ",").collect());
            rest = list.get(end + 1..).unwrap_or_default();
        }
        let body = rest.to_vec();
        self.defined.insert(name.text, Rc::new(Macro { parameters, body }));
    }

    /// Expands the lines that belong to a condition, from the directive after it to its `#endif`, because pp-rs may pass them
    /// without stopping at their numbers.
    fn rest_of_condition(
        &mut self,
        lines: &[Line<'a>],
        directives: &[usize],
    ) -> Result<(), Rejected> {
        let mut depth = 1_usize;
        for at in directives {
            let line = &lines[*at];
            let name = line.directive().unwrap_or_default();
            if depth == 1 && matches!(name, "elif" | "else" | "endif") {
                self.lines(std::iter::once(line))?;
            }
            match name {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Expands lines of text, or directives.
    fn lines<'b>(&mut self, lines: impl Iterator<Item = &'b Line<'a>>) -> Result<(), Rejected>
    where
        'a: 'b,
    {
        self.tokens(lines.flat_map(|line| &line.tokens))
    }

    fn tokens<'b>(
        &mut self,
        tokens: impl IntoIterator<Item = &'b Token<'a>>,
    ) -> Result<(), Rejected>
    where
        'a: 'b,
    {
        let tokens = tokens.into_iter().map(|token| (*token, None));
        self.expand(tokens.collect(), 0).map(drop)
    }

    fn expand(&mut self, input: Vec<Item<'a>>, depth: usize) -> Result<Vec<Item<'a>>, Rejected> {
        let mut input: Vec<Item<'a>> = input.into_iter().rev().collect();
        let mut output = Vec::new();
        while let Some((token, within)) = input.pop() {
            let Some(found) = self.defined.get(token.text).cloned() else {
                output.push((token, within));
                continue;
            };
            if self.is_within(token, &within)? {
                output.push((token, within));
                continue;
            }
            let name = token.text;
            let arguments = match &found.parameters {
                None => Vec::new(),
                Some(_) if input.last().is_some_and(|(next, _)| next.text == "(") => {
                    self.arguments(token, &mut input, depth)?
                }
                Some(_) => {
                    output.push((token, within));
                    continue;
                }
            };
            let inside = Some(Rc::new(OuterMacro { name, next: within }));
            let mut made: Vec<Item<'a>> = Vec::new();
            for part in &found.body {
                let of = found.parameters.iter().flatten().position(|name| *name == part.text);
                match of.and_then(|index| arguments.get(index)) {
                    // pp-rs examines them again, whatever they were expanded from.
                    Some(argument) => {
                        made.extend(argument.iter().map(|(token, _)| (*token, inside.clone())));
                    }
                    None => made.push((*part, inside.clone())),
                }
                self.count(token, made.len())?;
            }
            self.made += made.len() + 1;
            self.count(token, 0)?;
            input.extend(made.into_iter().rev());
        }
        Ok(output)
    }

    /// Takes the arguments of a call from `input`, and expands them.
    fn arguments(
        &mut self,
        call: Token<'a>,
        input: &mut Vec<Item<'a>>,
        depth: usize,
    ) -> Result<Vec<Vec<Item<'a>>>, Rejected> {
        if depth >= DEPTH {
            let limit = format!("macro calls may nest at most {DEPTH} levels deep");
            return Err((call.span, limit));
        }
        input.pop();
        let (mut arguments, mut open) = (vec![Vec::new()], 0_usize);
        while let Some(item) = input.pop() {
            match item.0.text {
                "(" => open += 1,
                ")" if open == 0 => break,
                ")" => open -= 1,
                "," if open == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(item);
            }
        }
        arguments.into_iter().map(|argument| self.expand(argument, depth + 1)).collect()
    }

    /// Returns whether a token was expanded from the macro that it names.
    fn is_within(
        &mut self,
        token: Token<'a>,
        within: &ExpansionChain<'a>,
    ) -> Result<bool, Rejected> {
        let mut next = within.as_ref();
        while let Some(outer) = next {
            if outer.name == token.text {
                return Ok(true);
            }
            self.made += 1;
            next = outer.next.as_ref();
        }
        self.count(token, 0).map(|()| false)
    }

    /// Returns an error if `more` tokens would exceed the limit.
    fn count(&self, token: Token<'a>, more: usize) -> Result<(), Rejected> {
        match self.made + more > TOKENS {
            true => {
                let limit = "macros may expand to at most 500,000 tokens in total";
                Err((token.span, limit.to_owned()))
            }
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(body: impl Fn(usize) -> String) -> String {
        (0..40).map(|n| format!("#define A{n}{}\n", body(n))).collect()
    }

    #[test]
    fn macros_that_double_are_refused_however_they_do_it() {
        let object = chain(|n| format!(" A{} A{}", n + 1, n + 1));
        let nested = "F(".repeat(40) + "1" + &")".repeat(40);
        for text in [
            format!("{object}uint a = A0;"),
            format!("{object}#define A40\nuint a = A0;"),
            format!("{object}#if A0\n#endif"),
            format!("{object}#if 0\n#elif A0\n#endif"),
            format!("{object}#line A0\n"),
            format!("#if 1\n{object}#else\n#endif\nuint a = A0;"),
            format!("{object}#) A0"),
            format!("{object}#ifdef 1 A0\n#endif"),
            format!("{object}#if 0\n#else\n#endif A0"),
            format!("#if 1\n{object}#else\n#endif A0"),
            format!("{object}uint a = A\\\r\n0;"),
            object.replace('\n', "\r") + "uint a = A0;",
            format!("/*/{object}*/\n{object}uint a = A0;"),
            chain(|n| format!("(x) A{}(x) A{}(x)", n + 1, n + 1)) + "uint a = A0(1);",
            chain(|n| format!("(x) A{}(x x)", n + 1)) + "uint a = A0(1);",
            format!("#define F(x) x x\nuint a = {nested};"),
            format!("#define F(x)\\\n x x\nuint a\n = {nested};"),
            format!("#define F(x) x x\n#define G(f) f\nuint a = G({nested});"),
        ] {
            assert!(check(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_does_not_count_is_not_counted() {
        let object = chain(|n| format!(" A{} A{}", n + 1, n + 1));
        for text in [
            object.clone(),
            format!("#if 0\n{object}#endif\nuint a = A0;"),
            format!("{object}#if 0\nuint a = A0;\n#endif"),
            format!("{object}// A0\n/* A0 */"),
            format!("/*/\n{object}*/uint a = A0;"),
            format!("{object}#undef A1\nuint a = A0;"),
            "#define A A A\n#define F(x) F(x) x\nuint a = A F(1);".to_owned(),
            "#define F(x) x\nuint a = F".to_owned(),
            "#define F(x) x\nuint a = F(1".to_owned(),
            "#define A A A\n#ifdef A\n#elif A\n#else A\n#endif A".to_owned(),
            "#define\n#define F(\n#undef\n#\n#if\n#elif\n#endif\n#endif".to_owned(),
        ] {
            assert_eq!(check(&text), Ok(()), "{text}");
        }
    }

    #[test]
    fn conditions_that_nest_too_deep_are_refused() {
        let text = |many: usize| format!("#if {}1{}\n#endif", "(".repeat(many), ")".repeat(many));
        assert_eq!(check(&text(200)), Ok(()));
        assert!(check(&text(100_000)).is_err());
        assert!(check(&format!("#if {}1\n#endif", "! ".repeat(100_000))).is_err());
    }
}
