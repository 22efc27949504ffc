//! Declarations of a module's ids: names, constants, decorations, entry points.

use super::types::Type;
use super::words::{Instruction, Words};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionModel, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum length of a name in a listing, and of an array's name in the names of its elements.
pub(super) const NAME: usize = 100;

/// The declarations of ids.
#[derive(Clone, Debug, Default)]
pub struct SpirvDeclarations {
    /// `OpName`s that are not empty.
    pub names: FxHashMap<u32, String>,
    /// 32-bit constants, with the current values of specialization constants.
    pub constants: FxHashMap<u32, u32>,
    /// The `SpecId`s of specialization constants.
    pub spec_ids: FxHashMap<u32, u32>,
    /// Variables, and members of structures, that are read-only.
    pub only_read: FxHashSet<(u32, Option<u32>)>,
    /// By the id of a value: the id of its type.
    pub results: FxHashMap<u32, u32>,
    /// Constants that depend on specialization.
    pub open: FxHashSet<u32>,
    /// Composite constants: the ids of their constituents.
    pub composites: FxHashMap<u32, Vec<u32>>,
    /// The constant that is decorated as the workgroup size.
    pub workgroup_size: Option<u32>,
    /// The variable that is decorated as the index of the invocation in its subgroup.
    pub subgroup_invocation: Option<u32>,
    /// `OpString`s.
    pub strings: FxHashMap<u32, String>,
    /// Descriptor sets and bindings.
    pub sets: FxHashMap<u32, u32>,
    /// Bindings, by variable. See `sets`.
    pub bindings: FxHashMap<u32, u32>,
    /// Types of values, except pointers.
    pub types: FxHashMap<u32, Type>,
    /// By the id of a pointer type: its storage class and the id of the pointee type.
    pub pointers: FxHashMap<u32, (u32, u32)>,
    /// By the id of a module-scope variable: its pointer type.
    pub variables: FxHashMap<u32, u32>,
    /// Compute entry points: the function and its name.
    pub entries: Vec<(u32, String)>,
    /// Entry points of other stages.
    pub other_entries: Vec<(u32, String, u32)>,
    /// Imported instruction sets.
    pub sets_imported: FxHashMap<u32, String>,
}

impl SpirvDeclarations {
    /// Returns the type and the number of the components of a vector type. A type that only a malformed module has is none.
    pub fn vector(&self, ty: u32) -> Option<(u32, u32)> {
        let Some(&Type::Vector { of, count }) = self.types.get(&ty) else { return None };
        let is_scalar =
            matches!(self.types.get(&of), Some(Type::Bool | Type::Int { .. } | Type::Float { .. }));
        (is_scalar && (2..=4).contains(&count)).then_some((of, count))
    }

    /// Returns whether a type is that of signed integers.
    pub fn is_signed(&self, ty: u32) -> bool {
        matches!(self.types.get(&ty), Some(Type::Int { signed: true, .. }))
    }

    /// Reads the declarations of `words`.
    pub fn read(words: &Words) -> Self {
        let mut declared = Self::default();
        for instruction in words.instructions() {
            declared.instruction(instruction);
        }
        declared
    }

