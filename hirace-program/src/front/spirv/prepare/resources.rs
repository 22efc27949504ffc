//! Splits resources that naga's front end cannot represent.
//!
//! - A combined image sampler becomes a texture, which keeps its name and binding, and a sampler with a binding of its own. An
//!   array of them has one sampler.
//! - An array of buffers or textures becomes one variable for each element, named `images[2]`, or `images[0][1]` if it has several
//!   dimensions. An access with constant indices uses the element. One with a dynamic index uses a stand-in variable, after it stored
//!   the indices to private variables; `front::spirv::elements` replaces the stand-in by a choice between the elements.
//! - A texel buffer becomes a texture with one dimension, and a storage texture of a cube one with a layer for each face.

use super::Prepare;
use crate::front::spirv::declarations::{NAME, SpirvDeclarations};
use crate::front::spirv::types::Type;
use crate::front::spirv::words::{Instruction, Words};
use rspirv::spirv::{Decoration, Dim, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The maximum number of elements of an array of resources.
pub const ELEMENTS: u32 = 256;
/// The maximum number of elements of all arrays of resources.
pub const ALL_ELEMENTS: u32 = 4096;
/// The maximum number of dimensions of an array of resources.
const DIMENSIONS: usize = 16;

/// The names in naga's module of the variables for one access with a dynamic index.
#[derive(Clone, Debug)]
pub struct DynamicElement {
    /// The name of the array.
    pub array: String,
    /// The number of elements of each dimension, the outermost first.
    pub dimensions: Vec<u32>,
    /// The names of its elements; those of the innermost dimension follow one another.
    pub elements: Arc<[String]>,
    /// The instruction that accesses the element.
    pub access: usize,
    /// The stand-in variable.
    pub stand_in: String,
    /// By dimension: the private variable that holds the index.
    pub indices: Vec<String>,
}

/// Returns the name of the variable for an element of an array with these dimensions, the outermost first.
fn element_name(array: &str, dimensions: &[u32], element: u32) -> String {
    let mut rest = element;
    let indices = dimensions.iter().rev().map(|count| {
        let index = rest % count.max(&1);
        rest /= count.max(&1);
        format!("[{index}]")
    });
    let indices: Vec<String> = indices.collect();
    indices.iter().rev().fold(array.to_owned(), |name, index| name + index)
}

/// The resources of a module that are split.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// By combined image sampler: its sampler.
    samplers: FxHashMap<u32, u32>,
    /// By array: its elements.
    arrays: FxHashMap<u32, Elements>,
    /// The types of arrays of resources, and of pointers to them, which naga does not get.
    hidden: FxHashSet<u32>,
    /// By access chain: the variables for its element.
    dynamic: FxHashMap<u32, DynamicAccess>,
    /// By type of a combined image sampler: the type of its image.
    images: FxHashMap<u32, u32>,
    /// The types of pointers to combined image samplers.
    pointers: FxHashSet<u32>,
    /// Once they were declared: the type of samplers, and that of pointers to them.
    sampler_types: Option<(u32, u32)>,
    /// The first unused binding.
    free: u32,
}

/// The elements of an array.
#[derive(Clone, Debug)]
struct Elements {
    name: String,
    /// The type of an element.
    of: u32,
    class: u32,
    /// The number of elements of each dimension, the outermost first.
    dimensions: Vec<u32>,
    variables: Vec<u32>,
}

/// An access to an element with a dynamic index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DynamicAccess {
    /// The stand-in for the element.
    stand_in: u32,
    /// By dimension: the private variable for the index.
    indices: Vec<u32>,
    array: u32,
    /// The instruction.
    access: usize,
}

