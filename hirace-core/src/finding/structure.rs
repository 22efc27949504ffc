//! How the statements around two sites nest: where something can be put between them.

use super::place::last_line;
use crate::ir::sites::SiteId;
use crate::ir::walk::{self, FunctionId};
use crate::program::Program;
use crate::source_map::Span;
use naga::{Barrier, Block, Statement};
use rustc_hash::FxHashMap;

/// What kind of statement a node is, as far as nesting goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Plain,
    Block,
    If,
    Switch,
    Loop,
}

/// One statement.
#[derive(Clone, Debug)]
struct Node {
    /// The statement it is in, and in which of its blocks (see [`walk::children`]).
    parent: Option<(u32, usize)>,
    shape: Shape,
    span: Span,
    barrier: Barrier,
}

/// The statements of one function by ordinal, and where sites stand among them.
pub(crate) struct Structure<'a> {
    program: &'a Program,
    pub function: FunctionId,
    nodes: Vec<Node>,
    of_site: FxHashMap<SiteId, u32>,
}

/// How two statements of a function lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// In sequence: where the first ends and where the second begins. The second is given as the
    /// ordinal of the statement, in the block of both, that holds it.
    Sequence { first_line: u32, second_line: u32, second: u32 },
    /// Parts of one statement (a loop, an `if` or `switch` of which one is the condition included).
    Same,
    /// In two branches of the `if` (or `switch`) that begins at this line.
    Branches { of: &'static str, line: u32 },
}

impl<'a> Structure<'a> {
    /// The structure of `function`.
    pub fn new(program: &'a Program, function: FunctionId) -> Self {
        let of_site = FxHashMap::default();
        let mut structure = Self { program, function, nodes: Vec::new(), of_site };
        structure.add(&function.get(&program.module).body, None, 0);
        structure
    }

    fn add(&mut self, block: &Block, parent: Option<u32>, child: usize) {
        for (statement, span) in block.span_iter() {
            let ordinal = self.nodes.len() as u32;
            let shape = match statement {
                Statement::If { .. } => Shape::If,
                Statement::Switch { .. } => Shape::Switch,
                Statement::Loop { .. } => Shape::Loop,
                Statement::Block(_) => Shape::Block,
                _ => Shape::Plain,
            };
            let barrier = self.program.sites.barrier(self.function, ordinal);
            let barrier = barrier.and_then(|site| self.program.sites.barrier_at(site));
            let barrier = barrier.map_or(Barrier::empty(), |barrier| barrier.in_workgroup);
            let parent = parent.map(|parent| (parent, child));
            self.nodes.push(Node { parent, shape, span: (*span).into(), barrier });
            let sites = &self.program.sites;
            let own =
                [sites.statement(self.function, ordinal), sites.barrier(self.function, ordinal)];
            self.of_site.extend(own.into_iter().flatten().map(|site| (site, ordinal)));
            if let Statement::Emit(range) = statement {
                let loads = range.clone().filter_map(|e| sites.load(self.function, e));
                self.of_site.extend(loads.map(|site| (site, ordinal)));
            }
            for (child, inner) in walk::children(statement).into_iter().enumerate() {
                self.add(inner, Some(ordinal), child);
            }
        }
    }

    /// The statement of a site.
    pub fn ordinal(&self, site: SiteId) -> Option<u32> {
        self.of_site.get(&site).copied()
    }

    fn node(&self, ordinal: u32) -> &Node {
        &self.nodes[ordinal as usize]
    }

    /// The statement itself and those around it, innermost first.
    fn around(&self, ordinal: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = |&ordinal: &u32| self.node(ordinal).parent.map(|(parent, _)| parent);
        std::iter::successors(Some(ordinal), parent)
    }

