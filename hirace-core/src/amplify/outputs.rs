//! Compares the memory that a launch leaves with what is expected.

use super::results::Difference;
use crate::check::memory::FinalMemory;
use crate::diagnostic::Result;
use crate::finding::element;
use crate::ir::globals::is_writable;
use crate::ir::layout;
use crate::ir::scalars::{Footprint, ScalarSlot, scalars};
use crate::launch::Launch;
use crate::launch::number::Number;
use crate::launch::spec::Binding;
use crate::observe::Granule;
use crate::program::Program;
use crate::report::words;
use crate::vm::memory::{Buffer, Resource, Resources, Texture};
use crate::vm::observer::MemoryId;
use naga::{GlobalVariable, Handle, ImageClass, Type, TypeInner};
use std::cmp::Ordering;
use std::sync::Arc;

/// The outputs to compare, and how to compare them.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// The expected contents of buffers.
    pub expect: Vec<Binding>,
    /// The buffers and textures that must have the same contents as in the serial schedule; `None`: all that the launch
    /// may write.
    pub same: Option<Vec<String>>,
    /// The tolerance for floating-point numbers, relative to the expected value where that is greater than 1.
    pub tolerance: f64,
    /// The buffers whose elements may be in any order.
    pub as_set: Vec<String>,
    /// Whether [`Outputs::same`] comes from flags rather than from a test.
    pub is_flag: bool,
}

impl Outputs {
    /// Returns the flags for the part that comes from flags, each preceded by a space.
    pub(super) fn flags(&self) -> String {
        let named = |flag: &str, names: &[String]| -> String {
            names.iter().map(|name| format!(" {flag} {}", words::quote(name))).collect()
        };
        let tolerance = (self.tolerance > 0.0).then(|| format!(" --tolerance {}", self.tolerance));
        // A test's outputs are given in hirace.toml.
        let same = self.same.as_deref().filter(|_| self.is_flag).unwrap_or_default();
        named("--compare", same) + &tolerance.unwrap_or_default() + &named("--as-set", &self.as_set)
    }
}

/// The first number of a variable that differs from its expected value.
#[derive(Clone, Debug)]
pub(super) struct OutputDifference {
    pub difference: Difference,
    /// The word that contains it.
    pub granule: Option<Granule>,
}

