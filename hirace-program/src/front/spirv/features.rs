//! Features that are refused by name, at the line that uses them, each with a way out.

use super::at;
use super::declarations::SpirvDeclarations;
use super::orders::is_atomic;
use super::prepare::{
    ALL_ELEMENTS, ArrayOfResources, ELEMENTS, array_of_resources, reached, texel_atomic,
};
use super::text::Text;
use super::words::{Instruction, Words};
use crate::diagnostic::Result;
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

/// Returns an error for the first feature of the module that is not supported.
pub fn check(words: &Words, declared: &SpirvDeclarations, text: &Text) -> Result<()> {
    let (mut elements, mut texel_atomics) = (0, TexelAtomics::default());
    // Functions that only other stages call may use anything.
    let (reached, mut is_reached) = (reached(words, declared), true);
    for instruction in words.instructions() {
        if instruction.op() == Some(Op::Function) {
            is_reached = instruction.operand(1).is_some_and(|id| reached.contains(&id));
        }
        let refused = match instruction.op() {
            Some(Op::Variable) => array(instruction, declared, &mut elements)
                .map(|refusal| (first_use(words, instruction), refusal)),
            Some(Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV) => {
                Some((first_use(words, instruction), cooperative_matrix()))
            }
            _ if !is_reached => None,
            Some(op) if is_derivative(op) => Some((instruction.index, derivative(op))),
            Some(op) => {
                let refusal = texel_atomics.refusal(words, instruction, op);
                refusal.map(|refusal| (instruction.index, refusal))
            }
            None => None,
        };
        if let Some((place, Refusal { message, help })) = refused {
            return Err(Box::new(at(text, place, message).help(help)));
        }
    }
    Ok(())
}

/// A refused feature, and the way out.
struct Refusal {
    message: String,
    help: String,
}

/// Returns the first instruction in a function that uses the id that `of` declares, directly or through types and constants. Only
/// instructions in functions have lines. Returns `of` if there is none.
fn first_use(words: &Words, of: Instruction<'_>) -> usize {
    let id = match of.op() {
        Some(Op::Variable) => of.operand(1),
        _ => of.operand(0),
    };
    let mut ids: FxHashSet<u32> = id.into_iter().collect();
    let mut is_in_function = false;
    for instruction in words.instructions().skip(of.index + 1) {
        is_in_function |= instruction.op() == Some(Op::Function);
        let uses = used_ids(instruction).iter().any(|operand| ids.contains(operand));
        match (is_in_function, instruction.op()) {
            // Variables of functions have no line.
            (true, Some(Op::Variable | Op::Function | Op::FunctionParameter)) | (false, _) => {
                ids.extend(instruction.defined_id().filter(|_| uses));
            }
            (true, _) if uses => return instruction.index,
            _ => {}
        }
    }
    of.index
}

/// Returns the words of an instruction that are ids and not numbers or text, as far as values, types and variables may be among
/// them. Descriptions of ids are not uses.
fn used_ids(instruction: Instruction<'_>) -> &[u32] {
    let all = instruction.operands(0);
    match instruction.op() {
        Some(
            Op::Line
            | Op::NoLine
            | Op::Name
            | Op::MemberName
            | Op::String
            | Op::Source
            | Op::Decorate
            | Op::MemberDecorate
            | Op::EntryPoint
            | Op::ExecutionMode,
        ) => &[],
        Some(Op::Constant | Op::SpecConstant) => all.get(..1).unwrap_or_default(),
        Some(Op::CompositeExtract) => all.get(..3).unwrap_or_default(),
        // The number of the function is before its arguments.
        Some(Op::ExtInst) => all.get(4..).unwrap_or_default(),
        _ => all,
    }
}

