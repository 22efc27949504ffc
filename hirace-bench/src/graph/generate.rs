//! Generation of graphs. A name and a seed give the same graph on every machine.

use super::name::{Direction, Grid, Kind, Name};
use super::{Graph, GraphError};
use hirace_core::random::Random;
use std::iter::repeat_with;

type Edge = (u32, u32);

impl Name {
    /// Generates the graph.
    ///
    /// # Errors
    /// No graph of this kind has these sizes.
    pub fn generate(&self, seed: u64) -> Result<Graph, GraphError> {
        let mut random = Random::stream(seed, 0);
        let (vertices, mut edges) = self.kind.generate(&mut random)?;
        match self.direction {
            Direction::Directed => {}
            Direction::Undirected => both_ways(&mut edges),
            Direction::CounterDirected => edges.iter_mut().for_each(|edge| *edge = turned(*edge)),
        }
        Graph::new(vertices, edges)
    }
}

impl Kind {
    /// Returns the number of vertices, and the edges.
    fn generate(&self, random: &mut Random) -> Result<(u32, Vec<Edge>), GraphError> {
        Ok(match *self {
            Self::Dag { vertices, edges } => (vertices, dag(vertices, edges, random)?),
            Self::KMaxDegree { vertices, degree } => {
                (vertices, k_max_degree(vertices, degree, random)?)
            }
            Self::PowerLaw { vertices, edges } => {
                refuse_more(edges, u64::from(vertices) * u64::from(vertices) / 4)?;
                let label = shuffled(vertices, random);
                let drawn = distinct(edges.into(), || proper(|| skewed(vertices, random)));
                (vertices, relabeled(drawn, &label))
            }
            Self::UniformDegree { vertices, edges } => {
                let all = u64::from(vertices) * u64::from(vertices.saturating_sub(1));
                refuse_more(edges, all)?;
                let chosen = subset(all, edges.into(), random);
                (vertices, chosen.into_iter().map(|at| ordered_pair(vertices, at)).collect())
            }
            Self::AllPossible { vertices, number } => (vertices, all_possible(vertices, number)?),
            Self::BinaryForest { vertices } => (vertices, binary_forest(vertices, 8, random)),
            Self::BinaryTree { vertices } => (vertices, binary_forest(vertices, 0, random)),
            Self::Grid(ref shape) => grid(shape, random)?,
            Self::RandomNeighbor { vertices } => {
                let drawn = (0..vertices).filter(|_| vertices > 1).map(|from| {
                    let other = random.below(vertices - 1);
                    (from, other + u32::from(other >= from))
                });
                (vertices, drawn.collect())
            }
            Self::SimplePlanar { vertices } => (vertices, simple_planar(vertices, random)),
            Self::Star { vertices } => {
                let center = random.below(vertices);
                let others = (0..vertices).filter(|&other| other != center);
                (vertices, others.map(|other| (center, other)).collect())
            }
        })
    }
}

/// The structure of a large graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphStructure {
    /// R-MAT with the usual probabilities (0.57, 0.19, 0.19, 0.05): web pages, and synthetic graphs that resemble them.
    Recursive,
    /// Both ends are drawn with the density 1/√x over ranks, so a few vertices have many edges: networks, citations,
    /// purchases.
    Skewed,
    /// A part of a square grid, which is nearly planar and has a degree of two to three: roads.
    Road,
    /// A square grid.
    Grid,
    /// Both ends are drawn uniformly.
    Uniform,
}

/// Generates an undirected graph of this structure, with this number of vertices and edges.
pub fn generate_structure(
    structure: GraphStructure,
    vertices: u32,
    edges: u32,
    seed: u64,
) -> Result<Graph, GraphError> {
    let mut random = Random::stream(seed, 0);
    let random = &mut random;
    let half = u64::from(edges / 2);
    let pairs = pairs(vertices);
    refuse_more(edges, pairs)?;
    let unordered = |(a, b): Edge| (a.min(b), a.max(b));
    let mut chosen = match structure {
        GraphStructure::Recursive => {
            distinct(half, || unordered(proper(|| recursive(vertices, random))))
        }
        GraphStructure::Skewed => {
            let label = shuffled(vertices, random);
            let drawn = distinct(half, || unordered(proper(|| skewed(vertices, random))));
            relabeled(drawn, &label)
        }
        GraphStructure::Uniform => {
            let chosen = subset(pairs, half, random);
            chosen.into_iter().map(|at| pair(vertices, at)).collect()
        }
        GraphStructure::Road | GraphStructure::Grid => part_of_a_grid(vertices, half, random)?,
    };
    both_ways(&mut chosen);
    Graph::new(vertices, chosen)
}

