//! Finds branches out of a loop from within a switch.
//!
//! naga translates both kinds of exits to `break`, which leaves only the innermost switch or loop. So such a branch would leave the
//! switch, and the loop would go on.

use super::words::Words;
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// A block of a function.
#[derive(Clone, Debug)]
struct Block {
    /// The index of the instruction that ends the block.
    end: usize,
    successors: Vec<u32>,
    /// The merge block, if the block ends in a switch.
    switch_merge: Option<u32>,
}

/// A block at which a loop ends or goes on.
#[derive(Clone, Copy, Debug)]
struct LoopExit {
    /// The first block of the loop.
    header: u32,
    /// Whether the loop ends.
    ends: bool,
}

/// Returns the indices of the instructions that branch out of a loop from within a switch in the loop, in ascending order.
pub fn exits_from_switches(words: &Words) -> Vec<usize> {
    let (mut blocks, mut exits) = (FxHashMap::default(), FxHashMap::default());
    let (mut label, mut merge) = (None, None);
    for instruction in words.instructions() {
        match instruction.op() {
            Some(Op::Label) => (label, merge) = (instruction.operand(0), None),
            Some(Op::SelectionMerge) => merge = instruction.operand(0),
            Some(Op::LoopMerge) => {
                let header = label.unwrap_or_default();
                let targets = [(instruction.operand(0), true), (instruction.operand(1), false)];
                for (target, ends) in targets {
                    exits.extend(target.map(|target| (target, LoopExit { header, ends })));
                }
            }
            op => {
                let successors = instruction.branch_targets();
                if !successors.is_empty()
                    && let Some(label) = label.take()
                {
                    let switch_merge = merge.filter(|_| op == Some(Op::Switch));
                    let end = instruction.index;
                    blocks.insert(label, Block { end, successors, switch_merge });
                }
            }
        }
    }
    let mut found: Vec<usize> = blocks
        .values()
        .filter_map(|switch| Some((switch, switch.switch_merge?)))
        .flat_map(|(switch, merge)| exits_from(&blocks, &exits, switch, merge))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the indices of the instructions within a switch that branch to the end of a loop around it.
fn exits_from(
    blocks: &FxHashMap<u32, Block>,
    exits: &FxHashMap<u32, LoopExit>,
    switch: &Block,
    merge: u32,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut visited: FxHashSet<u32> = FxHashSet::default();
    let mut left: Vec<&Block> = vec![switch];
    while let Some(block) = left.pop() {
        for &next in block.successors.iter().filter(|next| **next != merge) {
            match exits.get(&next) {
                // The first block of a loop within the switch is visited before those at which it ends.
                Some(exit) if !visited.contains(&exit.header) => {
                    if exit.ends {
                        found.push(block.end);
                    }
                }
                _ => {
                    if visited.insert(next) {
                        left.extend(blocks.get(&next));
                    }
                }
            }
        }
    }
    found
}
