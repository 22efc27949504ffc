//! Claims of what is left in the end: where none may stand, and what none can say, at its tokens.

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

    #[ensures(count)]
    #[kernel(workgroup_size(1))]
    pub fn compares_nothing(count: &mut u32) {
        *count = 1;
    }
}

#[hirace::model(workgroup_size(1))]
#[ensures(count == 1 && seen == 2)]
fn names_what_is_not_there(count: &AtomicU32) {
    count.store(1, Ordering::Release);
}

fn main() {}
