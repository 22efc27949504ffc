//! The types of a module, as far as its constants and copies are of them.

use super::words::Instruction;
use rspirv::spirv::Op;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Truth.
    Bool,
    /// An integer of so many bits.
    Int {
        /// How many bits.
        width: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A floating-point number of so many bits.
    Float {
        /// How many bits.
        width: u32,
    },
    /// Several of one type, and how many: vectors, and matrices as their columns.
    Vector {
        /// The id of the type of each.
        of: u32,
        /// How many.
        count: u32,
    },
    /// An array.
    Array {
        /// The id of the type of its elements.
        of: u32,
        /// The id of its length, a constant; 0 if that is not fixed.
        length: u32,
    },
    /// The ids of the types of its members.
    Struct(Vec<u32>),
}

impl Type {
    /// The id and the type that an instruction declares.
    pub fn read(instruction: Instruction<'_>) -> Option<(u32, Self)> {
        let operand = |index| instruction.operand(index);
        let ty = match instruction.op()? {
            Op::TypeBool => Self::Bool,
            Op::TypeInt => Self::Int { width: operand(1)?, signed: operand(2)? != 0 },
            Op::TypeFloat => Self::Float { width: operand(1)? },
            Op::TypeVector | Op::TypeMatrix => Self::Vector { of: operand(1)?, count: operand(2)? },
            Op::TypeRuntimeArray => Self::Array { of: operand(1)?, length: 0 },
            Op::TypeArray => Self::Array { of: operand(1)?, length: operand(2)? },
            Op::TypeStruct => Self::Struct(instruction.operands(1).to_vec()),
            _ => return None,
        };
        Some((operand(0)?, ty))
    }
}
