//! The parameters of a launch: grid, buffers, schedule.

use crate::Grid;
#[cfg(feature = "gpu")]
use crate::device;
use crate::error::Result;
use crate::host_shareable::HostShareable;
use crate::type_name::type_name;
use bytemuck::NoUninit;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{Executor, Relation, Watch};
use hirace_core::launch::spec::{Binding, Bytes, Contents, DispatchSpec, LaunchSpec, Length};
use hirace_core::launch::values::Values;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The parameters with which a kernel is launched. What is not given is guessed, and the report shows the guesses.
///
/// A launch is its own builder. Each method takes the launch, sets the parameter that it is named for, and returns the launch.
/// The order of calls does not matter, except that [`Launch::dispatch`], [`Launch::write_buffer`] and [`Launch::keep_contents`]
/// append to a sequence. If the contents of a buffer are set twice, [`check`](crate::check()) returns an error.
///
/// Buffers have the names of the kernel's parameters, or of the variables in WGSL. Errors in a launch are reported by
/// [`check`](crate::check()).
///
/// ```
/// use hirace::{Kernel, Launch, check};
///
/// let kernel = Kernel::from_wgsl("scale.wgsl", "
///     @group(0) @binding(0) var<uniform> factor: f32;
///     @group(0) @binding(1) var<storage> input: array<f32>;
///     @group(0) @binding(2) var<storage, read_write> output: array<f32>;
///     @compute @workgroup_size(4)
///     fn scale(@builtin(global_invocation_id) id: vec3<u32>) { output[id.x] = factor * input[id.x]; }
/// ")?;
/// let input = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0_f32];
/// let launch = Launch::new()
///     .workgroups(2)
///     .buffer("factor", &10.0_f32)
///     .buffer("input", &input)
///     .zeros("output", input.len());
/// let output: Vec<f32> = check(&kernel, launch)?.assert_clean().buffer("output")?;
/// assert_eq!(output, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]);
/// # Ok::<(), hirace::Error>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "a launch does nothing until it is checked"]
pub struct Launch {
    pub(crate) spec: LaunchSpec,
    pub(crate) schedules: u32,
    pub(crate) watch: Watch,
    /// The first error in the given parameters.
    pub(crate) first_error: Option<Box<Diagnostic>>,
    /// The device, in the syntax of `--device`. `None`: the embedded executor.
    #[cfg(feature = "gpu")]
    pub(crate) device: Option<String>,
}

impl Launch {
    /// Creates a launch without any given parameters. Everything is guessed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of workgroups: `4`, `[8, 8]`, `[4, 4, 2]`.
    pub fn workgroups(mut self, grid: impl Into<Grid>) -> Self {
        self.spec.workgroups = Some(grid.into().dimensions());
        self
    }

