"use strict";
(async () => {
  const left = { errors: [], width: innerWidth, title: document.title };
  addEventListener("error", (event) => left.errors.push(String(event.message)));
  addEventListener("unhandledrejection", (event) => left.errors.push(String(event.reason)));
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const isSeen = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  };
  try {
    left.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.querySelectorAll("details").forEach((details) => { details.open = true; });
    const page = document.documentElement;
    // What is too wide scrolls in a box of its own.
    left.wider = page.scrollWidth <= page.clientWidth ? [] : [...document.querySelectorAll("body *")]
      .filter((of) => of.getBoundingClientRect().right > innerWidth && !of.closest(".scroll, pre"))
      .map((of) => `${of.tagName} ${of.className} ${of.getBoundingClientRect().right}`);
    const link = document.querySelector("#next .place a");
    link.click();
    await wait(100);
    const line = document.querySelector(":target");
    left.landed = line?.tagName === "TR" && `#${line.id}` === link.hash && isSeen(line);
    const back = line?.nextElementSibling?.querySelector("a.do");
    back?.click();
    await wait(100);
    const advice = document.querySelector(":target");
    left.back = advice?.tagName === "LI" && advice.contains(link) && advice.getBoundingClientRect().top >= 0;
    const button = document.querySelector("button.copy[data-of^=t]");
    const text = document.getElementById(button.dataset.of).textContent;
    button.focus();
    button.click();
    await wait(300);
    left.said = document.getElementById("said").textContent;
    const isSelected = getSelection().toString().trim() === text.trim();
    left.copied = isSelected && ["copied", "selected"].includes(left.said);
    const folded = document.querySelector("details.mutants");
    folded.open = false;
    folded.querySelector("summary").click();
    await wait(100);
    left.folded = folded.open;
  } catch (error) {
    left.errors.push(String(error));
  }
  parent.postMessage(JSON.stringify(left), "*");
})();
