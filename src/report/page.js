"use strict";
(() => {
  const form = document.getElementById("filters");
  const problem = document.getElementById("by-problem");
  const text = document.getElementById("by-text");
  const shown = document.getElementById("shown");
  const rows = [...document.querySelectorAll("#rows > tbody > tr")];
  const marks = new Map([...document.querySelectorAll("#times .mark")].map((mark) => [mark.dataset.row, mark]));
  // What is searched: everything a row says, read once.
  const texts = rows.map((row) => row.textContent.toLowerCase());

  const filter = () => {
    const verdicts = new Set([...form.querySelectorAll("[name=verdict]:checked")].map((box) => box.value));
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, index) => {
      const fits =
        (problem.value === "" || row.dataset.problem === problem.value) &&
        verdicts.has(row.dataset.verdict) &&
        words.every((word) => texts[index].includes(word));
      row.hidden = !fits;
      marks.get(row.id)?.toggleAttribute("hidden", !fits);
      count += fits ? 1 : 0;
    });
    for (const line of document.querySelectorAll("#cactus .line.reachable, #cactus .line.unreachable")) {
      line.toggleAttribute("hidden", ![...verdicts].some((verdict) => line.classList.contains(verdict)));
    }
    const noun = rows.length === 1 ? "property" : "properties";
    shown.textContent = count === rows.length ? `${count} ${noun}` : `${count} of ${rows.length} ${noun}`;
  };

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  // The controls have their first values only after the event.
  form.addEventListener("reset", () => setTimeout(filter));
  for (const link of document.querySelectorAll("a[data-problem]")) {
    link.addEventListener("click", () => {
      problem.value = link.dataset.problem;
      filter();
    });
  }
  // A browser may come back with the controls as they were left.
  filter();

  // On paper nothing can be opened.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => {
    opened.forEach((details) => { details.open = false; });
    opened = [];
  });
})();
