// Summaries of runs: killed mutants, best environments, and tests with forbidden outcomes. As in
// hirace-litmus/src/results/summary.rs, without DOM.

/** Returns the number of times per second that the condition of the test was met. */
export function rateOf(run) {
  return run.seconds > 0 ? run.found / run.seconds : 0;
}

/** Returns whether a run has outcomes that the memory model forbids. */
export function violates(run, tested) {
  const lookedFor = tested?.kind === "conformance" ? run.found : 0;
  return lookedFor + run.classes.forbidden + run.classes.other > 0;
}

/** Returns the summary of runs. */
export function summaryOf(runs, tests) {
  const byTest = new Map(tests.map((test) => [test.name, []]));
  for (const run of runs) byTest.get(run.test)?.push(run);
  const runsOf = (test) => byTest.get(test.name);
  const ran = tests.filter((test) => runsOf(test).some((run) => run.instances > 0));
  const mutants = ran.filter((test) => test.of);
  const best = ran.map((test) => bestOf(runsOf(test))).filter(Boolean);
  const rates = new Map(best.map((one) => [one.test, one.rate]));
  const killed = mutants.filter((test) => runsOf(test).some((run) => run.found > 0)).length;
  return {
    killed,
    of: mutants.length,
    ...(mutants.length > 0 && {
      score: killed / mutants.length,
      death_rate: mean(mutants.map((test) => rates.get(test.name) ?? 0)),
    }),
    environments: environmentsOf(runs, new Set(mutants.map((test) => test.name))),
    best,
    violations: ran.filter((test) => runsOf(test).some((run) => violates(run, test))).map((test) => test.name),
    failures: runs.filter((run) => run.failure).length,
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
  const all = new Map();
  for (const run of runs) {
    if (!mutants.has(run.test) || run.instances === 0) continue;
    const known = all.get(run.environment) ?? { killed: 0, rates: [] };
    known.killed += Number(run.found > 0);
    known.rates.push(rateOf(run));
    all.set(run.environment, known);
  }
  return [...all].map(([environment, { killed, rates }]) => {
    return { environment, killed, of: rates.length, death_rate: mean(rates) };
  });
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
