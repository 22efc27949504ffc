// Uses the page in a real browser against a running service. Prints the observations as JSON.
//
//     node end-to-end.mjs SCENARIO URL CHROMIUM [DOCUMENT]

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [scenario, url, executablePath, file] = process.argv.slice(2);
const QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync"];
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
// Small sizes, so that a CPU runs the tests in reasonable time.
const SMALL = { testingWorkgroups: 4, maxWorkgroups: 6, workgroupSize: 8 };

/** Opens a browser with one page. Records errors and requests to other hosts. */
async function open(flags, context = {}) {
  const browser = await chromium.launch({ executablePath, args: [...QUIET, ...flags] });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context })).newPage();
  const said = { errors: [], elsewhere: [] };
  page.on("pageerror", (error) => said.errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") said.errors.push(message.text());
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== "data:" && protocol !== "blob:") said.elsewhere.push(request.url());
  });
  page.setDefaultTimeout(120_000);
  return { browser, page, said };
}

const go = async (page, address) => {
  // Changing only the hash does not reload the page.
  await page.goto("about:blank");
  await page.goto(`${url}/${address}`);
  await page.waitForSelector("#view > [data-view]:not([aria-busy])");
};
const view = "#view > [data-view]";
const inState = (page, state) => page.waitForSelector(`${view}[data-state="${state}"]`);

/** Returns the document that the view shows before it is sent. */
const shown = async (page) => JSON.parse(await page.textContent("#sent"));

/** Explores, reads the document to send, sends it, and finds it in the results and in the analysis. */
async function submit() {
  const { browser, page, said } = await open(WEBGPU);
  const query = new URLSearchParams({ test: "mp-two-locations,rr", seed: "by-hand", iterations: 30, ...SMALL, shufflePct: 50, barrierPct: 50 });
  await go(page, `#/explore?${query}`);
  await inState(page, "idle");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await inState(page, "done");
  const histogram = await page.textContent("section[aria-label='Results of the tests']");
  await page.click("a[data-submit]");
  await inState(page, "ready");
  const document = await shown(page);
  await page.getByRole("button", { name: "Send" }).click();
  const id = Number(await page.getAttribute("a[data-result]", "data-result"));
  await page.click("a[data-result]");
  await page.waitForSelector(`[data-view="results"]:not([aria-busy]) h1`);
  const result = await page.textContent(view);
  await go(page, "#/analysis");
  await page.waitForFunction((name) => {
    const inside = [...document.querySelectorAll("#view *")].map((element) => element.shadowRoot?.textContent ?? "");
    return inside.some((text) => text.includes(name));
  }, document.target.name);
  // Opening a link restores the state and runs nothing.
  await go(page, `#/explore?${query}`);
  const restored = await page.inputValue("[name=workgroupSize]");
  const state = await page.getAttribute(view, "data-state");
  await browser.close();
  return { ...said, document, id, histogram, result, restored: Number(restored), state };
}

/** Generates environments on the page. */
async function environments() {
  const { browser, page, said } = await open(WEBGPU);
  await go(page, "#/tune?tests=rr-reversed&seed=rbjnMzXroA&number=3&maxWorkgroups=32&maxWorkgroupSize=32&iterations=2");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForSelector("section[data-work][data-state=done]");
  await page.getByRole("link", { name: /Submit/ }).last().click();
  await inState(page, "ready");
  const document = await shown(page);
  await browser.close();
  return { ...said, document };
}

/** Tunes, pauses, reloads the page, continues. */
async function tune() {
  const { browser, page, said } = await open(WEBGPU);
  const address = "#/tune?tests=rr-reversed,rw-reversed,wr-reversed&seed=s&number=8&maxWorkgroups=8&maxWorkgroupSize=8&iterations=1000";
  await go(page, address);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForFunction(() => Number(document.querySelector("section[data-work]")?.dataset.done) >= 2);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForSelector("section[data-work][data-state=paused]");
  const before = Number(await page.getAttribute("section[data-work]", "data-done"));
  await page.reload();
  await page.waitForSelector("section[data-work][data-state=paused]");
  const after = Number(await page.getAttribute("section[data-work]", "data-done"));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForSelector("section[data-work][data-state=done]");
  await page.getByRole("link", { name: /Submit/ }).last().click();
  await inState(page, "ready");
  const document = await shown(page);
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForSelector("a[data-result]");
  await browser.close();
  return { ...said, before, after, document };
}

/** Works on a campaign until it is done. */
async function campaign() {
  const { browser, page, said } = await open(WEBGPU);
  await go(page, "#/campaigns");
  await page.getByRole("link", { name: "in-the-browser" }).first().click();
  await page.waitForSelector("[data-view=campaigns][data-state=idle]");
  await page.getByRole("button", { name: /Work on it/ }).click();
  await inState(page, "done");
  const text = await page.textContent(view);
  await browser.close();
  return { ...said, text };
}

