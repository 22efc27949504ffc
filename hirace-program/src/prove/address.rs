//! Addresses of accesses, in terms of the accessing invocation.

use super::Rule;
use super::form::Form;
use super::instance::{Address, Instance, OpenBounds};
use super::state::SPACES;
use super::symbol::Level;
use super::value::Value;
use super::walk::Walk;
use crate::ir::access::{Access, Extent, Target};
use crate::ir::memory::Space;
use crate::ir::sites::SiteId;
use naga::{AddressSpace, ArraySize, Expression, Handle, TypeInner};

/// The limit on reached accesses. Each iteration and call that is walked separately counts.
const MAX_INSTANCES: usize = 1_200;
/// The limit on byte ranges that are distinguished.
const MAX_RUNS: usize = 4;

impl Walk<'_> {
    /// Records that the walk reaches an access site.
    pub(super) fn touch(&mut self, site: SiteId) {
        let program = self.program;
        let Some(access) = program.sites.access(site) else { return };
        let space = match program.module.global_variables[access.global].space {
            AddressSpace::WorkGroup => Space::Workgroup,
            AddressSpace::Storage { .. } => Space::Storage,
            _ => Space::Texture,
        };
        // Before the address, because facts about an arbitrary index say nothing about who reaches the access.
        let is_within = self.stays_within(site, access);
        let address = self.address(access);
        let kinds = SPACES.iter().zip(&self.state.intervals);
        let Some((_, interval)) = kinds.into_iter().find(|(kind, _)| **kind == space) else {
            return;
        };
        let instance = Instance {
            site,
            action: access.action,
            global: access.global,
            space,
            address,
            facts: self.state.facts.clone(),
            interval: interval.clone(),
            enclosing_loops: self.enclosing_loops.clone(),
            is_within,
            conditions: self.conditions,
            is_exact: self.is_exact(),
        };
        let is_recorded = self.followed.as_ref().is_none_or(|sites| sites.contains(&site));
        if is_recorded && !self.instances.contains(&instance) {
            self.instances.push(instance);
        }
        self.failed |= self.instances.len() > MAX_INSTANCES;
    }

    fn address(&mut self, access: &Access) -> Address {
        match access.target {
            Target::Pointer { observed, ref extent, .. } => {
                let Some(form) = self.bytes_of(observed) else { return Address::Anywhere };
                let extent = if extent.len() <= MAX_RUNS { extent.clone() } else { hull(extent) };
                let extent = match self.rules.keep(Rule::Extents) {
                    true => extent,
                    false => vec![Extent { offset: 0, bytes: 1 }],
                };
                Address::Bytes(form, extent)
            }
            Target::Texel { coordinate, array_index } => {
                let mut values = match self.value(coordinate) {
                    Value::Parts(parts) => parts,
                    one => vec![one],
                };
                values.extend(array_index.map(|index| self.value(index)));
                let forms = values.iter().map(|value| value.as_int().cloned());
                forms.collect::<Option<Vec<Form>>>().map_or(Address::Anywhere, Address::Texel)
            }
        }
    }

    /// Returns the offset of the first byte that a pointer points to. An index that may be out of bounds can be any index within
    /// them, since executors clamp it. If a single invocation is followed, no index is clamped.
    fn bytes_of(&mut self, observed: Handle<Expression>) -> Option<Form> {
        let function = self.frame().function;
        let mut sum = Form::default();
        let mut at = observed;
        loop {
            match function.expressions[at] {
                Expression::GlobalVariable(_) => return Some(sum),
                Expression::AccessIndex { base, index } => {
                    let (bytes, length) = self.part_of(base, index)?;
                    let number = Form::constant(index.into());
                    let part = if index == 0 || self.is_kept(&number, length.as_ref()) {
                        Form::constant(bytes.into())
                    } else {
                        self.any_of(base, length)?
                    };
                    sum = sum.plus(&part)?;
                    at = base;
                }
                Expression::Access { base, index } => {
                    let (stride, length) = self.part_of(base, 1)?;
                    let index = self.value(index).as_int().cloned();
                    let part = match index.filter(|index| self.is_kept(index, length.as_ref())) {
                        Some(index) => index.checked_mul(stride.into())?,
                        None => self.any_of(base, length)?,
                    };
                    sum = sum.plus(&part)?;
                    at = base;
                }
                _ => return None,
            }
        }
    }

    /// Returns whether every index of an access is in bounds. Going past the end of a texture is not an error.
    pub(super) fn stays_within(&mut self, site: SiteId, access: &Access) -> bool {
        let Target::Pointer { pointer, .. } = access.target else { return true };
        let function = self.frame().function;
        let mut at = pointer;
        loop {
            let (base, index) = match function.expressions[at] {
                Expression::GlobalVariable(_) => return true,
                Expression::AccessIndex { base, index } => {
                    (base, Some(Form::constant(index.into())))
                }
                Expression::Access { base, index } => (base, self.value(index).as_int().cloned()),
                _ => {
                    self.note_open_bounds(site, None);
                    return false;
                }
            };
            let length = self.part_of(base, 0).and_then(|(_, length)| length);
            let is_within =
                index.as_ref().is_some_and(|index| self.is_within(index, length.as_ref()));
            if !is_within {
                self.note_open_bounds(site, index.zip(length));
                return false;
            }
            at = base;
        }
    }

    /// Records an index into a value, or into memory without access sites, if it was not proved to be in bounds.
    pub(super) fn check_index_without_site(&mut self, expression: Handle<Expression>) {
        let function = self.frame().function;
        let Expression::Access { base, index } = function.expressions[expression] else { return };
        if self.open_bounds.is_none() {
            return;
        }
        let module = &self.program.module;
        if let TypeInner::Pointer { base: ty, .. } = *self.inner(self.frame().id, base)
            && matches!(module.types[ty].inner, TypeInner::BindingArray { .. })
        {
            return self.note_open_bounds(SiteId::NONE, None);
        }
        let number = |length: u32| Some(Form::constant(length.into()));
        let length = match *self.inner(self.frame().id, base) {
            TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => {
                if matches!(space, AddressSpace::Storage { .. } | AddressSpace::WorkGroup) {
                    return;
                }
                self.part_of(base, 0).and_then(|(_, length)| length)
            }
            TypeInner::Vector { size, .. } | TypeInner::Matrix { columns: size, .. } => {
                number(size as u32)
            }
            TypeInner::Array { size: ArraySize::Constant(length), .. } => number(length.get()),
            _ => None,
        };
        let index = self.value(index).as_int().cloned();
        let is_within = index.as_ref().is_some_and(|index| self.is_within(index, length.as_ref()));
        if !is_within {
            self.note_open_bounds(SiteId::NONE, index.zip(length));
        }
    }

    /// Records an index that was not proved to be in bounds of an array of this length, if such indices are recorded.
    fn note_open_bounds(&mut self, site: SiteId, index: Option<(Form, Form)>) {
        if self.open_bounds.is_none() {
            return;
        }
        let open = index.map(|(index, length)| {
            let index = match self.followed {
                Some(_) => index,
                None => self.exact_form(&index),
            };
            let below = length.minus(&index).and_then(|form| form.checked_add_constant(-1));
            let is_open = |form: &Form| !self.is_at_least_0(form);
            [Some(index), below].into_iter().flatten().filter(is_open).collect()
        });
        let facts = self.state.facts.clone();
        let (forms, conditions) = (open.unwrap_or_default(), self.conditions);
        let is_exact = self.is_exact();
        let open = OpenBounds { site, facts, forms, conditions, is_exact };
        if let Some(all) = &mut self.open_bounds
            && !all.contains(&open)
        {
            all.push(open);
        }
    }

    /// Returns whether an access is to the element at this index, and to no other one in its place.
    fn is_kept(&mut self, index: &Form, length: Option<&Form>) -> bool {
        self.followed.is_some() || self.is_within(index, length)
    }

    /// Returns whether an index is proved to be in bounds.
    pub(super) fn is_within(&mut self, index: &Form, length: Option<&Form>) -> bool {
        if !self.rules.keep(Rule::Bounds) {
            return true;
        }
        let below = length.and_then(|length| length.minus(index)?.checked_add_constant(-1));
        below.is_some_and(|below| self.is_at_least_0(&below) && self.is_at_least_0(index))
    }

    /// Returns the offset of an arbitrary part out of `length` parts.
    fn any_of(&mut self, base: Handle<Expression>, length: Option<Form>) -> Option<Form> {
        let (stride, _) = self.part_of(base, 1)?;
        let length = length?;
        let (_, high) = self.symbols.range(&length);
        let index = self.integer(Level::Invocation, (0, (high - 1).max(0)));
        let below = length.minus(&index).and_then(|form| form.checked_add_constant(-1));
        // If the array may be empty, a clamped index is 0.
        if let (Some(below), true) = (below, self.symbols.range(&length).0 >= 1) {
            self.state.learn(vec![below]);
        }
        index.checked_mul(stride.into())
    }
}

/// Returns the smallest range that contains all of these.
fn hull(runs: &[Extent]) -> Vec<Extent> {
    let first = runs.iter().map(|run| run.offset).min();
    let end = runs.iter().map(|run| run.offset.saturating_add(run.bytes)).max();
    let hull = first.zip(end).map(|(offset, end)| Extent { offset, bytes: end - offset });
    hull.into_iter().collect()
}
