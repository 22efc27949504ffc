//! Kernels that `#[hirace::monitor]` made from Rust functions, or that exist in WGSL, SPIR-V or GLSL.

#[cfg(feature = "check")]
mod checked;

use std::borrow::Cow;

pub use hirace_runtime::{Binding, BindingKind, Constant};

#[doc(hidden)]
pub use hirace_runtime::{Entry, Hole, Origin, Parts, RelatedSource};

/// The parts of a kernel whose item uses others. For generated code, which implements this where the last item is known.
#[doc(hidden)]
pub trait Monitored {
    /// Returns the parts that the kernels of the item, or the generic kernel, consist of.
    fn parts() -> &'static Parts;

    /// Returns the workgroup size of an instance of a generic kernel.
    fn workgroup_size() -> Option<[u32; 3]>;
}

/// A compute kernel: WGSL text, its origin, and its bindings.
///
/// `#[hirace::monitor]` adds a module with the name of the kernel, whose function `kernel()` returns a `Kernel`. With the feature
/// `check`, which is enabled by default, existing WGSL is read by `Kernel::from_wgsl`. With the features `spirv` and `glsl`,
/// there are also `Kernel::from_spirv` and `Kernel::from_glsl`.
#[derive(Clone, Debug)]
pub struct Kernel {
    origin: KernelSource,
    entry: Option<Cow<'static, str>>,
}

#[derive(Clone, Debug)]
enum KernelSource {
    Rust {
        parts: &'static Parts,
        values: &'static [u32],
        /// The workgroup size of an instance of a generic kernel, which `parts` do not contain.
        workgroup_size: Option<[u32; 3]>,
    },
    #[cfg(feature = "check")]
    Read(checked::ParsedKernel),
}

impl Kernel {
    /// Creates the kernel `entry` of a monitored item. For generated code.
    #[doc(hidden)]
    pub const fn from_parts(parts: &'static Parts, entry: &'static str) -> Self {
        let origin = KernelSource::Rust { parts, values: &[], workgroup_size: None };
        Self { origin, entry: Some(Cow::Borrowed(entry)) }
    }

    /// Creates an instance of a generic kernel with these values of its const parameters: `Kernel::instance(&PARTS, "f", &[N as
    /// u32], Some([N as u32, 1, 1]))`. For generated code.
    #[doc(hidden)]
    pub const fn instance(
        parts: &'static Parts,
        entry: &'static str,
        values: &'static [u32],
        workgroup_size: Option<[u32; 3]>,
    ) -> Self {
        let origin = KernelSource::Rust { parts, values, workgroup_size };
        Self { origin, entry: Some(Cow::Borrowed(entry)) }
    }

    /// Selects the entry point `name` of a text or module with several entry points.
    pub fn with_entry(mut self, name: &str) -> Self {
        self.entry = Some(Cow::Owned(name.to_owned()));
        self
    }

    /// Returns the entry point that runs if the launch has no dispatches of its own. `None`: all entry points run, one after
    /// another.
    pub fn entry(&self) -> Option<&str> {
        self.entry.as_deref()
    }

    /// Returns the name of the entry point in WGSL, for the creation of a pipeline. It differs from [`Kernel::entry`] if that
    /// name is reserved in WGSL.
    pub fn wgsl_entry(&self) -> Option<&str> {
        self.known().map(|entry| &*entry.wgsl).or(self.entry())
    }

    /// Returns the workgroup size, with the default values of overrides. `None`: there are several entry points and none was
    /// selected, or the size depends on an override without a default.
    ///
    /// ```
    /// use hirace::prelude::*;
    ///
    /// #[hirace::monitor(workgroup_size(N, 4))]
    /// fn nothing<const N: usize>() {}
    ///
    /// assert_eq!(nothing::kernel::<16>().workgroup_size(), Some([16, 4, 1]));
    /// ```
    pub fn workgroup_size(&self) -> Option<[u32; 3]> {
        let of_instance = match &self.origin {
            KernelSource::Rust { workgroup_size, .. } => *workgroup_size,
            #[cfg(feature = "check")]
            KernelSource::Read(_) => None,
        };
        of_instance.or_else(|| self.known()?.workgroup_size)
    }

