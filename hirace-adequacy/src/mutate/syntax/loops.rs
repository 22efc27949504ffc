//! How often a loop runs, by its condition and by what changes the variable in that.
//!
//! Whatever way a loop is written, one turn less is made by moving the smaller side of its condition by one step, and one
//! turn more by moving the larger side: nothing is subtracted, so that nothing wraps around at 0.

/// How the variable of a loop changes from turn to turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The variable.
    pub variable: String,
    /// `+`, `-`, `*`, `/`, `<<` or `>>`.
    pub operator: &'static str,
    /// By how much.
    pub by: String,
}

/// A comparison that a loop goes on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The left operand, as written.
    pub left: String,
    /// `<`, `<=`, `>`, `>=` or `!=`: while that holds, the loop goes on.
    pub operator: &'static str,
    /// The right operand.
    pub right: String,
    /// Whether the variable stands in the left one.
    pub variable_is_left: bool,
    /// Whether it is all that stands there, and not part of a sum.
    pub is_plain: bool,
}

/// One side of a comparison, moved: which side it is, and what stands there then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Whether it is the left one.
    pub left: bool,
    /// What stands there.
    pub text: String,
}

/// The operator that holds where `operator` does not.
pub fn inverted(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        ">=" => "<",
        "==" => "!=",
        "!=" => "==",
        _ => return None,
    })
}

/// The operators that are known, of those that `text` may be.
pub fn comparing(text: &str) -> Option<&'static str> {
    ["<", "<=", ">", ">=", "!="].into_iter().find(|known| *known == text)
}

/// What is to move for one turn less and for one turn more; nothing, where that is not seen.
pub fn moved(comparison: &Comparison, step: &Step) -> (Option<Moved>, Option<Moved>) {
    let Comparison { left, operator, right, variable_is_left, is_plain } = comparison;
    let with =
        |side: &str, operator: &str| format!("{} {operator} {}", operand(side), operand(&step.by));
    let smaller_is_left = matches!(*operator, "<" | "<=");
    let rises = matches!(step.operator, "+" | "*" | "<<");
    // The variable comes to the other side: from below if it rises.
    let comes_nearer = smaller_is_left == (*variable_is_left == rises);
    let raised = |is_left: bool| {
        let side = if is_left { left } else { right };
        Some(Moved { left: is_left, text: with(side, "+") })
    };
    match step.operator {
        _ if *operator == "!=" => (None, None),
        _ if !comes_nearer => (None, None),
        "+" | "-" => (raised(smaller_is_left), raised(!smaller_is_left)),
        // Of a sum it is not seen what it would be a turn later.
        _ if !is_plain => (None, None),
        // The next value of the variable is compared; or this one with what the bound would be a turn later.
        _ => {
            let (variable, bound) = match variable_is_left {
                true => (left.as_str(), right.as_str()),
                false => (right.as_str(), left.as_str()),
            };
            let less = Moved { left: *variable_is_left, text: with(variable, step.operator) };
            let with_bound = matches!(*operator, "<=" | ">=");
            let more = match step.operator {
                // At 0 it stays: there is no turn more, but one without end.
                "/" | ">>"
                    if number(bound).is_some_and(|n| n <= f64::from(u8::from(with_bound))) =>
                {
                    None
                }
                // Half of a bound that is odd is less than half of it.
                "/" | ">>" if with_bound => {
                    let operator = if step.operator == "/" { "*" } else { "<<" };
                    Some(Moved { left: *variable_is_left, text: with(variable, operator) })
                }
                _ => Some(Moved { left: !variable_is_left, text: with(bound, step.operator) }),
            };
            (Some(less), more)
        }
    }
}

/// The number that a text is.
fn number(text: &str) -> Option<f64> {
    text.trim_end_matches(['u', 'i', 'f', 'h', 'U', 'F']).parse().ok()
}

