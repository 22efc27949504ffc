//! Limits the expansion of macros before glslang expands them, which has no such limit.
//!
//! The limit is on an upper bound of the tokens that the macros of a shader generate: text of all conditions is counted, whether
//! they hold or not, and a macro that is defined several times generates the tokens of all its definitions. Shaders in practice
//! remain far below.

use super::lines::{JoinedText, lines};
use crate::source_map::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The maximum number of tokens that all macros of a shader may generate.
const TOKENS: usize = 500_000;
/// The maximum number of tokens that are generated to check the files of a shader one after the other.
const WORK: usize = 40 * TOKENS;
/// The maximum nesting depth of macro calls in arguments, and of parentheses in a condition.
const DEPTH: usize = 200;

/// An exceeded limit: its message, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceededLimit {
    /// The message.
    pub message: String,
    /// The index of the file.
    pub file: usize,
    /// The span in the file.
    pub span: Span,
}

/// A token. Its text is a number, so that tokens are small and quickly compared.
#[derive(Clone, Copy, Debug)]
struct Token {
    text: u32,
    file: u32,
    span: Span,
}

/// A macro definition.
#[derive(Clone, Debug)]
struct Macro {
    /// The names of its parameters, if it has a parameter list.
    parameters: Option<Vec<u32>>,
    body: Vec<Token>,
}

impl Macro {
    fn is_same(&self, other: &Self) -> bool {
        let texts = |of: &Self| of.body.iter().map(|token| token.text).collect::<Vec<_>>();
        self.parameters == other.parameters && texts(self) == texts(other)
    }
}

/// The macros that a token was expanded from, which are not expanded again in it.
type ExpansionChain = Option<Arc<OuterMacro>>;

#[derive(Debug)]
struct OuterMacro {
    name: u32,
    next: ExpansionChain,
}

type Item = (Token, ExpansionChain);

/// The macros of a shader and the tokens that may use them.
#[derive(Debug, Default)]
pub struct Macros {
    texts: FxHashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    defined: FxHashMap<u32, Vec<Arc<Macro>>>,
    /// By file: the tokens outside of definitions.
    used: Vec<Vec<Token>>,
    /// Number of tokens generated so far.
    made: usize,
    /// Number of tokens generated for earlier files.
    work: usize,
}

impl Macros {
    /// Defines a macro of the user.
    pub fn define(&mut self, name: &str, value: &str) {
        let name = self.intern(name);
        let joined = JoinedText::new(value);
        let lines = lines(&joined);
        let words: Vec<&str> =
            lines.iter().flat_map(|line| &line.tokens).map(|token| token.text).collect();
        let token = |text| Token { text, file: 0, span: Span::default() };
        let body = words.into_iter().map(|word| token(self.intern(word))).collect();
        self.add(name, Macro { parameters: None, body });
    }

    /// Adds the text of a file, which may use and define macros.
    ///
    /// # Errors
    /// The macros of all files so far expand too far, or a condition nests too deeply.
    pub fn add_file(&mut self, file: usize, text: &str) -> Result<(), ExceededLimit> {
        let joined = JoinedText::new(text);
        let lines = lines(&joined);
        let (mut used, mut defines) = (Vec::new(), false);
        for line in &lines {
            let tokens: Vec<Token> = line
                .tokens
                .iter()
                .map(|token| Token {
                    text: self.intern(token.text),
                    file: file as u32,
                    span: token.span,
                })
                .collect();
            let Some(directive) = line.directive() else {
                used.extend(tokens);
                continue;
            };
            self.condition(&tokens)?;
            match directive {
                "define" => {
                    defines = true;
                    let is_list =
                        line.tokens.get(3).is_some_and(|token| token.text == "(" && !token.spaced);
                    self.define_line(&tokens, is_list);
                }
                "undef" | "ifdef" | "ifndef" => used.extend(tokens.get(3..).unwrap_or_default()),
                _ => used.extend(tokens.get(1..).unwrap_or_default()),
            }
        }
        if defines {
            // Files before may use the macros of this one.
            self.used.push(used);
            self.work = self.work.saturating_add(self.made);
            self.made = 0;
            let all = std::mem::take(&mut self.used);
            let result = all.iter().try_for_each(|used| self.expand_all(used));
            self.used = all;
            result
        } else {
            let result = self.expand_all(&used);
            self.used.push(used);
            result
        }
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let text: Arc<str> = text.into();
        let number = self.names.len() as u32;
        self.names.push(Arc::clone(&text));
        self.texts.insert(text, number);
        number
    }

    fn text(&self, token: Token) -> &str {
        self.names.get(token.text as usize).map_or("", |text| text)
    }

    fn exceeded<T>(token: Token, message: &str) -> Result<T, ExceededLimit> {
        let Token { file, span, .. } = token;
        Err(ExceededLimit { message: message.to_owned(), file: file as usize, span })
    }

