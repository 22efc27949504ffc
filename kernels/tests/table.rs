//! Checks each row of the tables in `docs/book/languages/rust-constructs.md`: its Rust becomes its WGSL, and its kernel
//! uses it.
//!
//! `cargo xtask test --bless -p hirace-kernels` regenerates the WGSL column.

use hirace::raw::front::rust::lower::lower;
use hirace::raw::front::rust::print::{Selection, print};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A row of a table: a Rust construct, its WGSL, and the kernel that uses it.
struct Row<'a> {
    place: &'a str,
    rust: String,
    wgsl: String,
    user: &'a str,
}

/// Parses a line of the page as a table row; `place` is the syntactic position that the table's head names.
fn row<'a>(line: &'a str, place: &'a str) -> Option<Row<'a>> {
    let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix("` |")?.split("` | `").collect();
    let [rust, wgsl, user] = cells[..] else { return None };
    let plain = |cell: &str| cell.replace("\\|", "|");
    Some(Row { place, rust: plain(rust), wgsl: plain(wgsl), user })
}

/// Returns the page with each row replaced by the result of `each`.
fn page(text: &str, mut each: impl FnMut(&Row) -> String) -> String {
    let mut place = "";
    let mut page = String::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("| Rust, ") {
            place = head.split(" |").next().unwrap_or_default();
        }
        match row(line, place) {
            Some(row) => page += &each(&row),
            None => page += line,
        }
        page.push('\n');
    }
    page
}

fn context(text: &str) -> &str {
    let start = text.find("```rust\n").expect("the page has a context") + "```rust\n".len();
    let length = text[start..].find("```").expect("the context ends");
    &text[start..start + length]
}

/// Returns the WGSL of a context.
fn wgsl(context: &str) -> Result<String, String> {
    let at = |error: syn::Error| {
        let line = context.lines().nth(error.span().start().line - 1).unwrap_or_default();
        format!("{error} in {}", line.trim())
    };
    let item: syn::Item = syn::parse_str(context).map_err(at)?;
    let module = lower(&item).map_err(at)?;
    let printed = print(&module, &Selection::All).map_err(at)?;
    match hirace::Kernel::from_wgsl("row", &printed.wgsl) {
        Ok(_) => Ok(printed.wgsl),
        Err(error) => Err(format!("{error} in {}", printed.wgsl)),
    }
}

/// Returns the lines that the WGSL gains if `rust` replaces a comment in the context.
fn added(context: &str, comment: &str, rust: &str) -> Result<String, String> {
    let (before, after) = (wgsl(context)?, wgsl(&context.replace(&format!("// {comment}"), rust))?);
    let mut before = before.lines().peekable();
    let mut new = Vec::new();
    let mut depth = 0;
    for line in after.lines() {
        if depth == 0 && before.next_if_eq(&line).is_some() {
            continue;
        }
        // A new line that equals one of the context's: the block that was started is completed first.
        depth += line.matches('{').count();
        depth = depth.saturating_sub(line.matches('}').count());
        new.push(line.trim());
    }
    new.retain(|line| !line.is_empty());
    Ok(new.join(" "))
}

/// Returns the text between a start and an end.
fn within(text: String, start: &str, end: &str) -> Result<String, String> {
    let inside = text.split_once(start).and_then(|(_, rest)| rest.split_once(end));
    inside.map(|(inside, _)| inside.to_owned()).ok_or(text)
}

/// Returns the WGSL of a row's Rust.
fn made(context: &str, row: &Row) -> Result<String, String> {
    let rust = &row.rust;
    let between = |rust: &str| {
        let marked = format!("words[101] = 0;\n{rust}\nwords[102] = 0;");
        let text = wgsl(&context.replace("// a statement", &marked))?;
        let lines = text.lines().map(str::trim);
        let lines = lines.skip_while(|line| *line != "words[101i] = 0u;").skip(1);
        Ok(lines.take_while(|line| *line != "words[102i] = 0u;").collect::<Vec<_>>().join(" "))
    };
    match row.place {
        "a statement" if rust == "return;" => between("if p { return; }"),
        "a statement" => between(rust),
        "an expression" => {
            // Unused code is removed.
            let text = between(&format!("let mut result = {rust}; result = result;"))?;
            let value = text.strip_suffix("; result = result;");
            let value = value.and_then(|text| text.split_once("var result: ")?.1.split_once(" = "));
            value.map(|(_, value)| value.to_owned()).ok_or(text)
        }
        "a type" => {
            let text = added(context, "a parameter", &format!("#[private] typed: &mut {rust},"))?;
            within(text, "var<private> typed: ", ";")
        }
        "a parameter" if rust.starts_with("#[builtin") => {
            let text = added(context, row.place, &format!("{rust},"))?;
            within(text, "fn kernel(@builtin(global_invocation_id) id: vec3<u32>, ", ") {")
        }
        "a parameter" => added(context, row.place, &format!("{rust},")),
        "an item" => added(context, row.place, rust),
        place => Err(format!("unknown place {place}")),
    }
}

