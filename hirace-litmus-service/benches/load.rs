//! Measures the throughput and the latency of submissions: clients in threads, each on its own connection, over
//! loopback, against the program with its database on disk.
//!
//!     cargo bench -p hirace-litmus-service --bench load

#[path = "../tests/it/running.rs"]
#[allow(dead_code)]
mod running;
#[path = "../tests/it/samples.rs"]
#[allow(dead_code)]
mod samples;

use running::Running;
use std::time::{Duration, Instant};

/// The number of submissions per row.
const SUBMISSIONS: usize = 4000;

fn main() {
    let document = samples::document("load");
    println!("{SUBMISSIONS} submissions of {} bytes\n", samples::text(&document).len());
    println!(
        "| clients | submissions per second | median | p99 | maximum |\n| --- | --- | --- | --- | --- |"
    );
    for clients in [1, 8, 64] {
        let folder = running::folder();
        let service = Running::start(folder.path(), &["--rate", "0", "--log", "warn"]);
        let began = Instant::now();
        let mut took: Vec<Duration> = std::thread::scope(|scope| {
            let client = |client: usize| {
                let (service, document) = (&service, &document);
                move || {
                    let submit = |nth: usize| {
                        let text = samples::reseeded(document, &format!("{client}-{nth}"));
                        let began = Instant::now();
                        let answer = service.post("/api/submissions", &text);
                        assert_eq!(answer.status, 201, "{answer:?}");
                        began.elapsed()
                    };
                    (0..SUBMISSIONS / clients).map(submit).collect::<Vec<_>>()
                }
            };
            let threads: Vec<_> = (0..clients).map(|nth| scope.spawn(client(nth))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let all = began.elapsed();
        took.sort_unstable();
        let of = |part: f64| took[((took.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
        let rate = took.len() as f64 / all.as_secs_f64();
        println!(
            "| {clients} | {rate:.0} | {:.1} ms | {:.1} ms | {:.1} ms |",
            of(0.5),
            of(0.99),
            of(1.0)
        );
    }
}
