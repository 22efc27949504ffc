//! Names of graphs in the notation of the literature: an optional direction, a kind, and sizes.
//!
//! `DAG_200n_400e` has 200 vertices and 400 edges; `counterDAG_200n_400e` is the same graph with all edges reversed,
//! and `undirectedDAG_200n_400e` has each edge in both directions. The sizes of a grid are those of its dimensions:
//! `k_dim_grid_10x10`.

use super::GraphError;
use std::fmt;
use std::str::FromStr;

/// The name of a graph that can be generated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The direction of its edges.
    pub direction: Direction,
    /// The kind of graph.
    pub kind: Kind,
}

/// The direction of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// As they were generated.
    #[default]
    Directed,
    /// Both directions.
    Undirected,
    /// The reverse direction.
    CounterDirected,
}

/// A kind of graph, with its sizes. Unless noted otherwise, vertices are numbered at random, so that neither edges nor
/// high degrees follow the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A directed acyclic graph: edges are drawn uniformly from those that agree with a random order.
    Dag {
        /// Vertices.
        vertices: u32,
        /// Edges.
        edges: u32,
    },
    /// Each vertex has up to a maximum number of edges: the number and the targets are drawn uniformly.
    KMaxDegree {
        /// Vertices.
        vertices: u32,
        /// The maximum number of edges of a vertex.
        degree: u32,
    },
    /// A few vertices have many edges: both ends are drawn with the density 1/√x over ranks x.
    PowerLaw {
        /// Vertices.
        vertices: u32,
        /// Edges.
        edges: u32,
    },
    /// Both ends of each edge are drawn uniformly.
    UniformDegree {
        /// Vertices.
        vertices: u32,
        /// Edges.
        edges: u32,
    },
    /// One of all directed graphs with this number of vertices. Bit `i` of its number is whether edge `i` exists, in
    /// the order of (from, to).
    AllPossible {
        /// Vertices.
        vertices: u32,
        /// The number of the graph.
        number: u64,
    },
    /// Binary trees: each vertex is the child of an earlier vertex with fewer than two children, or, with a probability
    /// of 1 in 8, a root.
    BinaryForest {
        /// Vertices.
        vertices: u32,
    },
    /// A binary tree: each vertex but the first is the child of an earlier vertex with fewer than two children.
    BinaryTree {
        /// Vertices.
        vertices: u32,
    },
    /// A grid: an edge to the next vertex in each dimension. Vertices are numbered row by row.
    Grid(Grid),
    /// Each vertex has an edge to one other.
    RandomNeighbor {
        /// Vertices.
        vertices: u32,
    },
    /// A triangulation of the plane, built by inserting vertices into triangles. The directions of its edges are
    /// random.
    SimplePlanar {
        /// Vertices.
        vertices: u32,
    },
    /// One vertex has an edge to each other vertex.
    Star {
        /// Vertices.
        vertices: u32,
    },
}

/// A grid of any number of dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// The number of vertices in each dimension.
    pub sides: Vec<u32>,
    /// Whether the last vertex in each dimension has an edge to the first one.
    pub torus: bool,
    /// Whether each edge exists only with a probability of 1/2.
    pub random: bool,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.direction {
            Direction::Directed => "",
            Direction::Undirected => "undirected",
            Direction::CounterDirected => "counter",
        })?;
        match &self.kind {
            Kind::Dag { vertices, edges } => write!(f, "DAG_{vertices}n_{edges}e"),
            Kind::KMaxDegree { vertices, degree } => {
                write!(f, "k_max_degree_{vertices}n_{degree}k")
            }
            Kind::PowerLaw { vertices, edges } => write!(f, "power_law_{vertices}n_{edges}e"),
            Kind::UniformDegree { vertices, edges } => {
                write!(f, "uniform_degree_{vertices}n_{edges}e")
            }
            Kind::AllPossible { vertices, number } => {
                write!(f, "all_possible_graphs_{vertices}n_{number}g")
            }
            Kind::BinaryForest { vertices } => write!(f, "binary_forest_{vertices}n"),
            Kind::BinaryTree { vertices } => write!(f, "binary_tree_{vertices}n"),
            Kind::Grid(Grid { sides, torus, random }) => {
                let [rand, shape] =
                    [if *random { "rand_" } else { "" }, if *torus { "torus" } else { "grid" }];
                let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
                write!(f, "k_dim_{rand}{shape}_{}", sides.join("x"))
            }
            Kind::RandomNeighbor { vertices } => write!(f, "rand_neighbor_{vertices}n"),
            Kind::SimplePlanar { vertices } => write!(f, "simple_planar_{vertices}n"),
            Kind::Star { vertices } => write!(f, "star_{vertices}n"),
        }
    }
}

impl FromStr for Name {
    type Err = GraphError;

