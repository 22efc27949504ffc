//! glslang's shaders and programs.

use super::includer::Includer;
use super::limits::LIMITS;
use super::target::{messages, versions};
use crate::{Message, TargetEnvironment};
use glslang_sys as sys;
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Once;

/// The version of GLSL of texts without `#version`.
const DEFAULT_VERSION: i32 = 450;
/// A text that glslang reads.
pub struct Shader<'a> {
    handle: NonNull<sys::glslang_shader_t>,
    /// glslang keeps pointers to the input, and to the texts that follow.
    input: Box<sys::glslang_input_t>,
    _code: CString,
    _preamble: CString,
    includer: PhantomData<&'a mut ()>,
}

impl<'a> Shader<'a> {
    /// Creates a shader. `preamble` precedes its text, without a line of its own.
    ///
    /// # Errors
    /// A text contains a zero byte.
    pub fn new(
        text: &str,
        preamble: &str,
        target: TargetEnvironment,
        includer: &'a mut Includer<'_>,
    ) -> Result<Self, Vec<Message>> {
        initialize();
        let code = c_string(text)?;
        let preamble = c_string(preamble)?;
        let (client_version, target_language_version) = versions(target);
        let input = Box::new(sys::glslang_input_t {
            language: sys::glslang_source_t::GLSL,
            stage: sys::glslang_stage_t::Compute,
            client: sys::glslang_client_t::Vulkan,
            client_version,
            target_language: sys::glslang_target_language_t::SPIRV,
            target_language_version,
            code: code.as_ptr(),
            default_version: DEFAULT_VERSION,
            default_profile: sys::glslang_profile_t::None,
            force_default_version_and_profile: 0,
            forward_compatible: 0,
            messages: messages(),
            resource: &LIMITS,
            callbacks: Includer::callbacks(),
            callbacks_ctx: (&raw mut *includer).cast(),
        });
        // SAFETY: `input` is complete, and `self` keeps it and the text of `code`, which do not move because both are on the heap.
        let handle = unsafe { sys::glslang_shader_create(&raw const *input) };
        let handle = NonNull::new(handle).ok_or_else(|| failed("glslang created no shader"))?;
        use sys::glslang_shader_options_t as Flags;
        // OpenGL allows uniforms outside of blocks, and bindings that the host assigns.
        let flags =
            Flags::AUTO_MAP_BINDINGS | Flags::AUTO_MAP_LOCATIONS | Flags::VULKAN_RULES_RELAXED;
        // SAFETY: `handle` is a shader, and `self` keeps the text of `preamble`, whose pointer glslang stores.
        unsafe {
            sys::glslang_shader_set_options(handle.as_ptr(), flags.0);
            sys::glslang_shader_set_preamble(handle.as_ptr(), preamble.as_ptr());
        }
        Ok(Self { handle, input, _code: code, _preamble: preamble, includer: PhantomData })
    }

    /// Returns the text with macros and includes expanded.
    pub fn preprocess(&mut self) -> Result<String, Vec<Message>> {
        // SAFETY: `handle` is a shader. Its input points to an includer that lives as long as `self` and is not used otherwise.
        let done =
            unsafe { sys::glslang_shader_preprocess(self.handle.as_ptr(), &raw const *self.input) };
        if done == 0 {
            return Err(self.errors());
        }
        // SAFETY: `handle` is a shader that was preprocessed; the string is read before it changes.
        Ok(unsafe { string(sys::glslang_shader_get_preprocessed_code(self.handle.as_ptr())) })
    }

    /// Parses a text in place of the preprocessed one.
    pub fn parse(&mut self, text: &str) -> Result<(), Vec<Message>> {
        let text = c_string(text)?;
        // SAFETY: `handle` is a shader. glslang copies `text`, and reads the input, which `self` keeps.
        let done = unsafe {
            sys::glslang_shader_set_preprocessed_code(self.handle.as_ptr(), text.as_ptr());
            sys::glslang_shader_parse(self.handle.as_ptr(), &raw const *self.input)
        };
        if done == 0 { Err(self.errors()) } else { Ok(()) }
    }

    fn errors(&self) -> Vec<Message> {
        // SAFETY: `handle` is a shader; the string is copied before it changes.
        errors(&unsafe { string(sys::glslang_shader_get_info_log(self.handle.as_ptr())) })
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        // SAFETY: `handle` is a shader that `new` created; programs borrow it, so none uses it any more.
        unsafe { sys::glslang_shader_delete(self.handle.as_ptr()) }
    }
}

