//! The memory that a dispatch is given: buffers, textures and samplers.
//!
//! Words are relaxed atomics. On the supported machines they cost no more than plain words, and they let
//! workgroups run in parallel in safe Rust even if the kernel has races.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of words from which copying a buffer uses all cores.
const MANY: usize = 1 << 16;

/// Number of words that are copied at once: those of a page of memory.
const PAGE: usize = 1024;

/// A page of zeros.
static ZEROS: [u8; PAGE * 4] = [0; PAGE * 4];

/// The contents of a buffer, shared by all workgroups.
#[derive(Debug, Default)]
pub struct Buffer {
    words: Vec<AtomicU32>,
    bytes: u32,
    /// Whether the length is an assumption: an index past it is reported as a request to grow the buffer, not
    /// as out of bounds.
    pub elastic: bool,
}

impl Buffer {
    /// Creates a buffer with these bytes. The last word is padded with zeros. Pages of zeros take no memory.
    pub fn new(bytes: &[u8]) -> Self {
        let mut buffer = Self::zeros(bytes.len() as u32);
        for (to, from) in buffer.words.chunks_mut(PAGE).zip(bytes.chunks(PAGE * 4)) {
            if *from == ZEROS[..from.len()] {
                continue;
            }
            for (to, from) in to.iter_mut().zip(from.chunks(4)) {
                let mut word = [0; 4];
                word[..from.len()].copy_from_slice(from);
                *to = u32::from_le_bytes(word).into();
            }
        }
        buffer
    }

    /// Creates a buffer of `bytes` zeros, which take no memory until they are touched.
    pub fn zeros(bytes: u32) -> Self {
        let words = bytemuck::zeroed_vec(bytes.div_ceil(4) as usize);
        Self { words, bytes, elastic: false }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> u32 {
        self.bytes
    }

    /// Returns whether the buffer has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns the words of the buffer.
    pub fn words(&self) -> &[AtomicU32] {
        &self.words
    }

    /// Returns the word at a byte offset that is a multiple of 4, or `None` if the buffer ends before it does.
    pub fn word(&self, offset: u32) -> Option<u32> {
        let is_within = offset.is_multiple_of(4) && offset.checked_add(4)? <= self.bytes;
        let word = self.words.get(offset as usize / 4).filter(|_| is_within)?;
        Some(word.load(Ordering::Relaxed))
    }

    /// Returns a copy of the contents, by word. All cores copy a long buffer, because new memory is mapped
    /// when it is first touched.
    pub fn snapshot(&self) -> Vec<u32> {
        let word = |word: &AtomicU32| word.load(Ordering::Relaxed);
        match self.words.len() < MANY {
            true => self.words.iter().map(word).collect(),
            false => self.words.par_iter().with_min_len(MANY / 4).map(word).collect(),
        }
    }

    /// Restores the contents that [`Buffer::snapshot`] returned.
    pub fn restore(&self, words: &[u32]) {
        for (to, from) in self.words.iter().zip(words) {
            to.store(*from, Ordering::Relaxed);
        }
    }

    /// Returns a copy of the contents, by byte.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.snapshot().into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.truncate(self.bytes as usize);
        bytes
    }
}

/// Copies the current contents. Pages of zeros take no memory.
impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = Self { elastic: self.elastic, ..Self::zeros(self.bytes) };
        for (to, from) in copy.words.chunks_mut(PAGE).zip(self.words.chunks(PAGE)) {
            if from.iter().any(|word| word.load(Ordering::Relaxed) != 0) {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = from.load(Ordering::Relaxed).into();
                }
            }
        }
        copy
    }
}

/// A texture of any dimension with one or more mip levels. Each texel is stored as four 32-bit components;
/// missing ones read as 0, 0, 1. Loads and stores convert between formats.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Width, height, and depth or number of layers of level 0; unused ones are 1. A cube has 6 layers.
    pub size: [u32; 3],
    /// Number of mip levels. Each size of level n is halved n times; the number of layers is not.
    pub levels: u32,
    /// Number of samples per texel: 1 unless multisampled.
    pub samples: u32,
    /// The texels, level by level; within a level the sample index varies fastest, then x, y, z. Each texel
    /// is 4 words: f32, i32 or u32 bits, by the texture's class.
    pub texels: Buffer,
}

/// How a texture is sampled. The fields are those of WebGPU's `GPUSamplerDescriptor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Whether filtering within a level is linear; otherwise nearest.
    pub linear: bool,
    /// The address mode for coordinates outside [0, 1).
    pub address: AddressMode,
    /// How a comparison sampler compares the reference with a texel.
    pub compare: Compare,
}

/// A comparison function: `reference compare texel`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Never true.
    Never,
    /// The reference is less than the texel. The usual function for shadow maps.
    #[default]
    Less,
    /// Reference and texel are equal.
    Equal,
    /// The reference is not greater than the texel.
    LessEqual,
    /// The reference is greater than the texel.
    Greater,
    /// Reference and texel differ.
    NotEqual,
    /// The reference is not less than the texel.
    GreaterEqual,
    /// Always true.
    Always,
}

impl Compare {
    /// Returns whether the comparison holds for these values.
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
    /// The texture, repeated.
    Repeat,
    /// The texture, mirrored.
    MirrorRepeat,
}

/// The resource that one global variable is bound to.
#[derive(Clone, Debug)]
pub enum Resource {
    /// The contents of a storage, uniform or immediate variable.
    Buffer(Buffer),
    /// A sampled, depth or storage texture.
    Texture(Texture),
    /// A sampler.
    Sampler(Sampler),
}

/// The resources of a program, indexed by global variable.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// The resource of each global variable. `None` if the variable is not a resource or the entry point does
    /// not use it.
    pub by_global: Vec<Option<Resource>>,
}

impl Resources {
    /// Returns the buffer of a memory, if the memory is a buffer.
    pub fn buffer(&self, memory: super::observer::MemoryId) -> Option<&Buffer> {
        match self.by_global.get(memory.0 as usize)?.as_ref()? {
            Resource::Buffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// Returns the texture of a memory, if the memory is a texture.
    pub fn texture(&self, memory: super::observer::MemoryId) -> Option<&Texture> {
        match self.by_global.get(memory.0 as usize)?.as_ref()? {
            Resource::Texture(texture) => Some(texture),
            _ => None,
        }
    }
}
