//! Each kind of graph has its defining property.

use super::super::published::{LARGE, SMALL};
use super::*;
use proptest::prelude::*;

fn graph(name: &str) -> Graph {
    name.parse::<Name>().unwrap().generate(1).unwrap()
}

fn refused(name: &str) -> String {
    name.parse::<Name>().unwrap().generate(1).unwrap_err().to_string()
}

/// Returns the vertices in topological order; `None` if the edges form a cycle.
fn sorted(graph: &Graph) -> Option<Vec<u32>> {
    let mut waiting = vec![0; graph.vertices() as usize];
    graph.each_edge().for_each(|(_, to)| waiting[to as usize] += 1);
    let mut ready: Vec<u32> =
        (0..graph.vertices()).filter(|&vertex| waiting[vertex as usize] == 0).collect();
    let mut order = Vec::new();
    while let Some(vertex) = ready.pop() {
        order.push(vertex);
        for &to in graph.neighbors_of(vertex) {
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                ready.push(to);
            }
        }
    }
    (order.len() == graph.vertices() as usize).then_some(order)
}

fn degrees(graph: &Graph) -> Vec<u32> {
    (0..graph.vertices()).map(|vertex| graph.neighbors_of(vertex).len() as u32).collect()
}

fn degrees_in(graph: &Graph) -> Vec<u32> {
    let mut degrees = vec![0; graph.vertices() as usize];
    graph.each_edge().for_each(|(_, to)| degrees[to as usize] += 1);
    degrees
}

#[test]
fn the_small_published_graphs_have_the_sizes_of_their_names() {
    for name in SMALL {
        let graph = graph(name);
        assert_eq!(name.rsplit('_').next().unwrap(), format!("{}e", graph.edges()), "{name}");
        assert!(name.contains(&format!("_{}n_", graph.vertices())), "{name}");
        assert_eq!(name.contains("DAG"), sorted(&graph).is_some(), "{name}");
    }
}

#[test]
fn the_edges_of_a_dag_lead_to_higher_and_to_lower_numbers() {
    let graph = graph("DAG_200n_400e");
    let up = graph.each_edge().filter(|(from, to)| from < to).count();
    assert!((100..300).contains(&up), "{up}");
}

#[test]
fn directions_are_of_one_graph() {
    let turned_round = graph("counterDAG_20n_50e");
    let there = graph("DAG_20n_50e");
    let mut back: Vec<Edge> = turned_round.each_edge().map(turned).collect();
    back.sort_unstable();
    assert_eq!(there.each_edge().collect::<Vec<_>>(), back);
    let both = graph("undirectedDAG_20n_50e");
    assert_eq!(both.edges(), 100);
    assert!(there.each_edge().all(|(from, to)| both.neighbors_of(to).contains(&from)));
}

#[test]
fn complete_graphs_can_be_asked_for() {
    assert_eq!(graph("DAG_7n_21e").edges(), 21);
    assert!(sorted(&graph("DAG_7n_21e")).is_some());
    assert_eq!(graph("uniform_degree_6n_30e").edges(), 30);
    assert!(refused("DAG_7n_22e").contains("at most 21"));
    assert!(refused("uniform_degree_6n_31e").contains("at most 30"));
    assert!(refused("power_law_4n_5e").contains("at most 4"));
    assert!(refused("k_max_degree_4n_4k").contains("to 3 other vertices"));
    assert!(refused("k_dim_grid_65536x65536").contains("32 bits"));
}

#[test]
fn all_possible_graphs_are_all_that_there_are() {
    let graphs: std::collections::HashSet<Vec<Edge>> = (0..64)
        .map(|number| graph(&format!("all_possible_graphs_3n_{number}g")).each_edge().collect())
        .collect();
    assert_eq!(graphs.len(), 64);
    assert!(refused("all_possible_graphs_3n_64g").contains("64 graphs"));
    assert!(refused("all_possible_graphs_9n_0g").contains("at most 8"));
    assert_eq!(graph("all_possible_graphs_0n_0g").vertices(), 0);
}

#[test]
fn a_power_law_gives_few_vertices_many_edges() {
    let heavy = |name: &str| {
        let mut degrees = degrees(&graph(name));
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        degrees[..20].iter().sum::<u32>()
    };
    let (skewed, even) = (heavy("power_law_200n_1000e"), heavy("uniform_degree_200n_1000e"));
    assert!(skewed > even * 3 / 2, "{skewed} {even}");
}

#[test]
fn a_binary_tree_has_one_root_and_two_children_a_vertex() {
    let tree = graph("binary_tree_100n");
    assert_eq!(tree.edges(), 99);
    assert!(sorted(&tree).is_some());
    assert!(degrees(&tree).iter().all(|&degree| degree <= 2));
    assert_eq!(degrees_in(&tree).iter().filter(|&&degree| degree == 0).count(), 1);
    assert!(degrees_in(&tree).iter().all(|&degree| degree <= 1));
    let forest = graph("binary_forest_100n");
    let roots = degrees_in(&forest).iter().filter(|&&degree| degree == 0).count();
    assert!(roots > 1 && roots as u32 == 100 - forest.edges(), "{roots}");
}

