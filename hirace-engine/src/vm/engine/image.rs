//! Operations on textures.
//!
//! WGSL defines accesses to a texel outside of its texture: loads return zeros, and stores do nothing. No
//! observer sees them.

use super::fragment::{Fragment, lanes};
use super::{Context, DirectHandler, INVALID_ADDRESS, Setup};
use crate::ir::access::Extent;
use crate::vm::atomic::Update;
use crate::vm::code::{
    ImageOperation, ImageStep, Level, Pairing, Range, Register, Sample, TextureUse,
};
use crate::vm::memory::Sampler;
use crate::vm::observer::{Accesses, Space, Watcher};
use crate::vm::ops::image::{Image, TexelAddress};
use crate::vm::ops::sample::{self, SampleSpec};
use crate::vm::ops::texel::quantize;

impl<W: Watcher + ?Sized> Context<'_, '_, DirectHandler<'_, W>> {
    // A separate function, so that it does not use up the registers of the instruction loop.
    #[inline(never)]
    pub(super) fn image_now<const N: usize>(&mut self, f: &mut Fragment<N>, index: u32) {
        let code = self.setup.code;
        let step = &code.image_steps[index as usize];
        let used = &code.textures[step.texture as usize];
        let image = Image { texture: self.setup.textures[step.texture as usize], dim: used.dim };
        self.show_texels(f, step, image);
        match step.operation {
            ImageOperation::Store => {
                self.tally.changes += 1;
                for lane in lanes(f.mask) {
                    image.store(place(f, step, lane), stored(f, step, used, lane));
                }
            }
            ImageOperation::Atomic { function, scalar } => {
                self.tally.changes += 1;
                for lane in lanes(f.mask) {
                    let [low, high, ..] = texel(f, step.value, lane);
                    let value = u64::from(low) | u64::from(high) << 32;
                    if let Some(word) = image.word(place(f, step, lane)) {
                        let update = Update { function, scalar, value, compare: None };
                        update.on_buffer(image.texture.texels.words(), word);
                    }
                }
            }
            _ => compute(self.setup, f, step, image),
        }
    }

    /// Shows the observer an access to a storage texture.
    fn show_texels<const N: usize>(&mut self, f: &Fragment<N>, step: &ImageStep, image: Image) {
        let Some((site, action)) = step.site else { return };
        self.tally.record_execution(site.0 as usize, self.workgroup, f.first, f.mask);
        let mut offsets = [INVALID_ADDRESS; N];
        let mut mask = 0;
        for lane in lanes(f.mask) {
            // A texel has four words and counts as four bytes.
            if let Some(word) = image.word(place(f, step, lane)) {
                offsets[lane] = word as u32;
                mask |= 1 << lane;
            }
        }
        if mask != 0 {
            self.handler.watcher.access(&Accesses {
                site,
                action,
                commutes: false,
                space: Space::Texture,
                memory: self.setup.code.textures[step.texture as usize].memory,
                subgroup: f.subgroup,
                first_invocation: f.first,
                mask,
                offsets: &offsets,
                extent: &[Extent { offset: 0, bytes: 4 }],
                stored: None,
                pairing: Pairing::Alone,
            });
        }
    }
}

/// Performs an operation that accesses nothing that could change.
pub fn compute<const N: usize>(setup: &Setup, f: &mut Fragment<N>, step: &ImageStep, image: Image) {
    match step.operation {
        ImageOperation::Load { sample, level } => load(f, step, image, (sample, level)),
        ImageOperation::Sample(sample) => {
            let sampler = setup.samplers[sample.sampler as usize];
            for lane in lanes(f.mask) {
                let texel = sampled(f, step, &sample, sampler, image, lane);
                write(f, step.value, lane, texel);
            }
        }
        ImageOperation::Size { level } => {
            for lane in 0..N {
                let [x, y, z] = image.size(read(f, level, lane));
                write(f, step.value, lane, [x, y, z, 0]);
            }
        }
        ImageOperation::Levels => set(f, step.value, image.levels()),
        ImageOperation::Layers => set(f, step.value, image.layers()),
        ImageOperation::Samples => set(f, step.value, image.samples()),
        ImageOperation::Store | ImageOperation::Atomic { .. } => {}
    }
}

fn load<const N: usize>(
    f: &mut Fragment<N>,
    step: &ImageStep,
    image: Image,
    (sample, level): (Option<Register>, Option<Register>),
) {
    for lane in lanes(f.mask) {
        let place = TexelAddress {
            sample: read(f, sample, lane),
            level: read(f, level, lane),
            ..place(f, step, lane)
        };
        write(f, step.value, lane, image.load(place).unwrap_or_default());
    }
}

