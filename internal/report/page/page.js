"use strict";
// Columns sort by a click on their heading, or by the keyboard. Without this the tables are complete, in the order that they were written in.
for (const table of document.querySelectorAll("table:not(.blank)")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const cell = row.cells[column];
        return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
      };
      const compare = (a, b) => {
        const x = key(a), y = key(b);
        if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
        const c = typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
        return down ? -c : c;
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}
