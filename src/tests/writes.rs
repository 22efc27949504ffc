//! Launches of several dispatches with values that change between them.

use crate::{Launch, Result, Verdict, check};

#[hirace::monitor]
mod bitonic {
    use hirace::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Step {
        pub length: u32,
        pub distance: u32,
    }

    #[kernel(workgroup_size(16))]
    pub fn step(
        #[builtin(global_invocation_id)] id: UVec3,
        data: &mut [u32],
        #[uniform] step: Step,
    ) {
        let other = id.x ^ step.distance;
        if other > id.x {
            let rises = id.x & step.length == 0;
            if (data[id.x] > data[other]) == rises {
                let own = data[id.x];
                data[id.x] = data[other];
                data[other] = own;
            }
        }
    }

    /// Swaps the elements of each pair in both invocations of the pair, because the condition is missing.
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        data: &mut [u32],
        #[uniform] step: Step,
    ) {
        let other = id.x ^ step.distance;
        data[id.x] = min(data[id.x], data[other]);
    }
}

fn steps(length: u32) -> Vec<bitonic::Step> {
    let lengths = (1..).map(|bit| 1 << bit).take_while(|&of| of <= length);
    let of = |length: u32| {
        let distances = (0..length.ilog2()).rev().map(|bit| 1 << bit);
        distances.map(move |distance| bitonic::Step { length, distance })
    };
    lengths.flat_map(of).collect()
}

#[test]
fn one_launch_sorts_by_as_many_dispatches_as_it_takes() -> Result<()> {
    let values: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let mut launch = Launch::new().buffer("data", &values);
    assert_eq!(steps(256).len(), 36);
    for step in steps(256) {
        launch = launch.write_buffer("step", &step).dispatch("step", 16).keep_contents();
    }
    let checked = check(&bitonic::step::kernel(), launch)?;
    checked.assert_clean();
    let mut sorted = values.clone();
    for (number, step) in steps(256).into_iter().enumerate() {
        for at in 0..256usize {
            let other = at ^ step.distance as usize;
            let rises = at as u32 & step.length == 0;
            if other > at && (sorted[at] > sorted[other]) == rises {
                sorted.swap(at, other);
            }
        }
        assert_eq!(checked.contents_after(number)?.buffer::<Vec<u32>>("data")?, sorted, "{number}");
    }
    assert!(sorted.is_sorted());
    assert_eq!(checked.buffer::<Vec<u32>>("data")?, sorted);
    assert!(checked.contents_after(36).is_err());
    Ok(())
}

#[test]
fn a_race_that_one_value_brings_is_found() -> Result<()> {
    let launch = |distances: [u32; 2]| {
        let mut launch = Launch::new().buffer("data", &[3u32; 32]);
        for distance in distances {
            let step = bitonic::Step { length: 2, distance };
            launch = launch.write_buffer("step", &step).dispatch("racy", 2);
        }
        check(&bitonic::racy::kernel(), launch)
    };
    assert_eq!(launch([0, 0])?.verdict(), Verdict::Clean);
    let found = launch([0, 1])?;
    assert_eq!(found.verdict(), Verdict::Findings);
    // Flags cannot express such a launch.
    assert_eq!(found.findings().next().unwrap().replay, None);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    let refused = |write: fn(Launch) -> Launch| {
        let launch = Launch::new().zeros("data", 32);
        let step = bitonic::Step { length: 2, distance: 1 };
        let launch = launch.write_buffer("step", &step).dispatch("step", 2);
        check(&bitonic::step::kernel(), write(launch).dispatch("step", 2))
            .unwrap_err()
            .message()
            .to_owned()
    };
    let long = refused(|launch| launch.write_buffer("data", &[1u32; 33]));
    assert_eq!(long, "cannot write 132 bytes to `data`, which has 128");
    let unknown = refused(|launch| launch.write_buffer("date", &1u32));
    assert!(unknown.contains("no variable `date`"), "{unknown}");
    let other = refused(|launch| launch.write_buffer("step", &1.5f32));
    assert!(other.contains("does not fill its type"), "{other}");
    Ok(())
}
