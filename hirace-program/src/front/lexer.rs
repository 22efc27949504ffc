//! The tokens of languages that are written as C: GLSL, HLSL and Slang.

/// The longest tokens first.
const OPERATORS: [&str; 22] = [
    "<<=", ">>=", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^", "+=", "-=",
    "*=", "/=", "%=", "&=", "|=", "^=", "##",
];

/// A token within a text.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// The line that it begins on, from 1.
    pub line: u32,
}

/// Splits a text into tokens, without comments.
pub fn scan(text: &str) -> Vec<Piece> {
    let (mut pieces, mut at, mut line) = (Vec::new(), 0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first.is_whitespace() || first == '\\' {
            first.len_utf8()
        } else {
            let length = length(rest, first);
            pieces.push(Piece { start: at, end: at + length, line });
            length
        };
        line += rest[..length].matches('\n').count() as u32;
        at += length;
    }
    pieces
}

/// Returns the length of the token at the start of `rest`.
fn length(rest: &str, first: char) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let second = rest[first.len_utf8()..].chars().next();
    if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
        let is_hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
        let mut before = ' ';
        let end = rest.find(|c: char| {
            let of_exponent =
                !is_hexadecimal && matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
            before = c;
            !(is_word(c) || c == '.' || of_exponent)
        });
        return end.unwrap_or(rest.len());
    }
    if is_word(first) {
        return rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    }
    if first == '"' {
        return quoted_length(rest, '"');
    }
    let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
    operator.map_or(first.len_utf8(), |operator| operator.len())
}

/// Returns the length of the text up to the closing quote or, if there is none, up to the end of the line. The text begins with the
/// opening quote.
pub fn quoted_length(text: &str, close: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == close => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        scan(text).iter().map(|piece| &text[piece.start..piece.end]).collect()
    }

    #[test]
    fn numbers_and_operators_are_single_tokens() {
        let text = "a<<=1.5e-3f+0x1e+2/*x\n*/.5--b \"s t\"// c\n&&c_1";
        let expected =
            ["a", "<<=", "1.5e-3f", "+", "0x1e", "+", "2", ".5", "--", "b", "\"s t\"", "&&", "c_1"];
        assert_eq!(texts(text), expected);
        assert_eq!(scan(text).last().map(|piece| piece.line), Some(3));
        assert_eq!(texts("\"open\na"), ["\"open", "a"]);
        assert_eq!(texts(r#""a\"b" c"#), [r#""a\"b""#, "c"]);
        assert_eq!(texts("ä /* open"), ["ä"]);
    }
}
