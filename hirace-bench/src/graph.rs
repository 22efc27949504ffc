//! Graphs: the inputs of the patterns of the labeled corpus.
//!
//! - `name` parses names of graphs, for example `counterDAG_200n_1000e`;
//! - `generate` generates the graphs;
//! - `published` contains the graphs of the published tables that results are compared with;
//! - `read` reads graphs from files.

mod generate;
pub mod name;
pub mod published;
pub mod read;

pub use generate::GraphStructure;

pub use name::{Direction, Kind, Name};

/// A directed graph in compressed sparse row form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The start of the neighbors of each vertex in [`Graph::neighbors`], followed by the end of the last one.
    pub index: Vec<u32>,
    /// The targets of the edges. Those of one vertex are in ascending order, without duplicates.
    pub neighbors: Vec<u32>,
}

/// An error: a graph that cannot exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GraphError(pub String);

impl Graph {
    /// Creates the graph of `edges` over this number of vertices. Duplicate edges count once.
    ///
    /// # Errors
    /// An edge has an unknown vertex, or there are more edges than 32 bits can count.
    pub fn new(vertices: u32, mut edges: Vec<(u32, u32)>) -> Result<Self, GraphError> {
        edges.sort_unstable();
        edges.dedup();
        let outside = edges.iter().find(|&&(from, to)| from.max(to) >= vertices);
        if let Some((from, to)) = outside {
            return Err(GraphError(format!(
                "there is no edge from {from} to {to} in a graph of {vertices} vertices"
            )));
        }
        if u32::try_from(edges.len()).is_err() {
            return Err(GraphError(format!(
                "{} edges are more than 32 bits can count",
                edges.len()
            )));
        }
        let mut index = vec![0; vertices as usize + 1];
        for &(from, _) in &edges {
            index[from as usize + 1] += 1;
        }
        for vertex in 0..vertices as usize {
            index[vertex + 1] += index[vertex];
        }
        Ok(Self { index, neighbors: edges.into_iter().map(|(_, to)| to).collect() })
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> u32 {
        self.index.len().saturating_sub(1) as u32
    }

    /// Returns the number of edges: an undirected edge counts once per direction.
    pub fn edges(&self) -> u32 {
        self.neighbors.len() as u32
    }

    /// Returns the targets of the edges of `vertex`.
    pub fn neighbors_of(&self, vertex: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|next| self.index[vertex as usize + next] as usize);
        &self.neighbors[from..to]
    }

    /// Returns all edges as pairs of source and target.
    pub fn each_edge(&self) -> impl Iterator<Item = (u32, u32)> {
        let vertices = 0..self.vertices();
        vertices.flat_map(|from| self.neighbors_of(from).iter().map(move |&to| (from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_sorted_and_counted_once() {
        let graph = Graph::new(4, vec![(2, 1), (0, 3), (2, 0), (2, 1)]).unwrap();
        assert_eq!(graph.index, [0, 1, 1, 3, 3]);
        assert_eq!(graph.neighbors, [3, 0, 1]);
        assert_eq!(graph.each_edge().collect::<Vec<_>>(), [(0, 3), (2, 0), (2, 1)]);
    }

    #[test]
    fn an_edge_to_an_unknown_vertex_is_rejected() {
        assert!(Graph::new(2, vec![(0, 2)]).is_err());
        assert_eq!(Graph::new(0, Vec::new()).unwrap().vertices(), 0);
    }
}
