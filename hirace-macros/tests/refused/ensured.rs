//! Postconditions: errors for wrong positions and unsupported expressions, at their tokens.

#[hirace::monitor]
pub mod counts {
    use hirace::prelude::*;

    #[ensures(of == 1)]
    fn helper(of: u32) -> u32 {
        of
    }

    #[ensures(count == helper(1))]
    #[kernel(workgroup_size(1))]
    pub fn calls(count: &mut u32) {
        *count = helper(1);
    }

    #[ensures(count.is_power_of_two())]
    #[kernel(workgroup_size(1))]
    pub fn compares_nothing(count: &mut u32) {
        *count = 1;
    }
}

fn main() {}
