//! Memory that a dispatch is given: buffers, textures, samplers.
//!
//! Words are relaxed atomics, which cost nothing over plain words on the machines we run on and
//! let workgroups run in parallel in safe Rust, races of the kernel included.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Words that are worth all cores.
const MANY: usize = 1 << 16;

/// The contents of a buffer, shared by all workgroups.
#[derive(Debug, Default)]
pub struct Buffer {
    words: Vec<AtomicU32>,
    bytes: u32,
    /// A guessed length: an index past it is reported by the run as wanting to grow, not as out of
    /// bounds.
    pub elastic: bool,
}

impl Buffer {
    /// A buffer of these bytes. The last word is padded with zeros.
    pub fn new(bytes: &[u8]) -> Self {
        let words = bytes.chunks(4).map(|chunk| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            AtomicU32::new(u32::from_le_bytes(word))
        });
        Self { words: words.collect(), bytes: bytes.len() as u32, elastic: false }
    }

    /// `bytes` zeros, which cost nothing until touched.
    pub fn zeros(bytes: u32) -> Self {
        let words = bytemuck::zeroed_vec(bytes.div_ceil(4) as usize);
        Self { words, bytes, elastic: false }
    }

    /// Its length in bytes.
    pub fn len(&self) -> u32 {
        self.bytes
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Its words.
    pub fn words(&self) -> &[AtomicU32] {
        &self.words
    }

    /// A copy of its contents, by word. Many are copied by all cores: new memory is mapped when it is first touched.
    pub fn snapshot(&self) -> Vec<u32> {
        let word = |word: &AtomicU32| word.load(Ordering::Relaxed);
        match self.words.len() < MANY {
            true => self.words.iter().map(word).collect(),
            false => self.words.par_iter().with_min_len(MANY / 4).map(word).collect(),
        }
    }

    /// Puts back what [`Buffer::snapshot`] gave.
    pub fn restore(&self, words: &[u32]) {
        for (to, from) in self.words.iter().zip(words) {
            to.store(*from, Ordering::Relaxed);
        }
    }

    /// A copy of its contents, by byte.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.snapshot().into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.truncate(self.bytes as usize);
        bytes
    }
}

/// A copy of the contents at this time.
impl Clone for Buffer {
    fn clone(&self) -> Self {
        let words = self.words.iter().map(|word| word.load(Ordering::Relaxed).into());
        Self { words: words.collect(), bytes: self.bytes, elastic: self.elastic }
    }
}

/// A texture of one level or several, any dimension, each texel kept as four 32-bit components
/// (missing ones read as 0, 0, 1). Format conversion happens at loads and stores.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Width, height, depth or layers of level 0; unused ones are 1. A cube has 6 layers each.
    pub size: [u32; 3],
    /// How many mip levels; level n has each of the sizes halved n times (layers are not).
    pub levels: u32,
    /// Samples a texel, 1 unless multisampled.
    pub samples: u32,
    /// Texels, level after level, sample fastest, then x, y, z; 4 words each, as f32, i32 or u32
    /// bits by the class of the texture.
    pub texels: Buffer,
}

/// How a texture is sampled. Fields as in WebGPU's `GPUSamplerDescriptor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Linear filtering within a level; otherwise nearest.
    pub linear: bool,
    /// What lies outside [0, 1).
    pub address: AddressMode,
    /// How a comparison sampler compares the reference with a texel.
    pub compare: Compare,
}

/// `reference compare texel`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Never true.
    Never,
    /// The reference is less: the usual one, for shadow maps.
    #[default]
    Less,
    /// They are equal.
    Equal,
    /// The reference is not greater.
    LessEqual,
    /// The reference is greater.
    Greater,
    /// They differ.
    NotEqual,
    /// The reference is not less.
    GreaterEqual,
    /// Always true.
    Always,
}

impl Compare {
    /// Whether the comparison is true of these.
    pub fn holds(self, reference: f32, texel: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => reference < texel,
            Self::Equal => reference == texel,
            Self::LessEqual => reference <= texel,
            Self::Greater => reference > texel,
            Self::NotEqual => reference != texel,
            Self::GreaterEqual => reference >= texel,
            Self::Always => true,
        }
    }
}

/// What a sampler reads outside the texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The nearest edge.
    #[default]
    ClampToEdge,
    /// The texture again.
    Repeat,
    /// The texture mirrored.
    MirrorRepeat,
}

/// What one global variable is bound to.
#[derive(Clone, Debug)]
pub enum Resource {
    /// For storage, uniform and immediate variables.
    Buffer(Buffer),
    /// For sampled, depth and storage textures.
    Texture(Texture),
    /// For samplers.
    Sampler(Sampler),
}

/// What the resources of a program are bound to, by the index of the global variable.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// `None` for what is no resource, or not used by the entry point.
    pub by_global: Vec<Option<Resource>>,
}

impl Resources {
    /// The buffer of a memory, if it is one.
    pub fn buffer(&self, memory: super::observer::MemoryId) -> Option<&Buffer> {
        match self.by_global.get(memory.0 as usize)?.as_ref()? {
            Resource::Buffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// The texture of a memory, if it is one.
    pub fn texture(&self, memory: super::observer::MemoryId) -> Option<&Texture> {
        match self.by_global.get(memory.0 as usize)?.as_ref()? {
            Resource::Texture(texture) => Some(texture),
            _ => None,
        }
    }
}
