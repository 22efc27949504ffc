//! Tests the solver with small analyses.

mod dead_stores;

use super::{Analysis, Edge, Exits, JoinSemiLattice, solve};
use crate::ir::walk::{NumberedStatement, StatementOrder};
use naga::{Expression, Function, Handle, Literal, Statement};
use rustc_hash::FxHashMap;

/// Returns the function of this body.
fn function(body: &str) -> Function {
    let text = format!("fn g() {{}} fn f(c: bool, n: u32) -> u32 {{ var x = 9u; {body} }}");
    let module = naga::front::wgsl::parse_str(&text).expect("valid WGSL");
    let mut functions = module.functions.iter().map(|(_, function)| function);
    functions.find(|function| function.name.as_deref() == Some("f")).expect("f").clone()
}

/// Returns the literal that a statement stores.
fn stored(function: &Function, statement: &Statement) -> Option<u32> {
    let Statement::Store { value, .. } = *statement else { return None };
    match function.expressions[value] {
        Expression::Literal(Literal::U32(literal)) => Some(literal),
        _ => None,
    }
}

/// Returns the literals of the stores whose values are never read.
fn dead(body: &str) -> Vec<u32> {
    let function = function(body);
    let dead = dead_stores::dead_stores(&function);
    let mut literals = Vec::new();
    crate::ir::walk::statements(&function.body, &mut |id, statement, _| {
        if dead.contains(&id) {
            literals.extend(stored(&function, statement));
        }
    });
    literals
}

#[test]
fn a_store_is_dead_if_no_path_reads_its_value() {
    assert_eq!(dead("x = 1u; x = 2u; return x;"), [1]);
    assert_eq!(dead("x = 1u; if c { x = 2u; } return x;"), []);
    assert_eq!(dead("x = 1u; if c { x = 2u; } else { x = 3u; } return x;"), [1]);
    assert_eq!(dead("x = 1u; if c { x = 2u; return 0u; } return x;"), [2]);
    assert_eq!(
        dead("switch n { case 1u { x = 1u; } default { x = 2u; return 0u; } } return x;"),
        [2]
    );
    assert_eq!(dead("switch n { case 1u { x = 1u; break; } default {} } x = 2u; return x;"), [1]);
}

#[test]
fn values_are_live_around_loops() {
    assert_eq!(dead("loop { if x > n { break; } x = 1u; } return 0u;"), []);
    assert_eq!(dead("loop { x = 1u; if c { break; } x = 2u; } return x;"), [2]);
    assert_eq!(
        dead(
            "loop { x = 1u; if c { continue; } x = 2u; continuing { break if x > n; } } return 0u;"
        ),
        []
    );
    assert_eq!(dead("loop { x = 1u; continuing { x = 2u; break if c; } } return x;"), [1]);
    assert_eq!(
        dead("loop { loop { x = 1u; if c { break; } } if x > n { break; } x = 3u; } return 0u;"),
        [3]
    );
}

/// The range of the literals that a variable may hold: a lattice of infinite height. Conditions are the arguments that they read.
struct Ranges<'a> {
    function: &'a Function,
    /// By literal: what its store depends on, and the state before it.
    stores: Vec<(u32, Vec<u32>, Option<Range>)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Range(u32, u32);

impl JoinSemiLattice for Range {
    fn join(&mut self, other: &Self) -> bool {
        let joined = Self(self.0.min(other.0), self.1.max(other.1));
        std::mem::replace(self, joined) != joined
    }
}

impl<'a> Analysis<'a> for Ranges<'_> {
    type State = Option<Range>;
    type Cause = FxHashMap<u32, ()>;

    fn bottom(&self) -> Option<Range> {
        None
    }

    fn statement(
        &mut self,
        at: NumberedStatement<'a>,
        range: &mut Option<Range>,
        control: &Self::Cause,
    ) {
        if let Some(literal) = stored(self.function, at.statement) {
            let mut causes: Vec<u32> = control.keys().copied().collect();
            causes.sort_unstable();
            self.stores.push((literal, causes, *range));
            // Each store adds to the range, so that it grows without end in a loop.
            *range = range.map(|Range(low, high)| Range(low, high.saturating_add(literal)));
        }
    }

    fn cause(
        &mut self,
        _: NumberedStatement<'a>,
        condition: Handle<Expression>,
        _: &Option<Range>,
    ) -> Self::Cause {
        match self.function.expressions[condition] {
            Expression::FunctionArgument(index) => [(index, ())].into_iter().collect(),
            _ => FxHashMap::default(),
        }
    }

    fn enter(
        &mut self,
        at: NumberedStatement<'a>,
        edge: Edge,
        range: &mut Option<Range>,
        _: &Self::Cause,
    ) {
        // `false` is a condition that never holds.
        if let (Statement::If { condition, .. }, Edge::Block(0)) = (at.statement, edge)
            && self.function.expressions[*condition] == Expression::Literal(Literal::Bool(false))
        {
            *range = None;
        }
    }

    fn widen(&mut self, _: NumberedStatement<'a>, range: &mut Option<Range>, round: u32) {
        if round > 3 {
            *range = range.map(|Range(low, _)| Range(low, u32::MAX));
        }
    }
}

