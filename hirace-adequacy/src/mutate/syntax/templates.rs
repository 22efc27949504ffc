//! Finds which `<` and `>` of WGSL are brackets, by the template list discovery algorithm of the specification.

use hirace_core::front::wgsl::tokens::{TokenKind, Tokens};
use std::collections::BTreeSet;

/// Returns the tokens that open or close template lists. A token that closes two (`>>`) is included once.
pub fn brackets(tokens: &Tokens<'_>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    // Tokens that may open a list, each with the nesting depth before it.
    let mut pending: Vec<(usize, u32)> = Vec::new();
    let mut depth = 0;
    for index in tokens.all() {
        match tokens.text(index) {
            "<" if index > 0 && tokens.kind(index - 1) == TokenKind::Word => {
                pending.push((index, depth));
            }
            closing @ (">" | ">>" | ">=" | ">>=") => {
                for _ in closing.chars().take_while(|c| *c == '>') {
                    if let Some(&(open, at)) = pending.last()
                        && at == depth
                    {
                        pending.pop();
                        found.extend([open, index]);
                    }
                }
            }
            "(" | "[" => depth += 1,
            ")" | "]" => {
                pending.retain(|(_, at)| *at < depth);
                depth = depth.saturating_sub(1);
            }
            "&&" | "||" => pending.retain(|(_, at)| *at < depth),
            ";" | "{" | ":" | "=" => {
                pending.clear();
                depth = 0;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text in which guillemets replace the brackets of lists.
    fn shown(text: &str) -> String {
        let tokens = Tokens::new(text);
        let found = brackets(&tokens);
        let shown = tokens.all().map(|index| match (tokens.text(index), found.contains(&index)) {
            ("<", true) => "«".to_owned(),
            (closing, true) => closing.replace('>', "»"),
            (text, false) => text.to_owned(),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_are_no_comparisons() {
        let holds = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        holds("var<storage> a: array<vec4<f32>>;", "var « storage » a : array « vec4 « f32 »» ;");
        holds("if (a < b && c > d) {", "if ( a < b && c > d ) {");
        holds("if (a < b || c >= d) {", "if ( a < b || c >= d ) {");
        holds("f(a < b, c > (d))", "f ( a « b , c » ( d ) )");
        holds(
            "for (i = 0; i < n; i++) { x = y > z; }",
            "for ( i = 0 ; i < n ; i ++ ) { x = y > z ; }",
        );
        holds("a[i < j] > k", "a [ i < j ] > k");
        holds("let x: array<u32, (4 > 2)> = y;", "let x : array « u32 , ( 4 > 2 ) » = y ;");
        holds("x = a >> b; y = c < d;", "x = a >> b ; y = c < d ;");
        holds("array<vec2<u32>, n>=b", "array « vec2 « u32 » , n »= b");
    }
}