fn read<const N: usize>(f: &Fragment<N>, register: Option<Register>, lane: usize) -> u32 {
    register.map_or(0, |register| f.registers[register as usize][lane])
}

/// Returns the index of the first word of the texel that a lane loads, stores or updates; `None` outside of
/// the texture.
pub fn word<const N: usize>(
    f: &Fragment<N>,
    step: &ImageStep,
    image: Image,
    lane: usize,
) -> Option<usize> {
    let place = place(f, step, lane);
    image.word(match step.operation {
        ImageOperation::Load { sample, level } => {
            TexelAddress { sample: read(f, sample, lane), level: read(f, level, lane), ..place }
        }
        _ => place,
    })
}

/// Returns the integer coordinates of a lane's texel.
fn place<const N: usize>(f: &Fragment<N>, step: &ImageStep, lane: usize) -> TexelAddress {
    let mut at = [0; 3];
    let layer = step.layer.map(|(register, _)| register);
    let registers = step.coordinate.indices().chain(layer.map(|register| register as usize));
    for (at, register) in at.iter_mut().zip(registers) {
        *at = f.registers[register][lane];
    }
    TexelAddress { at, ..TexelAddress::default() }
}

/// Returns the value to be stored.
pub fn texel<const N: usize>(f: &Fragment<N>, value: Range, lane: usize) -> [u32; 4] {
    let mut texel = [0; 4];
    for (to, register) in texel.iter_mut().zip(value.indices()) {
        *to = f.registers[register][lane];
    }
    texel
}

/// Returns the texel after a lane's store.
pub fn stored<const N: usize>(
    f: &Fragment<N>,
    step: &ImageStep,
    used: &TextureUse,
    lane: usize,
) -> [u32; 4] {
    let texel = texel(f, step.value, lane);
    used.format.map_or(texel, |format| quantize(format, texel))
}

/// Writes a result with as many components as `to` has.
pub fn write<const N: usize>(f: &mut Fragment<N>, to: Range, lane: usize, texel: [u32; 4]) {
    for (index, register) in to.indices().enumerate() {
        f.registers[register][lane] = match (texel.get(index), to.count, index) {
            // Four 64-bit components: the last one is 1.
            (_, 8, 6) => 1,
            (_, 8, 2..) => 0,
            (word, ..) => word.copied().unwrap_or(0),
        };
    }
}

fn set<const N: usize>(f: &mut Fragment<N>, to: Range, value: u32) {
    f.registers[to.indices()].fill([value; N]);
}

fn sampled<const N: usize>(
    f: &Fragment<N>,
    step: &ImageStep,
    sample: &Sample,
    sampler: &Sampler,
    image: Image,
    lane: usize,
) -> [u32; 4] {
    let words = |range: Range| {
        let mut words = [0; 3];
        for (to, register) in words.iter_mut().zip(range.indices()) {
            *to = f.registers[register][lane];
        }
        words
    };
    let floats = |range| words(range).map(f32::from_bits);
    let level = match sample.level {
        Level::Zero => 0.0,
        Level::Float(register) => f32::from_bits(read(f, Some(register), lane)),
        Level::Integer(register) => read(f, Some(register), lane) as i32 as f32,
        Level::Gradient(x, y) => sample::gradient_level(image, floats(x), floats(y)),
    };
    let layer = step.layer.map_or(0, |(register, signed)| {
        let layer = read(f, Some(register), lane);
        if signed { i64::from(layer as i32) } else { i64::from(layer) }
    });
    let spot = SampleSpec {
        coordinate: floats(step.coordinate),
        layer,
        offset: words(sample.offset).map(|word| word as i32),
        level,
        clamp_to_edge: sample.clamp_to_edge,
    };
    let reference = sample.reference.map(|r| f32::from_bits(read(f, Some(r), lane)));
    match (sample.gather, reference) {
        (Some(_), Some(reference)) => {
            sample::gather_compare(image, sampler, &spot, reference).map(f32::to_bits)
        }
        (Some(component), None) => sample::gather(image, sampler, &spot, component as usize),
        (None, Some(reference)) => {
            let passed = sample::sample_compare(image, sampler, &spot, reference);
            [passed.to_bits(), 0, 0, 0]
        }
        (None, None) => sample::sample(image, sampler, &spot).map(f32::to_bits),
    }
}