    /// Adds a dispatch of the entry point `entry`. Dispatches run in order on the same buffers. If there is any, only these
    /// dispatches run.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("double.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    ///     @compute @workgroup_size(4)
    ///     fn fill(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = id.x; }
    ///     @compute @workgroup_size(4)
    ///     fn double(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }
    /// ")?;
    /// let launch =
    ///     Launch::new().zeros("data", 8).dispatch("fill", 2).dispatch("double", 2).dispatch("double", 1);
    /// let data: Vec<u32> = check(&kernel, launch)?.assert_clean().buffer("data")?;
    /// assert_eq!(data, [0, 4, 8, 12, 8, 10, 12, 14]);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn dispatch(mut self, entry: &str, grid: impl Into<Grid>) -> Self {
        let workgroups = Some(grid.into().dimensions());
        self.spec.dispatches.push(DispatchSpec { entry: entry.to_owned(), workgroups });
        self
    }

    /// Sets the contents of a buffer from the next dispatch on, like a write by the host between dispatches. Before the first
    /// dispatch, this is the same as [`Launch::buffer`].
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("steps.wgsl", "
    ///     @group(0) @binding(0) var<uniform> by: u32;
    ///     @group(0) @binding(1) var<storage, read_write> data: array<u32>;
    ///     @compute @workgroup_size(4)
    ///     fn add(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += by; }
    /// ")?;
    /// let mut launch = Launch::new().zeros("data", 4);
    /// for by in [1u32, 10, 100] {
    ///     launch = launch.write_buffer("by", &by).dispatch("add", 1).keep_contents();
    /// }
    /// let checked = check(&kernel, launch)?;
    /// assert_eq!(checked.assert_clean().buffer::<Vec<u32>>("data")?, [111; 4]);
    /// assert_eq!(checked.contents_after(1)?.buffer::<Vec<u32>>("data")?, [11; 4]);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn write_buffer<T: HostShareable + ?Sized>(mut self, name: &str, value: &T) -> Self {
        let before = self.spec.dispatches.len();
        let is_given = self.spec.bindings.iter().any(|binding| binding.target() == name);
        if before == 0 && !is_given {
            return self.buffer(name, value);
        }
        let contents = Contents::Values(Arc::new(values(value)));
        let binding = Binding { name: name.to_owned(), field: None, contents, text: None };
        self.spec.writes.push((before, binding));
        self
    }

    /// Keeps the contents of memory after the previous dispatch, for
    /// [`Checked::contents_after`](crate::Checked::contents_after).
    pub fn keep_contents(mut self) -> Self {
        self.spec.kept.extend(self.spec.dispatches.len().checked_sub(1));
        self
    }

    /// Sets the contents of a storage or uniform buffer: a number, a vector, a struct, an array, a slice or a `Vec` of those. The
    /// length of a slice determines the length of a runtime-sized array.
    ///
    /// Values are laid out according to the buffer's type in WGSL, so a slice of `Vec3` needs no padding:
    ///
    /// ```
    /// use glam::Vec3;
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("flip.wgsl", "
    ///     struct Params { axis: u32, offset: vec3<f32> }
    ///     @group(0) @binding(0) var<uniform> params: Params;
    ///     @group(0) @binding(1) var<storage, read_write> points: array<vec3<f32>>;
    ///     @compute @workgroup_size(2)
    ///     fn flip(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         points[id.x] += params.offset;
    ///         points[id.x][params.axis] *= -1.0;
    ///     }
    /// ")?;
    /// let launch = Launch::new()
    ///     .workgroups(1)
    ///     .buffer("params", &(2u32, Vec3::new(0.0, 0.5, 0.0)))
    ///     .buffer("points", &[Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO]);
    /// let points: Vec<Vec3> = check(&kernel, launch)?.assert_clean().buffer("points")?;
    /// assert_eq!(points, [Vec3::new(1.0, 2.5, -3.0), Vec3::new(0.0, 0.5, -0.0)]);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    ///
    /// Types that do not match are reported as an error of [`check`](crate::check()):
    ///
    /// ```
    /// # use hirace::{Kernel, Launch, check};
    /// # let kernel = Kernel::from_wgsl("x.wgsl", "
    /// #     @group(0) @binding(0) var<storage, read_write> points: array<vec3<f32>>;
    /// #     @compute @workgroup_size(2) fn x() { points[0].x = 1.0; }")?;
    /// let error = check(&kernel, Launch::new().buffer("points", &[[0.0_f32; 4]; 16])).unwrap_err();
    /// assert_eq!(
    ///     error.message(),
    ///     "contents of `points`: `[[f32; 4]; 16]` does not fill its type `array<vec3<f32>>`"
    /// );
    /// assert_eq!(error.notes(), ["found vec4<f32> where vec3<f32> is expected"]);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn buffer<T: HostShareable + ?Sized>(self, name: &str, value: &T) -> Self {
        let values = Arc::new(values(value));
        let text = values.text();
        self.bind(name, Contents::Values(values), text)
    }

    /// Sets the contents of a buffer as memory that is already laid out for WGSL: a slice of plain old data.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// #[repr(C)]
    /// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    /// struct Body {
    ///     place: [f32; 3],
    ///     mass: f32,
    /// }
    ///
    /// let kernel = Kernel::from_wgsl("grow.wgsl", "
    ///     struct Body { place: vec3<f32>, mass: f32 }
    ///     @group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
    ///     @compute @workgroup_size(4)
    ///     fn grow(@builtin(global_invocation_id) id: vec3<u32>) { bodies[id.x].mass *= 2.0; }
    /// ")?;
    /// let bodies = [Body { place: [0.0; 3], mass: 1.5 }; 4];
    /// let checked = check(&kernel, Launch::new().workgroups(1).bytes("bodies", &bodies))?;
    /// checked.assert_clean();
    /// assert_eq!(checked.bytes::<Body>("bodies")?[3].mass, 3.0);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn bytes<T: NoUninit>(self, name: &str, data: &[T]) -> Self {
        let bytes = Bytes {
            bytes: bytemuck::cast_slice(data).to_vec(),
            element: u32::try_from(size_of::<T>()).unwrap_or(u32::MAX),
            rust: type_name::<T>(),
            padded: false,
        };
        self.bind(name, Contents::Bytes(Arc::new(bytes)), None)
    }

    /// Sets the contents of a buffer to a value of a type with `encase::ShaderType`, laid out by encase.
    ///
    /// ```
    /// use encase::ShaderType;
    /// use hirace::{Kernel, Launch, check};
    ///
    /// #[derive(ShaderType)]
    /// struct List {
    ///     count: u32,
    ///     #[shader(size(runtime))]
    ///     items: Vec<glam::Vec3>,
    /// }
    ///
    /// let kernel = Kernel::from_wgsl("count.wgsl", "
    ///     struct List { count: u32, items: array<vec3<f32>> }
    ///     @group(0) @binding(0) var<storage, read_write> list: List;
    ///     @compute @workgroup_size(1)
    ///     fn count() { list.count = arrayLength(&list.items); list.items[2].y = 7.0; }
    /// ")?;
    /// let list = List { count: 0, items: vec![Default::default(); 5] };
    /// let checked = check(&kernel, Launch::new().workgroups(1).encased("list", &list))?;
    /// checked.assert_clean();
    /// let list: List = checked.encased("list")?;
    /// assert_eq!((list.count, list.items[2].y), (5, 7.0));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[cfg(feature = "encase")]
    pub fn encased<T>(self, name: &str, value: &T) -> Self
    where
        T: encase::ShaderType + encase::internal::WriteInto + ?Sized,
    {
        let mut buffer = encase::StorageBuffer::new(Vec::<u8>::new());
        // A `Vec` grows, so this cannot fail.
        let _ = buffer.write(value);
        let bytes =
            Bytes { bytes: buffer.into_inner(), element: 1, rust: type_name::<T>(), padded: true };
        self.bind(name, Contents::Bytes(Arc::new(bytes)), None)
    }

    /// Fills a buffer of `length` elements (`64`) or a texture of this size (`[16, 16]`, `[8, 8, 4]`) with zeros. For a variable
    /// of fixed size, such as a single number, use `buffer("count", &0u32)`.
    pub fn zeros(self, name: &str, length: impl Into<Length>) -> Self {
        let length = length.into();
        let text = format!("zeros:{length}");
        self.bind(name, Contents::Zeros(Some(length)), Some(text))
    }

    /// Sets the contents of a texture: texels, x fastest, then y, then z or layers, as numbers or vectors of the texture's scalar
    /// type (`f32`, also for `unorm`; `u32` or `i32`). Missing components are 0, and 1 for the fourth.
    ///
    /// ```
    /// use glam::Vec4;
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("invert.wgsl", "
    ///     @group(0) @binding(0) var image: texture_2d<f32>;
    ///     @group(0) @binding(1) var inverted: texture_storage_2d<rgba8unorm, write>;
    ///     @compute @workgroup_size(2, 2)
    ///     fn invert(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         textureStore(inverted, id.xy, 1.0 - textureLoad(image, id.xy, 0));
    ///     }
    /// ")?;
    /// let launch = Launch::new()
    ///     .workgroups([1, 1])
    ///     .texture("image", [2, 2], &[0.0_f32, 0.25, 0.75, 1.0])
    ///     .zeros("inverted", [2, 2]);
    /// let inverted: Vec<Vec4> = check(&kernel, launch)?.assert_clean().texture("inverted")?;
    /// assert_eq!(inverted[3], Vec4::new(0.0, 1.0, 1.0, 0.0));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn texture<T: HostShareable>(
        self,
        name: &str,
        size: impl Into<Length>,
        texels: &[T],
    ) -> Self {
        let size = match size.into() {
            Length::Texels(size) => size,
            Length::Elements(width) => [width, 1, 1],
        };
        self.bind(name, Contents::Texels(size, Arc::new(values(texels))), None)
    }

    /// Sets the value of a pipeline override, by its name or its `@id`: a number, or 0 and 1 for `bool`.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("count.wgsl", "
    ///     override size: u32 = 64u;
    ///     @group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
    ///     @compute @workgroup_size(size)
    ///     fn tally() { atomicAdd(&count, 1u); }
    /// ")?;
    /// let launch = Launch::new().override_value("size", 16).workgroups(3).buffer("count", &0u32);
    /// assert_eq!(check(&kernel, launch)?.assert_clean().buffer::<u32>("count")?, 48);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn override_value(mut self, name: &str, value: impl Into<f64>) -> Self {
        self.spec.overrides.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the seed of random values, such as guessed contents.
    pub fn seed(mut self, seed: u64) -> Self {
        self.spec.seed = seed;
        self
    }

    /// Sets the number of seeded schedules (orders of workgroups and subgroups, with preemption) that run in addition to the
    /// serial order. Buffers are read back from the serial run; [`Checked::schedules`](crate::Checked::schedules) returns the
    /// contents after the other runs.
    ///
    /// A race on a path that the serial order does not take is only found by another schedule:
    ///
    /// ```
    /// use hirace::{Kernel, Launch, Verdict, check};
    ///
    /// let kernel = Kernel::from_wgsl("first.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> taken: atomic<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> data: u32;
    ///     @compute @workgroup_size(1)
    ///     fn first(@builtin(workgroup_id) group: vec3<u32>) {
    ///         if (group.x == 0u) { data = 1u; }
    ///         if (group.x == 1u && atomicLoad(&taken) == 0u) { data = 2u; }
    ///         if (group.x == 0u) { atomicStore(&taken, 1u); }
    ///     }
    /// ")?;
    /// let launch = || Launch::new().workgroups(2).buffer("taken", &0u32).buffer("data", &0u32);
    /// assert_eq!(check(&kernel, launch())?.verdict(), Verdict::Clean);
    /// assert_eq!(check(&kernel, launch().schedules(20))?.verdict(), Verdict::Findings);
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn schedules(mut self, count: u32) -> Self {
        self.schedules = count;
        self
    }

    /// Sets the one schedule to run instead of the serial order, for example the schedule of a finding.
    pub fn schedule(mut self, seed: u64) -> Self {
        self.spec.schedule = seed;
        self
    }

    /// Sets the number of lanes of a subgroup: a power of two up to 64. The default is 32.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("lanes.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> sums: array<u32>;
    ///     @compute @workgroup_size(16)
    ///     fn lanes(@builtin(local_invocation_index) i: u32) { sums[i] = subgroupAdd(i); }
    /// ")?;
    /// let launch = Launch::new().workgroups(1).subgroup_size(8).zeros("sums", 16);
    /// let sums: Vec<u32> = check(&kernel, launch)?.assert_clean().buffer("sums")?;
    /// assert_eq!((sums[0], sums[8]), (28, 92));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn subgroup_size(mut self, lanes: u32) -> Self {
        self.spec.subgroup_size = Some(lanes);
        self
    }

    /// Sets the number of steps that a subgroup may run before its loop is reported as not terminating.
    pub fn step_limit(mut self, steps: u64) -> Self {
        self.spec.step_limit = Some(steps);
        self
    }

    /// Sets the time limit of a dispatch. Exceeding it is an error. By default only the number of steps is limited, so that the
    /// same launch ends in the same way everywhere.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }

    /// Adds a variable to those that are watched for races. `*` matches any text. By default, all shared memory is watched.
    pub fn watch(mut self, variable: &str) -> Self {
        self.watch.only.push(variable.to_owned());
        self
    }

    /// Adds a variable to those that are not watched for races. `*` matches any text.
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("progress.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> progress: u32;
    ///     @compute @workgroup_size(64)
    ///     fn work() { progress += 1u; } // any number will do
    /// ")?;
    /// check(&kernel, Launch::new().workgroups(4).ignore("progress"))?.assert_clean();
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn ignore(mut self, variable: &str) -> Self {
        self.watch.ignore.push(variable.to_owned());
        self
    }

    /// Sets the relations between invocations whose races are reported. The default is all relations.
    pub fn relations(mut self, relations: impl IntoIterator<Item = Relation>) -> Self {
        self.watch.relations = relations.into_iter().collect();
        self
    }

    /// Sets the maximum size of the shadow memory in bytes. Variables that do not fit are not watched, and the report says so.
    pub fn shadow_bytes(mut self, most: u64) -> Self {
        self.watch.shadow_bytes = Some(most);
        self
    }

    /// Sets all options of watching memory, including those that test the checker itself (feature `unstable`).
    #[cfg(feature = "unstable")]
    pub fn watch_options(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// Sets the device on which the launch runs, in the syntax of `--device`: the number of a device or a part of its name, in
    /// any case, as listed by `hirace devices`; or `embedded`, which is the default.
    ///
    /// The kernel is instrumented and checked for races on the device. Buffers and textures are read back from it, and the report
    /// names it. Indices into private, function and uniform memory are not checked. On a device, [`Launch::subgroup_size`] and
    /// [`Launch::schedule`] have no effect, and the default of [`Launch::timeout`] is 120 seconds.
    ///
    /// A device is opened once per process. Tests may run in any number of threads: launches on one device run one at a time.
    ///
    /// ```no_run
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("double.wgsl", "
    ///     @group(0) @binding(0) var<storage, read_write> data: array<f32>;
    ///     @compute @workgroup_size(4)
    ///     fn double(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2.0; }
    /// ")?;
    /// let launch = Launch::new().workgroups(1).buffer("data", &[1.0_f32, 2.0, 3.0, 4.0]);
    /// let checked = check(&kernel, launch.device("llvmpipe"))?;
    /// assert_eq!(checked.assert_clean().buffer::<Vec<f32>>("data")?, [2.0, 4.0, 6.0, 8.0]);
    /// assert!(checked.report().launches[0].device.name.starts_with("llvmpipe"));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    ///
    /// [`check`](crate::check()) returns an error if there is no such device, if the device cannot run the launch (then the error
    /// [is of the device](crate::Error::is_of_device): the kernel is not at fault), or if the device is lost.
    ///
    /// ```
    /// # use hirace::{Kernel, Launch, check};
    /// # let kernel = Kernel::from_wgsl("x.wgsl", "@compute @workgroup_size(1) fn x() {}")?;
    /// let error = check(&kernel, Launch::new().device("abacus")).unwrap_err();
    /// // The notes list the available devices.
    /// # if !error.is_of_device() {
    /// assert_eq!(error.message(), "there is no device `abacus`");
    /// # }
    /// # Ok::<(), hirace::Error>(())
    /// ```
    #[cfg(feature = "gpu")]
    pub fn device(mut self, choice: &str) -> Self {
        self.device = Some(choice.to_owned());
        self
    }

    /// Returns the executor of the launch.
    pub(crate) fn executor(&self) -> Result<Arc<dyn Executor + Send + Sync>> {
        #[cfg(feature = "gpu")]
        if let Some(choice) = &self.device {
            return device::open(choice);
        }
        Ok(Arc::new(Embedded))
    }

    /// Sets the contents of a buffer, a field of a buffer or a texture, in the syntax of `--buffer`: `zeros:64`, `iota:64`,
    /// `random:64:7`, `permutation:64`, `fill:64:1.5`, or numbers. A syntax error is reported by [`check`](crate::check()).
    ///
    /// ```
    /// use hirace::{Kernel, Launch, check};
    ///
    /// let kernel = Kernel::from_wgsl("add.wgsl", "
    ///     struct Params { by: u32, times: u32 }
    ///     @group(0) @binding(0) var<uniform> params: Params;
    ///     @group(0) @binding(1) var<storage, read_write> data: array<u32>;
    ///     @compute @workgroup_size(4)
    ///     fn add(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += params.by * params.times; }
    /// ")?;
    /// let launch = Launch::new()
    ///     .workgroups(1)
    ///     .contents("params.by", "10")
    ///     .contents("params.times", "2")
    ///     .contents("data", "iota:4");
    /// check(&kernel, launch)?.assert_clean().assert_holds("data", "20,21,22,23");
    ///
    /// let error = check(&kernel, Launch::new().contents("data", "itoa:4")).unwrap_err();
    /// assert!(error.message().starts_with("contents of `data`:"));
    /// # Ok::<(), hirace::Error>(())
    /// ```
    pub fn contents(mut self, name: &str, spec: &str) -> Self {
        match Binding::new(name, spec) {
            Ok(binding) => self.spec.bindings.push(binding),
            Err(error) => drop(self.first_error.get_or_insert(error)),
        }
        self
    }

    fn bind(mut self, name: &str, contents: Contents, text: Option<String>) -> Self {
        self.spec.bindings.push(Binding { name: name.to_owned(), field: None, contents, text });
        self
    }
}

/// Formats the launch in terms of the command's flags. Property tests print a launch that fails.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spec, schedules, .. } = self;
        let mut launch = f.debug_struct("Launch");
        let grids = spec.workgroups.iter().map(|grid| ("workgroups", grid));
        let dispatches = spec.dispatches.iter();
        let dispatches = dispatches.filter_map(|of| Some((&*of.entry, of.workgroups.as_ref()?)));
        for (name, grid) in grids.chain(dispatches) {
            launch.field(name, &format_args!("{grid:?}"));
        }
        let writes = spec.writes.iter().map(|(_, binding)| binding);
        for binding in spec.bindings.iter().chain(writes) {
            let contents = binding.text.as_deref().unwrap_or("…");
            launch.field(&binding.target(), &format_args!("{contents}"));
        }
        for (name, value) in &spec.overrides {
            launch.field(name, value);
        }
        if let Some(lanes) = spec.subgroup_size {
            launch.field("subgroup_size", &lanes);
        }
        launch.field("schedule", &spec.schedule).field("schedules", schedules);
        launch.finish()
    }
}

fn values<T: HostShareable + ?Sized>(value: &T) -> Values {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    Values { shape: T::shape().unplaced(), bytes, rust: type_name::<T>() }
}