    fn instruction(&mut self, instruction: Instruction<'_>) {
        self.types.extend(Type::read(instruction));
        self.record_specialization_constant(instruction);
        self.results.extend(instruction.result());
        let [a, b, c] = [0, 1, 2].map(|index| instruction.operand(index));
        match (instruction.op(), a, b, c) {
            (Some(Op::Name), Some(id), ..) => {
                let (name, _) = instruction.text(1);
                if !name.is_empty() {
                    self.names.insert(id, name);
                }
            }
            (Some(Op::Constant | Op::SpecConstant), Some(_), Some(id), Some(value))
                if instruction.words.len() == 4 =>
            {
                self.constants.insert(id, value);
            }
            (Some(Op::ConstantNull), Some(_), Some(id), _) => {
                self.constants.insert(id, 0);
            }
            (Some(Op::ConstantComposite | Op::SpecConstantComposite), Some(_), Some(id), _) => {
                self.composites.insert(id, instruction.operands(2).to_vec());
            }
            (Some(Op::String), Some(id), ..) => {
                self.strings.insert(id, instruction.text(1).0);
            }
            (Some(Op::Decorate), Some(id), Some(decoration), None)
                if decoration == Decoration::NonWritable as u32 =>
            {
                self.only_read.insert((id, None));
            }
            (Some(Op::MemberDecorate), Some(id), member, Some(decoration))
                if decoration == Decoration::NonWritable as u32 =>
            {
                self.only_read.insert((id, member));
            }
            (Some(Op::Decorate), Some(id), Some(decoration), Some(value)) => {
                self.decoration(id, decoration, value);
            }
            (Some(Op::TypePointer), Some(id), Some(class), Some(pointee)) => {
                self.pointers.insert(id, (class, pointee));
            }
            (Some(Op::Variable), Some(ty), Some(id), _) => {
                self.variables.insert(id, ty);
            }
            (Some(Op::EntryPoint), Some(model), Some(function), _) => {
                let (name, _) = instruction.text(2);
                match model == ExecutionModel::GLCompute as u32 {
                    true => self.entries.push((function, name)),
                    false => self.other_entries.push((function, name, model)),
                }
            }
            (Some(Op::ExtInstImport), Some(id), ..) => {
                self.sets_imported.insert(id, instruction.text(1).0);
            }
            _ => {}
        }
    }

    fn record_specialization_constant(&mut self, instruction: Instruction<'_>) {
        let is_open = matches!(
            instruction.op(),
            Some(
                Op::SpecConstant
                    | Op::SpecConstantTrue
                    | Op::SpecConstantFalse
                    | Op::SpecConstantComposite
                    | Op::SpecConstantOp
            )
        );
        self.open.extend(instruction.operand(1).filter(|_| is_open));
    }

    fn decoration(&mut self, id: u32, decoration: u32, value: u32) {
        match Decoration::from_u32(decoration) {
            Some(Decoration::SpecId) => drop(self.spec_ids.insert(id, value)),
            Some(Decoration::DescriptorSet) => drop(self.sets.insert(id, value)),
            Some(Decoration::Binding) => drop(self.bindings.insert(id, value)),
            Some(Decoration::BuiltIn) if value == BuiltIn::WorkgroupSize as u32 => {
                self.workgroup_size = Some(id);
            }
            Some(Decoration::BuiltIn) if value == BuiltIn::SubgroupLocalInvocationId as u32 => {
                self.subgroup_invocation = Some(id);
            }
            _ => {}
        }
    }

    /// Returns the variables that share a binding with another variable, except for the first of each binding. Only read-only
    /// variables are returned, and only if all variables of the binding are read-only.
    pub fn aliases(&self) -> Vec<u32> {
        let mut places: Vec<_> = self.places().collect();
        places.sort_unstable();
        let shared = places.chunk_by(|a, b| a.0 == b.0);
        let read = shared.filter(|all| all.iter().all(|(_, id)| self.is_only_read(*id)));
        read.flat_map(|all| all.iter().skip(1)).map(|(_, id)| *id).collect()
    }

    /// Iterates over the descriptor sets and bindings, each with a variable that has them.
    pub fn places(&self) -> impl Iterator<Item = ((u32, u32), u32)> {
        let place = |id: &u32| Some((*self.sets.get(id)?, *self.bindings.get(id)?));
        self.variables.keys().filter_map(move |id| Some((place(id)?, *id)))
    }

    fn is_only_read(&self, variable: u32) -> bool {
        let ty = self.variables.get(&variable).and_then(|ty| self.pointers.get(ty));
        let Some((_, ty)) = ty else { return false };
        let members = match self.types.get(ty) {
            Some(Type::Struct(members)) => members.len() as u32,
            _ => 0,
        };
        let of_members =
            members > 0 && (0..members).all(|at| self.only_read.contains(&(*ty, Some(at))));
        of_members || self.only_read.contains(&(variable, None))
    }

    /// Returns the value of a constant that does not depend on specialization.
    pub fn fixed_value(&self, id: u32) -> Option<u32> {
        if self.open.contains(&id) { None } else { self.constants.get(&id).copied() }
    }

    /// Returns an id as shown in a listing: `%tile`, `%17`.
    pub fn shown(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) => {
                let word = |c: char| if c.is_alphanumeric() { c } else { '_' };
                format!("%{}", name.chars().take(NAME).map(word).collect::<String>())
            }
            None => format!("%{id}"),
        }
    }
}
