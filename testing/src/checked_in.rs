//! Generated text that is checked in.

use crate::options;
use std::path::Path;

/// Compares a checked-in file with the text that is generated for it now, as [`check_up_to_date`] does.
///
/// # Panics
/// They differ.
pub fn assert_up_to_date(path: impl AsRef<Path>, generated: &str) {
    check_up_to_date(path.as_ref(), generated).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Compares a checked-in file with the text that is generated for it now. Under `--bless` the file is written.
///
/// # Errors
/// The file cannot be written, or it differs. The message names the first line that differs.
pub fn check_up_to_date(path: &Path, generated: &str) -> Result<(), String> {
    let shown = path.display();
    if options().bless {
        return std::fs::write(path, generated).map_err(|error| format!("{shown}: {error}"));
    }
    // Git may check text out with other line ends.
    let checked_in = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    match first_difference(&checked_in, generated) {
        None => Ok(()),
        Some(difference) => {
            Err(format!("{shown}:{difference}\nwrite it with `cargo xtask test --bless`"))
        }
    }
}

/// The line of a page after which everything is generated.
const GENERATED: &str = "<!-- written by a test from here -->\n";

/// Compares the generated part of a checked-in page, which follows the line `<!-- written by a test from here -->`, as
/// [`check_up_to_date`] does with a whole file.
///
/// # Errors
/// The page cannot be read or written, has no such line, or differs.
pub fn check_part_up_to_date(path: &Path, generated: &str) -> Result<(), String> {
    let shown = path.display();
    let page = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    let page = page.replace("\r\n", "\n");
    let (head, _) = page.split_once(GENERATED).ok_or(format!("{shown} has no generated part"))?;
    check_up_to_date(path, &format!("{head}{GENERATED}{generated}"))
}

/// Describes the first line that differs.
fn first_difference(checked_in: &str, generated: &str) -> Option<String> {
    if checked_in == generated {
        return None;
    }
    let (mut old, mut new) = (checked_in.lines(), generated.lines());
    for number in 1.. {
        let (old, new) = (old.next(), new.next());
        if old != new || old.is_none() {
            let shown = |line: Option<&str>| line.unwrap_or("(end of file)").to_owned();
            return Some(format!("{number}: {}\ngenerated: {}", shown(old), shown(new)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n").unwrap(), "2: b\ngenerated: c");
        assert_eq!(first_difference("a\n", "a\nb\n").unwrap(), "2: (end of file)\ngenerated: b");
        // Only the line end differs.
        let end = first_difference("a", "a\n").unwrap();
        assert_eq!(end, "2: (end of file)\ngenerated: (end of file)");
    }
}
