//! Opens a device and reads results, for most of the programs.

use crate::run::Make;

pub struct Gpu {
    pub instance: wgpu::Instance,
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Gpu {
    pub fn open(make: Make<'_>, asked: &wgpu::DeviceDescriptor<'_>) -> Self {
        Self::open_with(make, |_| asked.clone())
    }

    /// Opens a device with a descriptor that depends on the adapter.
    pub fn open_with<'a>(
        make: Make<'_>,
        asked: impl FnOnce(&wgpu::Adapter) -> wgpu::DeviceDescriptor<'a>,
    ) -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        // Mesa 22's lavapipe crashes on the names of an encoder's debug groups.
        descriptor.flags |= wgpu::InstanceFlags::DISCARD_HAL_LABELS;
        let instance = make(descriptor);
        let options = wgpu::RequestAdapterOptions::default();
        let adapter = pollster::block_on(instance.request_adapter(&options)).expect("an adapter");
        let device = adapter.request_device(&asked(&adapter));
        let (device, queue) = pollster::block_on(device).expect("a device");
        Self { instance, adapter, device, queue }
    }

    pub fn name(&self) -> String {
        self.adapter.get_info().name
    }

    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    pub fn read_buffer(&self, buffer: &wgpu::Buffer) -> Vec<u8> {
        let staging = self.staging(buffer.size());
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        self.read_staging(&staging)
    }

    /// Reads a texture of four bytes per texel whose rows have the alignment of a copy.
    pub fn read_texture(&self, texture: &wgpu::Texture) -> Vec<u8> {
        let size = texture.size();
        let row = size.width * 4;
        let staging = self.staging(u64::from(row) * u64::from(size.height));
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row),
            rows_per_image: None,
        };
        let to = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
        let mut encoder = self.encoder();
        encoder.copy_texture_to_buffer(texture.as_image_copy(), to, size);
        self.queue.submit([encoder.finish()]);
        self.read_staging(&staging)
    }

    fn staging(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn read_staging(&self, staging: &wgpu::Buffer) -> Vec<u8> {
        let slice = staging.slice(..);
        slice.map_async(wgpu::MapMode::Read, |mapped| mapped.expect("the buffer can be mapped"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        slice.get_mapped_range().expect("the buffer is mapped").to_vec()
    }
}

/// Pseudo-random numbers, the same in each run on each machine.
pub struct Numbers(u32);

impl Numbers {
    pub fn new(seed: u32) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u32 {
        // xorshift
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// Returns a number from -1 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}
