// The links, the buttons and what is folded of an audit's page.
const isSeen = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};
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
