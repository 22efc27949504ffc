//! Separate `impl`s: one of a type in a monitored module, and one with an error, which is reported once.

#[hirace::monitor]
pub mod whole {
    #[derive(Clone, Copy)]
    pub struct Count {
        pub of: u32,
    }
}

#[hirace::monitor]
impl whole::Count {
    fn doubled(self) -> u32 {
        2 * self.of
    }
}

#[hirace::monitor]
#[derive(Clone, Copy)]
pub struct Size {
    pub of: u32,
}

#[hirace::monitor]
impl Size {
    fn name(self) -> String {
        String::new()
    }

    fn halved(self) -> u32 {
        self.of / 2
    }
}

#[hirace::monitor(workgroup_size(1))]
fn kernel(sizes: &mut [u32]) {
    sizes[0] = Size { of: sizes[1] }.halved();
}

fn main() {}
