//! Chooses one of the available devices.

use crate::adapter::{Adapter, adapters};
use crate::error::{Error, Result};

/// Returns the device that `choice` selects: by its number, or by a part of its name in any case.
pub fn choose(choice: &str) -> Result<Adapter> {
    let mut adapters = adapters();
    if adapters.is_empty() {
        return Err(Error::NoAdapter);
    }
    match find_adapter(choice, adapters.iter().map(|adapter| adapter.about().name())) {
        Some(at) => Ok(adapters.swap_remove(at)),
        None => Err(Error::NoSuchAdapter { choice: choice.to_owned(), adapters }),
    }
}

/// Returns the index of the device that `choice` selects among these names.
fn find_adapter<'a>(
    choice: &str,
    mut names: impl ExactSizeIterator<Item = &'a str>,
) -> Option<usize> {
    match choice.parse::<usize>() {
        Ok(number) => (number < names.len()).then_some(number),
        Err(_) => {
            let part = choice.to_lowercase();
            names.position(|name| name.to_lowercase().contains(&part))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find_adapter;

    const NAMES: [&str; 3] =
        ["NVIDIA H100 80GB", "Intel(R) Arc", "llvmpipe (LLVM 15.0.6, 256 bits)"];

    fn chosen(choice: &str) -> Option<usize> {
        find_adapter(choice, NAMES.into_iter())
    }

    #[test]
    fn a_number_means_the_device_at_that_place() {
        assert_eq!([chosen("0"), chosen("2"), chosen("3")], [Some(0), Some(2), None]);
    }

    #[test]
    fn a_number_is_not_looked_for_in_names() {
        assert_eq!(chosen("100"), None);
    }

    #[test]
    fn a_part_of_a_name_means_the_first_that_has_it_in_any_case() {
        assert_eq!([chosen("LLVMpipe"), chosen("arc"), chosen("i")], [Some(2), Some(1), Some(0)]);
        assert_eq!([chosen("abacus"), chosen("-1")], [None, None]);
    }
}
