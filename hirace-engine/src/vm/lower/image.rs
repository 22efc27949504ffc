//! Lowers textures: loads, stores, atomic operations, samples and queries.

use super::Lowering;
use super::function::Body;
use crate::diagnostic::Result;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::source_map::Span;
use crate::vm::code::{
    ImageOperation, ImageStep, Instruction, Level, Range, Register, Sample, SamplerUse, TextureUse,
};
use crate::vm::observer::MemoryId;
use naga::{
    AtomicFunction, Expression, GlobalVariable, Handle, ImageClass, ImageQuery, SampleLevel,
    Scalar, ScalarKind, StorageAccess, TypeInner,
};

/// The operands of an operation on one texel: the texture, the coordinates and the layer.
#[derive(Clone, Copy)]
pub(super) struct Texel {
    pub image: Handle<Expression>,
    pub coordinate: Handle<Expression>,
    pub layer: Option<Handle<Expression>>,
}

impl Lowering<'_> {
    /// Returns the index of a texture variable among those that the code uses.
    fn texture(&mut self, global: Handle<GlobalVariable>) -> Option<u32> {
        let module = &self.program.module;
        let variable = &module.global_variables[global];
        let TypeInner::Image { dim, class, .. } = module.types[variable.ty].inner else {
            return None;
        };
        let (format, writable) = match class {
            ImageClass::Storage { format, access } => {
                let writes = StorageAccess::STORE | StorageAccess::ATOMIC;
                (Some(format), access.intersects(writes))
            }
            _ => (None, false),
        };
        let list = &mut self.code.textures;
        Some(*self.textures.entry(global).or_insert_with(|| {
            let memory = MemoryId(global.index() as u32);
            let name = variable.name.clone().unwrap_or_default();
            list.push(TextureUse { memory, name, dim, format, writable });
            list.len() as u32 - 1
        }))
    }

    /// Returns the index of a sampler variable among those that the code uses.
    fn sampler(&mut self, global: Handle<GlobalVariable>) -> u32 {
        let variable = &self.program.module.global_variables[global];
        let list = &mut self.code.samplers;
        *self.samplers.entry(global).or_insert_with(|| {
            let memory = MemoryId(global.index() as u32);
            list.push(SamplerUse { memory, name: variable.name.clone().unwrap_or_default() });
            list.len() as u32 - 1
        })
    }
}

impl Body<'_, '_> {
    /// Lowers `textureLoad`.
    pub(super) fn image_load(
        &mut self,
        expression: Handle<Expression>,
        texel: Texel,
        sample: Option<Handle<Expression>>,
        level: Option<Handle<Expression>>,
        site: SiteId,
    ) -> Result<Register> {
        let sample = self.optional(sample)?;
        let level = self.optional(level)?;
        let out = self.temporary(self.inner(expression), self.span(expression))?;
        let site = (site != SiteId::NONE).then_some((site, Action::Read));
        self.texel_step(texel, ImageOperation::Load { sample, level }, out, site)?;
        Ok(out.start)
    }

    /// Lowers `textureStore`.
    pub(super) fn image_store(
        &mut self,
        texel: Texel,
        value: Handle<Expression>,
        site: SiteId,
    ) -> Result<()> {
        let value = self.range(value)?;
        let site = (site != SiteId::NONE).then_some((site, Action::Write));
        self.texel_step(texel, ImageOperation::Store, value, site)
    }

    /// Lowers `textureAtomicAdd` and similar functions.
    pub(super) fn image_atomic(
        &mut self,
        texel: Texel,
        function: AtomicFunction,
        value: Handle<Expression>,
        site: SiteId,
    ) -> Result<()> {
        let (scalar, _) = self.scalar(value)?;
        let value = self.range(value)?;
        let site = (site != SiteId::NONE).then_some((site, Action::Atomic));
        self.texel_step(texel, ImageOperation::Atomic { function, scalar }, value, site)
    }

