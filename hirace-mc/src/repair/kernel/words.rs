//! How atomic accesses are written.

use hirace_core::facts::suggestion::AtomicFunction;

/// A way to write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// WGSL's functions.
    Wgsl,
    /// Rust's methods, of `Atomic<T>`.
    RustMethods,
    /// The functions of hirace's prelude, of plain memory.
    RustFunctions,
}

impl Words {
    /// A load: before and after the place.
    pub fn load(self) -> [String; 2] {
        let [before, _, after] = self.call("Load", "load");
        match self {
            Self::RustMethods => [before, ".load()".to_owned()],
            _ => [before, after],
        }
    }

    /// A store: before the place, between it and the value, and after that.
    pub fn store(self) -> [String; 3] {
        self.call("Store", "store")
    }

    /// An update, likewise.
    pub fn update(self, function: AtomicFunction) -> [String; 3] {
        let (name, method) = match function {
            AtomicFunction::Add => ("Add", "fetch_add"),
            AtomicFunction::Sub => ("Sub", "fetch_sub"),
            AtomicFunction::And => ("And", "fetch_and"),
            AtomicFunction::Or => ("Or", "fetch_or"),
            AtomicFunction::Xor => ("Xor", "fetch_xor"),
            AtomicFunction::Min => ("Min", "fetch_min"),
            AtomicFunction::Max => ("Max", "fetch_max"),
        };
        self.call(name, method)
    }

    fn call(self, name: &str, method: &str) -> [String; 3] {
        let [before, between] = match self {
            Self::Wgsl => [format!("atomic{name}(&"), ", ".to_owned()],
            Self::RustMethods => [String::new(), format!(".{method}(")],
            Self::RustFunctions => {
                [format!("atomic_{}(&mut ", name.to_lowercase()), ", ".to_owned()]
            }
        };
        [before, between, ")".to_owned()]
    }

    /// The beginning of a call, where a pointer stands for the place behind it.
    pub fn through(self, before: &str) -> &str {
        before.trim_end_matches("&mut ").trim_end_matches('&')
    }

    /// The type of such memory, of the scalar that it holds.
    pub fn memory(self, scalar: &str) -> String {
        match self {
            Self::Wgsl => format!("atomic<{scalar}>"),
            Self::RustMethods => format!("Atomic<{scalar}>"),
            Self::RustFunctions => scalar.to_owned(),
        }
    }
}
