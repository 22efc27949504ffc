//! The mutable syntax of WGSL and GLSL, found in their tokens.

mod iterations;

use super::templates::brackets;
use super::{Atomic, Language, Rmw, Syntax, SyntaxOccurrence, Token};
use hirace_core::front::wgsl::tokens::{TokenKind, Tokens};
use hirace_core::source_map::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Built-in ids in WGSL and in GLSL.
const IDS: [(&str, &str); 4] = [
    ("global_invocation_id", "gl_GlobalInvocationID"),
    ("local_invocation_id", "gl_LocalInvocationID"),
    ("workgroup_id", "gl_WorkGroupID"),
    ("local_invocation_index", "gl_LocalInvocationIndex"),
];

/// Barriers of WGSL and GLSL.
const BARRIERS: [&str; 10] = [
    "workgroupBarrier",
    "storageBarrier",
    "textureBarrier",
    "subgroupBarrier",
    "barrier",
    "memoryBarrier",
    "memoryBarrierBuffer",
    "memoryBarrierImage",
    "memoryBarrierShared",
    "groupMemoryBarrier",
];

/// Atomic operations of WGSL and GLSL.
const ATOMICS: [(&str, Rmw); 8] = [
    ("atomicAdd", Rmw::Add),
    ("atomicSub", Rmw::Sub),
    ("atomicMin", Rmw::Min),
    ("atomicMax", Rmw::Max),
    ("atomicAnd", Rmw::And),
    ("atomicOr", Rmw::Or),
    ("atomicXor", Rmw::Xor),
    ("atomicExchange", Rmw::Exchange),
];

/// Returns the mutable syntax of a shader.
pub fn find_syntax(text: &str, language: Language) -> Vec<SyntaxOccurrence> {
    let tokens = Tokens::new(text);
    let is_wgsl = language == Language::Wgsl;
    let brackets = if is_wgsl { brackets(&tokens) } else { BTreeSet::new() };
    let has_subgroups = tokens.all().any(|index| tokens.text(index).starts_with("subgroup"));
    let mut shader =
        Shader { text, tokens: &tokens, brackets, is_wgsl, has_subgroups, members: Vec::new() };
    shader.members = shader.members();
    let functions = shader.functions();
    let directives = shader.directives();
    let mut found = Vec::new();
    let ids: Vec<_> = functions.iter().map(|function| shader.ids(&function.parameters)).collect();
    let (mut left, none) = (functions.iter().zip(&ids).peekable(), BTreeMap::new());
    for index in tokens.all().filter(|index| !directives.contains(index)) {
        while left.next_if(|(function, _)| function.all.end <= index).is_some() {}
        let function = left.peek().filter(|(function, _)| function.all.contains(&index));
        let mut syntax = Vec::new();
        shader.at(index, function.map_or(&none, |(_, ids)| *ids), &mut syntax);
        let name = function.map(|(function, _)| function.name.to_owned());
        found.extend(
            syntax.into_iter().map(|syntax| SyntaxOccurrence { syntax, function: name.clone() }),
        );
    }
    found
}

struct Shader<'a> {
    text: &'a str,
    tokens: &'a Tokens<'a>,
    brackets: BTreeSet<usize>,
    is_wgsl: bool,
    /// Whether the text mentions subgroups.
    has_subgroups: bool,
    /// The built-in ids that are members of structures, each with its structure's other ids.
    members: Vec<Member<'a>>,
}

/// A built-in id that is a member of a structure.
struct Member<'a> {
    name: &'a str,
    builtin: &'a str,
    others: Vec<(String, String)>,
}

/// A function: its tokens including preceding attributes, and the tokens of its parameters.
struct Function<'a> {
    name: &'a str,
    all: Range<usize>,
    parameters: Range<usize>,
}

