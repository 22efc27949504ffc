"use strict";
(async () => {
  const left = { errors: [], width: innerWidth, title: document.title };
  addEventListener("error", (event) => left.errors.push(String(event.message)));
  addEventListener("unhandledrejection", (event) => left.errors.push(String(event.reason)));
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  try {
    left.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
    const page = document.documentElement;
    // What is too wide scrolls in a box of its own.
    left.wider = page.scrollWidth <= page.clientWidth ? [] : [...document.querySelectorAll("body *")]
      .filter((of) => of.getBoundingClientRect().right > innerWidth && !of.closest(".scroll, pre"))
      .map((of) => `${of.tagName} ${of.className} ${of.getBoundingClientRect().right}`);
SCRIPT
  } catch (error) {
    left.errors.push(String(error));
  }
  parent.postMessage(JSON.stringify(left), "*");
})();