/// Checks that there are at most `most` edges.
fn refuse_more(edges: u32, most: u64) -> Result<(), GraphError> {
    if u64::from(edges) <= most {
        return Ok(());
    }
    Err(GraphError(format!(
        "{edges} edges are too many: this number of vertices allows at most {most}"
    )))
}

fn turned((from, to): Edge) -> Edge {
    (to, from)
}

fn both_ways(edges: &mut Vec<Edge>) {
    edges.extend_from_within(..);
    let half = edges.len() / 2;
    edges[half..].iter_mut().for_each(|edge| *edge = turned(*edge));
}

fn relabeled(edges: Vec<Edge>, label: &[u32]) -> Vec<Edge> {
    let of = |vertex: u32| label[vertex as usize];
    edges.into_iter().map(|(from, to)| (of(from), of(to))).collect()
}

/// Returns the numbers below `count` in random order.
fn shuffled(count: u32, random: &mut Random) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..count).collect();
    for last in (1..count).rev() {
        numbers.swap(last as usize, random.below(last + 1) as usize);
    }
    numbers
}

/// Draws until there are `count` distinct values, and returns them sorted. There must be far more possible values.
fn distinct<T: Ord>(count: u64, mut draw: impl FnMut() -> T) -> Vec<T> {
    let count = count as usize;
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count {
        let missing = count - drawn.len();
        drawn.extend(repeat_with(&mut draw).take(missing));
        drawn.sort_unstable();
        drawn.dedup();
    }
    drawn
}

/// Returns `count` random numbers below `total`, sorted.
fn subset(total: u64, count: u64, random: &mut Random) -> Vec<u64> {
    if count <= total / 2 {
        return distinct(count, || random.below(total));
    }
    let mut without = subset(total, total - count, random).into_iter().peekable();
    (0..total).filter(|number| without.next_if_eq(number).is_none()).collect()
}

/// Draws until the two ends differ.
fn proper(mut draw: impl FnMut() -> Edge) -> Edge {
    loop {
        let (from, to) = draw();
        if from != to {
            return (from, to);
        }
    }
}

/// Returns the number of pairs of vertices.
fn pairs(vertices: u32) -> u64 {
    u64::from(vertices) * u64::from(vertices.saturating_sub(1)) / 2
}

/// Returns a pair of vertices by number: the first vertex is `at` modulo the number of vertices, and the distance to
/// the second one increases by one per round.
fn pair(vertices: u32, at: u64) -> Edge {
    let n = u64::from(vertices);
    let (first, away) = (at % n, at / n + 1);
    (first as u32, ((first + away) % n) as u32)
}

/// Returns one of the possible edges by number.
fn ordered_pair(vertices: u32, at: u64) -> Edge {
    let others = u64::from(vertices) - 1;
    let (from, to) = ((at / others) as u32, (at % others) as u32);
    (from, to + u32::from(to >= from))
}

/// Draws both ends with the density 1/√x over ranks.
fn skewed(vertices: u32, random: &mut Random) -> Edge {
    let mut end = || {
        // 53 bits, since the square of a 24-bit number would not reach each of some million vertices.
        let unit = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
        ((unit * unit * f64::from(vertices)) as u32).min(vertices - 1)
    };
    (end(), end())
}

/// Draws an edge by R-MAT: chooses a quarter of the adjacency matrix recursively until one entry remains.
fn recursive(vertices: u32, random: &mut Random) -> Edge {
    loop {
        let (mut from, mut to) = (0u32, 0u32);
        for _ in 0..u32::BITS - (vertices - 1).leading_zeros() {
            let odds = random.below(100u32);
            from = 2 * from + u32::from(odds >= 57 + 19);
            to = 2 * to + u32::from((57..57 + 19).contains(&odds) || odds >= 57 + 19 + 19);
        }
        if from < vertices && to < vertices {
            return (from, to);
        }
    }
}

fn dag(vertices: u32, edges: u32, random: &mut Random) -> Result<Vec<Edge>, GraphError> {
    let all = pairs(vertices);
    refuse_more(edges, all)?;
    let order = shuffled(vertices, random);
    let chosen = subset(all, edges.into(), random);
    let edges = chosen.into_iter().map(|at| {
        let (a, b) = pair(vertices, at);
        (a.min(b), a.max(b))
    });
    Ok(relabeled(edges.collect(), &order))
}