impl Resources {
    /// Finds the resources to split. `fresh` returns unused ids, and bindings from `free` on are unused.
    pub fn of(
        words: &Words,
        declared: &SpirvDeclarations,
        free: u32,
        mut fresh: impl FnMut() -> u32,
    ) -> Self {
        let mut resources = Self { free, ..Self::default() };
        for instruction in words.instructions() {
            let [a, b] = [0, 1].map(|index| instruction.operand(index));
            match (instruction.op(), a, b) {
                (Some(Op::TypeSampledImage), Some(id), Some(image)) => {
                    resources.images.insert(id, image);
                }
                (Some(Op::TypePointer), Some(id), _) => {
                    if let Some((_, pointee)) = declared.pointers.get(&id)
                        && resources.images.contains_key(pointee)
                    {
                        resources.pointers.insert(id);
                    }
                }
                (Some(Op::Variable), Some(ty), Some(id)) => {
                    resources.variable(id, ty, declared, &mut fresh);
                }
                (Some(Op::AccessChain | Op::InBoundsAccessChain), _, Some(id)) => {
                    if let [array, indices @ ..] = instruction.operands(2)
                        && let Some(elements) = resources.arrays.get(array)
                        && indices.len() >= elements.dimensions.len()
                        && elements.constant_element(indices, declared).is_none()
                    {
                        let indices = elements.dimensions.iter().map(|_| fresh()).collect();
                        let (stand_in, access) = (fresh(), instruction.index);
                        let of = DynamicAccess { stand_in, indices, array: *array, access };
                        resources.dynamic.insert(id, of);
                    }
                }
                _ => {}
            }
        }
        resources
    }

    fn variable(
        &mut self,
        id: u32,
        ty: u32,
        declared: &SpirvDeclarations,
        fresh: &mut impl FnMut() -> u32,
    ) {
        let Some((class, mut pointee)) = declared.pointers.get(&ty).copied() else { return };
        if let Some(ArrayOfResources { of, lengths }) = array_of_resources(declared, ty)
            && let Some(dimensions) = lengths.into_iter().collect::<Option<Vec<u32>>>()
        {
            let name = declared.names.get(&id).cloned();
            let name = name.or_else(|| declared.names.get(&of).cloned());
            let place = [&declared.sets, &declared.bindings].map(|of| of.get(&id).unwrap_or(&0));
            let name = name.unwrap_or_else(|| format!("array_{}_{}", place[0], place[1]));
            // Each access with a dynamic index has the name of its array.
            let mut name: String = name.chars().take(NAME).collect();
            // Elements are found by their names.
            if self.arrays.values().any(|other| other.name == name) {
                name = format!("{name}_{id}");
            }
            let count = dimensions.iter().copied().fold(1, u32::saturating_mul);
            let variables = (0..count.min(ALL_ELEMENTS)).map(|_| fresh()).collect();
            self.arrays.insert(id, Elements { name, of, class, dimensions, variables });
            self.hidden.insert(ty);
            while let Some(Type::Array { of, .. }) = declared.types.get(&pointee) {
                self.hidden.insert(pointee);
                pointee = *of;
            }
        }
        if self.images.contains_key(&pointee) {
            self.samplers.insert(id, fresh());
        }
    }

    /// Returns the accesses with dynamic indices, in the order of the module.
    pub fn dynamic_elements(&self) -> Vec<DynamicElement> {
        let names = self.arrays.iter().map(|(array, elements)| (*array, elements.names().into()));
        let names: FxHashMap<u32, Arc<[String]>> = names.collect();
        let of = |(chain, of): (&u32, &DynamicAccess)| {
            let elements = self.arrays.get(&of.array)?;
            let indices = (0..of.indices.len()).map(|at| index_name(&elements.name, *chain, at));
            Some(DynamicElement {
                array: elements.name.clone(),
                dimensions: elements.dimensions.clone(),
                elements: Arc::clone(names.get(&of.array)?),
                access: of.access,
                stand_in: stand_in_name(&elements.name, *chain),
                indices: indices.collect(),
            })
        };
        let mut all: Vec<DynamicElement> = self.dynamic.iter().filter_map(of).collect();
        all.sort_unstable_by_key(|of| of.access);
        all
    }
}

impl Elements {
    /// Returns the variable of the element with these indices, if they are constants in range.
    fn constant_element(&self, indices: &[u32], declared: &SpirvDeclarations) -> Option<u32> {
        let mut number: usize = 0;
        for (count, index) in self.dimensions.iter().zip(indices) {
            let index = declared.constants.get(index).filter(|index| *index < count)?;
            number = number * *count as usize + *index as usize;
        }
        self.variables.get(number).copied()
    }

    fn names(&self) -> Vec<String> {
        let numbers = 0..self.variables.len() as u32;
        numbers.map(|number| element_name(&self.name, &self.dimensions, number)).collect()
    }
}

/// An array of buffers or textures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayOfResources {
    /// The type of the elements.
    pub of: u32,
    /// The number of elements of each dimension, the outermost first; `None` if it has no length.
    pub lengths: Vec<Option<u32>>,
}

