//! `impl`s that are monitored by themselves: each comes along with the type that it belongs to.

use super::free::{self, Scope, shown};
use syn::{Item, ItemImpl, Path, Type};

/// What an `impl` that stands by itself belongs to: its type, or what else in its head is foreign, as `Colour` in
/// `impl From<Colour> for u32`.
pub fn belongs_to(item: &ItemImpl) -> Option<Path> {
    let head = Item::Impl(ItemImpl { items: Vec::new(), ..item.clone() });
    let foreign = free::paths([&head], &Scope::default());
    let own = match &*item.self_ty {
        Type::Path(path) => foreign.iter().find(|foreign| shown(foreign) == shown(&path.path)),
        _ => None,
    };
    own.or(foreign.first()).cloned()
}
