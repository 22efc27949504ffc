//! Conversion of a Rust expression to a condition. Unsupported syntax is an error at its tokens.

use super::{Comparison, Condition, Element, Number, Operator, Quantified, Step};
use crate::depth;
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::guard;
use crate::source_map::{SourceMap, Span};
use syn::spanned::Spanned as _;
use syn::{BinOp, Expr, ExprMethodCall, Ident, Lit, Member, Pat, RangeLimits, UnOp};

/// The maximum nesting depth of an expression.
const DEPTH: usize = 100;
/// The maximum length of a condition in bytes.
const LENGTH: usize = 4096;

/// Parses a condition from a source that contains nothing else.
///
/// # Errors
/// Returns a diagnostic at the offending tokens if the text is not a condition.
pub fn parse(source: &SourceMap) -> Result<Condition> {
    // Parsing recurses as deep as the input nests, and syntax trees must stay on the thread that created them.
    guard::run(|| parse_text(source)).unwrap_or_else(|panic| {
        Err(Box::new(
            Diagnostic::new("hirace failed on a condition").note(format!("panic message: {panic}")),
        ))
    })
}

fn parse_text(source: &SourceMap) -> Result<Condition> {
    let text = source.text();
    if text.len() > LENGTH {
        return Err(Box::new(Diagnostic::new("a condition has at most 4096 characters")));
    }
    depth::check(text, source)?;
    let condition = syn::parse_str(text).and_then(|expression| read(&expression));
    condition
        .map_err(|error| Box::new(Diagnostic::at(source, to_span(error.span()), error.to_string())))
}

fn to_span(tokens: proc_macro2::Span) -> Span {
    let range = tokens.byte_range();
    Span::new(range.start as u32, range.end as u32)
}

/// Converts a Rust expression to a condition.
///
/// # Errors
/// Returns an error at the offending tokens if the expression is not a condition.
pub fn read(expression: &Expr) -> syn::Result<Condition> {
    Reader { parameters: Vec::new(), depth: 0 }.condition(expression)
}

/// The reader's state inside nested ranges.
struct Reader {
    /// The parameters of the enclosing closures, outermost first.
    parameters: Vec<String>,
    depth: usize,
}

impl Reader {
    fn condition(&mut self, expression: &Expr) -> syn::Result<Condition> {
        self.enter(expression)?;
        let result = match expression {
            Expr::Paren(inner) => self.condition(&inner.expr),
            Expr::Group(inner) => self.condition(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Bool(value) => Ok(Condition::Literal(value.value)),
                _ => Err(condition_expected(expression)),
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                Ok(Condition::Not(Box::new(self.condition(&unary.expr)?)))
            }
            Expr::Binary(binary) => {
                let operands = |reader: &mut Self| -> syn::Result<_> {
                    let left = Box::new(reader.condition(&binary.left)?);
                    Ok((left, Box::new(reader.condition(&binary.right)?)))
                };
                match binary.op {
                    BinOp::And(_) => {
                        operands(self).map(|(left, right)| Condition::And(left, right))
                    }
                    BinOp::Or(_) => operands(self).map(|(left, right)| Condition::Or(left, right)),
                    op => match comparison(op) {
                        Some(comparison) => Ok(Condition::Compare(
                            self.number(&binary.left)?,
                            comparison,
                            self.number(&binary.right)?,
                        )),
                        None => Err(condition_expected(expression)),
                    },
                }
            }
            Expr::MethodCall(call) if call.method == "all" || call.method == "any" => {
                self.quantified(call)
            }
            _ => Err(condition_expected(expression)),
        };
        self.depth -= 1;
        result
    }

