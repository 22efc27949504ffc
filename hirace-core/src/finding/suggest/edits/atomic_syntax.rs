//! The syntax of atomic accesses.

use crate::facts::suggestion::AtomicFunction;

/// A syntax for atomic accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicSyntax {
    /// The functions of WGSL.
    Wgsl,
    /// The methods of `Atomic<T>` in Rust.
    RustMethods,
    /// The functions of hirace's prelude on plain memory.
    RustFunctions,
}

impl AtomicSyntax {
    /// Returns the text of a load before and after the place.
    pub fn load(self) -> [String; 2] {
        let [before, _, after] = self.call("Load", "load");
        match self {
            Self::RustMethods => [before, ".load()".to_owned()],
            _ => [before, after],
        }
    }

    /// Returns the text of a store before the place, between the place and the value, and after the value.
    pub fn store(self) -> [String; 3] {
        self.call("Store", "store")
    }

    /// Returns the text of an update, in the same three parts.
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

    /// Returns the beginning of a call whose argument is a pointer instead of the place.
    pub fn through(self, before: &str) -> &str {
        before.trim_end_matches("&mut ").trim_end_matches('&')
    }

    /// Returns the type of atomic memory with this scalar type.
    pub fn memory(self, scalar: &str) -> String {
        match self {
            Self::Wgsl => format!("atomic<{scalar}>"),
            Self::RustMethods => format!("Atomic<{scalar}>"),
            Self::RustFunctions => scalar.to_owned(),
        }
    }
}