    /// The statements that hold `a` and `b` in the innermost block that holds both.
    fn siblings(&self, a: u32, b: u32) -> (u32, u32) {
        for at in self.around(a) {
            let same_block = |&other: &u32| self.node(other).parent == self.node(at).parent;
            if let Some(other) = self.around(b).find(same_block) {
                return (at, other);
            }
        }
        (a, b)
    }

    /// How the statements `a` and `b` lie to each other.
    pub fn between(&self, a: u32, b: u32) -> Between {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let (first, second) = self.siblings(a, b);
        let source = &self.program.source;
        if first == second {
            // In Rust, a `match` may be either.
            let text = source.snippet(self.node(first).span);
            let of = match self.node(first).shape {
                Shape::If | Shape::Switch if text.starts_with("match") => "match",
                Shape::If => "if",
                Shape::Switch => "switch",
                _ => return Between::Same,
            };
            let line = source.position(self.node(first).span.start).line;
            return Between::Branches { of, line };
        }
        let (from, to) = (self.node(first).span, self.node(second).span);
        // naga makes several statements of one: what a condition or an operand loads comes before the
        // `if` or the assignment that it is part of.
        if to.start <= from.start && from.end <= to.end {
            return Between::Same;
        }
        let first_line = last_line(source, from);
        let mut begin = to.start;
        // The body of a `while` begins with its first statement, not with the brace behind the head.
        if self.node(second).shape == Shape::Block {
            let inner = self.nodes.iter().find(|node| node.parent == Some((second, 0)));
            begin = inner.map_or(begin, |node| node.span.start);
        }
        let second_line = source.position(begin).line;
        Between::Sequence { first_line, second_line, second }
    }

    /// Whether a barrier of `class` stands between `a` and `b`, in the innermost block of both.
    pub fn barrier_between(&self, a: u32, b: u32, class: Barrier) -> bool {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let (first, second) = self.siblings(a, b);
        let parent = self.node(first).parent;
        (first..second)
            .any(|at| self.node(at).parent == parent && self.node(at).barrier.contains(class))
    }

    /// The innermost loop around both, as an ordinal.
    pub fn common_loop(&self, a: u32, b: u32) -> Option<u32> {
        let around_b: Vec<u32> = self.around(b).collect();
        self.around(a).find(|at| self.node(*at).shape == Shape::Loop && around_b.contains(at))
    }

    /// Whether a barrier of `class` stands anywhere in the statement `outer`.
    pub fn holds_barrier(&self, outer: u32, class: Barrier) -> bool {
        let inside = |at: u32| self.around(at).any(|around| around == outer);
        let mut all = 0..self.nodes.len() as u32;
        all.any(|at| self.node(at).barrier.contains(class) && inside(at))
    }

    /// The line on which the last statement in the body of a loop ends.
    pub fn loop_body_end(&self, of: u32) -> Option<u32> {
        let mut last = self.last_child(of, 0)?;
        // The body of a `for` or `while` is a block of its own.
        while self.node(last).shape == Shape::Block
            && let Some(inner) = self.last_child(last, 0)
        {
            last = inner;
        }
        Some(last_line(&self.program.source, self.node(last).span))
    }

    fn last_child(&self, of: u32, block: usize) -> Option<u32> {
        let held = |node: &Node| node.parent == Some((of, block));
        self.nodes.iter().rposition(held).map(|at| at as u32)
    }

    /// The line on which the statement with this ordinal begins.
    pub fn line(&self, ordinal: u32) -> u32 {
        self.program.source.position(self.node(ordinal).span.start).line
    }

    /// Where a site of another function is reached from this one: its only call here.
    pub fn only_call_of(&self, callee: FunctionId) -> Option<u32> {
        let FunctionId::Helper(callee) = callee else { return None };
        let mut calls = Vec::new();
        let body = &self.function.get(&self.program.module).body;
        walk::statements(body, &mut |ordinal, statement, _| {
            if matches!(statement, Statement::Call { function, .. } if *function == callee) {
                calls.push(ordinal);
            }
        });
        match calls[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}