    /// Reads `(0..8).all(|i| …)`.
    fn quantified(&mut self, call: &ExprMethodCall) -> syn::Result<Condition> {
        let receiver = without_parentheses(&call.receiver);
        let Expr::Range(range) = receiver else {
            return Err(syn::Error::new(
                receiver.span(),
                "expected a range: write `(0..8).all(|i| …)`",
            ));
        };
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            return Err(syn::Error::new(receiver.span(), "this range needs a start and an end"));
        };
        let first = self.number(start)?;
        let end = self.number(end)?;
        let end = match range.limits {
            RangeLimits::HalfOpen(_) => end,
            RangeLimits::Closed(_) => {
                Number::Binary(Box::new(end), Operator::Add, Box::new(Number::Integer(1)))
            }
        };
        let closure = match call.args.first() {
            Some(Expr::Closure(closure)) if call.args.len() == 1 => closure,
            _ => {
                let message = "expected a closure with one parameter: write `|i| out[i] == i`";
                return Err(syn::Error::new(call.args.span(), message));
            }
        };
        let name = match closure.inputs.first() {
            Some(Pat::Ident(name)) if closure.inputs.len() == 1 => name.ident.to_string(),
            _ => {
                return Err(syn::Error::new(
                    closure.span(),
                    "this closure must have one named parameter: write `|i|`",
                ));
            }
        };
        self.parameters.push(name);
        let condition = self.condition(&closure.body);
        self.parameters.pop();
        let (for_all, condition) = (call.method == "all", condition?);
        Ok(Condition::Each(Box::new(Quantified { for_all, first, end, condition })))
    }

    fn number(&mut self, expression: &Expr) -> syn::Result<Number> {
        self.enter(expression)?;
        let result = match expression {
            Expr::Paren(inner) => self.number(&inner.expr),
            Expr::Group(inner) => self.number(&inner.expr),
            // Numbers are mathematical, so a cast does not change the value.
            Expr::Cast(cast) => self.number(&cast.expr),
            Expr::Lit(literal) => number(&literal.lit),
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => Ok(Number::Negate(Box::new(self.number(&unary.expr)?))),
                // A dereferenced reference has the value that it refers to.
                UnOp::Deref(_) => self.number(&unary.expr),
                _ => Err(number_expected(expression)),
            },
            Expr::Binary(binary) => match operator(binary.op) {
                Some(operator) => Ok(Number::Binary(
                    Box::new(self.number(&binary.left)?),
                    operator,
                    Box::new(self.number(&binary.right)?),
                )),
                None => Err(number_expected(expression)),
            },
            Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => {
                self.element(&call.receiver).map(Number::Length)
            }
            Expr::Path(path) => {
                match path.path.get_ident().and_then(|name| self.parameter_index(name)) {
                    Some(index) => Ok(Number::Bound(index)),
                    None => self.element(expression).map(Number::Value),
                }
            }
            Expr::Index(_) | Expr::Field(_) => self.element(expression).map(Number::Value),
            _ => Err(number_expected(expression)),
        };
        self.depth -= 1;
        result
    }

    /// Returns the index of the closure parameter with this name. Inner parameters shadow outer ones.
    fn parameter_index(&self, name: &Ident) -> Option<usize> {
        self.parameters.iter().rposition(|parameter| name == parameter)
    }

    fn element(&mut self, expression: &Expr) -> syn::Result<Element> {
        let mut path = Vec::new();
        let mut current = expression;
        let variable = loop {
            current = match current {
                Expr::Paren(inner) => &inner.expr,
                Expr::Group(inner) => &inner.expr,
                Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => &unary.expr,
                Expr::Index(index) => {
                    path.push(Step::Index(self.number(&index.index)?));
                    &index.expr
                }
                Expr::Field(field) => {
                    path.push(Step::Member(match &field.member {
                        Member::Named(name) => name.to_string(),
                        Member::Unnamed(index) => index.index.to_string(),
                    }));
                    &field.base
                }
                Expr::Path(named) => match named.path.get_ident() {
                    Some(name) if self.parameter_index(name).is_none() => break name.to_string(),
                    _ => return Err(number_expected(current)),
                },
                _ => return Err(number_expected(current)),
            };
        };
        path.reverse();
        Ok(Element { variable, path, span: to_span(expression.span()) })
    }

    /// Increases the nesting depth.
    ///
    /// # Errors
    /// Returns an error if the expression is nested too deeply.
    fn enter(&mut self, expression: &Expr) -> syn::Result<()> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => Err(syn::Error::new(expression.span(), "this expression is nested too deeply")),
            false => Ok(()),
        }
    }
}

