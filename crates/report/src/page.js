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
    for (const line of document.querySelectorAll("#cactus .line.violated, #cactus .line.holds")) {
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

  // Columns are sorted by what they say, numbers by their size; what was equal stays in its order.
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const key = (row, column) => row.children[column].dataset.key ?? row.children[column].textContent;
  for (const heading of document.querySelectorAll(".sortable > thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const table = heading.closest("table");
      const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      const column = heading.cellIndex;
      const keyed = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
      const isNumber = keyed.every(([text]) => text !== "" && !Number.isNaN(Number(text)));
      keyed.sort(([a], [b]) => sign * (isNumber ? a - b : compare(a, b)));
      table.tBodies[0].append(...keyed.map(([, row]) => row));
    });
  }
})();