#[test]
fn grids_and_toruses_have_an_edge_a_vertex_and_dimension() {
    assert_eq!(graph("k_dim_grid_10x10").edges(), 180);
    assert_eq!(graph("k_dim_torus_10x10").edges(), 200);
    assert_eq!(graph("k_dim_torus_3x4x5").edges(), 3 * 60);
    assert_eq!(graph("k_dim_torus_1x2").edges(), 2);
    assert_eq!(graph("k_dim_grid_2x3").neighbors_of(0), [1, 3]);
    let some = graph("k_dim_rand_torus_20x20").edges();
    assert!((300..500).contains(&some), "{some}");
    assert_eq!(graph("k_dim_grid_0x3").vertices(), 0);
}

#[test]
fn a_planar_triangulation_has_three_edges_less_six_a_vertex() {
    assert_eq!(graph("simple_planar_50n").edges(), 3 * 50 - 6);
    assert_eq!(graph("simple_planar_2n").edges(), 1);
    let both = graph("undirectedsimple_planar_50n");
    assert!(degrees(&both).iter().all(|&degree| degree >= 3));
}

#[test]
fn the_large_published_graphs_have_their_sizes() {
    for large in LARGE.iter().filter(|large| large.edges < 1_000_000) {
        let graph = large.generate(1).unwrap();
        assert_eq!((graph.vertices(), graph.edges()), (large.vertices, large.edges), "{large:?}");
        assert!(graph.each_edge().take(1000).all(|(a, b)| graph.neighbors_of(b).contains(&a)));
    }
}

#[test]
#[ignore = "takes most of a minute"]
fn all_large_published_graphs_have_their_sizes() {
    for large in LARGE {
        let graph = large.generate(1).unwrap();
        assert_eq!((graph.vertices(), graph.edges()), (large.vertices, large.edges), "{large:?}");
    }
}

fn any_name() -> impl Strategy<Value = Name> {
    let sizes = (0..40u32, 0..200u32, any::<u64>());
    let kind = (0..11, sizes, prop::collection::vec(0..6u32, 1..4), any::<[bool; 2]>());
    let kind =
        kind.prop_map(|(kind, (vertices, edges, number), sides, [torus, random])| match kind {
            0 => Kind::Dag { vertices, edges },
            1 => Kind::KMaxDegree { vertices, degree: edges },
            2 => Kind::PowerLaw { vertices, edges },
            3 => Kind::UniformDegree { vertices, edges },
            4 => Kind::AllPossible { vertices: vertices % 10, number: number >> (number % 64) },
            5 => Kind::BinaryForest { vertices },
            6 => Kind::BinaryTree { vertices },
            7 => Kind::Grid(Grid { sides, torus, random }),
            8 => Kind::RandomNeighbor { vertices },
            9 => Kind::SimplePlanar { vertices },
            _ => Kind::Star { vertices },
        });
    let directions =
        [Direction::Directed, Direction::Undirected, Direction::CounterDirected].map(Just);
    let [a, b, c] = directions;
    (kind, prop_oneof![a, b, c]).prop_map(|(kind, direction)| Name { direction, kind })
}

proptest! {
    #[test]
    fn every_name_is_read_back_and_its_graph_is_whole(name in any_name(), seed: u64) {
        prop_assert_eq!(name.to_string().parse::<Name>().unwrap(), name.clone());
        let Ok(graph) = name.generate(seed) else { return Ok(()) };
        prop_assert_eq!(&graph, &name.generate(seed).unwrap());
        prop_assert!(graph.index.is_sorted());
        prop_assert_eq!(graph.index.last().copied(), Some(graph.edges()));
        prop_assert!(graph.each_edge().all(|(from, to)| from != to && to < graph.vertices()));
        match name.kind {
            Kind::Dag { edges, .. } | Kind::UniformDegree { edges, .. }
                if name.direction == Direction::Directed =>
            {
                prop_assert_eq!(graph.edges(), edges);
            }
            _ => {}
        }
    }
}

/// Published tables of results refer to these graphs, so a change of the generator must not change them.
#[test]
fn the_graphs_of_published_tables_stay_what_they_are() {
    let digest = |name: &str| {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let graph = name.parse::<Name>().unwrap().generate(0).unwrap();
        let words = graph.index.iter().chain(&graph.neighbors);
        for byte in words.flat_map(|word| word.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash
    };
    let others = [
        "uniform_degree_200n_1000e",
        "k_max_degree_100n_4k",
        "binary_forest_50n",
        "rand_neighbor_50n",
        "simple_planar_50n",
        "star_50n",
    ];
    let published = [
        0xf9b7_061e_6c60_d082,
        0x2304_753b_c747_8908,
        0xe1c8_9c6f_c77a_f5b9,
        0xc241_7ed1_ac98_3492,
        0xe8e6_162a_dfba_032a,
        0x1c1c_b706_c95d_3128,
    ];
    assert_eq!(SMALL.map(digest), published);
    let digests = [
        0x68d4_6588_edcd_6761,
        0x76cd_d576_2680_8542,
        0xaa88_2fdb_6616_2b95,
        0x1801_1489_f5ee_ea79,
        0x5775_0e09_1d0e_0c0d,
        0x55d8_1ae9_3b2c_6768,
    ];
    assert_eq!(others.map(digest), digests);
}
