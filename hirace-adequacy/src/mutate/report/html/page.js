const app = document.querySelector("mutation-test-report-app");
const follow = () => {
  document.body.style.backgroundColor = app.themeBackgroundColor;
  document.body.dataset.theme = app.theme;
};
app.addEventListener("theme-changed", follow);
app.report = JSON.parse(document.getElementById("report").textContent);
follow();