fn k_max_degree(vertices: u32, most: u32, random: &mut Random) -> Result<Vec<Edge>, GraphError> {
    let others = vertices.saturating_sub(1);
    if most > others {
        return Err(GraphError(format!(
            "a vertex cannot have {most} edges to {others} other vertices"
        )));
    }
    let mut edges = Vec::new();
    for from in 0..vertices {
        let degree = random.below(most + 1);
        for other in subset(others.into(), degree.into(), random) {
            let other = other as u32;
            edges.push((from, other + u32::from(other >= from)));
        }
    }
    Ok(edges)
}

fn all_possible(vertices: u32, number: u64) -> Result<Vec<Edge>, GraphError> {
    let edges = u64::from(vertices) * u64::from(vertices.saturating_sub(1));
    if edges > 63 {
        return Err(GraphError(format!(
            "the graphs of {vertices} vertices cannot be numbered with 64 bits: use at most 8 vertices"
        )));
    }
    if number >> edges != 0 {
        return Err(GraphError(format!(
            "there are {} graphs of {vertices} vertices, numbered from 0",
            1u64 << edges
        )));
    }
    let there = (0..edges).filter(|at| number >> at & 1 != 0);
    Ok(there.map(|at| ordered_pair(vertices, at)).collect())
}

/// Generates trees in which no vertex has more than two children. A vertex starts a tree with a probability of 1 in
/// `roots`; 0 means that only the first one does.
fn binary_forest(vertices: u32, roots: u32, random: &mut Random) -> Vec<Edge> {
    let label = shuffled(vertices, random);
    // A vertex for each child that it can still have.
    let mut room: Vec<u32> = Vec::new();
    let mut edges = Vec::new();
    for vertex in 0..vertices {
        let starts = room.is_empty() || (roots > 0 && random.below(roots) == 0);
        if !starts {
            let at = random.below(room.len() as u32) as usize;
            edges.push((room.swap_remove(at), vertex));
        }
        room.extend([vertex; 2]);
    }
    relabeled(edges, &label)
}

fn grid(shape: &Grid, random: &mut Random) -> Result<(u32, Vec<Edge>), GraphError> {
    let volume = shape.sides.iter().try_fold(1u32, |volume, &side| volume.checked_mul(side));
    let vertices = volume.ok_or_else(|| {
        GraphError("the grid has more vertices than 32 bits can count".to_owned())
    })?;
    let mut edges = Vec::new();
    for from in 0..vertices {
        let mut stride = 1;
        for &side in shape.sides.iter().rev() {
            let at = from / stride % side;
            let to = if at + 1 < side {
                Some(from + stride)
            } else if shape.torus {
                Some(from - at * stride)
            } else {
                None
            };
            let there = to.filter(|&to| to != from && !(shape.random && random.below(2u32) == 0));
            edges.extend(there.map(|to| (from, to)));
            stride *= side;
        }
    }
    Ok((vertices, edges))
}

/// Draws `count` edges of the square grid of these vertices, uniformly.
fn part_of_a_grid(vertices: u32, count: u64, random: &mut Random) -> Result<Vec<Edge>, GraphError> {
    let side = f64::from(vertices).sqrt().ceil() as u32;
    let next = |from: u32| {
        let right = Some(from + 1).filter(|to| to % side != 0);
        [right, from.checked_add(side)].into_iter().flatten().filter(|&to| to < vertices)
    };
    let mut left: u64 = (0..vertices).map(|from| next(from).count() as u64).sum();
    if count > left {
        return Err(GraphError(format!("{count} edges are too many: the grid has {left}")));
    }
    let mut missing = count;
    let mut edges = Vec::with_capacity(count as usize);
    for from in 0..vertices {
        for to in next(from) {
            if random.below(left) < missing {
                edges.push((from, to));
                missing -= 1;
            }
            left -= 1;
        }
    }
    Ok(edges)
}

fn simple_planar(vertices: u32, random: &mut Random) -> Vec<Edge> {
    let label = shuffled(vertices, random);
    let mut edges = Vec::new();
    let mut triangles = Vec::new();
    for vertex in 0..vertices {
        let corners = match vertex {
            0..3 => (0..vertex).collect(),
            _ => {
                let at = random.below(triangles.len() as u32) as usize;
                let [a, b, c]: [u32; 3] = triangles.swap_remove(at);
                triangles.extend([[a, b, vertex], [b, c, vertex], [c, a, vertex]]);
                vec![a, b, c]
            }
        };
        if vertex == 2 {
            // The triangle separates the plane into two faces, the inside and the outside.
            triangles = vec![[0, 1, 2]; 2];
        }
        edges.extend(corners.into_iter().map(|corner| match random.below(2u32) {
            0 => (corner, vertex),
            _ => (vertex, corner),
        }));
    }
    relabeled(edges, &label)
}

#[cfg(test)]
#[path = "generate_tests.rs"]
mod tests;
