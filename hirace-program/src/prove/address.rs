//! Addresses of accesses, in terms of the accessing invocation.

use super::Rule;
use super::form::Form;
use super::instance::{Address, Instance};
use super::state::SPACES;
use super::symbol::Level;
use super::value::Value;
use super::walk::Walk;
use crate::ir::access::{Access, Extent, Target};
use crate::ir::memory::Space;
use crate::ir::sites::SiteId;
use naga::{AddressSpace, Expression, Handle};

/// The limit on reached accesses. Each iteration and call that is walked separately counts.
const MOST_INSTANCES: usize = 1_200;
/// The limit on byte ranges that are distinguished.
const MOST_RUNS: usize = 4;

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
        let address = self.address(access);
        let is_within = self.stays_within(access);
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
            is_within,
        };
        if !self.instances.contains(&instance) {
            self.instances.push(instance);
        }
        self.failed |= self.instances.len() > MOST_INSTANCES;
    }

    fn address(&mut self, access: &Access) -> Address {
        match access.target {
            Target::Pointer { observed, ref extent, .. } => {
                let Some(form) = self.bytes_of(observed) else { return Address::Anywhere };
                let extent = if extent.len() <= MOST_RUNS { extent.clone() } else { hull(extent) };
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
    /// them, since executors clamp it.
    fn bytes_of(&mut self, observed: Handle<Expression>) -> Option<Form> {
        let function = self.frame().function;
        let mut sum = Form::default();
        let mut at = observed;
        loop {
            match function.expressions[at] {
                Expression::GlobalVariable(_) => return Some(sum),
                Expression::AccessIndex { base, index } => {
                    let (bytes, length) = self.part_of(base, index)?;
                    let is_within = length.is_some_and(|length| i64::from(index) < length);
                    let part = if is_within || index == 0 {
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
                    let part = match index.filter(|index| self.is_within(index, length)) {
                        Some(index) => index.scaled(stride.into())?,
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
    fn stays_within(&mut self, access: &Access) -> bool {
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
                _ => return false,
            };
            let length = self.part_of(base, 0).and_then(|(_, length)| length);
            if !index.is_some_and(|index| self.is_within(&index, length)) {
                return false;
            }
            at = base;
        }
    }

    fn is_within(&mut self, index: &Form, length: Option<i64>) -> bool {
        if !self.rules.keep(Rule::Bounds) {
            return true;
        }
        let below = length.and_then(|length| index.scaled(-1)?.shifted(length - 1));
        below.is_some_and(|below| self.is_at_least_0(&below) && self.is_at_least_0(index))
    }

    /// Returns the offset of an arbitrary part out of `length` parts.
    fn any_of(&mut self, base: Handle<Expression>, length: Option<i64>) -> Option<Form> {
        let (stride, _) = self.part_of(base, 1)?;
        let last = (length? - 1).max(0);
        self.integer(Level::Invocation, (0, last)).scaled(stride.into())
    }
}

/// Returns the smallest range that contains all of these.
fn hull(runs: &[Extent]) -> Vec<Extent> {
    let first = runs.iter().map(|run| run.offset).min();
    let end = runs.iter().map(|run| run.offset.saturating_add(run.bytes)).max();
    let hull = first.zip(end).map(|(offset, end)| Extent { offset, bytes: end - offset });
    hull.into_iter().collect()
}