impl<'a> Shader<'a> {
    fn functions(&self) -> Vec<Function<'a>> {
        let tokens = self.tokens;
        let (mut functions, mut begin, mut index) = (Vec::new(), 0, 0);
        while index < tokens.all().end {
            match tokens.text(index) {
                "{" => {
                    let end = tokens.partner(index).unwrap_or(tokens.all().end);
                    functions.extend(self.function(begin, index, end));
                    (begin, index) = (end + 1, end);
                }
                ";" => begin = index + 1,
                _ => {}
            }
            index += 1;
        }
        functions
    }

    /// Returns the function whose body is between these braces, if they belong to one.
    fn function(&self, begin: usize, open: usize, close: usize) -> Option<Function<'a>> {
        let tokens = self.tokens;
        let of = |name: usize| {
            let end = tokens.partner(name + 1)?;
            let parameters = name + 2..end;
            Some(Function { name: tokens.text(name), all: begin..close + 1, parameters })
        };
        if self.is_wgsl {
            return (begin..open).find(|&i| tokens.text(i) == "fn").and_then(|i| of(i + 1));
        }
        // For example `void main() {`.
        let is_name = |&i: &usize| {
            tokens.kind(i) == TokenKind::Word
                && i > begin
                && tokens.text(i + 1) == "("
                && tokens.partner(i + 1) == open.checked_sub(1)
        };
        (begin..open).find(is_name).and_then(of)
    }

    /// Returns the tokens of preprocessor directives.
    fn directives(&self) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        if self.is_wgsl {
            return found;
        }
        for index in self.tokens.all().filter(|&i| self.tokens.text(i) == "#") {
            let start = self.tokens.span(index).start as usize;
            let mut end = start;
            for line in self.text[start..].split_inclusive('\n') {
                end += line.len();
                if !line.trim_end().ends_with('\\') {
                    break;
                }
            }
            let own = self.tokens.all().skip(index);
            found.extend(own.take_while(|&i| (self.tokens.span(i).start as usize) < end));
        }
        found
    }

    /// Returns the built-in ids among parameters, by parameter name.
    fn ids(&self, parameters: &Range<usize>) -> BTreeMap<&'a str, &'a str> {
        let mut ids = BTreeMap::new();
        for index in parameters.clone() {
            if let Some(builtin) = self.builtin(index) {
                // For example `@builtin(workgroup_id) name: vec3<u32>`, possibly with other attributes.
                let name = (index..parameters.end)
                    .find(|&i| self.tokens.text(i) == ":")
                    .and_then(|colon| colon.checked_sub(1));
                ids.extend(name.map(|name| (self.tokens.text(name), builtin)));
            }
        }
        ids
    }

    /// Returns the built-in ids among the members of structures.
    fn members(&self) -> Vec<Member<'a>> {
        let mut members = Vec::new();
        for index in self.tokens.all().filter(|&index| self.tokens.text(index) == "struct") {
            let open = index + 2;
            let Some(close) = self.tokens.partner(open) else { continue };
            let ids = self.ids(&(open + 1..close));
            for (&name, &builtin) in &ids {
                let others = ids.iter().filter(|(other, _)| **other != name);
                let others = others.map(|(name, of)| ((*of).to_owned(), (*name).to_owned()));
                members.push(Member { name, builtin, others: others.collect() });
            }
        }
        members
    }

    /// Returns the built-in id that this token names in `@builtin(…)`.
    fn builtin(&self, index: usize) -> Option<&'a str> {
        let text = self.tokens.text(index);
        let is_named = index >= 3
            && self.tokens.text(index - 1) == "("
            && self.tokens.text(index - 2) == "builtin"
            && self.tokens.text(index - 3) == "@";
        (is_named && IDS.iter().any(|(wgsl, _)| *wgsl == text)).then_some(text)
    }

    fn token(&self, index: usize) -> Token {
        Token { at: self.tokens.span(index), text: self.tokens.text(index).to_owned() }
    }

    fn shown(&self, tokens: Range<usize>) -> &'a str {
        &self.text[self.tokens.span_of(tokens).range(self.text)]
    }

    /// Returns whether the text before a token is an operand.
    fn is_after_operand(&self, index: usize) -> bool {
        // For example `i++ - 1` in GLSL.
        let is_step = |before: usize| matches!(self.tokens.text(before), "++" | "--");
        index > 0 && (self.tokens.ends_operand(index - 1) || is_step(index - 1))
    }

    /// Adds the syntax that begins at a token.
    fn at(&self, index: usize, ids: &BTreeMap<&str, &str>, found: &mut Vec<Syntax>) {
        let text = self.tokens.text(index);
        if self.brackets.contains(&index) {
            return;
        }
        match text {
            "+" | "-" | "*" | "&" if self.is_after_operand(index) => {
                found.push(Syntax::Binary { token: self.token(index), cast: None });
            }
            "-" => found.push(Syntax::Unary(self.token(index))),
            "!" | "~" => found.push(Syntax::Unary(self.token(index))),
            "/" | "%" | "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" | "|" | "^" | "<<"
            | ">>" => found.push(Syntax::Binary { token: self.token(index), cast: None }),
            "+=" | "-=" | "*=" | "/=" | "%=" | "<<=" | ">>=" | "&=" | "|=" | "^=" => {
                found.push(Syntax::Assign {
                    token: self.token(index),
                    by_one: self.is_one(index + 1),
                });
            }
            "++" | "--" => found.push(Syntax::Step(self.token(index))),
            "for" | "while" | "loop" | "do" => found.extend(self.of_loop(index).map(Syntax::Loop)),
            "workgroup_size" if index > 0 && self.tokens.text(index - 1) == "@" => {
                found.extend(self.workgroup_size(index));
            }
            "workgroup" if self.is_space(index) => {
                found.push(Syntax::Workgroup(self.token(index)));
            }
            "shared" if !self.is_wgsl => found.push(Syntax::Workgroup(self.token(index))),
            _ if self.tokens.kind(index) == TokenKind::Word => self.word(index, ids, found),
            _ => {}
        }
    }

    /// Returns whether the token at `index` is the number 1 and a whole operand.
    fn is_one(&self, index: usize) -> bool {
        let digits = self.tokens.text(index).trim_end_matches(['u', 'i', 'f', 'h', 'U', 'F']);
        let ends = matches!(self.tokens.text(index + 1), ";" | ")" | "," | "{");
        self.tokens.kind(index) == TokenKind::Number && digits.parse() == Ok(1.0) && ends
    }

    /// Returns whether a token is the address space in `var<workgroup>`.
    fn is_space(&self, index: usize) -> bool {
        self.is_wgsl
            && index >= 2
            && self.tokens.text(index - 1) == "<"
            && self.tokens.text(index - 2) == "var"
    }

    fn workgroup_size(&self, index: usize) -> Option<Syntax> {
        let close = self.tokens.partner(index + 1)?;
        let sizes = self.split(index + 2..close, ",");
        let sizes = sizes.into_iter().filter(|size| !size.is_empty());
        let size = |size: Range<usize>| Token {
            at: self.tokens.span_of(size.clone()),
            text: self.shown(size).to_owned(),
        };
        Some(Syntax::WorkgroupSize(sizes.map(size).collect()))
    }

    /// Adds the syntax of a word: a call or an id.
    fn word(&self, index: usize, ids: &BTreeMap<&str, &str>, found: &mut Vec<Syntax>) {
        let (tokens, text) = (self.tokens, self.tokens.text(index));
        if let Some(builtin) = self.builtin(index) {
            let siblings = self.sibling_ids(index, builtin);
            let declared = siblings.into_iter().map(|token| token.text).collect();
            found.push(Syntax::Builtin { name: self.token(index), declared });
            return;
        }
        if index > 0 && tokens.text(index - 1) == "." {
            let members = self.members.iter().filter(|member| member.name == text);
            let names = members.map(|member| Syntax::IdName {
                name: self.token(index),
                builtin: member.builtin.to_owned(),
                others: member.others.clone(),
            });
            found.extend(names);
        }
        let is_declared = index > 0 && matches!(tokens.text(index - 1), "." | "fn" | "let" | "var");
        if is_declared {
            return;
        }
        let is_size = matches!(text, "local_size_x" | "local_size_y" | "local_size_z");
        if !self.is_wgsl && is_size && tokens.text(index + 1) == "=" {
            let end = tokens.statement(index).end;
            let list = self.split(index + 2..end, ",").swap_remove(0);
            // The last element ends at the closing parenthesis.
            let end = list.clone().find(|&i| {
                tokens.text(i) == ")" && tokens.partner(i).is_none_or(|open| open < index)
            });
            let size = list.start..end.unwrap_or(list.end);
            let (at, text) = (tokens.span_of(size.clone()), self.shown(size).to_owned());
            found.push(Syntax::WorkgroupSize(vec![Token { at, text }]));
        }
        if tokens.text(index + 1) == "("
            && let Some(close) = tokens.partner(index + 1)
        {
            self.call(index, close, found);
        }
        let glsl = IDS.iter().find(|(_, glsl)| !self.is_wgsl && *glsl == text);
        let Some(builtin) = ids.get(text).copied().or(glsl.map(|(wgsl, _)| *wgsl)) else { return };
        // A declaration is followed by a colon.
        if tokens.text(index + 1) == ":" {
            return;
        }
        let of = self.token(index);
        let others = ids.iter().filter(|(name, _)| **name != text);
        let others: Vec<(String, String)> =
            others.map(|(name, builtin)| ((*builtin).to_owned(), (*name).to_owned())).collect();
        if !others.is_empty() && builtin != "local_invocation_index" {
            let (name, builtin) = (of.clone(), builtin.to_owned());
            found.push(Syntax::IdName { name, builtin, others });
        }
        if glsl.is_some() && builtin != "local_invocation_index" {
            found.push(Syntax::Builtin { name: of.clone(), declared: Vec::new() });
        }
        let is_number = builtin == "local_invocation_index";
        let is_component =
            tokens.text(index + 1) == "." && matches!(tokens.text(index + 2), "x" | "y" | "z");
        match (is_number, is_component) {
            (true, _) => found.push(Syntax::Id { at: of.at, of, axis: None }),
            (false, true) => found.push(Syntax::Id {
                at: tokens.span_of(index..index + 3),
                of,
                axis: Some(self.token(index + 2)),
            }),
            (false, false) => {}
        }
    }

    /// Returns the other ids declared in the same parentheses or braces as the one at `index`.
    fn sibling_ids(&self, index: usize, builtin: &str) -> Vec<Token> {
        let is_around = |open: &usize| {
            matches!(self.tokens.text(*open), "(" | "{")
                && self.tokens.partner(*open).is_some_and(|close| close > index)
        };
        // Skip the parenthesis of the attribute itself.
        let Some(open) = (0..index.saturating_sub(1)).rev().find(is_around) else {
            return Vec::new();
        };
        let close = self.tokens.partner(open).unwrap_or(open);
        let others = (open..close).filter(|&i| self.builtin(i).is_some_and(|of| of != builtin));
        others.map(|i| self.token(i)).collect()
    }

    /// Adds the syntax of a call whose name is at `index` and whose parentheses end at `close`.
    fn call(&self, index: usize, close: usize, found: &mut Vec<Syntax>) {
        let (tokens, name) = (self.tokens, self.tokens.text(index));
        let arguments = self.split(index + 2..close, ",");
        let is_barrier = match self.is_wgsl {
            true => name.ends_with("Barrier") && !name.contains("emory"),
            false => name.to_ascii_lowercase().ends_with("barrier"),
        };
        if is_barrier && BARRIERS.contains(&name) && arguments.iter().all(Range::is_empty) {
            // In GLSL's `if (x) barrier();`, the statement must stay.
            let is_alone = index == 0 || matches!(tokens.text(index - 1), ";" | "{" | "}" | ":");
            let end = match is_alone && tokens.text(close + 1) == ";" {
                true => close + 2,
                false => close + 1,
            };
            let statement = tokens.span_of(index..end);
            let (name, has_subgroups) = (self.token(index), self.has_subgroups);
            found.push(Syntax::Barrier { name, statement, has_subgroups });
        }
        if name == "workgroupUniformLoad"
            && let [place] = &arguments[..]
        {
            let (call, place) = (tokens.span_of(index..close + 1), tokens.span_of(place.clone()));
            found.push(Syntax::UniformLoad { call, place });
        }
        let is_texel = matches!(
            name,
            "textureLoad" | "textureStore" | "imageLoad" | "imageStore" | "texelFetch"
        );
        if is_texel
            && let [texture, coordinates, ..] = &arguments[..]
            && let Some(dimensions) = self.dimensions(texture.clone())
        {
            let coordinates = tokens.span_of(coordinates.clone());
            found.push(Syntax::Texel { coordinates, dimensions });
        }
        if let Some((_, operation)) = ATOMICS.iter().find(|(known, _)| *known == name)
            && let [place, operand] = &arguments[..]
        {
            let atomic = self.atomic(index, close, *operation, place, operand);
            found.extend(atomic.map(Syntax::Atomic));
        }
    }

    /// Returns the number of coordinates of a texel, if all declarations with the texture's name have the same type.
    fn dimensions(&self, texture: Range<usize>) -> Option<usize> {
        let tokens = self.tokens;
        let name = tokens.text(texture.start);
        if texture.len() != 1 {
            return None;
        }
        let declared = tokens.all().filter(|&i| tokens.text(i) == name).filter_map(|i| {
            let (before, after) = (i.checked_sub(1).map(|i| tokens.text(i)), tokens.text(i + 1));
            match self.is_wgsl {
                true => (after == ":").then(|| tokens.text(i + 2)),
                false => before,
            }
        });
        let dimensions = |of: &str| {
            let is_texture =
                ["texture_", "image", "uimage", "iimage", "sampler", "usampler", "isampler"];
            let is_texture = is_texture.iter().any(|prefix| of.starts_with(prefix));
            let known = [("1d", 1), ("1D", 1), ("2d", 2), ("2D", 2), ("3d", 3), ("3D", 3)];
            let found = known.iter().find(|(part, _)| of.contains(part));
            // In GLSL, the coordinates of an array of textures include the layer.
            let layers = usize::from(!self.is_wgsl && of.ends_with("Array"));
            is_texture.then_some(found).flatten().map(|(_, count)| count + layers)
        };
        let mut declared: Vec<usize> = declared.filter_map(dimensions).collect();
        declared.dedup();
        if let [dimensions] = declared[..] { Some(dimensions) } else { None }
    }

    /// Parses an atomic operation in a statement of its own: `atomicAdd(…);`, `let old = atomicAdd(…);`, `old =
    /// atomicAdd(…);`.
    fn atomic(
        &self,
        index: usize,
        close: usize,
        operation: Rmw,
        place: &Range<usize>,
        operand: &Range<usize>,
    ) -> Option<Atomic> {
        let tokens = self.tokens;
        let statement = tokens.statement(index);
        if statement.end != close + 1 || tokens.text(close + 1) != ";" {
            return None;
        }
        let before = statement.start..index;
        let old = match before.len() {
            0 => None,
            _ if tokens.text(index - 1) != "=" => return None,
            // The old value is discarded.
            2 if tokens.text(index - 2) == "_" => None,
            // The assigned word; in a declaration with a type, it precedes the colon.
            _ => {
                let names = before.clone().rev().skip(1);
                let colon = before.clone().find(|&i| tokens.text(i) == ":");
                let name = colon.map_or(names.clone().next()?, |colon| colon - 1);
                let is_name = tokens.kind(name) == TokenKind::Word
                    && tokens.text(statement.start) != "else"
                    && (name == statement.start
                        || tokens.kind(name - 1) == TokenKind::Word
                        || self.brackets.contains(&(name - 1)));
                Some(is_name.then(|| tokens.text(name).to_owned())?)
            }
        };
        let uses = |range: &Range<usize>, used: &dyn Fn(&str) -> bool| {
            range.clone().any(|i| used(tokens.text(i)))
        };
        // The place expression is duplicated, so it must not contain an atomic operation.
        if uses(place, &|text| text.starts_with("atomic")) {
            return None;
        }
        let is_used = |old: &str| {
            let is_old = |text: &str| text == old;
            uses(place, &is_old) || uses(operand, &is_old)
        };
        let kept = match old.as_deref().is_some_and(is_used) {
            true if !self.is_wgsl => return None,
            true => Some("let old_value = ".to_owned()),
            false => None,
        };
        let place = self.shown(place.clone());
        Some(Atomic {
            kept,
            statement: tokens.span_of(statement.clone()),
            before: match before.is_empty() {
                true => String::new(),
                false => {
                    let from = tokens.span(statement.start).start;
                    let range = Span::new(from, tokens.span(index).start).range(self.text);
                    self.text[range].to_owned()
                }
            },
            old,
            operation,
            operand: self.shown(operand.clone()).to_owned(),
            load: if self.is_wgsl { format!("atomicLoad({place})") } else { place.to_owned() },
            store: match self.is_wgsl {
                true => [format!("atomicStore({place}, "), ")".to_owned()],
                false => [format!("{place} = "), String::new()],
            },
        })
    }

    /// Splits a list at separators outside of inner brackets.
    fn split(&self, list: Range<usize>, separator: &str) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut index) = (Vec::new(), list.start, list.start);
        while index < list.end {
            let text = self.tokens.text(index);
            let in_template = self.brackets.contains(&index) && text == "<";
            match text {
                "(" | "[" | "{" => index = self.tokens.partner(index).unwrap_or(index),
                "<" if in_template => {
                    let mut depth = 0;
                    while index < list.end {
                        if self.brackets.contains(&index) {
                            let text = self.tokens.text(index);
                            depth +=
                                if text == "<" { 1 } else { -(text.matches('>').count() as i32) };
                        }
                        if depth <= 0 {
                            break;
                        }
                        index += 1;
                    }
                }
                _ if text == separator => {
                    parts.push(start..index);
                    start = index + 1;
                }
                _ => {}
            }
            index += 1;
        }
        parts.push(start..list.end);
        parts
    }
}