    /// Returns an error for a directive with too many parentheses or signs, because glslang recurses over them.
    fn condition(&self, tokens: &[Token]) -> Result<(), ExceededLimit> {
        let (mut depth, mut operators) = (0_usize, 0);
        for token in tokens {
            match self.text(*token) {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "!" | "~" | "-" | "+" => operators += 1,
                _ => {}
            }
            if depth > DEPTH || operators > 10 * DEPTH {
                let limit = "a directive may have at most 200 nested parentheses and 2,000 signs";
                return Self::exceeded(*token, limit);
            }
        }
        Ok(())
    }

    fn define_line(&mut self, tokens: &[Token], is_list: bool) {
        let Some(name) = tokens.get(2) else { return };
        let mut rest = tokens.get(3..).unwrap_or_default();
        let mut parameters = None;
        if is_list {
            let list = rest.get(1..).unwrap_or_default();
            let end = list.iter().position(|token| self.text(*token) == ")").unwrap_or(list.len());
            let names = list[..end].iter().filter(|name| self.text(**name) != ",");
            parameters = Some(names.map(|name| name.text).collect());
            rest = list.get(end + 1..).unwrap_or_default();
        }
        self.add(name.text, Macro { parameters, body: rest.to_vec() });
    }

    fn add(&mut self, name: u32, defined: Macro) {
        let all = self.defined.entry(name).or_default();
        if !all.iter().any(|known| known.is_same(&defined)) {
            all.push(Arc::new(defined));
        }
    }

    fn expand_all(&mut self, used: &[Token]) -> Result<(), ExceededLimit> {
        if self.defined.is_empty() {
            return Ok(());
        }
        let tokens = used.iter().map(|token| (*token, None));
        self.expand(tokens.collect(), 0).map(drop)
    }

    fn expand(&mut self, input: Vec<Item>, depth: usize) -> Result<Vec<Item>, ExceededLimit> {
        let mut input: Vec<Item> = input.into_iter().rev().collect();
        let mut output = Vec::new();
        while let Some((token, within)) = input.pop() {
            let Some(found) = self.defined.get(&token.text).cloned() else {
                output.push((token, within));
                continue;
            };
            if self.is_within(token, &within)? {
                output.push((token, within));
                continue;
            }
            let is_call = input.last().is_some_and(|(next, _)| self.text(*next) == "(");
            let takes_list = found.iter().any(|one| one.parameters.is_some());
            let arguments = match is_call && takes_list {
                true => self.arguments(token, &mut input, depth)?,
                false => Vec::new(),
            };
            let inside = Some(Arc::new(OuterMacro { name: token.text, next: within.clone() }));
            let mut made: Vec<Item> = Vec::new();
            let mut is_expanded = false;
            for one in found.iter().filter(|one| one.parameters.is_none() || is_call) {
                is_expanded = true;
                self.replace(token, one, &arguments, &inside, &mut made)?;
            }
            if !is_expanded {
                output.push((token, within));
                continue;
            }
            self.made += made.len() + 1;
            self.count(token, 0)?;
            input.extend(made.into_iter().rev());
        }
        Ok(output)
    }

    /// Adds what a call of a macro is replaced by.
    fn replace(
        &mut self,
        call: Token,
        called: &Macro,
        arguments: &[Vec<Item>],
        inside: &ExpansionChain,
        made: &mut Vec<Item>,
    ) -> Result<(), ExceededLimit> {
        let mut body = called.body.iter().peekable();
        let mut joins = false;
        while let Some(part) = body.next() {
            let is_hash = |token: &Token| self.text(*token) == "#";
            if is_hash(part) && body.peek().is_some_and(|next| is_hash(next)) {
                body.next();
                joins = true;
                continue;
            }
            let begin = made.len();
            let of = called.parameters.iter().flatten().position(|name| *name == part.text);
            match of.and_then(|index| arguments.get(index)) {
                Some(argument) => {
                    made.extend(argument.iter().map(|(token, _)| (*token, inside.clone())));
                }
                None => made.push((*part, inside.clone())),
            }
            // `a ## b` makes one token, which may be the name of a macro.
            if std::mem::take(&mut joins) && begin > 0 && begin < made.len() {
                let (second, _) = made.remove(begin);
                let first = made[begin - 1].0;
                let joined = [self.text(first), self.text(second)].concat();
                // A name of this length is not one that anything refers to.
                if joined.len() <= 1_000 {
                    made[begin - 1].0.text = self.intern(&joined);
                }
            }
            self.count(call, made.len())?;
        }
        Ok(())
    }

