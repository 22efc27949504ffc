//! Subgroup operations: those that naga does not support are replaced by several that it does.
//!
//! A reduction of clusters shuffles the value of each invocation of the cluster, and takes those of active invocations. Operations
//! on ballots become integer arithmetic.

use super::Prepare;
use super::lowered::{ALL, Pool};
use crate::front::spirv::declarations::SpirvDeclarations;
use crate::front::spirv::types::Type;
use crate::front::spirv::words::{Instruction, Words};
use rspirv::spirv::{BuiltIn, Decoration, GroupOperation, Op, StorageClass};

/// The maximum size of a cluster.
const CLUSTER: u32 = 64;
/// The number of words of a ballot.
const WORDS: u32 = 4;

/// The index of the invocation in its subgroup, if replacements need it.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// The built-in variable.
    variable: Option<u32>,
    /// Whether the variable is declared by this module, and not by the original.
    is_added: bool,
    /// The sizes of the clusters.
    sizes: Vec<u32>,
}

impl Lane {
    /// Returns what the instructions of `words` need. `fresh` returns an unused id.
    pub fn of(words: &Words, declared: &SpirvDeclarations, mut fresh: impl FnMut() -> u32) -> Self {
        let mut lane = Self::default();
        let mut is_needed = false;
        for instruction in words.instructions() {
            match instruction.op() {
                Some(Op::GroupNonUniformInverseBallot) => is_needed = true,
                Some(Op::GroupNonUniformBallotBitCount) => {
                    is_needed |= instruction.operand(3) != Some(GroupOperation::Reduce as u32);
                }
                Some(_) if let Some(size) = cluster(instruction, declared) => {
                    is_needed = true;
                    lane.sizes.push(size);
                }
                _ => {}
            }
        }
        if is_needed {
            lane.is_added = declared.subgroup_invocation.is_none();
            lane.variable = Some(declared.subgroup_invocation.unwrap_or_else(&mut fresh));
        }
        lane
    }

    /// Returns whether replacements need the index.
    pub fn is_needed(&self) -> bool {
        self.variable.is_some()
    }

    /// Returns the variable, if replacements need the index.
    pub fn variable(&self) -> Option<u32> {
        self.variable
    }

    /// Returns the variable that is added to the module.
    pub fn added_variable(&self) -> Option<u32> {
        self.variable.filter(|_| self.is_added)
    }

    /// Returns the constants that the replacements need.
    pub fn constants(&self) -> Vec<u32> {
        let Some(&most) = self.sizes.iter().max() else { return Vec::new() };
        let mut all: Vec<u32> = (0..most).collect();
        all.extend(self.sizes.iter().map(|size| !(size - 1)));
        all
    }
}

/// Returns the size of the clusters that an instruction reduces, if it does so.
fn cluster(instruction: Instruction<'_>, declared: &SpirvDeclarations) -> Option<u32> {
    reduced(instruction.op()?)?;
    let is_clustered = instruction.operand(3) == Some(GroupOperation::ClusteredReduce as u32);
    let size = declared.constants.get(&instruction.operand(5)?).copied()?;
    let is_valid = size.is_power_of_two() && size <= CLUSTER;
    (is_clustered && is_valid).then_some(size)
}

/// Returns the operation on two values of a reduction. Minimum and maximum are the comparison that selects the first value.
fn reduced(op: Op) -> Option<Op> {
    Some(match op {
        Op::GroupNonUniformIAdd => Op::IAdd,
        Op::GroupNonUniformFAdd => Op::FAdd,
        Op::GroupNonUniformIMul => Op::IMul,
        Op::GroupNonUniformFMul => Op::FMul,
        Op::GroupNonUniformBitwiseAnd => Op::BitwiseAnd,
        Op::GroupNonUniformBitwiseOr => Op::BitwiseOr,
        Op::GroupNonUniformBitwiseXor => Op::BitwiseXor,
        Op::GroupNonUniformLogicalAnd => Op::LogicalAnd,
        Op::GroupNonUniformLogicalOr => Op::LogicalOr,
        Op::GroupNonUniformLogicalXor => Op::LogicalNotEqual,
        Op::GroupNonUniformSMin => Op::SLessThan,
        Op::GroupNonUniformUMin => Op::ULessThan,
        Op::GroupNonUniformFMin => Op::FOrdLessThan,
        Op::GroupNonUniformSMax => Op::SGreaterThan,
        Op::GroupNonUniformUMax => Op::UGreaterThan,
        Op::GroupNonUniformFMax => Op::FOrdGreaterThan,
        _ => return None,
    })
}