/** Opens files with results and with parameters: wrong values are named at the field, right ones are shown, used and sent. */
async function files(document) {
  const { browser, page, said } = await open(["--disable-features=WebGPU"]);
  const file = (value) => ({ name: "chosen.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(value)) });
  const choose = async (field, value) => {
    await page.setInputFiles(`#field-${field}`, file(value));
    await page.waitForFunction((id) => document.getElementById(id).textContent !== "", `field-${field}-said`);
    const text = await page.textContent(`#field-${field}-said`);
    const invalid = await page.getAttribute(`#field-${field}`, "aria-invalid");
    await page.evaluate((id) => { document.getElementById(id).textContent = ""; }, `field-${field}-said`);
    return { text, invalid };
  };
  await go(page, "#/submit");
  const wrong = structuredClone(document);
  wrong.environments[0].parameters.workgroupSize = 0;
  const results = { refused: await choose("results-file", wrong) };
  // Only the service knows the classes of outcomes.
  const changed = structuredClone(document);
  changed.runs[0].outcomes[0].class = "other";
  await choose("results-file", changed);
  await page.getByRole("button", { name: "Send" }).click();
  await inState(page, "failed");
  results.problem = await page.textContent(view);
  said.errors.length = 0;
  results.taken = await choose("results-file", document);
  await inState(page, "opened");
  results.shown = await page.textContent("section[aria-label='Results of the file']");
  results.again = await page.getAttribute("a:has-text('Run here')", "href");
  await page.getByRole("button", { name: "Send" }).click();
  results.id = Number(await page.getAttribute("a[data-result]", "data-result"));

  await go(page, "#/explore");
  const [environment] = document.environments;
  const { memStride, ...less } = environment.parameters;
  const parameters = {
    refused: await choose("parameters-file", { ...environment, parameters: less }),
    taken: await choose("parameters-file", { ...environment, layout: "single" }),
    size: Number(await page.inputValue("[name=workgroupSize]")),
    layout: await page.inputValue("[name=layout]"),
  };
  await browser.close();
  return { ...said, results, parameters };
}

/** Shows every view at the width of a phone and of a screen, in light and dark mode. */
async function looks() {
  const views = ["#/explore", "#/tune", "#/conform", "#/submit", "#/results", "#/results/1", "#/analysis", "#/campaigns",
    "#/campaigns/in-the-browser", "#/nothing"];
  const { browser, page, said } = await open(WEBGPU);
  const wide = [];
  const backgrounds = {};
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const address of views) {
        await go(page, address);
        await page.waitForTimeout(200);
        const content = await page.evaluate(() => document.documentElement.scrollWidth);
        if (content > width) wide.push(`${address} at ${width}: ${content}`);
      }
      backgrounds[colorScheme] = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor
        + getComputedStyle(document.body).backgroundColor);
    }
  }
  await browser.close();
  return { ...said, wide, backgrounds };
}

/** Uses only the keyboard, from the first key to results. */
async function keyboard() {
  const { browser, page, said } = await open(WEBGPU);
  const query = new URLSearchParams({ test: "rr", iterations: 5, ...SMALL });
  await go(page, `#/explore?${query}`);
  const focused = () => page.evaluate(() => {
    const at = document.activeElement;
    const { outlineStyle, boxShadow } = getComputedStyle(at);
    return { text: at.textContent.trim().slice(0, 40), tag: at.tagName, id: at.id, seen: outlineStyle !== "none" || boxShadow !== "none" };
  });
  await page.keyboard.press("Tab");
  const first = await focused();
  const unseen = [];
  let steps = 0;
  for (; steps < 400; steps++) {
    const at = await focused();
    if (!at.seen) unseen.push(`${at.tag} ${at.id} ${at.text}`);
    if (at.tag === "BUTTON" && at.text === "Run") break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await inState(page, "done");
  await browser.close();
  return { ...said, first, unseen: [...new Set(unseen)], steps };
}

/** Uses a browser without WebGPU: the page says so, and shows results of others. */
async function without() {
  const { browser, page, said } = await open(["--disable-features=WebGPU"]);
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined }));
  await go(page, "#/explore");
  const explore = await page.textContent(view);
  const isOff = await page.getByRole("button", { name: "Run", exact: true }).isDisabled();
  await go(page, "#/results/1");
  const result = await page.textContent(view);
  await go(page, "#/analysis");
  await page.waitForFunction(() => [...document.querySelectorAll("#view *")].some((element) => element.shadowRoot));
  await browser.close();
  return { ...said, explore, isOff, result };
}

const scenarios = { submit, environments, tune, campaign, files, looks, keyboard, without };
console.log(JSON.stringify(await scenarios[scenario](file && JSON.parse(readFileSync(file, "utf8")))));
