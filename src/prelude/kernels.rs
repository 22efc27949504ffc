//! Functions that are available in kernels without an import, because other libraries use the same names: importing them from
//! here would be ambiguous with, for example, `proptest::prelude::*`. The macro imports them into the code that it generates.

use super::classes::Boolean;
use super::never_executed;

/// `any(e)`: whether any component is true.
pub fn any<T: Boolean>(_e: T) -> bool {
    never_executed()
}