#[test]
fn every_construct_becomes_the_wgsl_beside_it() {
    let path = root().join("docs/book/languages/rust-constructs.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let update = hirace_testing::options().bless;
    let mut wrong = Vec::new();
    let mut rows = 0;
    let new = page(&text, |row| {
        rows += 1;
        let made = made(context(&text), row);
        let is_right = if update { made.is_ok() } else { made.as_ref() == Ok(&row.wgsl) };
        if !is_right || made.as_deref() == Ok("") {
            wrong.push(format!("`{}` becomes {made:?}", row.rust));
        }
        let escaped = |cell: &str| cell.replace('|', "\\|");
        let wgsl = made.as_ref().unwrap_or(&row.wgsl);
        format!("| `{}` | `{}` | `{}` |", escaped(&row.rust), escaped(wgsl), row.user)
    });
    if update {
        std::fs::write(&path, new).unwrap();
    }
    assert!(rows > 250, "{rows} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Collects the names, keywords and operators in Rust tokens.
fn words(tokens: TokenStream, into: &mut BTreeSet<String>) {
    let mut operator = String::new();
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) => {
                operator.push(punct.as_char());
                if punct.spacing() == proc_macro2::Spacing::Joint && !"&>".contains(&operator) {
                    continue;
                }
            }
            TokenTree::Ident(name) => {
                into.insert(name.to_string());
            }
            TokenTree::Group(group) => words(group.stream(), into),
            TokenTree::Literal(_) => {}
        }
        into.insert(std::mem::take(&mut operator));
    }
}

fn words_of(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    words(text.parse().unwrap_or_else(|error| panic!("{error} in {text}")), &mut all);
    all
}

/// Returns names that a row introduces, or that its context defines.
fn made_up(rust: &str, context: &str) -> BTreeSet<String> {
    let tokens: Vec<TokenTree> = rust.parse::<TokenStream>().unwrap().into_iter().collect();
    let mut names = words_of("i k l m n 'outer 'block old other");
    let after = |before: &str, names: &mut BTreeSet<String>| {
        for pair in tokens.windows(2) {
            if pair[0].to_string() == before {
                names.insert(pair[1].to_string());
            }
        }
    };
    ["const", "fn", "struct"].iter().for_each(|word| after(word, &mut names));
    // Names before a colon, and names of the context.
    for pair in rust.split(": ").collect::<Vec<_>>().windows(2) {
        let name = pair[0].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        names.extend(name.map(str::to_owned));
    }
    let declared = context.replace("#[builtin(global_invocation_id)]", "");
    for part in declared.split([',', '(', ' ', '\n', ':', '{']) {
        if part.len() < 9 && part.chars().all(|c| c.is_lowercase()) {
            names.insert(part.to_owned());
        }
    }
    names.extend(words_of("id COUNT Pair helper bump both reset set max_of first second"));
    names
}

#[test]
fn every_construct_is_used_by_the_kernel_beside_it() {
    let text =
        std::fs::read_to_string(root().join("docs/book/languages/rust-constructs.md")).unwrap();
    let keywords =
        words_of("if else for in while loop match break continue return let mut as const");
    let mut wrong = Vec::new();
    page(&text, |row| {
        let (file, function) = row.user.rsplit_once("::").unwrap();
        let path = root().join(format!("kernels/src/{}.rs", file.replace("::", "/")));
        let source = std::fs::read_to_string(&path).unwrap_or_default();
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        if !source.contains(&format!("fn {function}("))
            && !source.contains(&format!("fn {function}<"))
        {
            wrong.push(format!("{} is not there", row.user));
        }
        let (all, known) = (words_of(source), made_up(&row.rust, context(&text)));
        for word in words_of(&row.rust) {
            if !all.contains(&word) && (keywords.contains(&word) || !known.contains(&word)) {
                wrong.push(format!("{} does not use `{word}` of `{}`", row.user, row.rust));
            }
        }
        String::new()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
