//! What is known about the contents of variables.

use super::Ids;
use super::value::{Place, Root, Scalar, ScalarOrigin, Slot, Value};
use crate::ir::dataflow::Facts;
use crate::ir::globals::{Role, role};
use naga::{AddressSpace, GlobalVariable, Handle, Module, StorageAccess, TypeInner};
use rustc_hash::FxHashMap;

/// The maximum number of copies of structures through which a value is followed.
const MOST_COPIES: usize = 8;

/// All values that the variables of a kernel may hold at any time.
pub(super) struct Memory<'a> {
    module: &'a Module,
    /// The contents of variables, by the first byte of each scalar.
    scalars: Facts<(Root, u32), Scalar>,
    /// The values that were stored at an unknown index.
    unknown: Facts<Root, Scalar>,
    /// The structures that were copied into the variables as a whole.
    copies: FxHashMap<Root, Vec<(u32, Place)>>,
    has_new_copies: bool,
}

impl<'a> Memory<'a> {
    pub fn new(module: &'a Module) -> Self {
        let (scalars, unknown, copies) = Default::default();
        Self { module, scalars, unknown, copies, has_new_copies: false }
    }

    /// Returns whether information was added since this was last asked.
    pub fn take_changed(&mut self) -> bool {
        let has_new_copies = std::mem::take(&mut self.has_new_copies);
        self.scalars.take_changed() | self.unknown.take_changed() | has_new_copies
    }

    /// Returns the value at `place`, which has this type.
    pub fn read(&self, place: Place, inner: &TypeInner) -> Value {
        let (count, width) = match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => (1, scalar.width),
            TypeInner::Vector { size, scalar } => (size as u32, scalar.width),
            _ => return Value::Place(place),
        };
        let at = |i: u32| match place.offset {
            Some(offset) => self.scalar(place.root, offset + i * u32::from(width), MOST_COPIES),
            None => self.any(place.root),
        };
        let scalars = [0, 1, 2, 3].map(|i| at(i.min(count - 1)));
        Value::Components(scalars)
    }

    fn scalar(&self, root: Root, offset: u32, copies: usize) -> Scalar {
        if let Root::Global(variable) = root
            && let Some(scalar) = self.bound(variable, Some(offset))
        {
            return scalar;
        }
        let mut scalar = self.scalars.get(&(root, offset)).or(self.unknown.get(&root));
        if copies == 0 {
            return scalar;
        }
        for &(from, source) in self.copies.get(&root).into_iter().flatten() {
            if let Some(within) = offset.checked_sub(from) {
                scalar = scalar.or(match source.offset {
                    Some(start) => self.scalar(source.root, start + within, copies - 1),
                    None => self.any(source.root),
                });
            }
        }
        scalar
    }

    /// Returns the value at an unknown offset of a variable.
    fn any(&self, root: Root) -> Scalar {
        if let Root::Global(variable) = root
            && let Some(scalar) = self.bound(variable, None)
        {
            return scalar;
        }
        let own = self.scalars.iter().filter(|((of, _), _)| *of == root).map(|(_, scalar)| *scalar);
        let all = own.chain([self.unknown.get(&root)]);
        all.fold(Scalar::OTHER, Scalar::or)
    }

    /// Returns the value in a variable that is bound by the host, or in workgroup memory.
    fn bound(&self, variable: Handle<GlobalVariable>, offset: Option<u32>) -> Option<Scalar> {
        let space = self.module.global_variables[variable].space;
        if space == AddressSpace::Private {
            return None;
        }
        let is_written = matches!(space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE));
        let what = match (role(self.module, variable), offset) {
            (Role::Parameters, Some(offset)) => ScalarOrigin::Given(Slot { variable, offset }),
            (Role::Data, Some(offset)) if !is_written => {
                ScalarOrigin::Given(Slot { variable, offset })
            }
            (Role::Data, _) => ScalarOrigin::Element(variable),
            _ => ScalarOrigin::Other,
        };
        let ids = if matches!(what, ScalarOrigin::Given(_)) { Ids::NONE } else { Ids::DATA };
        Some(Scalar { ids, what })
    }

    /// Records that `scalar` may be stored at this byte.
    pub fn put(&mut self, root: Root, offset: u32, scalar: Scalar) {
        self.scalars.join((root, offset), scalar);
    }

    /// Records that `scalar` may be stored at any byte.
    pub fn put_somewhere(&mut self, root: Root, scalar: Scalar) {
        self.unknown.join(root, scalar);
    }

    /// Records that the contents of `source` may be stored at this byte and the following ones.
    pub fn copy(&mut self, root: Root, offset: u32, source: Place) {
        let copies = self.copies.entry(root).or_default();
        if !copies.contains(&(offset, source)) {
            copies.push((offset, source));
            self.has_new_copies = true;
        }
    }
}
