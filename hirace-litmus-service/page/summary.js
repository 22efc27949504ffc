// Summaries of runs: killed mutants, tests with forbidden outcomes, times and rates. As in
// hirace-litmus/src/results/summary.rs and timing.rs, without DOM.

/** Returns the number of times per second that the condition of the test was met. */
export function rateOf(run) {
  return run.seconds > 0 ? run.found / run.seconds : 0;
}

/** Returns whether a run has outcomes that the memory model forbids. */
export function violates(run, tested) {
  const lookedFor = tested?.kind === "conformance" ? run.found : 0;
  return lookedFor + run.classes.forbidden + run.classes.other > 0;
}

/** Groups runs by test: returns the tests that ran, those of them that are mutants, and a function that returns the runs of a test. */
function grouped(runs, tests) {
  const byTest = new Map(tests.map((test) => [test.name, []]));
  for (const run of runs) byTest.get(run.test)?.push(run);
  const runsOf = (test) => byTest.get(test.name);
  const ran = tests.filter((test) => runsOf(test).some((run) => run.instances > 0));
  return { ran, mutants: ran.filter((test) => test.conformance_test), runsOf };
}

/** Returns the summary of runs. */
export function summaryOf(runs, tests) {
  const { ran, mutants, runsOf } = grouped(runs, tests);
  const killed = mutants.filter((test) => runsOf(test).some((run) => run.found > 0)).length;
  const environments = environmentsOf(runs, mutants);
  return {
    killed,
    total: mutants.length,
    ...(mutants.length > 0 && { score: killed / mutants.length }),
    environments: environments.map(({ environment, killed, rates }) => ({ environment, killed, total: rates.length })),
    violations: ran.filter((test) => runsOf(test).some((run) => violates(run, test))).map((test) => test.name),
    failures: runs.filter((run) => run.failure).length,
  };
}

/** Returns the times of runs, and the rates that follow from them. Each run has its time. */
export function timingOf(runs, tests) {
  const { ran, mutants, runsOf } = grouped(runs, tests);
  const best = ran.map((test) => bestOf(runsOf(test))).filter(Boolean);
  const rates = new Map(best.map((one) => [one.test, one.rate]));
  return {
    runs: runs.map((run) => run.seconds),
    ...(mutants.length > 0 && { death_rate: mean(mutants.map((test) => rates.get(test.name) ?? 0)) }),
    environments: environmentsOf(runs, mutants).map(({ rates }) => mean(rates)),
    best,
  };
}

/** Returns the run with the highest rate; for equal rates, the first one. */
function bestOf(runs) {
  let best;
  for (const run of runs) {
    if (run.found > 0 && (!best || rateOf(run) > rateOf(best))) best = run;
  }
  return best && { test: best.test, environment: best.environment, rate: rateOf(best) };
}

function environmentsOf(runs, mutants) {
  const names = new Set(mutants.map((test) => test.name));
  const all = new Map();
  for (const run of runs) {
    if (!names.has(run.test) || run.instances === 0) continue;
    const known = all.get(run.environment) ?? { killed: 0, rates: [] };
    known.killed += Number(run.found > 0);
    known.rates.push(rateOf(run));
    all.set(run.environment, known);
  }
  return [...all].map(([environment, of]) => ({ environment, ...of }));
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
