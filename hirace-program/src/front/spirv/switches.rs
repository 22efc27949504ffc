//! The order of the cases of a switch.
//!
//! In SPIR-V, a case continues in another one by a branch to its label. naga instead lets it continue in the case that is next in its
//! list, in which the default is the last one. Therefore the literals of an `OpSwitch` are put in an order in which both are the same.

use super::words::{Instruction, Words};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of instructions between a switch and its merge block that are read.
const WITHIN: usize = 1_000_000;

/// Returns the words of an `OpSwitch` in an order that naga reads correctly, or `None` if there is no such order.
pub fn ordered(words: &Words, switch: Instruction<'_>) -> Option<Vec<u32>> {
    let (Some(head), Some(default)) = (switch.words.get(..3), switch.operand(1)) else {
        return Some(switch.words.to_vec());
    };
    let (pairs, _) = switch.operands(2).as_chunks::<2>();
    let mut targets: Vec<u32> = Vec::new();
    let mut literals: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for [literal, target] in pairs {
        let known = literals.entry(*target).or_default();
        if known.is_empty() {
            targets.push(*target);
        }
        known.push(*literal);
    }
    let continued = continuations(words, switch, &targets, default)?;
    if continued.contains_key(&default) {
        return None;
    }
    let entered: FxHashSet<u32> = continued.values().copied().collect();
    let mut last = Vec::new();
    let mut order = Vec::new();
    for target in targets.iter().filter(|target| **target != default && !entered.contains(target)) {
        let next = |target: &u32| continued.get(target).copied();
        let chain: Vec<u32> =
            std::iter::successors(Some(*target), next).take(targets.len() + 1).collect();
        match chain.split_last() {
            Some((end, cases)) if *end == default => {
                // Only one case can be next to the default.
                if !last.is_empty() {
                    return None;
                }
                last = cases.to_vec();
            }
            _ => order.extend(chain),
        }
    }
    order.extend(last);
    // A literal of the default is an empty case that continues in the default.
    order.extend(targets.iter().filter(|target| **target == default));
    if order.len() != targets.len() {
        return None;
    }
    let mut ordered = head.to_vec();
    for target in order {
        ordered.extend(literals[&target].iter().flat_map(|literal| [*literal, target]));
    }
    Some(ordered)
}

/// Returns the cases that continue in another case or the default, each with that one. Only the blocks between the switch and its
/// merge block are followed. Returns `None` if a case continues in several.
fn continuations(
    words: &Words,
    switch: Instruction<'_>,
    targets: &[u32],
    default: u32,
) -> Option<FxHashMap<u32, u32>> {
    let merge = switch.index.checked_sub(1).and_then(|index| words.get(index));
    let merge = merge.filter(|merge| merge.op() == Some(Op::SelectionMerge));
    let Some(merge) = merge.and_then(|merge| merge.operand(0)) else {
        return Some(FxHashMap::default());
    };
    let mut successors: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut label = None;
    for index in switch.index + 1..switch.index.saturating_add(WITHIN) {
        let Some(instruction) = words.get(index) else { break };
        match instruction.op() {
            Some(Op::Label) if instruction.operand(0) == Some(merge) => break,
            Some(Op::FunctionEnd) => break,
            Some(Op::Label) => label = instruction.operand(0),
            _ => {
                let next = instruction.branch_targets();
                if !next.is_empty() {
                    successors.entry(label.unwrap_or_default()).or_default().extend(next);
                }
            }
        }
    }
    let cases: FxHashSet<u32> =
        targets.iter().copied().chain([default]).filter(|label| *label != merge).collect();
    let mut continued = FxHashMap::default();
    let mut visited: FxHashSet<u32> = FxHashSet::default();
    for case in targets.iter().chain([&default]).filter(|label| cases.contains(label)) {
        let mut next = vec![*case];
        while let Some(label) = next.pop() {
            if !visited.insert(label) {
                continue;
            }
            for successor in successors.get(&label).into_iter().flatten() {
                if cases.contains(successor) && successor != case {
                    let known = continued.insert(*case, *successor);
                    if known.is_some_and(|known| known != *successor) {
                        return None;
                    }
                } else if *successor != merge && !cases.contains(successor) {
                    next.push(*successor);
                }
            }
        }
    }
    Some(continued)
}