fn without_parentheses(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => without_parentheses(&inner.expr),
        Expr::Group(inner) => without_parentheses(&inner.expr),
        other => other,
    }
}

fn number(literal: &Lit) -> syn::Result<Number> {
    match literal {
        Lit::Int(value) => Ok(Number::Integer(value.base10_parse()?)),
        Lit::Float(value) => Ok(Number::Fraction(value.base10_parse()?)),
        other => Err(syn::Error::new(other.span(), "expected a number")),
    }
}

fn comparison(op: BinOp) -> Option<Comparison> {
    Some(match op {
        BinOp::Eq(_) => Comparison::Equal,
        BinOp::Ne(_) => Comparison::Differ,
        BinOp::Lt(_) => Comparison::Less,
        BinOp::Le(_) => Comparison::AtMost,
        BinOp::Gt(_) => Comparison::Greater,
        BinOp::Ge(_) => Comparison::AtLeast,
        _ => return None,
    })
}

fn operator(op: BinOp) -> Option<Operator> {
    Some(match op {
        BinOp::Add(_) => Operator::Add,
        BinOp::Sub(_) => Operator::Subtract,
        BinOp::Mul(_) => Operator::Multiply,
        BinOp::Div(_) => Operator::Divide,
        BinOp::Rem(_) => Operator::Remainder,
        _ => return None,
    })
}

fn condition_expected(expression: &Expr) -> syn::Error {
    let message = "expected a condition on the contents of memory: write comparisons such as `count[0] == 8`, joined \
                   by `&&` and `||`, or `(0..8).all(|i| …)`";
    syn::Error::new(expression.span(), message)
}

fn number_expected(expression: &Expr) -> syn::Error {
    let message = "expected a number: write an element such as `out[3].x`, a length such as `out.len()`, a literal, \
                   or an operation on these with `+ - * / %`";
    syn::Error::new(expression.span(), message)
}

#[cfg(test)]
mod tests {
    use super::{Condition, parse};
    use crate::source_map::SourceMap;

    fn read(text: &str) -> Result<Condition, (u32, String)> {
        parse(&SourceMap::new("it", text)).map_err(|error| {
            let column = error.labels.first().map_or(0, |(span, _)| span.start);
            (column, error.message.clone())
        })
    }

    #[test]
    fn invalid_conditions_are_rejected_at_their_tokens() {
        for (text, column) in [
            ("count[0]", 0),
            ("count[0] == 'a'", 12),
            ("a == 1 && b", 10),
            ("(0..).all(|i| a[i] == 1)", 1),
            ("(0..4).all(|i, j| a[i] == 1)", 11),
            ("(0..4).all(a)", 11),
            ("a.all(|i| true)", 0),
            ("f(x) == 1", 0),
            ("a[i << 2] == 1", 2),
            ("a == 340282366920938463463374607431768211456", 5),
            ("x::y == 1", 0),
        ] {
            let error = read(text).expect_err(text);
            assert_eq!(error.0, column, "{text}: {}", error.1);
        }
        assert!(read("a ==").is_err() && read("").is_err());
        let deep = format!("{}true{}", "(".repeat(5000), ")".repeat(5000));
        assert!(read(&deep[..4000]).is_err());
        assert!(read(&format!("{}true", "!".repeat(4000))).is_err());
        assert!(read(&format!("1 == 1{}", " + 1".repeat(1000))).is_err());
    }

    #[test]
    fn a_closure_parameter_shadows_a_variable() {
        let read = read("(0..3).any(|i| (i..=3).all(|j| a[i].x > j as u32 || *b.len() == i))");
        let Ok(Condition::Each(outer)) = read else { panic!("{read:?}") };
        assert!(!outer.for_all);
        let Condition::Each(inner) = outer.condition else { panic!("{:?}", outer.condition) };
        assert_eq!((inner.for_all, inner.first), (true, super::Number::Bound(0)));
    }
}