    fn texel_step(
        &mut self,
        texel: Texel,
        operation: ImageOperation,
        value: Range,
        site: Option<(SiteId, Action)>,
    ) -> Result<()> {
        let texture = self.texture(texel.image)?;
        let coordinate = self.range(texel.coordinate)?;
        let layer = self.layer(texel.layer)?;
        self.push_image(ImageStep { texture, coordinate, layer, operation, value, site });
        Ok(())
    }

    /// Lowers `textureSample…` and `textureGather…`.
    pub(super) fn image_sample(&mut self, expression: Handle<Expression>) -> Result<Register> {
        let Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = self.function.expressions[expression]
        else {
            return Err(self.unsupported_error(self.span(expression), "an expression of this kind"));
        };
        let Expression::GlobalVariable(global) = self.function.expressions[sampler] else {
            return Err(self.unsupported_error(self.span(sampler), "a sampler in a binding array"));
        };
        let level = match level {
            SampleLevel::Auto | SampleLevel::Zero | SampleLevel::Bias(_) => Level::Zero,
            SampleLevel::Exact(level) => {
                let register = self.value(level)?;
                match self.inner(level).scalar_kind() {
                    Some(ScalarKind::Float) => Level::Float(register),
                    _ => Level::Integer(register),
                }
            }
            SampleLevel::Gradient { x, y } => Level::Gradient(self.range(x)?, self.range(y)?),
        };
        let sample = Sample {
            sampler: self.lowering.sampler(global),
            gather: gather.map(|component| component as u32),
            offset: match offset {
                Some(offset) => self.range(offset)?,
                None => Range::NONE,
            },
            level,
            reference: self.optional(depth_ref)?,
            clamp_to_edge,
        };
        let out = self.temporary(self.inner(expression), self.span(expression))?;
        let texel = Texel { image, coordinate, layer: array_index };
        self.texel_step(texel, ImageOperation::Sample(sample), out, None)?;
        Ok(out.start)
    }

    /// Lowers `textureDimensions` and similar functions.
    pub(super) fn image_query(
        &mut self,
        expression: Handle<Expression>,
        image: Handle<Expression>,
        query: ImageQuery,
    ) -> Result<Register> {
        let operation = match query {
            ImageQuery::Size { level } => ImageOperation::Size { level: self.optional(level)? },
            ImageQuery::NumLevels => ImageOperation::Levels,
            ImageQuery::NumLayers => ImageOperation::Layers,
            ImageQuery::NumSamples => ImageOperation::Samples,
        };
        let texture = self.texture(image)?;
        let value = self.temporary(self.inner(expression), self.span(expression))?;
        self.push_image(ImageStep {
            texture,
            coordinate: Range::NONE,
            layer: None,
            operation,
            value,
            site: None,
        });
        Ok(value.start)
    }

    fn push_image(&mut self, step: ImageStep) {
        self.lowering.code.image_steps.push(step);
        let index = self.lowering.code.image_steps.len() as u32 - 1;
        self.push(Instruction::Image { index });
    }

    fn texture(&mut self, image: Handle<Expression>) -> Result<u32> {
        let span: Span = self.span(image);
        let Expression::GlobalVariable(global) = self.function.expressions[image] else {
            return Err(self.unsupported_error(span, "a texture in a binding array"));
        };
        let texture = self.lowering.texture(global);
        texture.ok_or_else(|| self.unsupported_error(span, "a texture of this type"))
    }

    fn layer(&mut self, layer: Option<Handle<Expression>>) -> Result<Option<(Register, bool)>> {
        let Some(layer) = layer else { return Ok(None) };
        let signed = self.inner(layer).scalar() == Some(Scalar::I32);
        Ok(Some((self.value(layer)?, signed)))
    }

    fn optional(&mut self, expression: Option<Handle<Expression>>) -> Result<Option<Register>> {
        expression.map(|expression| self.value(expression)).transpose()
    }
}