    /// Returns the kernel's WGSL, for the creation of a shader module.
    ///
    /// The text has all entry points of the item or the input, and contains neither a monitor nor the checks of assertions.
    ///
    /// - **Source.** For a kernel in Rust, this is the text that the attribute made while the crate compiled, with the values of
    ///   const parameters inserted. For WGSL, it is the given text, unchanged. For SPIR-V and GLSL, it is a translation to read
    ///   rather than to run, because WGSL cannot express their fences and scopes.
    /// - **Overrides** are declarations in the text, with their defaults. Their values are set where the pipeline is created, by the
    ///   keys of [`Kernel::constants`]. A `Launch` does not change the text.
    /// - **Features** of this crate do not change the text.
    /// - **Environment.** Without the feature `check`, the text is always the same. With it, the text depends on the process in
    ///   one case: if `hirace mutate` runs the process, the text of the mutated kernel is returned. Under `hirace cover`, the
    ///   text is the same, and the call is recorded. The command and this crate must have the same version.
    ///
    /// # Panics
    /// Panics if a command of hirace runs the process and its request is of another version.
    pub fn wgsl(&self) -> Cow<'_, str> {
        #[cfg(feature = "check")]
        {
            self.record_handed_out();
            if let Some(mutant) = self.mutated() {
                return Cow::Owned(mutant);
            }
        }
        match &self.origin {
            KernelSource::Rust { parts, values, .. } => filled(parts, values),
            #[cfg(feature = "check")]
            KernelSource::Read(read) => Cow::Borrowed(&read.wgsl),
        }
    }

    /// Returns the bindings of the entry point, sorted by group and number, as in an automatic pipeline layout. If there are several
    /// entry points and none was selected, returns the bindings of all of them. Features of this crate and values of
    /// overrides do not change them. If `hirace mutate` runs the process, those of a text are the bindings of its mutant.
    ///
    /// ```
    /// use hirace::kernel::BindingKind;
    /// use hirace::prelude::*;
    ///
    /// #[hirace::monitor]
    /// mod buffers {
    ///     use hirace::prelude::*;
    ///
    ///     #[kernel(workgroup_size(64))]
    ///     pub fn fill(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32], #[uniform] with: u32) {
    ///         out[id.x] = with;
    ///     }
    ///
    ///     #[kernel(workgroup_size(64))]
    ///     pub fn clear(#[builtin(global_invocation_id)] id: UVec3, out: &mut [u32]) {
    ///         out[id.x] = 0;
    ///     }
    /// }
    ///
    /// let kernel = buffers::clear::kernel();
    /// let [out] = kernel.bindings() else { panic!("one binding") };
    /// assert_eq!((&*out.name, &*out.ty), ("out", "array<u32>"));
    /// assert_eq!(out.kind, BindingKind::StorageReadWrite);
    /// assert_eq!(buffers::fill::kernel().bindings().len(), 2);
    /// ```
    pub fn bindings(&self) -> &[Binding] {
        match (self.known(), &self.origin) {
            (Some(entry), _) => &entry.bindings,
            (None, KernelSource::Rust { .. }) => &[],
            #[cfg(feature = "check")]
            (None, KernelSource::Read(read)) => &read.bindings,
        }
    }

    /// Returns the overridable constants of the pipeline. Only kernels in Rust have any.
    pub fn constants(&self) -> &[Constant] {
        match &self.origin {
            KernelSource::Rust { parts, .. } => parts.constants,
            #[cfg(feature = "check")]
            KernelSource::Read(_) => &[],
        }
    }

    /// Returns the entry point: the selected one, or the only one.
    fn known(&self) -> Option<&Entry> {
        let entries = match &self.origin {
            KernelSource::Rust { parts, .. } => parts.entries,
            #[cfg(feature = "check")]
            KernelSource::Read(read) => &read.entries,
        };
        match (self.entry(), entries) {
            (Some(name), entries) => entries.iter().find(|entry| entry.name == name),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

/// Returns the text of `parts` with `values` in its holes.
fn filled(parts: &Parts, values: &[u32]) -> Cow<'static, str> {
    if parts.holes.is_empty() {
        return Cow::Borrowed(parts.wgsl);
    }
    Cow::Owned(hirace_runtime::fill_holes(parts.wgsl, parts.holes, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    static PARTS: Parts = Parts {
        wgsl: "const n: u32 = 0x00000001u; @compute @workgroup_size(n) fn loop_() {}",
        holes: &[Hole { at: 15, parameter: 0 }],
        entries: &[Entry {
            name: Cow::Borrowed("loop"),
            wgsl: Cow::Borrowed("loop_"),
            workgroup_size: None,
            bindings: Cow::Borrowed(&[]),
        }],
        constants: &[],
        origin: None,
    };

    #[test]
    fn an_entry_point_has_a_name_for_each_language() {
        let kernel = Kernel::from_parts(&PARTS, "loop");
        assert_eq!((kernel.entry(), kernel.wgsl_entry()), (Some("loop"), Some("loop_")));
        assert_eq!(kernel.workgroup_size(), None);
    }

    #[test]
    fn instances_of_a_generic_kernel_differ_in_their_values_alone() {
        const KERNEL: Kernel = Kernel::instance(&PARTS, "loop", &[640], Some([640, 1, 1]));
        let text = "const n: u32 = 0x00000280u; @compute @workgroup_size(n) fn loop_() {}";
        assert_eq!(KERNEL.wgsl(), text);
        assert_eq!(KERNEL.workgroup_size(), Some([640, 1, 1]));
    }
}