/// A linked program of one shader.
pub struct Program<'a> {
    handle: NonNull<sys::glslang_program_t>,
    /// The program refers to the shader.
    shader: PhantomData<&'a Shader<'a>>,
}

impl<'a> Program<'a> {
    /// Links a shader that was parsed.
    pub fn link(shader: &'a Shader<'_>) -> Result<Self, Vec<Message>> {
        // SAFETY: the function takes nothing.
        let handle = unsafe { sys::glslang_program_create() };
        let handle = NonNull::new(handle).ok_or_else(|| failed("glslang created no program"))?;
        let program = Self { handle, shader: PhantomData };
        // SAFETY: both handles are valid, and the shader outlives the program.
        let linked = unsafe {
            sys::glslang_program_add_shader(handle.as_ptr(), shader.handle.as_ptr());
            sys::glslang_program_link(handle.as_ptr(), messages().0) != 0
                && sys::glslang_program_map_io(handle.as_ptr()) != 0
        };
        if linked {
            return Ok(program);
        }
        // SAFETY: `handle` is a program; the string is copied before it changes.
        let log = unsafe { string(sys::glslang_program_get_info_log(handle.as_ptr())) };
        Err(errors(&log))
    }

    /// Translates the program to SPIR-V.
    pub fn generate(self, name: &str) -> Result<Vec<u32>, Vec<Message>> {
        let stage = sys::glslang_stage_t::Compute;
        let name = c_string(name)?;
        let mut options = sys::glslang_spv_options_t {
            generate_debug_info: true,
            strip_debug_info: false,
            disable_optimizer: true,
            optimize_size: false,
            optimize_performance: false,
            disassemble: false,
            validate: false,
            emit_nonsemantic_shader_debug_info: false,
            emit_nonsemantic_shader_debug_source: false,
            compile_only: false,
            optimize_allow_expanded_id_bound: false,
            compiler_signature: std::ptr::null(),
            command_line_arguments: std::ptr::null(),
            current_working_directory: std::ptr::null(),
        };
        // SAFETY: `handle` is a program that was linked with a compute shader. glslang copies `name`, and reads `options` during
        // the call.
        let size = unsafe {
            sys::glslang_program_set_source_file(self.handle.as_ptr(), stage, name.as_ptr());
            sys::glslang_program_SPIRV_generate_with_options(
                self.handle.as_ptr(),
                stage,
                &raw mut options,
            );
            sys::glslang_program_SPIRV_get_size(self.handle.as_ptr())
        };
        // SAFETY: `handle` is a program; the string is null or copied before it changes.
        let log = unsafe { string(sys::glslang_program_SPIRV_get_messages(self.handle.as_ptr())) };
        // The generator reports what it cannot translate in words of its own.
        let failure = log.lines().find(|line| !line.starts_with("Warning") && !line.is_empty());
        if let Some(failure) = failure {
            return Err(failed(failure.trim()));
        }
        let mut words = vec![0; size];
        // SAFETY: glslang writes `size` words, which is the length of `words`.
        unsafe { sys::glslang_program_SPIRV_get(self.handle.as_ptr(), words.as_mut_ptr()) };
        match words.is_empty() {
            true => Err(failed("glslang generated no code")),
            false => Ok(words),
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: `handle` is a program that `link` created and nothing else uses.
        unsafe { sys::glslang_program_delete(self.handle.as_ptr()) }
    }
}

/// Initializes glslang. It is never finalized, because other threads may use it.
fn initialize() {
    static INITIALIZED: Once = Once::new();
    INITIALIZED.call_once(|| {
        // SAFETY: the function takes nothing, and `Once` calls it from one thread, before any other function that needs it.
        unsafe { sys::glslang_initialize_process() };
    });
}

fn c_string(text: &str) -> Result<CString, Vec<Message>> {
    CString::new(text).map_err(|_| failed("a text contains a zero byte"))
}

/// Copies a string of glslang.
///
/// # Safety
/// `text` is null or a string that nothing changes during the call.
unsafe fn string(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY: `text` is a string, as the caller guarantees.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

fn failed(text: &str) -> Vec<Message> {
    vec![Message::new(text)]
}

/// Returns the errors in a log, of which there is at least one.
fn errors(log: &str) -> Vec<Message> {
    let errors = Message::parse_all(log);
    match errors.is_empty() {
        true => failed("glslang rejected the text and gave no reason"),
        false => errors,
    }
}
