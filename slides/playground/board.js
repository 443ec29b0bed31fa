// The board: draws the calls and the edges between them, and says which call is dragged, and where to.
const SVG = "http://www.w3.org/2000/svg";

const make = (name, values = {}, ...children) => {
  const element = Object.assign(document.createElement(name), values);
  element.append(...children);
  return element;
};

function classOf(statement, kinds) {
  if (statement.kind === "copy" || statement.kind === "copy-now") {
    return kinds[statement.reads[0]] !== "device" ? "htod" : kinds[statement.writes[0]] === "device" ? "kernel" : "dtoh";
  }
  return isPoint(statement) ? "point" : ["function", "host"].includes(statement.kind) ? "host" : "kernel";
}

const isNode = ({ kind, graph }) => graph && !["capture", "end", "launch"].includes(kind);

const uses = ({ kind, reads, writes }) => ["kernel", "function"].includes(kind)
  ? [reads.length && `reads ${reads.join(", ")}`, writes.length && `writes ${writes.join(", ")}`].filter(Boolean).join("; ") : "";

// Shows an answer. `can` says of a statement whether it moves; `chosen` is called when a call is chosen.
function drawBoard(board, answer, selected, can, chosen) {
  const { statements } = answer;
  const kinds = Object.fromEntries(statements.map(({ name, kind }) => [name, kind]));
  const streams = statements.filter(({ kind }) => kind === "stream" || kind === "blocking").map(({ name }) => name);
  const lanes = ["host", ...streams];
  if (statements.some((statement) => isCall(statement) && laneOf(statement) === "null")) lanes.push("null");
  board.style.gridTemplateColumns = `repeat(${lanes.length}, minmax(0, 1fr))`;
  board.replaceChildren();
  lanes.forEach((lane, column) => {
    const name = lane === "null" ? "null stream" : lane === "host" ? "host" : lane;
    for (const className of ["lane", "track"]) {
      const part = make("div", { className, textContent: className === "lane" ? name : "" });
      part.style.gridColumn = column + 1;
      board.append(part);
    }
  });
  board.lanes = lanes;
  let row = 1;
  statements.forEach((statement, number) => {
    if (!isCall(statement)) return;
    const lane = laneOf(statement);
    const button = make("button", { type: "button", className: `call ${classOf(statement, kinds)}`, textContent: statement.says.replace(/^the host /, "") });
    if (uses(statement)) button.append(make("small", { textContent: uses(statement) }));
    if (isNode(statement)) button.append(make("small", { textContent: `a node of ${statement.graph}` }));
    button.append(make("span", { className: "hidden", textContent: lane === "host" ? "" : ` on ${lane === "null" ? "the null stream" : `stream ${lane}`}` }));
    button.style.gridColumn = lanes.indexOf(lane) + 1;
    button.style.gridRow = ++row;
    button.dataset.number = number;
    button.tabIndex = number === selected ? 0 : -1;
    button.setAttribute("aria-pressed", number === selected);
    button.classList.toggle("fixed", !can(statement));
    button.classList.toggle("node", isNode(statement));
    button.addEventListener("click", () => chosen(number));
    board.append(button);
  });
  board.style.gridTemplateRows = `auto repeat(${row - 1}, auto)`;
  if (!board.querySelector('.call[tabindex="0"]')) board.querySelector(".call")?.setAttribute("tabindex", 0);
}

const buttonOf = (board, number) => board.querySelector(`.call[data-number="${number}"]`);

// The record that a wait stands for: the latest before it.
function recordOf(statements, wait) {
  for (let number = wait - 1; number >= 0; number--) {
    if (statements[number].kind === "record" && statements[number].event === statements[wait].event) return number;
  }
  return -1;
}

