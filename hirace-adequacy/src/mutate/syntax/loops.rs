//! Changes the number of iterations of a loop through its condition and the step of its variable.
//!
//! If the step is an addition or a subtraction, the smaller side of the condition is raised by one step for one
//! iteration less, and the larger side for one more. Nothing is subtracted, so nothing wraps around at 0. For other
//! steps, the step is applied to the variable for one iteration less, and to the bound for one more.

/// The change of a loop variable per iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The variable.
    pub variable: String,
    /// `+`, `-`, `*`, `/`, `<<` or `>>`.
    pub operator: &'static str,
    /// The amount.
    pub by: String,
}

/// A comparison under which a loop continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The left operand, as written.
    pub left: String,
    /// One of `<`, `<=`, `>`, `>=` and `!=`; the loop continues while it holds.
    pub operator: &'static str,
    /// The right operand.
    pub right: String,
    /// Whether the variable is in the left operand.
    pub variable_is_left: bool,
    /// Whether that operand is the variable alone, not part of a sum.
    pub is_plain: bool,
}

/// A changed operand of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShiftedOperand {
    /// Whether it is the left operand.
    pub left: bool,
    /// The new text.
    pub text: String,
}

/// Returns the operator that holds if and only if `operator` does not.
pub fn invert(operator: &str) -> Option<&'static str> {
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

/// Returns the supported comparison operator with this text.
pub fn comparing(text: &str) -> Option<&'static str> {
    ["<", "<=", ">", ">=", "!="].into_iter().find(|known| *known == text)
}

/// Returns the changed operand for one iteration less and the one for one more; `None` if it is unknown.
pub fn shift_bounds(
    comparison: &Comparison,
    step: &Step,
) -> (Option<ShiftedOperand>, Option<ShiftedOperand>) {
    let Comparison { left, operator, right, variable_is_left, is_plain } = comparison;
    let with =
        |side: &str, operator: &str| format!("{} {operator} {}", operand(side), operand(&step.by));
    let smaller_is_left = matches!(*operator, "<" | "<=");
    let rises = matches!(step.operator, "+" | "*" | "<<");
    // Whether each step brings the variable nearer to the bound, from either side.
    let comes_nearer = smaller_is_left == (*variable_is_left == rises);
    let raised = |is_left: bool| {
        let side = if is_left { left } else { right };
        Some(ShiftedOperand { left: is_left, text: with(side, "+") })
    };
    match step.operator {
        _ if *operator == "!=" => (None, None),
        _ if !comes_nearer => (None, None),
        "+" | "-" => (raised(smaller_is_left), raised(!smaller_is_left)),
        // If the operand is a sum such as `i + 1`, applying the step to it does not give its next value.
        _ if !is_plain => (None, None),
        // One iteration less: compare the next value of the variable. One more: apply the step to the bound.
        _ => {
            let (variable, bound) = match variable_is_left {
                true => (left.as_str(), right.as_str()),
                false => (right.as_str(), left.as_str()),
            };
            let less =
                ShiftedOperand { left: *variable_is_left, text: with(variable, step.operator) };
            let with_bound = matches!(*operator, "<=" | ">=");
            let more = match step.operator {
                // A variable that reaches 0 remains 0, so the loop would not terminate.
                "/" | ">>"
                    if number(bound).is_some_and(|n| n <= f64::from(u8::from(with_bound))) =>
                {
                    None
                }
                // Dividing the bound may lose a remainder, so the variable is multiplied instead.
                "/" | ">>" if with_bound => {
                    let operator = if step.operator == "/" { "*" } else { "<<" };
                    Some(ShiftedOperand { left: *variable_is_left, text: with(variable, operator) })
                }
                _ => Some(ShiftedOperand {
                    left: !variable_is_left,
                    text: with(bound, step.operator),
                }),
            };
            (Some(less), more)
        }
    }
}

/// Parses a number.
fn number(text: &str) -> Option<f64> {
    text.trim_end_matches(['u', 'i', 'f', 'h', 'U', 'F']).parse().ok()
}

/// Returns the names in a piece of text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Returns an expression as an operand, in parentheses if needed.
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
        let (less, more) = shift_bounds(&comparison, &step);
        let text = |moved: Option<ShiftedOperand>| match moved {
            None => String::new(),
            Some(ShiftedOperand { left: true, text }) => {
                format!("{text} {} {}", words[1], words[2])
            }
            Some(ShiftedOperand { left: false, text }) => {
                format!("{} {} {text}", words[0], words[1])
            }
        };
        (text(less), text(more))
    }

    /// Returns the number of iterations of a loop from `start`.
    fn iterations(condition: &str, step: &str, start: i64) -> usize {
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
    fn a_loop_runs_one_iteration_less_and_one_more() {
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
            let as_it_is = iterations(condition, step, start);
            assert_eq!(iterations(&less, step, start) + 1, as_it_is, "{condition} {step}: {less}");
            assert_eq!(iterations(&more, step, start), as_it_is + 1, "{condition} {step}: {more}");
            // A loop without iterations still has none.
            let past =
                if step.starts_with(['-', '/']) || step.starts_with(">>") { 0 } else { 1000 };
            assert_eq!(iterations(&less, step, past), 0, "{less}");
        }
    }

    #[test]
    fn unknown_loops_are_not_changed() {
        assert_eq!(shown("i != 20", "+ 1"), (String::new(), String::new()));
        // These wrap around or do not terminate.
        assert_eq!(shown("i > 3", "+ 1"), (String::new(), String::new()));
        assert_eq!(shown("i < 20", "- 1"), (String::new(), String::new()));
    }
}