/// A comparison of the memory that a launch leaves with the memory that it leaves in the serial order.
pub(super) struct Comparison<'a> {
    program: &'a Program,
    launch: &'a Launch,
    outputs: &'a Outputs,
    reference: Resources,
    /// The program, if values are expected.
    shared: Option<Arc<Program>>,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison with `reference`, which the launch leaves in the serial order.
    pub fn new(
        program: &'a Program,
        launch: &'a Launch,
        outputs: &'a Outputs,
        reference: Resources,
    ) -> Self {
        let shared = (!outputs.expect.is_empty()).then(|| Arc::new(program.clone()));
        Self { program, launch, outputs, reference, shared }
    }

    /// Returns whether the serial order itself leaves other values than expected.
    pub fn differs_in_serial_order(&self) -> Result<bool> {
        Ok(!self.outputs.expect.is_empty() && !self.differs(&self.reference)?.is_empty())
    }

    /// Returns the differences of `left` from what is expected, one for each variable.
    pub fn differs(&self, left: &Resources) -> Result<Vec<OutputDifference>> {
        let mut all = Vec::new();
        if let Some(program) = &self.shared {
            let program = Arc::clone(program);
            let memory = FinalMemory::new(program, left.clone());
            for expected in &self.outputs.expect {
                let name = expected.target();
                let Some(found) = memory.find_difference(expected, self.outputs.tolerance)? else {
                    continue;
                };
                let slot = self.slot(&name, found.index, left);
                let element = slot.as_ref().map_or(name.clone(), |(element, _)| element.clone());
                let (expected, is) = (found.expected.to_string(), found.actual.to_string());
                let difference = Difference {
                    variable: name,
                    element,
                    expected,
                    actual: is,
                    differing: found.count,
                };
                let granule = slot.map(|(_, granule)| granule);
                all.push(OutputDifference { difference, granule });
            }
        }
        all.extend(self.written().filter_map(|(handle, _)| self.changed(handle, left)));
        Ok(all)
    }

    /// Returns the names of the variables that are compared.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let expected = self.outputs.expect.iter().map(Binding::target);
        self.written().map(|(_, global)| element::name(global)).chain(expected)
    }

    /// Returns the variables that are compared with what the serial order leaves.
    fn written(&self) -> impl Iterator<Item = (Handle<GlobalVariable>, &GlobalVariable)> {
        let module = &self.program.module;
        module.global_variables.iter().filter(|(_, global)| {
            let is_written = is_writable(module, global);
            let name = element::name(global);
            let is_meant = match &self.outputs.same {
                Some(same) => same.contains(&name),
                None => self.outputs.expect.is_empty(),
            };
            is_written && is_meant
        })
    }

    fn changed(
        &self,
        handle: Handle<GlobalVariable>,
        left: &Resources,
    ) -> Option<OutputDifference> {
        let memory = MemoryId(handle.index() as u32);
        let of = |resources: &'_ Resources| {
            resources.by_global.get(handle.index()).and_then(Option::as_ref).cloned()
        };
        match (of(&self.reference)?, of(left)?) {
            (Resource::Buffer(was), Resource::Buffer(is)) => {
                self.changed_buffer(handle, memory, &was, &is)
            }
            (Resource::Texture(was), Resource::Texture(is)) => {
                self.changed_texture(handle, memory, &was, &is)
            }
            _ => None,
        }
    }

    fn changed_buffer(
        &self,
        handle: Handle<GlobalVariable>,
        memory: MemoryId,
        was: &Buffer,
        is: &Buffer,
    ) -> Option<OutputDifference> {
        let module = &self.program.module;
        let global = &module.global_variables[handle];
        let (was, is) = (was.bytes(), is.bytes());
        if was == is {
            return None;
        }
        let variable = element::name(global);
        let is_set = self.outputs.as_set.contains(&variable);
        let (was, is) = match is_set {
            true => (self.sorted(global.ty, was), self.sorted(global.ty, is)),
            false => (was, is),
        };
        let mut first = None;
        let mut numbers = 0;
        self.scalars(global.ty, was.len(), &mut |_, slot| {
            if let (Some(was), Some(is)) = (Number::read(slot, &was), Number::read(slot, &is))
                && !is.is_close(was, self.outputs.tolerance)
            {
                numbers += 1;
                first.get_or_insert((slot, was, is));
            }
        });
        let (slot, was, is) = first?;
        let shift = layout::granule_shift(module, global.ty);
        let granule = Granule { memory, workgroup: 0, index: slot.offset >> shift };
        // Sorted elements have no location in memory.
        let (element, granule) = match is_set {
            true => (format!("an element of {variable}"), None),
            false => (crate::ir::naming::describe(module, handle, slot.offset), Some(granule)),
        };
        let (expected, is) = (was.to_string(), is.to_string());
        let difference = Difference { variable, element, expected, actual: is, differing: numbers };
        Some(OutputDifference { difference, granule })
    }

    fn changed_texture(
        &self,
        handle: Handle<GlobalVariable>,
        memory: MemoryId,
        was: &Texture,
        is: &Texture,
    ) -> Option<OutputDifference> {
        let module = &self.program.module;
        let global = &module.global_variables[handle];
        let scalar = match module.types[global.ty].inner {
            TypeInner::Image { class: ImageClass::Storage { format, .. }, .. } => {
                naga::Scalar::from(format)
            }
            _ => return None,
        };
        let slot = ScalarSlot { offset: 0, scalar, atomic: false, component: 0 };
        let (was, is) = (was.texels.snapshot(), is.texels.snapshot());
        let mut first = None;
        let mut numbers = 0;
        for (index, (was, is)) in was.iter().zip(&is).enumerate() {
            let number = |word: &u32| Number::read(slot, &word.to_le_bytes());
            if was != is
                && let (Some(was), Some(is)) = (number(was), number(is))
                && !is.is_close(was, self.outputs.tolerance)
            {
                numbers += 1;
                first.get_or_insert((index, was, is));
            }
        }
        let (index, was, is) = first?;
        let granule = Granule { memory, workgroup: 0, index: (index / 4) as u32 };
        let texel = element::memory(self.program, self.launch, granule).element;
        let component = ["x", "y", "z", "w"][index % 4];
        let difference = Difference {
            variable: element::name(global),
            element: format!("{texel}.{component}"),
            expected: was.to_string(),
            actual: is.to_string(),
            differing: numbers,
        };
        Some(OutputDifference { difference, granule: Some(granule) })
    }

    /// Returns the bytes with the elements of the array that they are, or that they end with, sorted by the numbers of
    /// each element; padding is not compared.
    fn sorted(&self, ty: Handle<Type>, bytes: Vec<u8>) -> Vec<u8> {
        let module = &self.program.module;
        let array = |ty: Handle<Type>| match module.types[ty].inner {
            TypeInner::Array { base, stride, .. } => Some((base, stride.max(1) as usize)),
            _ => None,
        };
        let (start, array) = match module.types[ty].inner {
            TypeInner::Struct { ref members, .. } => match members.last() {
                Some(last) => (last.offset as usize, array(last.ty)),
                None => (0, None),
            },
            _ => (0, array(ty)),
        };
        let Some((base, stride)) = array else { return bytes };
        let (head, array) = bytes.split_at(start.min(bytes.len()));
        let numbers = |element: &[u8]| {
            let mut numbers = Vec::new();
            self.scalars(base, element.len(), &mut |_, slot| {
                numbers.extend(Number::read(slot, element));
            });
            numbers
        };
        let mut elements: Vec<(Vec<Number>, &[u8])> =
            array.chunks(stride).map(|element| (numbers(element), element)).collect();
        elements.sort_by(|(one, _), (other, _)| {
            let mut orders = one.iter().zip(other).map(|(one, other)| one.in_order(*other));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        let elements: Vec<&[u8]> = elements.into_iter().map(|(_, element)| element).collect();
        [head, &elements.concat()].concat()
    }

    /// Returns the name of the scalar with this index in a buffer, and the word that contains it.
    fn slot(&self, name: &str, index: usize, left: &Resources) -> Option<(String, Granule)> {
        let module = &self.program.module;
        let mut globals = module.global_variables.iter();
        let (handle, global) = globals.find(|(_, global)| global.name.as_deref() == Some(name))?;
        let memory = MemoryId(handle.index() as u32);
        let length = left.buffer(memory)?.len();
        let mut found = None;
        self.scalars(global.ty, length as usize, &mut |number, slot| {
            if number == index {
                found = Some(slot.offset);
            }
        });
        let offset = found?;
        let shift = layout::granule_shift(module, global.ty);
        let granule = Granule { memory, workgroup: 0, index: offset >> shift };
        Some((crate::ir::naming::describe(module, handle, offset), granule))
    }

    fn scalars(&self, ty: Handle<Type>, bytes: usize, visit: &mut dyn FnMut(usize, ScalarSlot)) {
        let module = &self.program.module;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let elements = Footprint::of(module, ty).elements(bytes);
        let mut number = 0;
        scalars(module, ty, elements, &mut |slot| {
            visit(number, slot);
            number += 1;
        });
    }
}
