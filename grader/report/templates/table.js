// Makes the rows of a table sortable, searchable and choosable: links with data-pick choose the rows that have their pick.
// It also leads from one student's page to the next, in the table's order. The page is complete without it.
(() => {
  const table = document.querySelector("table.interactive");
  if (!table) return;
  const body = table.tBodies[0], headers = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  const narrow = matchMedia("screen and (max-width: 58rem)");
  const few = 10; // rows on a narrow screen, until all are asked for
  const make = (name, words, fields = {}) => Object.assign(document.createElement(name), { textContent: words, ...fields });

  // Sorting
  const order = new Intl.Collator(undefined, { numeric: true });
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : order.compare(a, b);
  const key = (row, column) => {
    const { value } = row.cells[column].dataset;
    return value === undefined ? row.cells[column].textContent.trim() : Number(value);
  };
  const sortBy = (column, direction) => {
    headers.forEach((header, i) => header.setAttribute("aria-sort", i === column ? direction : "none"));
    const sorted = [...body.rows].map((row) => [key(row, column), row]).sort((a, b) => compare(a[0], b[0]));
    body.append(...(direction === "descending" ? sorted.reverse() : sorted).map(([, row]) => row));
    state.sort = [column, direction];
    show();
  };
  headers.forEach((header, column) => {
    const button = make("button", "", { type: "button" });
    button.append(...header.childNodes);
    button.addEventListener("click", () =>
      sortBy(column, header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending"));
    header.append(button);
    header.setAttribute("aria-sort", "none");
  });

  // Choosing
  const state = { search: "", verdict: "all", section: "all", pick: "", sort: null };
  let all = false, printed = false;
  const facts = rows.map((row) => ({
    text: row.textContent.toLowerCase(), verdict: row.querySelector("[data-filter]")?.dataset.filter,
    section: row.dataset.section, picks: (row.dataset.picks || "").split(" ") }));
  const controls = make("div", "", { className: "controls" });
  const labelled = (words, control) => {
    const label = make("label", `${words} `);
    label.append(control);
    controls.append(label);
    return control;
  };
  const inputs = { search: labelled("Search", make("input", "", { type: "search" })) };
  for (const fact of ["verdict", "section"]) {
    const found = [...new Set(facts.map((own) => own[fact]).filter(Boolean))];
    if (found.length < 2) continue;
    inputs[fact] = labelled(fact === "verdict" ? "Verdict" : "Section", make("select", ""));
    inputs[fact].append(...["all", ...found].map((word) => new Option(word, word)));
  }
  const chosen = make("button", "Show everybody", { type: "button", className: "chosen", hidden: true });
  const said = make("span", "");
  said.setAttribute("role", "status");
  const more = make("button", "Show all", { type: "button", className: "more", hidden: true });
  const paper = make("p", "", { className: "paper" }); // which rows a printed page shows
  controls.append(chosen, said);
  const links = [...document.querySelectorAll("[data-pick]")];
  const wanted = (own) => (state.verdict === "all" || own.verdict === state.verdict)
    && (state.section === "all" || own.section === state.section) && (!state.pick || own.picks.includes(state.pick))
    && state.search.toLowerCase().split(/\s+/).every((word) => own.text.includes(word));
  const show = () => {
    const matching = new Set(rows.filter((row, i) => wanted(facts[i])));
    const most = narrow.matches && !all && !printed ? few : Infinity;
    let shown = 0;
    for (const row of body.rows) row.hidden = !matching.has(row) || ++shown > most;
    said.textContent = matching.size === rows.length ? "" : `${matching.size} of ${rows.length} ${table.dataset.noun}`;
    more.hidden = matching.size <= most;
    more.textContent = `Show all ${matching.size}`;
    const link = links.find((own) => own.dataset.pick === state.pick);
    chosen.hidden = !link;
    chosen.textContent = `${link ? `Chosen: ${link.dataset.words}. ` : ""}Show everybody`;
    const only = [link?.dataset.words, ...[state.verdict, state.section].filter((word) => word !== "all"), state.search.trim()];
    paper.textContent = said.textContent && `Only ${said.textContent}: ${only.filter(Boolean).join(", ")}.`;
    for (const own of links) own.classList.toggle("picked", own === link);
    try { sessionStorage.setItem(location.pathname, JSON.stringify(state)); } catch { /* a page may not be allowed to */ }
  };
  const pick = (name) => {
    state.pick = name;
    show();
  };
  for (const [name, input] of Object.entries(inputs)) {
    input.addEventListener(name === "search" ? "input" : "change", () => { state[name] = input.value; show(); });
  }
  for (const link of links) link.addEventListener("click", () => pick(link.dataset.pick));
  chosen.addEventListener("click", () => { pick(""); inputs.search.focus(); });
  more.addEventListener("click", () => { all = true; show(); });
  narrow.addEventListener("change", show);
  for (const when of ["before", "after"]) addEventListener(`${when}print`, () => { printed = when === "before"; show(); });
  table.before(controls, paper);
  table.after(more);

  // A copy of what stands in a box
  for (const box of document.querySelectorAll("pre.command")) {
    const button = make("button", "Copy", { type: "button", className: "copy" });
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(box);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected: copy it with the keyboard";
    });
    box.before(button);
  }

  // As the reader left it; and from a student's page to the one before or after it
  try { Object.assign(state, JSON.parse(sessionStorage.getItem(location.pathname))); } catch { /* begin afresh */ }
  if (!links.some((link) => link.dataset.pick === state.pick)) state.pick = "";
  for (const [name, input] of Object.entries(inputs)) {
    input.value = state[name];
    if (input.value !== state[name]) state[name] = input.value = "all"; // the class has changed
  }
  if (state.sort) sortBy(...state.sort);
  show();
  const step = { "?previous": -1, "?next": 1 }[location.search];
  if (step) {
    const own = document.getElementById(location.hash.slice(1));
    const walk = [...body.rows].filter((row) => row === own || (wanted(facts[rows.indexOf(row)]) && row.querySelector("a")));
    const link = walk[walk.indexOf(own) + step]?.querySelector("a");
    if (own && link) location.replace(link.href);
  }
})();
