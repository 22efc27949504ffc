//! The functions that glslang calls to include files.

use crate::{FindFile, IncludeRequest};
use glslang_sys as sys;
use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Finds files for glslang. It must outlive the shader, which keeps pointers to it and to the texts of files.
pub struct Includer<'a> {
    find: &'a mut FindFile<'a>,
    /// Boxed, because glslang keeps pointers to them.
    #[expect(clippy::vec_box, reason = "the files must not move")]
    files: Vec<Box<FoundFile>>,
    panic: Option<Box<dyn Any + Send>>,
}

/// A file in the form that glslang reads.
struct FoundFile {
    name: CString,
    text: CString,
    result: sys::glsl_include_result_t,
}

impl<'a> Includer<'a> {
    /// Creates an includer that finds files with `find`.
    pub fn new(find: &'a mut FindFile<'a>) -> Self {
        Self { find, files: Vec::new(), panic: None }
    }

    /// Returns the functions that glslang calls, with a pointer to `self` as their context.
    pub fn callbacks() -> sys::glsl_include_callbacks_t {
        sys::glsl_include_callbacks_t {
            include_system: Some(include_system),
            include_local: Some(include_local),
            // Files live as long as the includer.
            free_include_result: None,
        }
    }

    /// Resumes the panic of the function that finds files, if it panicked.
    pub fn resume_panic(self) {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
    }

    /// Returns a file, or null if there is none, which glslang reports at the directive.
    fn include(&mut self, request: IncludeRequest<'_>) -> *mut sys::glsl_include_result_t {
        if self.panic.is_some() {
            return std::ptr::null_mut();
        }
        let found = catch_unwind(AssertUnwindSafe(|| (self.find)(request)));
        let file = match found {
            Ok(Ok(file)) => file,
            Ok(Err(_)) => return std::ptr::null_mut(),
            Err(panic) => {
                self.panic = Some(panic);
                return std::ptr::null_mut();
            }
        };
        // A name is written in a `#line` directive.
        let is_name = !file.name.is_empty() && !file.name.contains(['"', '\n', '\r', '\\']);
        let (Ok(name), Ok(text), true) =
            (CString::new(file.name), CString::new(file.text), is_name)
        else {
            return std::ptr::null_mut();
        };
        let result = sys::glsl_include_result_t {
            header_name: name.as_ptr(),
            header_data: text.as_ptr(),
            header_length: text.as_bytes().len(),
        };
        self.files.push(Box::new(FoundFile { name, text, result }));
        match self.files.last_mut() {
            Some(file) => {
                debug_assert!(
                    !file.name.is_empty() && file.text.as_ptr() == file.result.header_data
                );
                &raw mut file.result
            }
            None => std::ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn include_system(
    context: *mut c_void,
    name: *const c_char,
    includer: *const c_char,
    depth: usize,
) -> *mut sys::glsl_include_result_t {
    // SAFETY: glslang passes the arguments that `include` requires.
    unsafe { include(context, name, includer, depth, true) }
}

unsafe extern "C" fn include_local(
    context: *mut c_void,
    name: *const c_char,
    includer: *const c_char,
    depth: usize,
) -> *mut sys::glsl_include_result_t {
    // SAFETY: glslang passes the arguments that `include` requires.
    unsafe { include(context, name, includer, depth, false) }
}

/// Finds a file.
///
/// # Safety
/// `context` points to an [`Includer`] that nothing else uses during the call; `name` and `includer` are null or strings.
unsafe fn include(
    context: *mut c_void,
    name: *const c_char,
    includer: *const c_char,
    depth: usize,
    is_system: bool,
) -> *mut sys::glsl_include_result_t {
    if context.is_null() || name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: `name` is not null, so it is a string, which glslang keeps during the call.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let includer = match includer.is_null() {
        true => Default::default(),
        // SAFETY: `includer` is not null, so it is a string, which glslang keeps during the call.
        false => unsafe { CStr::from_ptr(includer) }.to_string_lossy(),
    };
    // SAFETY: `context` points to an `Includer`. The only other reference to it is that of `Shader`, which does not use it while
    // glslang preprocesses.
    let files = unsafe { &mut *context.cast::<Includer<'_>>() };
    files.include(IncludeRequest { name: &name, is_system, includer: &includer, depth })
}
