//! What is there in kernels without being imported: its name is one that others have too, and an import of everything
//! here would make it ambiguous beside, say, `proptest::prelude::*`. The macro imports it into what it makes.

use super::classes::Boolean;
use super::never_executed;

/// `any(e)`: whether any component is true.
pub fn any<T: Boolean>(_e: T) -> bool {
    never_executed()
}
