// Where the links of an analysis lead, and whether plots show all that they say.
const links = [...document.querySelectorAll('a[href^="#"]')];
left.links = links.length > 0;
left.lost = links.map((link) => link.hash).filter((hash) => document.getElementById(hash.slice(1)) === null);
links.at(-1)?.click();
await wait(100);
const target = document.querySelector(":target");
const top = target?.getBoundingClientRect().top ?? -Infinity;
left.landed = top > -1 && top < innerHeight;
const plots = [...document.querySelectorAll("svg")];
left.plots = plots.length > 0;
left.cut = plots.flatMap((plot) => {
  const around = plot.getBoundingClientRect();
  return [...plot.querySelectorAll("text")]
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([, at]) => at.left < around.left - 1 || at.right > around.right + 1 || at.top < around.top - 1 || at.bottom > around.bottom + 1)
    .map(([text, at]) => `${text} at ${at.left} ${at.top} to ${at.right} ${at.bottom} in ${plot.getAttribute("aria-label")}, ${around.left} ${around.top} to ${around.right} ${around.bottom}`);
});
left.nameless = plots.filter((plot) => !plot.getAttribute("aria-label") && !plot.querySelector("title")).length;
