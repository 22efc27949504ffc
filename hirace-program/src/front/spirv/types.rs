//! The types of a module that its constants and copies use.

use super::words::Instruction;
use rspirv::spirv::Op;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A Boolean.
    Bool,
    /// An integer.
    Int {
        /// Number of bits.
        width: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A floating-point number.
    Float {
        /// Number of bits.
        width: u32,
    },
    /// A vector, or a matrix as a vector of its columns.
    Vector {
        /// The id of the component type.
        of: u32,
        /// Number of components.
        count: u32,
    },
    /// An array.
    Array {
        /// The id of the element type.
        of: u32,
        /// The id of its length, a constant; 0 for a runtime-sized array.
        length: u32,
    },
    /// A structure, with the ids of the types of its members.
    Struct(Vec<u32>),
}

impl Type {
    /// Returns the type that an instruction declares, and its id.
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