impl Prepare<'_> {
    /// Adds the decoration of the variable for the index in the subgroup, if it is new.
    pub fn annotate_lane(&mut self, at: Instruction<'_>) {
        if let Some(variable) = self.lane.added_variable() {
            let built_in = [Decoration::BuiltIn as u32, BuiltIn::SubgroupLocalInvocationId as u32];
            self.keep(at, &[&[Op::Decorate as u32, variable], built_in.as_slice()].concat());
        }
    }

    /// Declares the variable for the index in the subgroup, if it is new.
    pub fn declare_lane(&mut self, at: Instruction<'_>) {
        if let Some(variable) = self.lane.added_variable() {
            let pointer = self.fresh();
            let class = StorageClass::Input as u32;
            self.keep(at, &[Op::TypePointer as u32, pointer, class, self.pool.uint]);
            self.keep(at, &[Op::Variable as u32, pointer, variable, class]);
        }
    }

    /// Replaces a subgroup operation, if necessary. Returns whether it did.
    pub fn is_of_subgroup(&mut self, op: Op, at: Instruction<'_>) -> bool {
        let [_, ty, id, scope, ref operands @ ..] = *at.words else { return false };
        let Pool { uint, .. } = self.pool;
        match (op, operands) {
            (Op::GroupNonUniformElect, []) => {
                // The first active invocation has no active invocation before it.
                let scan = GroupOperation::ExclusiveScan as u32;
                let operands = [scope, scan, self.pool.constant(1)];
                let before = self.put(at, Op::GroupNonUniformIAdd, uint, &operands);
                let zero = self.pool.constant(0);
                self.keep(at, &[Op::IEqual as u32, ty, id, before, zero]);
            }
            (Op::GroupNonUniformAllEqual, &[value]) => {
                let Some(of) = self.declared.results.get(&value).copied() else { return false };
                let value = self.put(at, Op::CopyObject, of, &[value]);
                let first =
                    self.gathered(at, Op::GroupNonUniformBroadcastFirst, of, &[scope, value]);
                let equal = self.equal(at, of, [value, first]);
                self.keep(at, &[Op::GroupNonUniformAll as u32, ty, id, scope, equal]);
            }
            (Op::GroupNonUniformInverseBallot, &[ballot]) => {
                let lane = self.lane(at);
                self.ballot_bit(at, [ty, id], ballot, lane);
            }
            (Op::GroupNonUniformBallotBitExtract, &[ballot, index]) => {
                let index = self.put(at, Op::Bitcast, uint, &[index]);
                self.ballot_bit(at, [ty, id], ballot, index);
            }
            (Op::GroupNonUniformBallotBitCount, &[how, ballot]) => {
                self.count_ballot(at, how, ballot);
            }
            (Op::GroupNonUniformBallotFindLSB, &[ballot]) => {
                let found = self.first_of_ballot(at, ballot);
                self.keep(at, &[Op::Bitcast as u32, ty, id, found]);
            }
            (Op::GroupNonUniformBallotFindMSB, &[ballot]) => {
                let found = self.last_of_ballot(at, ballot);
                self.keep(at, &[Op::Bitcast as u32, ty, id, found]);
            }
            (_, &[_, value, _]) if let Some(size) = cluster(at, self.declared) => {
                self.reduce_cluster(at, op, value, size);
            }
            _ => return self.has_operands_of_other_blocks(op, at),
        }
        true
    }

    /// Loads the index in the subgroup.
    fn lane(&mut self, at: Instruction<'_>) -> u32 {
        let variable = self.lane.variable.unwrap_or_default();
        self.put(at, Op::Load, self.pool.uint, &[variable])
    }

    /// Moves a value between invocations. naga does not move Booleans, so they are moved as numbers. The operands are the scope, the
    /// value, and others.
    fn gathered(&mut self, at: Instruction<'_>, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let Pool { uint, bool, .. } = self.pool;
        let (Some(Type::Bool), [scope, value, others @ ..]) =
            (self.declared.types.get(&ty), operands)
        else {
            return self.put(at, op, ty, operands);
        };
        let [zero, one] = [0, 1].map(|number| self.pool.constant(number));
        let number = self.put(at, Op::Select, uint, &[*value, one, zero]);
        let moved = self.put(at, op, uint, &[&[*scope, number], others].concat());
        self.put(at, Op::INotEqual, bool, &[moved, zero])
    }

    /// Compares two values of a type, and returns whether all their components are equal.
    fn equal(&mut self, at: Instruction<'_>, ty: u32, values: [u32; 2]) -> u32 {
        let Pool { bool, .. } = self.pool;
        if let Some((of, count)) = self.declared.vector(ty) {
            let mut all = self.pool.yes;
            for index in 0..count {
                let parts =
                    values.map(|value| self.put(at, Op::CompositeExtract, of, &[value, index]));
                let equal = self.equal(at, of, parts);
                all = self.put(at, Op::LogicalAnd, bool, &[all, equal]);
            }
            return all;
        }
        match self.declared.types.get(&ty) {
            Some(Type::Float { .. }) => self.put(at, Op::FOrdEqual, bool, &values),
            Some(Type::Bool) => self.put(at, Op::LogicalEqual, bool, &values),
            _ => self.put(at, Op::IEqual, bool, &values),
        }
    }

    /// Computes whether a bit of a ballot is set.
    fn ballot_bit(&mut self, at: Instruction<'_>, [ty, id]: [u32; 2], ballot: u32, index: u32) {
        let bit = self.bit(at, ballot, index);
        let zero = self.pool.constant(0);
        self.keep(at, &[Op::INotEqual as u32, ty, id, bit, zero]);
    }

    /// Returns the bit of a ballot with this index, as 0 or 1.
    fn bit(&mut self, at: Instruction<'_>, ballot: u32, index: u32) -> u32 {
        let Pool { uint, bool, .. } = self.pool;
        let [zero, one, five, rest] = [0, 1, 5, 31].map(|value| self.pool.constant(value));
        let number = self.put(at, Op::ShiftRightLogical, uint, &[index, five]);
        let mut word = zero;
        for component in 0..WORDS {
            let part = self.put(at, Op::CompositeExtract, uint, &[ballot, component]);
            let of = self.pool.constant(component);
            let is_it = self.put(at, Op::IEqual, bool, &[number, of]);
            word = self.put(at, Op::Select, uint, &[is_it, part, word]);
        }
        let by = self.put(at, Op::BitwiseAnd, uint, &[index, rest]);
        let moved = self.put(at, Op::ShiftRightLogical, uint, &[word, by]);
        self.put(at, Op::BitwiseAnd, uint, &[moved, one])
    }

    /// Computes the number of set bits of a ballot: of all, or of those of the invocations up to or before this one.
    fn count_ballot(&mut self, at: Instruction<'_>, how: u32, ballot: u32) {
        let Pool { uint, .. } = self.pool;
        let (ty, id) = (at.words[1], at.words[2]);
        let end = if how == GroupOperation::Reduce as u32 {
            None
        } else if how == GroupOperation::InclusiveScan as u32 {
            let (lane, one) = (self.lane(at), self.pool.constant(1));
            Some(self.put(at, Op::IAdd, uint, &[lane, one]))
        } else {
            Some(self.lane(at))
        };
        let mut sum = self.pool.constant(0);
        for component in 0..WORDS {
            let mut word = self.put(at, Op::CompositeExtract, uint, &[ballot, component]);
            if let Some(end) = end {
                let mask = self.bits_before(at, end, component);
                word = self.put(at, Op::BitwiseAnd, uint, &[word, mask]);
            }
            let count = self.put(at, Op::BitCount, uint, &[word]);
            sum = self.put(at, Op::IAdd, uint, &[sum, count]);
        }
        self.keep(at, &[Op::Bitcast as u32, ty, id, sum]);
    }

    /// Returns the bits of a word of a ballot that belong to invocations before `end`.
    fn bits_before(&mut self, at: Instruction<'_>, end: u32, component: u32) -> u32 {
        let Pool { uint, bool, .. } = self.pool;
        let [zero, one, width, all] = [0, 1, 32, ALL].map(|value| self.pool.constant(value));
        let from = self.pool.constant(component * 32);
        let is_after = self.put(at, Op::UGreaterThan, bool, &[end, from]);
        let count = self.put(at, Op::ISub, uint, &[end, from]);
        let is_full = self.put(at, Op::UGreaterThanEqual, bool, &[count, width]);
        let by = self.put(at, Op::Select, uint, &[is_full, zero, count]);
        let bit = self.put(at, Op::ShiftLeftLogical, uint, &[one, by]);
        let below = self.put(at, Op::ISub, uint, &[bit, one]);
        let bits = self.put(at, Op::Select, uint, &[is_full, all, below]);
        self.put(at, Op::Select, uint, &[is_after, bits, zero])
    }

    /// Computes the index of the lowest set bit of a ballot.
    fn first_of_ballot(&mut self, at: Instruction<'_>, ballot: u32) -> u32 {
        let Pool { uint, .. } = self.pool;
        let [zero, one] = [0, 1].map(|value| self.pool.constant(value));
        let mut found = self.pool.constant(ALL);
        for component in (0..WORDS).rev() {
            let word = self.put(at, Op::CompositeExtract, uint, &[ballot, component]);
            // The bits below the lowest set bit.
            let less = self.put(at, Op::ISub, uint, &[word, one]);
            let not = self.put(at, Op::Not, uint, &[word]);
            let below = self.put(at, Op::BitwiseAnd, uint, &[less, not]);
            found = self.found_in_word(at, component, [word, below], zero, found);
        }
        found
    }

    /// Computes the index of the highest set bit of a ballot.
    fn last_of_ballot(&mut self, at: Instruction<'_>, ballot: u32) -> u32 {
        let Pool { uint, .. } = self.pool;
        let one = self.pool.constant(1);
        let zero = self.pool.constant(0);
        let mut found = self.pool.constant(ALL);
        for component in 0..WORDS {
            let word = self.put(at, Op::CompositeExtract, uint, &[ballot, component]);
            // The highest set bit and all below it.
            let mut up_to = word;
            for by in [1, 2, 4, 8, 16] {
                let by = self.pool.constant(by);
                let moved = self.put(at, Op::ShiftRightLogical, uint, &[up_to, by]);
                up_to = self.put(at, Op::BitwiseOr, uint, &[up_to, moved]);
            }
            let below = self.put(at, Op::ShiftRightLogical, uint, &[up_to, one]);
            found = self.found_in_word(at, component, [word, below], zero, found);
        }
        found
    }

    /// Returns the number of bits `below` the set bit, counted from the first word, or `found` if the word has no set bit.
    fn found_in_word(
        &mut self,
        at: Instruction<'_>,
        component: u32,
        [word, below]: [u32; 2],
        zero: u32,
        found: u32,
    ) -> u32 {
        let Pool { uint, bool, .. } = self.pool;
        let count = self.put(at, Op::BitCount, uint, &[below]);
        let from = self.pool.constant(component * 32);
        let index = self.put(at, Op::IAdd, uint, &[count, from]);
        let is_set = self.put(at, Op::INotEqual, bool, &[word, zero]);
        self.put(at, Op::Select, uint, &[is_set, index, found])
    }

    /// Reduces the values of the active invocations of each cluster.
    fn reduce_cluster(&mut self, at: Instruction<'_>, op: Op, value: u32, size: u32) {
        let (ty, id) = (at.words[1], at.words[2]);
        match self.declared.vector(ty) {
            Some((of, count)) => {
                let mut words = vec![Op::CompositeConstruct as u32, ty, id];
                for index in 0..count {
                    let part = self.put(at, Op::CompositeExtract, of, &[value, index]);
                    words.push(self.reduced_scalar(at, op, of, part, size));
                }
                self.keep(at, &words);
            }
            _ => {
                let result = self.reduced_scalar(at, op, ty, value, size);
                self.keep(at, &[Op::CopyObject as u32, ty, id, result]);
            }
        }
    }

    fn reduced_scalar(
        &mut self,
        at: Instruction<'_>,
        op: Op,
        ty: u32,
        value: u32,
        size: u32,
    ) -> u32 {
        let Pool { uint, bool, .. } = self.pool;
        let scope = at.words[3];
        let combine = reduced(op).unwrap_or(Op::IAdd);
        let is_choice = matches!(
            combine,
            Op::SLessThan
                | Op::ULessThan
                | Op::FOrdLessThan
                | Op::SGreaterThan
                | Op::UGreaterThan
                | Op::FOrdGreaterThan
        );
        let value = self.put(at, Op::CopyObject, ty, &[value]);
        let ballot_type = self.pool.integer(false, 4);
        let active = self.put(at, Op::GroupNonUniformBallot, ballot_type, &[scope, self.pool.yes]);
        let (lane, mask) = (self.lane(at), self.pool.constant(!(size - 1)));
        let begin = self.put(at, Op::BitwiseAnd, uint, &[lane, mask]);
        let zero = self.pool.constant(0);
        let mut result = value;
        for index in 0..size {
            let index = self.pool.constant(index);
            let other = self.put(at, Op::IAdd, uint, &[begin, index]);
            let theirs = self.gathered(at, Op::GroupNonUniformShuffle, ty, &[scope, value, other]);
            let bit = self.bit(at, active, other);
            let is_active = self.put(at, Op::INotEqual, bool, &[bit, zero]);
            let is_other = self.put(at, Op::INotEqual, bool, &[other, lane]);
            let counts = self.put(at, Op::LogicalAnd, bool, &[is_active, is_other]);
            let combined = if is_choice {
                let chosen = self.put(at, combine, bool, &[theirs, result]);
                self.put(at, Op::Select, ty, &[chosen, theirs, result])
            } else {
                self.put(at, combine, ty, &[result, theirs])
            };
            result = self.put(at, Op::Select, ty, &[counts, combined, result]);
        }
        result
    }

    /// Copies the operands of subgroup operations into their block, because naga fails on values from other blocks. Returns
    /// whether it did.
    fn has_operands_of_other_blocks(&mut self, op: Op, instruction: Instruction<'_>) -> bool {
        let of_subgroup = format!("{op:?}").starts_with("GroupNonUniform");
        let words = instruction.words;
        if !of_subgroup || words.len() < 5 {
            return false;
        }
        let values = match op {
            Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::GroupNonUniformQuadBroadcast
            | Op::GroupNonUniformQuadSwap => 4..words.len(),
            _ => words.len() - 1..words.len(),
        };
        let mut copy = words.to_vec();
        for value in &mut copy[values] {
            let is_constant = self.specialized.ty(*value).is_some();
            if let Some(ty) = self.declared.results.get(value).filter(|_| !is_constant) {
                *value = self.put(instruction, Op::CopyObject, *ty, &[*value]);
            }
        }
        self.keep(instruction, &copy);
        true
    }
}
