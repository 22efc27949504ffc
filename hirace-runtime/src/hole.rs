//! Holes: places in the WGSL text of a generic kernel for the values of its const parameters.

/// A place in the WGSL text of a generic kernel for the value of a const parameter: a number written in [`Hole::WIDTH`]
/// characters, as [`Hole::show`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hole {
    /// The offset of its first byte in the text.
    pub at: u32,
    /// The index of the const parameter, from 0.
    pub parameter: u32,
}

impl Hole {
    /// The number of characters of every value.
    pub const WIDTH: usize = 11;

    /// Formats a value for WGSL, as in `0x00000040u`.
    pub fn show(value: u32) -> String {
        format!("{value:#010x}u")
    }
}

/// Returns `text` with its holes filled with `values`.
pub fn fill_holes(text: &str, holes: &[Hole], values: &[u32]) -> String {
    let mut text = text.to_owned();
    for hole in holes {
        let at = hole.at as usize;
        if let Some(&value) = values.get(hole.parameter as usize)
            && text.get(at..at + Hole::WIDTH).is_some()
        {
            text.replace_range(at..at + Hole::WIDTH, &Hole::show(value));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_one_width() {
        assert_eq!(Hole::show(u32::MAX).len(), Hole::WIDTH);
        let holes = [Hole { at: 2, parameter: 1 }, Hole { at: 200, parameter: 0 }];
        assert_eq!(fill_holes("= 0x00000000u;", &holes, &[1, 64]), "= 0x00000040u;");
    }
}
