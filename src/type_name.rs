//! Names of Rust types, for messages.

/// Returns the name of a Rust type without its paths: `Vec<Vec3>`.
pub fn type_name<T: ?Sized>() -> String {
    let full = std::any::type_name::<T>();
    let mut name = String::new();
    let mut rest = full;
    while let Some(at) = rest.find("::") {
        // The preceding identifier belongs to a path: removes it.
        name.push_str(&rest[..at]);
        let start = name.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        name.truncate(start);
        rest = &rest[at + 2..];
    }
    name + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Mat4, Vec3};

    #[test]
    fn types_are_named_without_their_paths() {
        assert_eq!(type_name::<Vec<Vec3>>(), "Vec<Vec3>");
        assert_eq!(type_name::<[(u32, Vec<f32>)]>(), "[(u32, Vec<f32>)]");
        assert_eq!(type_name::<[std::sync::Arc<Mat4>; 3]>(), "[Arc<Mat4>; 3]");
    }
}