/// Returns the refusal of an array of buffers or textures that cannot be split into its elements. `elements` is the number of
/// elements of the arrays before this one.
fn array(
    instruction: Instruction<'_>,
    declared: &SpirvDeclarations,
    elements: &mut u32,
) -> Option<Refusal> {
    let ArrayOfResources { lengths, .. } = array_of_resources(declared, instruction.operand(0)?)?;
    let name = instruction.operand(1).and_then(|id| declared.names.get(&id));
    let what = match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("the array of buffers or textures `{name}`"),
        None => "the array of buffers or textures".to_owned(),
    };
    let count = lengths.iter().flatten().copied().fold(1, u32::saturating_mul);
    if lengths.iter().any(|length| length.is_none_or(|length| length == 0)) {
        let name = name.map_or("name", String::as_str);
        return Some(Refusal {
            message: format!("{what} has no length, so its elements are not known"),
            help: format!(
                "declare it with the number of elements that the host binds: `{name}[4]`"
            ),
        });
    }
    if count > ELEMENTS {
        return Some(Refusal {
            message: format!("{what} has {count} elements; hirace supports {ELEMENTS}"),
            help: "declare it with fewer elements, such as a constant that a macro defines"
                .to_owned(),
        });
    }
    *elements = elements.saturating_add(count);
    (*elements > ALL_ELEMENTS).then(|| Refusal {
        message: format!(
            "{what} is one too many: all arrays together have more than {ALL_ELEMENTS} elements"
        ),
        help: "declare the arrays with fewer elements".to_owned(),
    })
}

fn cooperative_matrix() -> Refusal {
    Refusal {
        message: "hirace does not support cooperative matrices".to_owned(),
        help: "check a variant of the kernel that computes the product without them, for example behind `#ifdef`"
            .to_owned(),
    }
}

/// The atomics on texels of a module.
#[derive(Default)]
struct TexelAtomics {
    /// The pointers to texels.
    pointers: FxHashSet<u32>,
    /// The ids that instructions use, if the module has such pointers.
    used: Option<FxHashSet<u32>>,
}

impl TexelAtomics {
    /// Returns the refusal of an atomic on a texel that no executor runs.
    fn refusal(&mut self, words: &Words, instruction: Instruction<'_>, op: Op) -> Option<Refusal> {
        if op == Op::ImageTexelPointer {
            self.pointers.extend(instruction.operand(1));
            return None;
        }
        let pointer = match op {
            Op::AtomicStore => instruction.operand(0),
            op if is_atomic(op) => instruction.operand(2),
            _ => None,
        };
        if !pointer.is_some_and(|pointer| self.pointers.contains(&pointer)) {
            return None;
        }
        let buffer = "use an array in a storage buffer, whose atomics return the value before";
        if texel_atomic(op).is_none() {
            return Some(Refusal {
                message: "hirace does not support this atomic on a texture: only addition, minimum, maximum, and, or, and exclusive or"
                    .to_owned(),
                help: buffer.to_owned(),
            });
        }
        let used = self.used.get_or_insert_with(|| all_used_ids(words));
        let is_used = instruction.operand(1).is_some_and(|result| used.contains(&result));
        is_used.then(|| Refusal {
            message: "hirace does not support the result of an atomic on a texture".to_owned(),
            help: format!("ignore the result, or {buffer}"),
        })
    }
}

/// Returns the ids that the instructions of a module use, and do not only define.
fn all_used_ids(words: &Words) -> FxHashSet<u32> {
    let mut ids = FxHashSet::default();
    for instruction in words.instructions() {
        let own = instruction.defined_id();
        ids.extend(used_ids(instruction).iter().filter(|id| own != Some(**id)));
    }
    ids
}

fn is_derivative(op: Op) -> bool {
    let is_of_coordinates = matches!(
        op,
        Op::DPdx
            | Op::DPdy
            | Op::Fwidth
            | Op::DPdxFine
            | Op::DPdyFine
            | Op::FwidthFine
            | Op::DPdxCoarse
            | Op::DPdyCoarse
            | Op::FwidthCoarse
    );
    is_of_coordinates || is_implicit_sample(op)
}

/// Returns whether an instruction computes the level of detail from derivatives.
fn is_implicit_sample(op: Op) -> bool {
    matches!(
        op,
        Op::ImageQueryLod
            | Op::ImageSampleImplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjDrefImplicitLod
    )
}

fn derivative(op: Op) -> Refusal {
    let (message, help) = match is_implicit_sample(op) {
        true => (
            "hirace does not support derivatives in compute shaders, which determine the level of detail here",
            "give the level of detail, as in `textureLod`",
        ),
        false => (
            "hirace does not support derivatives in compute shaders",
            "compute the difference from values in workgroup memory, or of a quad (`subgroupQuadSwapHorizontal`)",
        ),
    };
    Refusal { message: message.to_owned(), help: help.to_owned() }
}