// Draws events as lines, and the missing edge of a finding, dashed.
function drawEdges(board, answer, finding) {
  board.querySelector("svg")?.remove();
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", true);
  const frame = board.getBoundingClientRect();
  const put = (name, values) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    svg.append(element);
  };
  const line = (from, to, name, tip) => {
    const one = buttonOf(board, from)?.getBoundingClientRect(), other = buttonOf(board, to)?.getBoundingClientRect();
    if (!one || !other) return;
    const side = other.left > one.left ? 1 : other.left < one.left ? -1 : 0;
    const x = (side > 0 ? one.right : side < 0 ? one.left : one.right) - frame.left, y = one.top + one.height / 2 - frame.top;
    const u = (side > 0 ? other.left : other.right) - frame.left, v = other.top + other.height / 2 - frame.top;
    const bend = side ? Math.max(14, Math.abs(u - x) / 2) * side : 24;
    const end = side ? u - bend : u + bend;
    put("path", { class: name, d: `M${x} ${y}C${x + bend} ${y} ${end} ${v} ${u} ${v}` });
    const back = side ? -side : 1;
    put("path", { class: tip, d: `M${u} ${v}l${back * 9} -5v10z` });
  };
  answer.statements.forEach(({ kind, event }, number) => {
    if (kind !== "wait" && !(kind === "sync" && event)) return;
    const record = recordOf(answer.statements, number);
    if (record >= 0) line(record, number, "edge", "tip");
  });
  if (finding) line(finding.first, finding.second, "missing", "missing-tip");
  board.append(svg);
}

const HOLD_MS = 300; // a finger that rests so long lifts a call; one that moves before scrolls the page

// Lets the mouse, a pen or a finger drag calls. `moves` says whether a call may be dragged; `dropped` gets the call, the
// number of the call that it is dropped before (Infinity: none) and the lane.
function dragOn(board, moves, dropped) {
  let drag = null;
  const placeOf = (event) => {
    const frame = board.getBoundingClientRect();
    const column = Math.floor((event.clientX - frame.left) / frame.width * board.lanes.length);
    const below = [...board.querySelectorAll(".call")].filter((call) => call !== drag.button)
      .find((call) => { const box = call.getBoundingClientRect(); return event.clientY < box.top + box.height / 2; });
    return { lane: board.lanes[Math.max(0, Math.min(board.lanes.length - 1, column))], before: below ? Number(below.dataset.number) : Infinity };
  };
  const drop = () => {
    drag.button.classList.remove("dragged");
    drag.button.style.transform = "";
    drag = null;
  };
  board.addEventListener("pointerdown", (event) => {
    const button = event.target.closest(".call");
    if (drag || !button || event.button || !moves(Number(button.dataset.number))) return;
    const own = drag = { button, id: event.pointerId, x: event.clientX, y: event.clientY, far: false, lifted: event.pointerType !== "touch" };
    if (!own.lifted) setTimeout(() => { if (drag === own) { own.lifted = true; button.classList.add("dragged"); } }, HOLD_MS);
  });
  addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.id) return;
    const x = event.clientX - drag.x, y = event.clientY - drag.y;
    drag.far ||= Math.hypot(x, y) > 5;
    if (!drag.far) return;
    if (!drag.lifted) return drop();
    drag.button.classList.add("dragged");
    drag.button.style.transform = `translate(${x}px, ${y}px)`;
  });
  // The page keeps still under a lifted call, and opens no menu.
  board.addEventListener("touchmove", (event) => { if (drag?.lifted) event.preventDefault(); }, { passive: false });
  board.addEventListener("contextmenu", (event) => { if (drag) event.preventDefault(); });
  addEventListener("pointerup", (event) => {
    if (event.pointerId !== drag?.id) return;
    const { button, far } = drag, place = placeOf(event);
    drop();
    if (!far) return;
    const swallow = (click) => click.stopImmediatePropagation();
    button.addEventListener("click", swallow, { capture: true });
    setTimeout(() => { // after the click, which a finger's drag has not
      button.removeEventListener("click", swallow, { capture: true });
      dropped(Number(button.dataset.number), place.before, place.lane);
    });
  });
  addEventListener("pointercancel", (event) => { if (event.pointerId === drag?.id) drop(); });
}
