//! Standalone monitored `impl`s. Each is included wherever the type that it belongs to is used.

use super::free::{self, Scope, path_text};
use syn::{Item, ItemImpl, Path, Type};

/// Returns the type that a standalone `impl` belongs to, or another foreign path in its header, such as `Colour` in
/// `impl From<Colour> for u32`.
pub fn belongs_to(item: &ItemImpl) -> Option<Path> {
    let head = Item::Impl(ItemImpl { items: Vec::new(), ..item.clone() });
    let foreign = free::paths([&head], &Scope::default());
    let own = match &*item.self_ty {
        Type::Path(path) => {
            foreign.iter().find(|foreign| path_text(foreign) == path_text(&path.path))
        }
        _ => None,
    };
    own.or(foreign.first()).cloned()
}
