"use strict";
const said = document.getElementById("said");
const timers = new Map();
function say(button, words) {
  button.textContent = words;
  said.textContent = words;
  clearTimeout(timers.get(button));
  timers.set(button, setTimeout(() => { button.textContent = "copy"; said.textContent = ""; }, 4000));
}
function select(code) {
  const range = document.createRange();
  range.selectNodeContents(code);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = document.getElementById(button.dataset.of);
    // If the page may not access the clipboard, the user can copy the selected text.
    select(code);
    say(button, "selected");
    try {
      await navigator.clipboard.writeText(code.textContent + "\n");
      say(button, "copied");
    } catch {
      // The text stays selected.
    }
  });
}