/// The names in a piece of text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// An expression as an operand.
pub fn operand(text: &str) -> String {
    let is_simple = text.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    if is_simple { text.to_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(condition: &str, step: &str) -> (String, String) {
        let words: Vec<&str> = condition.split(' ').collect();
        let steps: Vec<&str> = step.split(' ').collect();
        let comparison = Comparison {
            left: words[0].to_owned(),
            operator: comparing(words[1]).unwrap(),
            right: words[2].to_owned(),
            variable_is_left: words[0] == "i",
            is_plain: true,
        };
        let operator =
            ["+", "-", "*", "/", "<<", ">>"].into_iter().find(|known| *known == steps[0]);
        let (variable, by) = ("i".to_owned(), steps[1].to_owned());
        let step = Step { variable, operator: operator.unwrap(), by };
        let (less, more) = moved(&comparison, &step);
        let text = |moved: Option<Moved>| match moved {
            None => String::new(),
            Some(Moved { left: true, text }) => format!("{text} {} {}", words[1], words[2]),
            Some(Moved { left: false, text }) => format!("{} {} {text}", words[0], words[1]),
        };
        (text(less), text(more))
    }

    /// How many turns a loop from `start` runs.
    fn turns(condition: &str, step: &str, start: i64) -> usize {
        let value = |text: &str, i: i64| {
            let parts: Vec<&str> = text.split(' ').collect();
            let of = |part: &str| if part == "i" { i } else { part.parse().unwrap() };
            match parts[..] {
                [one] => of(one),
                [a, "+", b] => of(a) + of(b),
                [a, "*", b] => of(a) * of(b),
                [a, "/", b] => of(a) / of(b),
                [a, "<<", b] => of(a) << of(b),
                [a, ">>", b] => of(a) >> of(b),
                _ => panic!("{text}"),
            }
        };
        let signs = [" <= ", " >= ", " < ", " > "];
        let sign = signs.into_iter().find(|sign| condition.contains(sign)).unwrap();
        let (left, right) = condition.split_once(sign).unwrap();
        let (mut i, mut count) = (start, 0);
        loop {
            let (a, b) = (value(left, i), value(right, i));
            let goes_on = match sign {
                " <= " => a <= b,
                " >= " => a >= b,
                " < " => a < b,
                _ => a > b,
            };
            if !goes_on || count > 99 {
                return count;
            }
            count += 1;
            i = value(&format!("i {}", step.replace("- ", "+ -")), i);
        }
    }

    #[test]
    fn a_loop_runs_one_turn_less_and_one_turn_more() {
        let loops = [
            ("i < 20", "+ 1", 0),
            ("i < 20", "+ 3", 0),
            ("i <= 20", "+ 1", 4),
            ("20 > i", "+ 1", 4),
            ("20 >= i", "+ 7", 0),
            ("i > 3", "- 1", 20),
            ("i >= 3", "- 2", 20),
            ("3 < i", "- 2", 20),
            ("i < 20", "* 2", 1),
            ("20 > i", "<< 1", 1),
            ("i > 3", "/ 2", 64),
            ("i > 16", ">> 1", 512),
        ];
        for (condition, step, start) in loops {
            let (less, more) = shown(condition, step);
            let as_it_is = turns(condition, step, start);
            assert_eq!(turns(&less, step, start) + 1, as_it_is, "{condition} {step}: {less}");
            assert_eq!(turns(&more, step, start), as_it_is + 1, "{condition} {step}: {more}");
            // A loop that does not run at all runs no turn less.
            let past =
                if step.starts_with(['-', '/']) || step.starts_with(">>") { 0 } else { 1000 };
            assert_eq!(turns(&less, step, past), 0, "{less}");
        }
    }

    #[test]
    fn what_is_not_seen_is_left_alone() {
        assert_eq!(shown("i != 20", "+ 1"), (String::new(), String::new()));
        // It wraps around, or has no end.
        assert_eq!(shown("i > 3", "+ 1"), (String::new(), String::new()));
        assert_eq!(shown("i < 20", "- 1"), (String::new(), String::new()));
    }
}
