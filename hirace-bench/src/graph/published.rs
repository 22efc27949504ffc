//! The graphs of published results.
//!
//! From J. Jacobson, M. Burtscher and G. Gopalakrishnan, "HiRace: Accurate and Fast Data Race Checking for GPU
//! Programs": the small graphs of Table II, by name, and the large ones of Table III, as synthetic graphs of the same
//! kind and size.

use super::generate::{self, GraphStructure};
use super::{Graph, GraphError};

/// The graphs of Table II.
pub const SMALL: [&str; 6] = [
    "DAG_5n_5e",
    "DAG_100n_200e",
    "DAG_200n_400e",
    "counterDAG_5n_5e",
    "counterDAG_200n_1000e",
    "power_law_200n_1000e",
];

/// A graph of Table III.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Large {
    /// The name in the paper.
    pub name: &'static str,
    /// The number of vertices.
    pub vertices: u32,
    /// The number of edges; each direction counts.
    pub edges: u32,
    /// The structure of the graph.
    pub like: GraphStructure,
}

/// The graphs of Table III.
pub const LARGE: [Large; 11] = [
    large("rmat16.sym", 65_536, 967_866, GraphStructure::Recursive),
    large("internet", 124_651, 387_240, GraphStructure::Skewed),
    large("USA-road-d.NY", 264_346, 730_100, GraphStructure::Road),
    large("citationCiteseer", 268_495, 2_313_294, GraphStructure::Skewed),
    large("amazon0601", 403_394, 4_886_816, GraphStructure::Skewed),
    large("2d-2e20.sym", 1_048_576, 4_190_208, GraphStructure::Grid),
    large("in-2004", 1_382_908, 27_182_946, GraphStructure::Recursive),
    large("as-skitter", 1_696_415, 22_190_596, GraphStructure::Skewed),
    large("rmat22.sym", 4_194_304, 65_660_814, GraphStructure::Recursive),
    large("r4-2e23.sym", 8_388_608, 67_108_846, GraphStructure::Uniform),
    large("USA-road-d.USA", 23_947_347, 57_708_624, GraphStructure::Road),
];

const fn large(name: &'static str, vertices: u32, edges: u32, like: GraphStructure) -> Large {
    Large { name, vertices, edges, like }
}

impl Large {
    /// Returns the graph of this name.
    pub fn find(name: &str) -> Option<Self> {
        LARGE.into_iter().find(|large| large.name == name)
    }

    /// Generates a similar graph with exactly as many vertices and edges.
    ///
    /// # Errors
    /// None for the graphs of [`LARGE`]; otherwise sizes that no such graph has.
    pub fn generate(&self, seed: u64) -> Result<Graph, GraphError> {
        generate::generate_structure(self.like, self.vertices, self.edges, seed)
    }
}
