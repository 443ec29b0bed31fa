// Makes the columns of the table of submissions sortable. The page is complete without it.
(() => {
  const table = document.getElementById("submission-table");
  if (!table) return;
  const body = table.tBodies[0];
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  };
  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  const sortBy = (header, column) => {
    const descending = header.getAttribute("aria-sort") === "ascending";
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...body.rows].sort((a, b) => compare(key(a, column), key(b, column)));
    body.append(...(descending ? rows.reverse() : rows));
  };
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(header, column));
    header.append(button);
  });
})();
