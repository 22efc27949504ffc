// What follows from runs: which mutants were killed, and where; which tests showed what the model forbids. As
// hirace-litmus/src/results/summary.rs has it, without DOM.

/** How often a second what the test looks for was there. */
export function rateOf(run) {
  return run.seconds > 0 ? run.found / run.seconds : 0;
}

/** Whether a run showed what a memory model forbids. */
export function violates(run, tested) {
  const lookedFor = tested?.kind === "conformance" ? run.found : 0;
  return lookedFor + run.classes.forbidden + run.classes.other > 0;
}

/** What follows from runs of tests. */
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

/** The run with the greatest rate; of those that are alike, the first one. */
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
