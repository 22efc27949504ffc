//! Iterator methods that consume a chain: sums, folds, searches.

use super::super::tree::{Binary, Block, ExprKind, LabelId, Literal, Place, Scalar, Statement};
use super::body::{Body, Node};
use super::build::{NodeBuilder, lend, seen_through, variant_of_local};
use super::calls::check_argument_count;
use super::control::after;
use super::errors::{place, refuse};
use super::evaluation_order::is_pure;
use super::infer::{Ty, VariableKind};
use super::iterators::{Iteration, is_chain};
use super::names::text;
use super::operators::Shape;
use super::optional::ORDERING;
use syn::{Expr, ExprMethodCall};

/// The consuming methods and their numbers of arguments.
const CONSUMERS: [(&str, usize); 18] = [
    ("max_by_key", 1),
    ("min_by", 1),
    ("max_by", 1),
    ("sum", 0),
    ("product", 0),
    ("count", 0),
    ("min", 0),
    ("max", 0),
    ("last", 0),
    ("any", 1),
    ("all", 1),
    ("for_each", 1),
    ("position", 1),
    ("find", 1),
    ("find_map", 1),
    ("reduce", 1),
    ("min_by_key", 1),
    ("fold", 2),
];

/// Returns whether a call consumes an iterator chain.
pub fn consumes(call: &ExprMethodCall) -> bool {
    let method = text(&call.method);
    CONSUMERS.iter().any(|(name, _)| *name == method) && is_chain(&call.receiver)
}

/// Returns the statements that update the accumulator with an item.
type Step<'s, 'b, 'a> =
    dyn Fn(&mut Body<'b, 'a>, Accumulator, Node) -> syn::Result<Vec<Statement<Ty>>> + 's;

/// The accumulator of a loop, and the label to leave it with.
struct Accumulator {
    value: Node,
    label: LabelId,
    at: NodeBuilder,
}

impl Accumulator {
    fn set(&self, value: Node) -> Statement<Ty> {
        self.at.assign(self.value.clone(), value)
    }

    fn update(&self, operator: Binary, by: Node) -> Statement<Ty> {
        self.at.update(operator, self.value.clone(), by)
    }

    fn leave(&self) -> Statement<Ty> {
        Statement::Expr(self.at.leave(ExprKind::Break(self.label, None)))
    }

    /// Returns `Some(value)`, of the accumulator's type.
    fn some(&self, value: Node) -> Node {
        self.at.node(ExprKind::Variant(1, vec![value]), &self.value.ty)
    }
}

