// Makes the rows of a table sortable by column and searchable. The page is complete without it.
(() => {
  const table = document.querySelector("table.interactive");
  if (!table) return;
  const body = table.tBodies[0];
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  };
  const order = new Intl.Collator(undefined, { numeric: true });
  const compare = (a, b) => typeof a === "number" ? a - b : order.compare(a, b);
  const sortBy = (header, column) => {
    const descending = header.getAttribute("aria-sort") === "ascending";
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [key(row, column), row]).sort((a, b) => compare(a[0], b[0]));
    body.append(...(descending ? rows.reverse() : rows).map(([, row]) => row));
  };
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(header, column));
    header.append(button);
  });

  const rows = [...body.rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const kinds = rows.map((row) => row.querySelector("[data-filter]")?.dataset.filter);
  const controls = document.createElement("div");
  controls.className = "controls";
  const labelled = (words, control) => {
    const label = document.createElement("label");
    label.append(words, control);
    controls.append(label);
    return control;
  };
  const search = labelled("Search ", document.createElement("input"));
  search.type = "search";
  const choices = [...new Set(kinds.filter(Boolean))];
  const choice = choices.length > 1 ? labelled("Verdict ", document.createElement("select")) : null;
  choice?.append(...["all", ...choices].map((word) => new Option(word, word)));
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  controls.append(said);
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = choice ? choice.value : "all";
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !(wanted === "all" || kinds[i] === wanted) || !words.every((word) => texts[i].includes(word));
      if (!row.hidden) shown++;
    });
    said.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} ${table.dataset.noun}`;
  };
  search.addEventListener("input", show);
  choice?.addEventListener("change", show);
  table.before(controls);
})();