    /// Takes the arguments of a call from `input`, and expands them.
    fn arguments(
        &mut self,
        call: Token,
        input: &mut Vec<Item>,
        depth: usize,
    ) -> Result<Vec<Vec<Item>>, ExceededLimit> {
        if depth >= DEPTH {
            return Self::exceeded(call, "macro calls may nest at most 200 levels deep");
        }
        input.pop();
        let (mut arguments, mut open) = (vec![Vec::new()], 0_usize);
        while let Some(item) = input.pop() {
            match self.text(item.0) {
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
    fn is_within(&mut self, token: Token, within: &ExpansionChain) -> Result<bool, ExceededLimit> {
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
    fn count(&self, token: Token, more: usize) -> Result<(), ExceededLimit> {
        let made = self.made + more;
        match made > TOKENS || self.work.saturating_add(made) > WORK {
            true => Self::exceeded(token, "macros may expand to at most 500,000 tokens in total"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), ExceededLimit> {
        Macros::default().add_file(0, text)
    }

    fn chain(body: impl Fn(usize) -> String) -> String {
        (0..40).map(|n| format!("#define A{n}{}\n", body(n))).collect()
    }

    #[test]
    fn macros_that_double_are_refused_however_they_do_it() {
        let object = chain(|n| format!(" A{} A{}", n + 1, n + 1));
        let nested = "F(".repeat(40) + "1" + &")".repeat(40);
        for text in [
            format!("{object}uint a = A0;"),
            format!("uint a = A0;\n{object}"),
            format!("{object}#define A40\nuint a = A0;"),
            format!("{object}#if A0\n#endif"),
            format!("{object}#if 0\n#elif A0\n#endif"),
            format!("{object}#line A0\n"),
            format!("#if 1\n{object}#else\n#endif\nuint a = A0;"),
            format!("{object}#) A0"),
            format!("{object}#ifdef 1 A0\n#endif"),
            format!("{object}#if 0\n#else\n#endif A0"),
            format!("{object}uint a = A\\\r\n0;"),
            object.replace('\n', "\r") + "uint a = A0;",
            format!("/*/{object}*/\n{object}uint a = A0;"),
            chain(|n| format!("(x) A{}(x) A{}(x)", n + 1, n + 1)) + "uint a = A0(1);",
            chain(|n| format!("(x) A{}(x x)", n + 1)) + "uint a = A0(1);",
            chain(|n| format!("(x) A##{}(x) A ## {}(x)", n + 1, n + 1)) + "uint a = A0(1);",
            format!("#define F(x) x x\nuint a = {nested};"),
            // Comments do not begin in strings and names of files.
            format!("#define Q \"/*\"\n#define F(x) x x\nuint a = {nested};"),
            format!("#include <//a>\n#define F(x) x x\nuint a = {nested};"),
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
            format!("{object}// A0\n/* A0 */"),
            format!("/*/\n{object}*/uint a = A0;"),
            "#define A A A\n#define F(x) F(x) x\nuint a = A F(1);".to_owned(),
            "#define F(x) x\nuint a = F".to_owned(),
            "#define F(x) x\nuint a = F(1".to_owned(),
            "#define A A A\n#ifdef A\n#elif A\n#else A\n#endif A".to_owned(),
            "#define\n#define F(\n#undef\n#\n#if\n#elif\n#endif\n#endif".to_owned(),
            "#define J(a, b) a ## b ##\n#define K ##\nuint a = J(1, 2) J(,) K;".to_owned(),
            "#if A\n#define T float\n#else\n#define T int\n#endif\nT a; T b;".to_owned(),
        ] {
            assert_eq!(check(&text), Ok(()), "{text}");
        }
    }

    #[test]
    fn files_use_the_macros_of_others() {
        let object = chain(|n| format!(" A{} A{}", n + 1, n + 1));
        let both = |first: &str, second: &str| {
            let mut macros = Macros::default();
            macros.add_file(0, first).and_then(|()| macros.add_file(1, second))
        };
        assert!(both(&object, "uint a = A0;").is_err());
        assert!(both("uint a = A0;", &object).is_err());
        assert_eq!(both(&object, "uint a = A39;"), Ok(()));
        let mut macros = Macros::default();
        macros.define("A40", "1 2");
        assert_eq!(macros.add_file(0, "A40 A40"), Ok(()));
        // Expanding everything again for each file is limited too.
        let mut macros = Macros::default();
        let text = chain(|n| format!(" A{} A{}", n + 1, n + 1)) + "uint a = A22;";
        let results = (0..1_000).map(|file| macros.add_file(file, &text));
        assert!(results.collect::<Result<Vec<()>, _>>().is_err());
    }

    #[test]
    fn conditions_that_nest_too_deep_are_refused() {
        let text = |many: usize| format!("#if {}1{}\n#endif", "(".repeat(many), ")".repeat(many));
        assert_eq!(check(&text(200)), Ok(()));
        assert!(check(&text(100_000)).is_err());
        assert!(check(&format!("#if {}1\n#endif", "! ".repeat(100_000))).is_err());
    }
}