impl<'b, 'a> Body<'b, 'a> {
    /// Lowers `chain.sum()` and the other consuming methods.
    pub fn lower_consumer(&mut self, call: &ExprMethodCall) -> syn::Result<Node> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let method = text(&call.method);
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let wanted =
            CONSUMERS.iter().find(|(name, _)| *name == method).map_or(0, |(_, count)| *count);
        check_argument_count(&method, wanted, arguments.len(), extent)?;
        let mut of = self.iteration(&call.receiver)?;
        let start = if method == "fold" { Some(self.value(arguments[0])) } else { None };
        if start.as_ref().is_some_and(|start| !is_pure(start)) {
            self.evaluate_loop_range(&mut of.range);
        }
        let function = arguments.last().map(|function| self.expr(function));
        let item = of.item.ty.clone();
        let apply = |body: &mut Self, arguments: Vec<Node>| match &function {
            Some(function) => body.call_node(function, arguments, extent),
            None => refuse(extent, "expected a function"),
        };
        let holds = |body: &mut Self, argument: Node| {
            let holds = apply(body, vec![argument])?;
            Ok::<Node, syn::Error>(body.coerce(holds, &Ty::BOOL))
        };
        // An item is kept with its key, which is computed once per item.
        let (by_key, key) = (method.ends_with("_key"), self.types.fresh(VariableKind::Any));
        let (first, step): (Node, Box<Step<'_, 'b, 'a>>) = match (method.as_str(), start) {
            ("fold", Some(start)) => (
                start,
                Box::new(|body, kept, item| {
                    let next = apply(body, vec![kept.value.clone(), item])?;
                    let next = body.coerce(next, &kept.value.ty);
                    Ok(vec![kept.set(next)])
                }),
            ),
            ("sum" | "product", _) => {
                let first = self.first_of(&method, call, &item, extent)?;
                let operator = if method == "sum" { Binary::Add } else { Binary::Multiply };
                let step = move |_: &mut Self, kept: Accumulator, item: Node| {
                    let item = Node { ty: item.ty.referent().clone(), ..item };
                    Ok(vec![kept.update(operator, item)])
                };
                (first, Box::new(step))
            }
            ("count", _) => (
                at.number(0, &Ty::USIZE),
                Box::new(move |_, kept, _| {
                    Ok(vec![kept.update(Binary::Add, at.number(1, &Ty::USIZE))])
                }),
            ),
            ("any" | "all", _) => {
                let any = method == "any";
                let step = move |body: &mut Self, kept: Accumulator, item: Node| {
                    let holds = holds(body, item)?;
                    let found = if any { holds } else { at.not(holds) };
                    let leave = vec![kept.set(at.truth(any)), kept.leave()];
                    Ok(vec![at.when(found, leave)])
                };
                (at.truth(!any), Box::new(step))
            }
            ("position", _) => {
                let position = self.position(&mut of, extent);
                let position = at.convert(position, &Ty::USIZE);
                let step = move |body: &mut Self, kept: Accumulator, item: Node| {
                    let found = holds(body, item)?;
                    let leave = vec![kept.set(kept.some(position.clone())), kept.leave()];
                    Ok(vec![at.when(found, leave)])
                };
                (at.none(&Ty::USIZE), Box::new(step))
            }
            ("find", _) => {
                let step = |body: &mut Self, kept: Accumulator, item: Node| {
                    let mut statements = Vec::new();
                    let item = body.hold_parts(item, &mut statements);
                    let found = holds(body, lend(&item))?;
                    let leave = vec![kept.set(kept.some(item)), kept.leave()];
                    statements.push(at.when(found, leave));
                    Ok(statements)
                };
                (at.none(&item), Box::new(step))
            }
            ("find_map", _) => {
                let of = self.types.fresh(VariableKind::Any);
                let step = |body: &mut Self, kept: Accumulator, item: Node| {
                    let found = apply(body, vec![item])?;
                    let found = body.coerce(found, &kept.value.ty);
                    let is_some = body.variant_method(&kept.value, "is_some", &[], extent)?;
                    let is_some = is_some.unwrap_or_else(|| at.truth(false));
                    Ok(vec![kept.set(found), at.when(is_some, vec![kept.leave()])])
                };
                (at.none(&of), Box::new(step))
            }
            ("last", _) => {
                let step = |_: &mut Self, kept: Accumulator, item: Node| {
                    Ok(vec![kept.set(kept.some(item))])
                };
                (at.none(&item), Box::new(step))
            }
            ("min" | "max" | "reduce" | "min_by_key" | "max_by_key" | "min_by" | "max_by", _) => {
                let kept = match by_key {
                    true => Ty::Tuple(vec![key.clone(), item]),
                    false => item,
                };
                let step = |body: &mut Self, kept: Accumulator, item: Node| {
                    let mut statements = Vec::new();
                    let mut item = body.hold_parts(item, &mut statements);
                    let mut compared = seen_through(item.clone());
                    if by_key {
                        let of_item = apply(body, vec![lend(&item)])?;
                        let of_item = body.coerce(seen_through(of_item), &key);
                        compared = body.named_value("key", of_item, &mut statements);
                        item = at.pair(compared.clone(), item);
                    }
                    let local = body.named_local("best", &item.ty, extent);
                    let best = at.local(local, &item.ty);
                    let next = match method.as_str() {
                        "reduce" => {
                            let next = apply(body, vec![best, item.clone()])?;
                            body.coerce(next, &item.ty)
                        }
                        "min_by" | "max_by" => {
                            let order = apply(body, vec![lend(&best), lend(&item)])?;
                            let operator = match method.as_str() {
                                "min_by" => Binary::Equal,
                                _ => Binary::NotEqual,
                            };
                            let greater = at.node(ExprKind::Variant(2, Vec::new()), &ORDERING);
                            let order = body.coerce(order, &ORDERING);
                            at.choose(at.test(operator, order, greater), item.clone(), best)
                        }
                        _ => {
                            let with = match by_key {
                                true => {
                                    let of_best = ExprKind::Member(Box::new(best.clone()), 0);
                                    at.node(of_best, &key)
                                }
                                false => seen_through(best.clone()),
                            };
                            // Among equal items, `min` returns the first and `max` the last.
                            let operator = match method.as_str() {
                                "max" | "max_by_key" => Binary::GreaterOrEqual,
                                _ => Binary::Less,
                            };
                            let better = body.compared(operator, compared, with, extent);
                            at.choose(better, item.clone(), best)
                        }
                    };
                    let (known, first) = (variant_of_local(1, local), kept.some(item));
                    let next = at.match_or(kept.value.clone(), known, kept.some(next), first);
                    statements.push(kept.set(next));
                    Ok(statements)
                };
                (at.none(&kept), Box::new(step))
            }
            _ => {
                let step = |body: &mut Self, _: Accumulator, item: Node| {
                    let done = apply(body, vec![item])?;
                    Ok(vec![Statement::Expr(body.coerce(done, &Ty::UNIT))])
                };
                return self.gathered(of, None, &method, extent, &step);
            }
        };
        let gathered = self.gathered(of, Some(first), &method, extent, &*step)?;
        Ok(if by_key { self.without_key(gathered, extent) } else { gathered })
    }

    /// Returns the item without its key.
    fn without_key(&mut self, found: Node, extent: Place) -> Node {
        let Ty::Enum(_, of) = &found.ty else { return found };
        let [Ty::Tuple(parts)] = &of[..] else { return found };
        let (both, item) = (of[0].clone(), parts[1].clone());
        let local = self.named_local("found", &both, extent);
        let at = NodeBuilder(extent);
        let value = at.node(ExprKind::Member(Box::new(at.local(local, &both)), 1), &item);
        at.match_or(found, variant_of_local(1, local), at.some(value), at.none(&item))
    }

    /// Returns the loop over the items, with the accumulator's final value.
    fn gathered(
        &mut self,
        mut of: Iteration,
        first: Option<Node>,
        name: &str,
        extent: Place,
        step: &Step<'_, 'b, 'a>,
    ) -> syn::Result<Node> {
        let label = self.label();
        let mut statements = std::mem::take(&mut of.range.before);
        let at = NodeBuilder(extent);
        let kept = first.map(|first| self.named_variable(name, first, &mut statements));
        let value = kept.clone().unwrap_or_else(|| at.zero(&Ty::UNIT));
        let looped = self.lower_iteration_loop(of, label, extent, |body, item, statements| {
            statements.extend(step(body, Accumulator { value, label, at }, item)?);
            Ok(())
        })?;
        let Some(kept) = kept else { return Ok(after(statements, looped)) };
        statements.push(Statement::Expr(looped));
        let ty = kept.ty.clone();
        let block = Block { statements, value: Some(Box::new(kept)), place: extent };
        Ok(Node { kind: ExprKind::Block(None, block), ty, diverges: false, place: extent })
    }

    /// Returns the initial value of a sum or product.
    fn first_of(
        &mut self,
        method: &str,
        call: &ExprMethodCall,
        item: &Ty,
        extent: Place,
    ) -> syn::Result<Node> {
        let item = self.types.resolve_shallow(item).referent().clone();
        let ty = match &call.turbofish {
            Some(given) => match given.args.first() {
                Some(syn::GenericArgument::Type(ty)) if given.args.len() == 1 => {
                    self.open_type(ty, &mut Vec::new())?
                }
                _ => {
                    return refuse(
                        place(given),
                        "expected one type argument: write `sum::<f32>()`",
                    );
                }
            },
            None => item.clone(),
        };
        if !self.types.unify(&ty, &item) {
            let (wanted, found) = (self.describe(&ty), self.describe(&item));
            return refuse(extent, format!("expected items of `{wanted}`, found `{found}`"));
        }
        self.resolve_obligations();
        let at = NodeBuilder(extent);
        Ok(match (method, self.shape(&ty)) {
            (_, Shape::ScalarOrVector(Scalar::F16, None)) => {
                let message = "`half` adds and multiplies items as `f32`: map them with `f16::to_f32` first, or use \
                               `.fold(…)`";
                return refuse(extent, message);
            }
            ("sum", _) => at.zero(&ty),
            (_, Shape::Float | Shape::ScalarOrVector(Scalar::F32, None)) => {
                at.node(ExprKind::Literal(Literal::Float(1.0)), &ty)
            }
            (_, Shape::ScalarOrVector(_, Some(_)) | Shape::Matrix(..) | Shape::Other) => {
                return refuse(extent, "the items of a product must be numbers: use `.fold(…)`");
            }
            _ => at.number(1, &ty),
        })
    }
}