/// What each store depends on, and the last state before it, by the literal that it stores.
type StoreStates = FxHashMap<u32, (Vec<u32>, Option<Range>)>;

/// Returns the states at the end and at returns, and what the stores depend on with the last state before them.
fn ranges(body: &str) -> (Exits<Option<Range>>, StoreStates) {
    let function = function(body);
    let order = StatementOrder::of(&function.body);
    let mut analysis = Ranges { function: &function, stores: Vec::new() };
    let statements = order.statements(&function.body).iter();
    let exits = solve(&mut analysis, statements, Some(Range(0, 0)), FxHashMap::default());
    let stores = analysis.stores.into_iter();
    (exits, stores.map(|(literal, causes, range)| (literal, (causes, range))).collect())
}

#[test]
fn states_are_joined_where_paths_meet() {
    let (exits, stores) = ranges("if c { x = 1u; } else { x = 5u; } x = 10u; return x;");
    assert_eq!(stores[&10].1, Some(Range(0, 5)));
    assert_eq!((exits.end, exits.returned), (None, Some(Range(0, 15))));
    let (_, stores) = ranges("if c { x = 1u; return 0u; } x = 10u; return x;");
    assert_eq!(stores[&10].1, Some(Range(0, 0)));
    let (_, stores) = ranges("if false { x = 1u; } x = 10u; return x;");
    assert_eq!((stores[&1].1, stores[&10].1), (None, Some(Range(0, 0))));
    let (_, stores) = ranges(
        "switch n { case 1u { x = 1u; } case 2u { x = 2u; break; } default {} } x = 10u; return x;",
    );
    assert_eq!((stores[&2].1, stores[&10].1), (Some(Range(0, 0)), Some(Range(0, 2))));
}

#[test]
fn loops_of_infinite_height_are_widened() {
    let (_, stores) = ranges("loop { if c { break; } if c { x = 100u; } } x = 3u; return x;");
    assert_eq!(stores[&3].1, Some(Range(0, u32::MAX)));
}

#[test]
fn control_depends_on_branches_and_on_earlier_jumps_until_they_join() {
    let causes = |body: &str, literal| ranges(body).1[&literal].0.clone();
    assert_eq!(causes("if c { x = 1u; } x = 2u; return x;", 1), [0]);
    assert_eq!(causes("if c { x = 1u; } x = 2u; return x;", 2), []);
    assert_eq!(causes("if c { return 0u; } x = 2u; return x;", 2), [0]);
    let body = "loop { x = 0u; if c { break; } x = 1u; } x = 2u; return x;";
    assert_eq!([0, 1, 2].map(|of| causes(body, of).len()), [1, 1, 0]);
    let body =
        "loop { if c { continue; } x = 0u; continuing { x = 1u; break if n == 0u; } } return x;";
    assert_eq!([0, 1].map(|of| causes(body, of).len()), [1, 0]);
    let body = "loop { x = 0u; continuing { break if c; } } x = 2u; return x;";
    assert_eq!([0, 2].map(|of| causes(body, of).len()), [1, 0]);
    let body = "switch n { case 1u { if c { break; } x = 0u; } default {} } x = 2u; return x;";
    assert_eq!([0, 2].map(|of| causes(body, of).len()), [2, 0]);
    // Invocations that left the outer loop do not execute the inner one.
    let body = "loop { if c { break; } loop { x = 0u; break; } x = 1u; } x = 2u; return x;";
    assert_eq!([0, 1, 2].map(|of| causes(body, of).len()), [1, 1, 0]);
    let body = "loop { if c { continue; } switch 0u { default { x = 0u; } } }";
    assert_eq!(causes(body, 0), [0]);
}