    fn from_str(name: &str) -> Result<Self, GraphError> {
        let (direction, rest) = if let Some(rest) = name.strip_prefix("undirected") {
            (Direction::Undirected, rest)
        } else if let Some(rest) = name.strip_prefix("counter") {
            (Direction::CounterDirected, rest)
        } else {
            (Direction::Directed, name)
        };
        let kind = kind(rest.trim_start_matches('_'))
            .ok_or_else(|| GraphError(format!("unknown graph `{name}`: {KNOWN}")))?;
        Ok(Self { direction, kind })
    }
}

/// The description of known names.
const KNOWN: &str = "known graphs are DAG_5n_5e, k_max_degree_100n_4k, power_law_200n_1000e, \
    uniform_degree_200n_1000e, all_possible_graphs_4n_137g, binary_forest_100n, binary_tree_100n, \
    k_dim_grid_10x10, k_dim_torus_10x10, k_dim_rand_grid_10x10, k_dim_rand_torus_10x10, rand_neighbor_100n, \
    simple_planar_100n and star_100n, of any size, optionally with the prefix `counter` or `undirected`";

fn kind(name: &str) -> Option<Kind> {
    if let Some(grid) = name.strip_prefix("k_dim_") {
        let (random, grid) = match grid.strip_prefix("rand_") {
            Some(grid) => (true, grid),
            None => (false, grid),
        };
        let (shape, sides) = grid.split_once('_')?;
        let torus = match shape {
            "torus" => true,
            "grid" => false,
            _ => return None,
        };
        let sides: Vec<u32> =
            sides.split('x').map(|side| side.parse().ok()).collect::<Option<_>>()?;
        return Some(Kind::Grid(Grid { sides, torus, random }));
    }
    // The sizes are the last parts of the name that consist of a number and a letter.
    let mut parts = name.rsplit('_');
    let last = size(parts.next()?)?;
    let next = parts.next()?;
    let (word, vertices, of) = match (size(next), last) {
        (Some((vertices, 'n')), (of, unit)) => {
            (name.strip_suffix(&format!("_{next}_{of}{unit}"))?, vertices, Some(last))
        }
        (_, (vertices, 'n')) => (name.strip_suffix(&format!("_{vertices}n"))?, vertices, None),
        _ => return None,
    };
    let vertices = u32::try_from(vertices).ok()?;
    let count = |unit| of.filter(|of| of.1 == unit).map(|of| of.0);
    let edges = || count('e').and_then(|edges| u32::try_from(edges).ok());
    match (word, of) {
        ("DAG", _) => Some(Kind::Dag { vertices, edges: edges()? }),
        ("power_law", _) => Some(Kind::PowerLaw { vertices, edges: edges()? }),
        ("uniform_degree", _) => Some(Kind::UniformDegree { vertices, edges: edges()? }),
        ("k_max_degree", _) => {
            Some(Kind::KMaxDegree { vertices, degree: u32::try_from(count('k')?).ok()? })
        }
        ("all_possible_graphs", _) => Some(Kind::AllPossible { vertices, number: count('g')? }),
        ("binary_forest", None) => Some(Kind::BinaryForest { vertices }),
        ("binary_tree", None) => Some(Kind::BinaryTree { vertices }),
        ("rand_neighbor", None) => Some(Kind::RandomNeighbor { vertices }),
        ("simple_planar", None) => Some(Kind::SimplePlanar { vertices }),
        ("star", None) => Some(Kind::Star { vertices }),
        _ => None,
    }
}

/// Parses a size such as `200n`: a number and its unit.
fn size(text: &str) -> Option<(u64, char)> {
    let unit = text.chars().next_back()?;
    let number = text.strip_suffix(unit)?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // Only the printed form of numbers is accepted, because the name is found by printing the parsed size.
    let plain = digits && (number == "0" || !number.starts_with('0'));
    Some((number.parse().ok().filter(|_| plain)?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_printed_as_they_are_read() {
        for name in [
            "DAG_5n_5e",
            "counterDAG_200n_1000e",
            "undirectedpower_law_200n_1000e",
            "uniform_degree_200n_1000e",
            "k_max_degree_100n_4k",
            "all_possible_graphs_4n_137g",
            "binary_forest_100n",
            "counterbinary_tree_100n",
            "k_dim_grid_10x10",
            "k_dim_rand_torus_3x4x5",
            "rand_neighbor_7n",
            "simple_planar_7n",
            "star_7n",
        ] {
            assert_eq!(name.parse::<Name>().unwrap().to_string(), name);
        }
        let spaced: Name = "counter_star_7n".parse().unwrap();
        assert_eq!(spaced.direction, Direction::CounterDirected);
    }

    #[test]
    fn invalid_graph_names_are_rejected_with_the_known_kinds() {
        for name in [
            "",
            "_",
            "DAG",
            "DAG_5n",
            "DAG_5n_5k",
            "DAG_05n_5e",
            "star_5n_5e",
            "star_n",
            "5n",
            "k_dim_cube_2x2",
            "k_dim_grid_",
            "k_dim_grid_2x",
            "DAG_5n_99999999999e",
            "DAG_5é",
        ] {
            let refused = name.parse::<Name>().unwrap_err().to_string();
            assert!(refused.contains("power_law_200n_1000e"), "{name}: {refused}");
        }
    }
}
