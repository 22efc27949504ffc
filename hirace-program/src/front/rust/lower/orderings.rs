//! The orderings that `std`'s atomics take. WGSL's are relaxed, all of them, so that one alone is right.

use super::body::Body;
use super::calls::Arguments;
use super::errors::{place, refuse};
use super::names::text;
use syn::Expr;

const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

impl Body<'_, '_> {
    /// The arguments of an atomic's method without orderings.
    pub fn without_orderings(&self, arguments: &Arguments) -> syn::Result<Arguments> {
        let mut kept = Arguments::new();
        for argument in arguments {
            match self.ordering(argument) {
                None => kept.push(argument.clone()),
                Some("Relaxed") => {}
                Some(other) => {
                    return refuse(
                        place(argument),
                        format!(
                            "WGSL's atomics are relaxed and order nothing, so there is no `{other}`: write \
                             `Ordering::Relaxed`, and order what has to be with `workgroup_barrier()`, or by \
                             another dispatch"
                        ),
                    );
                }
            }
        }
        Ok(kept)
    }

    /// Which ordering an expression names: `Ordering::Relaxed`, or `Relaxed` where that is no variable.
    fn ordering(&self, argument: &Expr) -> Option<&'static str> {
        let Expr::Path(path) = argument else { return None };
        let names: Vec<String> =
            path.path.segments.iter().map(|segment| text(&segment.ident)).collect();
        let name = match names.as_slice() {
            [.., of, name] if of == "Ordering" => name,
            [name] if self.find(name).is_none() && !self.items.consts.contains_key(name) => name,
            _ => return None,
        };
        ORDERINGS.into_iter().find(|ordering| ordering == name)
    }
}
