//! Compares the resources of a launch with what the device can hold and bind.

use super::Needs;
use crate::diagnostic::Result;
use crate::exec::wgpu::texels::Image;
use crate::launch::Launch;
use crate::vm::memory::{Resource, Texture};
use hirace_gpu::fits::{self, BoundAs, BufferTooLarge, TextureTooLarge};
use naga::{AddressSpace, GlobalVariable, Handle, TypeInner};

impl Needs<'_> {
    /// Returns an error if the device cannot hold a resource of `launch`.
    pub fn check_resources(&self, launch: &Launch) -> Result<()> {
        for (handle, variable) in self.program.module.global_variables.iter() {
            match launch.resources.by_global.get(handle.index()) {
                Some(Some(Resource::Buffer(buffer))) => {
                    let bytes = u64::from(buffer.len());
                    self.check_buffer(handle, variable, bytes)?;
                }
                Some(Some(Resource::Texture(texture))) => {
                    self.check_texture(handle, variable, texture)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_buffer(
        &self,
        handle: Handle<GlobalVariable>,
        variable: &GlobalVariable,
        bytes: u64,
    ) -> Result<()> {
        let bound = match variable.space {
            AddressSpace::Immediate => BoundAs::Immediate,
            AddressSpace::Uniform => BoundAs::Uniform,
            _ => BoundAs::Storage,
        };
        let name = self.name(handle);
        if let Err(BufferTooLarge { most, can_be_created: held, .. }) =
            fits::binding(self.device.limits(), bound, bytes)
        {
            let verb = if held { "bind" } else { "hold" };
            let message =
                format!("`{name}` has {bytes} bytes, but the device can {verb} at most {most}");
            let mut refused = self.refuse(self.place(handle), message);
            refused.help = Some("use fewer elements, or check without --device".to_owned());
            return Err(refused);
        }
        let least = u64::from(
            self.program.module.types[variable.ty].inner.size(self.program.module.to_ctx()),
        );
        if bytes < least {
            let message = format!(
                "`{name}` has {bytes} bytes, but a device requires at least the size of its type, {least} bytes"
            );
            let mut refused = self.refuse(self.place(handle), message);
            refused.help =
                Some("give it at least one element, or check without --device".to_owned());
            return Err(refused);
        }
        Ok(())
    }

    fn check_texture(
        &self,
        handle: Handle<GlobalVariable>,
        variable: &GlobalVariable,
        texture: &Texture,
    ) -> Result<()> {
        let TypeInner::Image { dim, arrayed, class } = self.program.module.types[variable.ty].inner
        else {
            return Ok(());
        };
        let name = self.name(handle);
        let image = Image { name, dim, arrayed, class };
        let limits = self.device.limits();
        if let Err(TextureTooLarge { size, most, .. }) =
            fits::texture(limits, image.dimension(), texture.size)
        {
            let ([x, y, z], [most_x, most_y, most_z]) = (size, most);
            let message = format!(
                "`{name}` has {x}x{y}x{z} texels, but the device supports at most {most_x}x{most_y}x{most_z}"
            );
            return Err(self.refuse(self.place(handle), message));
        }
        let bytes = u64::from(texture.texels.len());
        if let Err(BufferTooLarge { most, .. }) = fits::buffer(limits, bytes) {
            let message = format!(
                "`{name}` has {bytes} bytes of texels, but the device can hold at most {most}"
            );
            return Err(self.refuse(self.place(handle), message));
        }
        match image.lacking(self.device, texture.samples) {
            None => Ok(()),
            Some(lacking) => Err(self.refuse(self.place(handle), format!("`{name}` {lacking}"))),
        }
    }
}
