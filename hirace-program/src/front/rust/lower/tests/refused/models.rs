#[hirace::model(workgroup_size(1))]
fn orders(flag: &AtomicU32, word: &mut u32) {
    let a = flag.load(Ordering::Release);
//                    ^^^^^^^^^^^^^^^^^ a load cannot be `Release`: it is `Relaxed`, `Acquire`, `SeqCst`
    flag.store(1, Ordering::AcqRel);
//                ^^^^^^^^^^^^^^^^ a store cannot be `AcqRel`: it is `Relaxed`, `Release`, `SeqCst`
    let b = flag.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release);
//                                                        ^^^^^^^^^^^^^^^^^ a compare-exchange that fails cannot be `Release`: it is `Relaxed`, `Acquire`, `SeqCst`
    fence(Ordering::Relaxed);
//        ^^^^^^^^^^^^^^^^^ a fence cannot be `Relaxed`: it is `Acquire`, `Release`, `AcqRel`, `SeqCst`
    fence(1);
//        ^ name the ordering: `Ordering::Acquire`
    hirace::fence(Ordering::Acquire, Ordering::Acquire);
//                                   ^^^^^^^^^^^^^^^^^ name the scope: `Scope::Device`
    fence();
//  ^^^^^^^ `fence` takes 1 or 2 arguments, not 0
    let c = flag.within(Scope::Device);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^ what is done within a scope follows: `x.within(Scope::Workgroup).load(…)`
    let d = flag.within(Scope::Grid).load(Ordering::Relaxed);
//               ^^^^^^ `Atomic<u32>` has no method `within` (did you mean `with_w`?)
//                      ^^^^^^^^^^^ `Scope::Grid` is not monitored: mark it with `#[hirace::monitor]`, where it stands
//                                        ^^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed: leave the ordering out
    let e = flag.load();
    let f = word.within(Scope::Device).load(Ordering::Relaxed);
//                                     ^^^^ `u32` has no method `load`
//                                          ^^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed: leave the ordering out
    let g = flag.load(Ordering::Later);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^ `load` takes 0 arguments, not 1
//                    ^^^^^^^^^^^^^^^ WGSL's atomics are relaxed: leave the ordering out
}

#[hirace::monitor(workgroup_size(1))]
fn runs(flag: &AtomicU32) {
    let a = flag.load(Ordering::Acquire);
//                    ^^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed and order nothing, so there is no `Acquire`: write `Ordering::Relaxed`, and order what has to be with `workgroup_barrier()`, or by another dispatch; an algorithm that hangs on it stands under `#[hirace::model]`, for `hirace verify`
    flag.within(Scope::Workgroup).store(1, Ordering::Relaxed);
//       ^^^^^^ the scope of WGSL's atomics follows from their memory; an algorithm that hangs on it stands under `#[hirace::model]`, for `hirace verify`
    fence(Ordering::AcqRel);
//  ^^^^^^^^^^^^^^^^^^^^^^^ WGSL's atomics order nothing, and it has no fences: call `workgroup_barrier()`, or end the dispatch; an algorithm that hangs on it stands under `#[hirace::model]`, for `hirace verify`
    hirace::fence(Ordering::AcqRel, Scope::Device);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ WGSL's atomics order nothing, and it has no fences: call `workgroup_barrier()`, or end the dispatch; an algorithm that hangs on it stands under `#[hirace::model]`, for `hirace verify`
    let b = flag.compare_exchange(0, 1, Ordering::Relaxed, Ordering::SeqCst);
//                                                         ^^^^^^^^^^^^^^^^ WGSL's atomics are relaxed and order nothing, so there is no `SeqCst`: write `Ordering::Relaxed`, and order what has to be with `workgroup_barrier()`, or by another dispatch; an algorithm that hangs on it stands under `#[hirace::model]`, for `hirace verify`
}
