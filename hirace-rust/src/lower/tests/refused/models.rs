#[hirace::model(workgroup_size(1))]
fn orders(flag: &AtomicU32, word: &mut u32) {
    let a = flag.load(Ordering::Release);
//                    ^^^^^^^^^^^^^^^^^ a load cannot be `Release`: use one of `Relaxed`, `Acquire`, `SeqCst`
    flag.store(1, Ordering::AcqRel);
//                ^^^^^^^^^^^^^^^^ a store cannot be `AcqRel`: use one of `Relaxed`, `Release`, `SeqCst`
    let b = flag.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release);
//                                                        ^^^^^^^^^^^^^^^^^ a failed compare-exchange cannot be `Release`: use one of `Relaxed`, `Acquire`, `SeqCst`
    fence(Ordering::Relaxed);
//        ^^^^^^^^^^^^^^^^^ a fence cannot be `Relaxed`: use one of `Acquire`, `Release`, `AcqRel`, `SeqCst`
    fence(1);
//        ^ expected an ordering: write `Ordering::Acquire`
    hirace::fence(Ordering::Acquire, Ordering::Acquire);
//                                   ^^^^^^^^^^^^^^^^^ expected a scope: write `Scope::Device`
    fence();
//  ^^^^^^^ `fence` takes 1 or 2 arguments, not 0
    let c = flag.within(Scope::Device);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^ expected an atomic operation after `within`: write `x.within(Scope::Workgroup).load(…)`
    let d = flag.within(Scope::Grid).load(Ordering::Relaxed);
//               ^^^^^^ `Atomic<u32>` has no method `within` (did you mean `with_w`?)
//                      ^^^^^^^^^^^ `Scope::Grid` is not monitored: mark its declaration with `#[hirace::monitor]`
//                                        ^^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed: remove the ordering
    let e = flag.load();
    let f = word.within(Scope::Device).load(Ordering::Relaxed);
//                                     ^^^^ `u32` has no method `load`
//                                          ^^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed: remove the ordering
    let g = flag.load(Ordering::Later);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^ `load` takes 0 arguments, not 1
//                    ^^^^^^^^^^^^^^^ WGSL's atomics are relaxed: remove the ordering
}

#[hirace::monitor(workgroup_size(1))]
fn runs(flag: &AtomicU32) {
    let a = flag.load(Ordering::Acquire);
//                    ^^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed and cannot be `Acquire`: write `Ordering::Relaxed`, and order accesses with `workgroup_barrier()` or another dispatch; if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`
    flag.within(Scope::Workgroup).store(1, Ordering::Relaxed);
//       ^^^^^^ the scope of an atomic in WGSL is determined by its memory; if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`
    fence(Ordering::AcqRel);
//  ^^^^^^^^^^^^^^^^^^^^^^^ WGSL's atomics do not order other accesses, and it has no fences: call `workgroup_barrier()`, or use another dispatch; if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`
    hirace::fence(Ordering::AcqRel, Scope::Device);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ WGSL's atomics do not order other accesses, and it has no fences: call `workgroup_barrier()`, or use another dispatch; if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`
    let b = flag.compare_exchange(0, 1, Ordering::Relaxed, Ordering::SeqCst);
//                                                         ^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed and cannot be `SeqCst`: write `Ordering::Relaxed`, and order accesses with `workgroup_barrier()` or another dispatch; if the algorithm depends on it, use `#[hirace::model]` and `hirace verify`
}
