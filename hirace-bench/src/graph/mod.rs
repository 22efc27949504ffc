//! Graphs: what the patterns of the labelled corpus work on.
//!
//! - `name` says which graph is meant: `counterDAG_200n_1000e`;
//! - `generate` makes it;
//! - `published` has the graphs of the tables that results are compared with;
//! - `read` takes graphs from files.

mod generate;
pub mod name;
pub mod published;
pub mod read;

pub use name::{Direction, Kind, Name};

/// A directed graph in compressed sparse row form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbours of each vertex start in [`Graph::neighbors`], and one end more.
    pub index: Vec<u32>,
    /// The vertices that edges lead to: those of one vertex ascend, each there once.
    pub neighbors: Vec<u32>,
}

/// A graph that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Impossible(pub String);

impl Graph {
    /// The graph of `edges` over this many vertices. An edge that is there twice counts once.
    ///
    /// # Errors
    /// A vertex that there is not, or more edges than 32 bits count.
    pub fn new(vertices: u32, mut edges: Vec<(u32, u32)>) -> Result<Self, Impossible> {
        edges.sort_unstable();
        edges.dedup();
        let outside = edges.iter().find(|&&(from, to)| from.max(to) >= vertices);
        if let Some((from, to)) = outside {
            return Err(Impossible(format!(
                "there is no edge from {from} to {to} in a graph of {vertices} vertices"
            )));
        }
        if u32::try_from(edges.len()).is_err() {
            return Err(Impossible(format!("{} edges are more than 32 bits count", edges.len())));
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

    /// How many vertices it has.
    pub fn vertices(&self) -> u32 {
        self.index.len().saturating_sub(1) as u32
    }

    /// How many edges: an undirected one counts for each of its directions.
    pub fn edges(&self) -> u32 {
        self.neighbors.len() as u32
    }

    /// Where the edges of `vertex` lead.
    pub fn neighbors_of(&self, vertex: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|next| self.index[vertex as usize + next] as usize);
        &self.neighbors[from..to]
    }

    /// Every edge, from where to where.
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
    fn an_edge_to_nowhere_is_refused() {
        assert!(Graph::new(2, vec![(0, 2)]).is_err());
        assert_eq!(Graph::new(0, Vec::new()).unwrap().vertices(), 0);
    }
}