/// Returns the array of buffers or textures that a pointer type points to, if it does.
pub fn array_of_resources(declared: &SpirvDeclarations, pointer: u32) -> Option<ArrayOfResources> {
    let (class, mut of) = *declared.pointers.get(&pointer)?;
    let classes =
        [StorageClass::StorageBuffer, StorageClass::Uniform, StorageClass::UniformConstant];
    if classes.iter().all(|known| *known as u32 != class) {
        return None;
    }
    let mut lengths = Vec::new();
    while let Some(Type::Array { of: element, length }) = declared.types.get(&of) {
        lengths.push(declared.constants.get(length).copied());
        // Types precede the types that contain them, except in a malformed module.
        if lengths.len() > DIMENSIONS {
            return None;
        }
        of = *element;
    }
    (!lengths.is_empty()).then_some(ArrayOfResources { of, lengths })
}

fn stand_in_name(array: &str, chain: u32) -> String {
    format!("{array}[element {chain}]")
}

fn index_name(array: &str, chain: u32, dimension: usize) -> String {
    format!("{array}[index {chain} {dimension}]")
}

impl Prepare<'_> {
    /// Adds the names and bindings of the new variables, before the first annotation or type.
    pub fn annotate_resources(&mut self, at: Instruction<'_>) {
        let resources = self.resources.clone();
        let mut samplers: Vec<_> = resources.samplers.iter().collect();
        samplers.sort_unstable();
        let mut arrays: Vec<_> = resources.arrays.iter().collect();
        arrays.sort_unstable_by_key(|(id, _)| **id);
        let mut dynamic: Vec<_> = resources.dynamic.iter().collect();
        dynamic.sort_unstable();
        for (texture, sampler) in &samplers {
            let name = match (self.declared.names.get(texture), resources.arrays.get(texture)) {
                (_, Some(elements)) => elements.name.clone(),
                (Some(name), _) => name.clone(),
                _ => format!("texture_{texture}"),
            };
            self.name(at, **sampler, &format!("{name}_sampler"));
        }
        for (_, elements) in &arrays {
            for (name, variable) in elements.names().iter().zip(&elements.variables) {
                self.name(at, *variable, name);
            }
        }
        for (chain, of) in &dynamic {
            let Some(elements) = resources.arrays.get(&of.array) else { continue };
            self.name(at, of.stand_in, &stand_in_name(&elements.name, **chain));
            for (dimension, index) in of.indices.iter().enumerate() {
                self.name(at, *index, &index_name(&elements.name, **chain, dimension));
            }
        }
        let of_sampler = samplers.iter().map(|(texture, sampler)| (**texture, **sampler));
        let of_elements = arrays
            .iter()
            .flat_map(|(array, of)| of.variables.iter().map(|variable| (**array, *variable)));
        let of_dynamic = dynamic.iter().map(|(_, of)| (of.array, of.stand_in));
        for (original, variable) in of_sampler.chain(of_elements).chain(of_dynamic) {
            let set = self.declared.sets.get(&original).copied().unwrap_or_default();
            let binding = self.resources.free;
            self.resources.free = binding.saturating_add(1);
            for (decoration, value) in
                [(Decoration::DescriptorSet, set), (Decoration::Binding, binding)]
            {
                self.keep(at, &[Op::Decorate as u32, variable, decoration as u32, value]);
            }
        }
    }

    fn name(&mut self, at: Instruction<'_>, id: u32, name: &str) {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize((bytes.len() / 4 + 1) * 4, 0);
        let (words, _) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        self.keep(at, &[&[Op::Name as u32, id], words.as_slice()].concat());
    }

    /// Replaces an instruction about a resource that is split. Returns whether it did.
    pub fn is_of_resources(&mut self, op: Op, instruction: Instruction<'_>) -> bool {
        let words = instruction.words;
        let first = instruction.operand(0);
        let is_array =
            |id: Option<u32>| id.is_some_and(|id| self.resources.arrays.contains_key(&id));
        match op {
            Op::Name => is_array(first),
            Op::EntryPoint => {
                let (_, text) = instruction.text(2);
                let (head, interface) = words.split_at((3 + text).min(words.len()));
                let mut kept = head.to_vec();
                kept.extend(interface.iter().filter(|id| !is_array(Some(**id))));
                // Another entry point of the module may be the only one that lists the variable.
                let lane = self.lane.variable();
                kept.extend(lane.filter(|lane| !interface.contains(lane)));
                self.keep(instruction, &kept);
                true
            }
            Op::Decorate => self.is_decoration_of_resources(instruction),
            Op::TypeArray | Op::TypeRuntimeArray | Op::TypePointer => {
                first.is_some_and(|id| self.resources.hidden.contains(&id))
            }
            Op::TypeImage if words.len() > 8 => {
                let mut copy = words.to_vec();
                let is_storage = words[7] == 2;
                match Dim::from_u32(words[3]) {
                    Some(Dim::DimBuffer) => copy[3] = Dim::Dim1D as u32,
                    // The last coordinate is the face, and the layer.
                    Some(Dim::DimCube) if is_storage => {
                        (copy[3], copy[5]) = (Dim::Dim2D as u32, 1);
                    }
                    _ => {}
                }
                // Without a format, which only determines how texels are stored.
                if is_storage && words[8] == 0 {
                    copy[8] = self.format_of(words[2]) as u32;
                }
                self.keep(instruction, &copy);
                true
            }
            Op::Variable => self.is_split(instruction),
            Op::AccessChain | Op::InBoundsAccessChain => self.is_chain(instruction),
            Op::Load => self.is_load_of_sampler(instruction),
            Op::TypeFunction | Op::FunctionParameter | Op::FunctionCall => {
                self.replace_sampler_passing(op, instruction)
            }
            _ => false,
        }
    }

    fn is_decoration_of_resources(&mut self, at: Instruction<'_>) -> bool {
        let [_, id, decoration, ..] = *at.words else { return false };
        let decoration = Decoration::from_u32(decoration);
        let class = self.declared.variables.get(&id).and_then(|ty| self.declared.pointers.get(ty));
        // Whether other invocations see writes to a texture changes no verdict, and naga only knows it for buffers.
        let is_texture = class.is_some_and(|(of, _)| *of == StorageClass::UniformConstant as u32);
        let is_order = matches!(decoration, Some(Decoration::Coherent | Decoration::Volatile));
        if is_texture && is_order {
            return true;
        }
        let Some(elements) = self.resources.arrays.get(&id) else {
            return self.resources.hidden.contains(&id);
        };
        let variables = elements.variables.clone();
        let stand_ins = self.resources.dynamic.values();
        let stand_ins: Vec<u32> =
            stand_ins.filter(|of| of.array == id).map(|of| of.stand_in).collect();
        if !matches!(decoration, Some(Decoration::DescriptorSet | Decoration::Binding)) {
            for variable in variables.into_iter().chain(stand_ins) {
                let mut copy = at.words.to_vec();
                copy[1] = variable;
                if !self.is_unknown(at.operand(1)) {
                    self.keep(at, &copy);
                }
            }
        }
        true
    }

    /// Declares the variables that replace this one, or that accompany it. Returns whether they replace it.
    fn is_split(&mut self, at: Instruction<'_>) -> bool {
        let Some(id) = at.operand(1) else { return false };
        let is_array = match self.resources.arrays.get(&id).cloned() {
            Some(elements) => {
                let pointer = self.fresh();
                let class = elements.class;
                self.keep(at, &[Op::TypePointer as u32, pointer, class, elements.of]);
                let mut dynamic: Vec<_> = self.resources.dynamic.values().cloned().collect();
                dynamic.retain(|of| of.array == id);
                dynamic.sort_unstable();
                let stand_ins = dynamic.iter().map(|of| of.stand_in);
                for variable in elements.variables.into_iter().chain(stand_ins) {
                    self.keep(at, &[Op::Variable as u32, pointer, variable, class]);
                }
                if !dynamic.is_empty() {
                    let [uint, private] = [self.fresh(), self.fresh()];
                    let class = StorageClass::Private as u32;
                    self.keep(at, &[Op::TypeInt as u32, uint, 32, 0]);
                    self.keep(at, &[Op::TypePointer as u32, private, class, uint]);
                    for index in dynamic.iter().flat_map(|of| &of.indices) {
                        self.keep(at, &[Op::Variable as u32, private, *index, class]);
                    }
                    self.index_type = Some(uint);
                }
                true
            }
            None => false,
        };
        if let Some(sampler) = self.resources.samplers.get(&id).copied() {
            let (_, pointer) = self.sampler_types(at);
            let class = StorageClass::UniformConstant as u32;
            self.keep(at, &[Op::Variable as u32, pointer, sampler, class]);
        }
        is_array
    }

    /// Returns the type of samplers and that of pointers to them, and declares them if necessary.
    fn sampler_types(&mut self, at: Instruction<'_>) -> (u32, u32) {
        if let Some(known) = self.resources.sampler_types {
            return known;
        }
        let [sampler, pointer] = [self.fresh(), self.fresh()];
        let class = StorageClass::UniformConstant as u32;
        self.keep(at, &[Op::TypeSampler as u32, sampler]);
        self.keep(at, &[Op::TypePointer as u32, pointer, class, sampler]);
        *self.resources.sampler_types.insert((sampler, pointer))
    }

    /// Replaces an access to an element of an array. Returns whether it did.
    fn is_chain(&mut self, at: Instruction<'_>) -> bool {
        let [first, ty, id, base, ref path @ ..] = *at.words else { return false };
        if let Some(sampler) = self.resources.samplers.get(&base).copied() {
            self.resources.samplers.insert(id, sampler);
        }
        let Some(elements) = self.resources.arrays.get(&base) else { return false };
        let count = elements.dimensions.len();
        let Some((given, rest)) = path.split_at_checked(count) else { return false };
        let element = elements.constant_element(given, self.declared);
        let variable = match (element, self.resources.dynamic.get(&id).cloned(), self.index_type) {
            (Some(element), ..) => element,
            (None, Some(DynamicAccess { stand_in, indices, .. }), Some(uint)) => {
                for (variable, index) in indices.iter().zip(given) {
                    let index = self.put(at, Op::Bitcast, uint, &[*index]);
                    self.keep(at, &[Op::Store as u32, *variable, index]);
                }
                stand_in
            }
            _ => return false,
        };
        match rest {
            [] => self.keep(at, &[Op::CopyObject as u32, ty, id, variable]),
            _ => self.keep(at, &[&[first, ty, id, variable], rest].concat()),
        }
        true
    }

    /// Replaces the load of a combined image sampler by those of its parts. Returns whether it did.
    fn is_load_of_sampler(&mut self, at: Instruction<'_>) -> bool {
        let [_, ty, id, from, ..] = *at.words else { return false };
        let image = self.resources.images.get(&ty).copied();
        let sampler = self.resources.samplers.get(&from).copied();
        let (Some(image), Some(sampler), Some((of_sampler, _))) =
            (image, sampler, self.resources.sampler_types)
        else {
            return false;
        };
        let image = self.put(at, Op::Load, image, &[from]);
        let sampler = self.put(at, Op::Load, of_sampler, &[sampler]);
        self.keep(at, &[Op::SampledImage as u32, ty, id, image, sampler]);
        true
    }

    /// Passes the samplers of combined image samplers to functions, each after its texture. Returns whether it replaced the
    /// instruction.
    fn replace_sampler_passing(&mut self, op: Op, at: Instruction<'_>) -> bool {
        match (op, at.words) {
            (Op::TypeFunction, [first, id, result, parameters @ ..]) => {
                if !parameters.iter().any(|ty| self.resources.pointers.contains(ty)) {
                    return false;
                }
                let (_, pointer) = self.sampler_types(at);
                let mut words = vec![*first, *id, *result];
                for ty in parameters {
                    words.push(*ty);
                    words.extend(self.resources.pointers.contains(ty).then_some(pointer));
                }
                self.keep(at, &words);
                true
            }
            (Op::FunctionParameter, [_, ty, id]) if self.resources.pointers.contains(ty) => {
                let (_, pointer) = self.sampler_types(at);
                self.keep(at, at.words);
                let sampler = self.put(at, Op::FunctionParameter, pointer, &[]);
                self.resources.samplers.insert(*id, sampler);
                true
            }
            (Op::FunctionCall, [first, ty, id, function, arguments @ ..]) => {
                let mut words = vec![*first, *ty, *id, *function];
                for argument in arguments {
                    words.push(*argument);
                    words.extend(self.resources.samplers.get(argument));
                }
                self.keep(at, &words);
                true
            }
            _ => false,
        }
    }
}
