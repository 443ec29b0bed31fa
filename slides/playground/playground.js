// The page: what is chosen, what was before, and the answers to each change.
const $ = (id) => document.getElementById(id);
const state = { lines: [], past: [], puzzle: PUZZLES[0], selected: -1, finding: 0, step: 0, answer: null, solved: new Set() };
let ask = null;

const language = () => document.querySelector("input[name=language]:checked").value;
const may = (statement) => state.puzzle.solution ? isPoint(statement) : true;
const lineOf = (number) => state.answer.statements[number].text - 1;

// --- Changes ---

// What is typed may be no program; a call stays where it is if it cannot be moved.
function change(lines, select = null, typed = false) {
  if (lines.join("\n") === state.lines.join("\n")) return;
  const { fault } = ask(lines.join("\n"), language(), $("profile").value);
  if (fault && !typed) return say(`That would not be a program: ${fault.text} (line ${fault.line}).`);
  state.past.push({ lines: state.lines, selected: state.selected });
  state.lines = lines;
  answerNow(select);
}

function undo() {
  const before = state.past.pop();
  if (!before) return;
  state.lines = before.lines;
  answerNow(before.selected >= 0 ? before.lines[before.selected] && before.selected : null);
}

const judge = () => state.puzzle.language ?? "lab";

function begin(puzzle, lines = puzzle.program) {
  if (puzzle.language) document.querySelector(`input[name=language][value=${puzzle.language}]`).checked = true;
  Object.assign(state, { puzzle, lines, past: [], selected: -1, finding: 0, step: 0 });
  $("puzzle").value = puzzle.name;
  $("task").textContent = puzzle.task;
  answerNow();
}

// Moves a call: before the call of that number (Infinity: to the end), onto that lane.
function move(number, before, lane) {
  const statement = state.answer.statements[number];
  const at = lineOf(number), to = before === Infinity ? state.lines.length : lineOf(before);
  let lines = state.lines;
  if (lane !== "host" && STREAM_WORD[statement.kind] && lane !== laneOf(statement) && may(statement)) {
    lines = withStream(lines, at, statement.kind, lane);
  }
  change(moved(lines, at, to), to > at ? to - 1 : to);
}

function shift(number, rows, columns) {
  const { statements } = state.answer, statement = statements[number];
  if (!may(statement)) return say("The puzzle fixes this call: move records and waits.");
  const calls = statements.map((each, place) => isCall(each) ? place : -1).filter((place) => place >= 0);
  const lanes = $("board").lanes.filter((lane) => lane !== "host");
  const streams = lanes.includes("null") ? lanes : [...lanes, "null"];
  const row = calls.indexOf(number);
  if (columns) {
    const lane = streams[streams.indexOf(laneOf(statement)) + columns];
    if (lane && STREAM_WORD[statement.kind]) change(withStream(state.lines, lineOf(number), statement.kind, lane), lineOf(number));
    return;
  }
  if (row + rows < 0 || row + rows >= calls.length) return;
  move(number, rows < 0 ? calls[row - 1] : calls[row + 2] ?? Infinity, laneOf(statement));
}

function remove(number) {
  if (!isPoint(state.answer.statements[number])) return say("A copy, a kernel or a use stays: records, waits, captures and allocations can be taken away.");
  change(removed(state.lines, lineOf(number)), Math.max(0, lineOf(number) - 1));
}

// Adds a record behind the chosen call, of that event or a new one.
function addRecord(event) {
  const { statements } = state.answer, number = state.selected, at = lineOf(number);
  const stream = laneOf(statements[number]);
  if (event) return change(inserted(state.lines, at + 1, `record ${event} ${stream}`), at + 1);
  const fresh = newName(state.lines, "e");
  const first = statements.findIndex(isCall);
  change(inserted(inserted(state.lines, at + 1, `record ${fresh} ${stream}`), lineOf(first), `event ${fresh}`), at + 2);
}

const addWait = (event) => change(inserted(state.lines, lineOf(state.selected), `wait ${laneOf(state.answer.statements[state.selected])} ${event}`), lineOf(state.selected));
const addSync = (name) => change(inserted(state.lines, lineOf(state.selected), `sync ${name}`), lineOf(state.selected));

// --- Answers ---

function say(text) {
  $("answer").querySelector(".said")?.remove();
  $("answer").append(make("p", { className: "said", textContent: text }));
}

function answerNow(selectLine = null) {
  const focused = document.activeElement?.closest("#board .call, #tools") !== null && document.activeElement !== document.body;
  $("text").value = state.lines.join("\n");
  const answer = ask(state.lines.join("\n"), language(), $("profile").value);
  $("undo").disabled = !state.past.length;
  keepAddress();
  if (answer.fault) {
    $("answer").className = "wrong";
    $("answer").replaceChildren(make("p", {}, make("strong", { textContent: `Line ${answer.fault.line}: ` }), answer.fault.text));
    return;
  }
  state.answer = answer;
  state.selected = selectLine === null ? -1 : answer.statements.findIndex(({ text }, number) => text - 1 === selectLine && isCall(answer.statements[number]));
  state.finding = Math.min(state.finding, Math.max(0, answer.findings.length - 1));
  state.step = 0;
  show();
  if (focused && state.selected >= 0) buttonOf($("board"), state.selected)?.focus();
}

function show() {
  const { answer } = state, finding = answer.findings[state.finding];
  showVerdict(answer);
  $("memory").textContent = memoryOf(answer.statements);
  drawBoard($("board"), answer, state.selected, may, choose);
  for (const [name, number] of finding ? [["first", finding.first], ["second", finding.second]] : []) buttonOf($("board"), number)?.classList.add(name);
  drawEdges($("board"), answer, finding);
  showTools();
  showStory(finding);
  const { model } = answer;
  $("time").textContent = `${model.makespan.toFixed(2)} ms, ${model.label}; one call after another it would be ${model.serial.toFixed(2)} ms.`;
  $("timeline").innerHTML = model.svg;
  showListing(answer, finding);
}

function memoryOf(statements) {
  const kinds = { device: "On the device", pooled: "From the pool", pinned: "Pinned", pageable: "Pageable" };
  return Object.entries(kinds).map(([kind, words]) => {
    const names = statements.filter((statement) => statement.kind === kind).map(({ name, text }) => `${name} (${state.lines[text - 1].split(/\s+/).slice(2).join(" ")})`);
    return names.length ? `${words}: ${names.join(", ")}.` : "";
  }).filter(Boolean).join(" ");
}

function showVerdict(answer) {
  const box = $("answer"), count = answer.findings.length;
  box.className = count ? "wrong" : "";
  const title = make("p", {}, make("strong", { textContent: count ? `${many(count, "finding")}.` : "The order checker finds nothing." }));
  box.replaceChildren(title);
  if (state.puzzle.solution) {
    const solution = ask(state.puzzle.solution.join("\n"), judge(), "h200");
    const judged = ask(state.lines.join("\n"), judge(), "h200");
    const elsewhere = !count && judged.findings.length ? "The pool of lab.h waits for all who use a block. CUDA's does not: choose CUDA C++ below." : "";
    const why = missing(judged, solution) || elsewhere;
    if (!judged.findings.length && !why) {
      state.solved.add(state.puzzle.name);
      markSolved();
    }
    if (why || !count) title.append(` ${why || "Solved: it is right, and nothing waits that need not."}`);
    if (!count && why) box.className = "wrong";
  }
  answer.findings.forEach((finding, number) => {
    const words = [make("span", { textContent: `${finding.text}. ` }), make("b", { textContent: `To order them: ${finding.edge}.` })];
    if (count === 1) return box.append(make("p", {}, ...words));
    const button = make("button", { type: "button" }, ...(number === state.finding ? words : [`${answer.statements[finding.first].says} and ${answer.statements[finding.second].says}`]));
    button.setAttribute("aria-pressed", number === state.finding);
    button.addEventListener("click", () => { Object.assign(state, { finding: number, step: 0 }); show(); });
    box.append(button);
  });
}

function choose(number) {
  state.selected = number;
  for (const call of document.querySelectorAll("#board .call")) {
    const own = Number(call.dataset.number) === number;
    call.setAttribute("aria-pressed", own);
    call.tabIndex = own ? 0 : -1;
  }
  showTools();
}

// A call that can be a node of a graph of its own.
const canCapture = ({ kind, graph }) => !state.puzzle.solution && ["copy", "fill", "kernel", "function"].includes(kind) && !graph;

// The memory that a call uses and that is not from the pool.
const deviceMemoryOf = ({ reads, writes }) => state.puzzle.solution ? [] : state.answer.statements
  .filter(({ kind, name }) => kind === "device" && (reads.includes(name) || writes.includes(name))).map(({ name }) => name);

function showTools() {
  const tools = $("tools"), statement = state.answer.statements[state.selected];
  tools.replaceChildren();
  if (!statement) return tools.append(make("span", { className: "facts", textContent: "Choose a call to change the program." }));
  const tool = (textContent, action, disabled = false) => {
    const button = make("button", { type: "button", textContent, disabled });
    button.addEventListener("click", action);
    tools.append(button);
  };
  const lane = laneOf(statement), number = state.selected;
  const events = state.answer.statements.filter(({ kind }) => kind === "event").map(({ name }) => name);
  tool("Earlier", () => shift(number, -1, 0), !may(statement));
  tool("Later", () => shift(number, 1, 0), !may(statement));
  if (STREAM_WORD[statement.kind] && may(statement)) {
    tool("Stream to the left", () => shift(number, 0, -1));
    tool("Stream to the right", () => shift(number, 0, 1));
  }
  if (isPoint(statement)) tool("Remove", () => remove(number));
  if (lane !== "host") {
    tool("Record a new event behind it", () => addRecord(""));
    for (const event of events) tool(`Record ${event} behind it`, () => addRecord(event));
    for (const event of events) tool(`Wait for ${event} before it`, () => addWait(event));
    if (statement.kind === "end" || statement.kind === "launch") tool(`Launch ${statement.graph} behind it`, () => change(inserted(state.lines, lineOf(number) + 1, `launch ${lane} ${statement.graph}`), lineOf(number) + 1));
    if (canCapture(statement) && lane !== "null") tool("Capture it in a graph", () => change(captured(state.lines, lineOf(number), lane)));
    for (const memory of deviceMemoryOf(statement)) tool(`Take ${memory} from the pool`, () => change(pooled(state.lines, memory, lane)));
  } else {
    for (const stream of $("board").lanes.slice(1)) tool(`The host waits for ${stream} before it`, () => addSync(stream));
    for (const event of events) tool(`The host waits for ${event} before it`, () => addSync(event));
  }
}

// --- The order in which it goes wrong ---

function showStory(finding) {
  $("story").hidden = !finding?.steps.length;
  if ($("story").hidden) return;
  $("steps").replaceChildren(...finding.steps.map((step) => make("li", { textContent: `${step.text}.`, className: step.wrong ? "wrong" : "" })));
  showStep(finding, false);
}

function showStep(finding, speak = true) {
  [...$("steps").children].forEach((item, number) => {
    item.classList.toggle("current", number === state.step);
    item.classList.toggle("later", number > state.step);
  });
  const item = $("steps").children[state.step];
  $("steps").scrollTop = Math.max(0, item.offsetTop - $("steps").offsetTop - $("steps").clientHeight / 2);
  $("step-number").textContent = `Step ${state.step + 1} of ${finding.steps.length}`;
  $("step-back").disabled = state.step === 0;
  $("step").disabled = state.step + 1 === finding.steps.length;
  if (speak) $("step-said").textContent = item.textContent;
  for (const call of document.querySelectorAll("#board .call")) call.classList.toggle("now", speak && Number(call.dataset.number) === finding.steps[state.step].statement);
}

function step(find) {
  const finding = state.answer.findings[state.finding];
  state.step = Math.max(0, Math.min(finding.steps.length - 1, find(finding.steps)));
  showStep(finding);
}

// --- The listing ---

function showListing(answer, finding) {
  const wrong = finding ? [finding.first, finding.second].filter((number) => number >= 0).map((number) => answer.statements[number].line) : [];
  $("listing").replaceChildren(...answer.listing.replace(/\n$/, "").split("\n").map((textContent, number) =>
    make("span", { className: `line${wrong.includes(number + 1) ? " wrong-line" : ""}`, textContent })));
  const frame = $("listing").parentElement, first = $("listing").querySelector(".wrong-line");
  frame.scrollTop = first ? Math.max(0, first.offsetTop - frame.clientHeight / 2) : 0;
}

// --- The address ---

const addressOf = () => `#${new URLSearchParams({ puzzle: state.puzzle.name, program: state.lines.join(";") })}`;

function keepAddress() {
  try { history.replaceState(null, "", addressOf()); } catch (error) { /* some browsers forbid it to files */ }
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const puzzle = PUZZLES.find(({ name }) => name === given.get("puzzle")) ?? PUZZLES[0];
  const lines = linesOf(given.get("program") ?? "");
  begin(puzzle, lines.length ? lines : puzzle.program);
}

// --- A record ---

function openRecord(text) {
  try {
    begin(PUZZLES[0], programOf(JSON.parse(text)));
  } catch (error) {
    $("answer").className = "wrong";
    $("answer").textContent = error instanceof SyntaxError ? "The file is not a record of this library." : error.message;
  }
}

// --- The page ---

function markSolved() {
  for (const option of $("puzzle").options) {
    const { name, title } = PUZZLES.find((puzzle) => puzzle.name === option.value);
    option.textContent = state.solved.has(name) ? `✓ ${title}` : title;
  }
}

function keys(event) {
  const call = event.target.closest(".call");
  if (!call) return;
  const number = Number(call.dataset.number), all = [...document.querySelectorAll("#board .call")];
  const rows = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0, columns = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  if (event.key === "Delete" || event.key === "Backspace") remove(number);
  else if (!rows && !columns) return;
  else if (event.shiftKey) shift(number, rows, columns);
  else if (rows) {
    const next = all[all.indexOf(call) + rows];
    if (next) choose(Number(next.dataset.number)), next.focus();
  }
  event.preventDefault();
}

async function start() {
  try {
    ask = await load();
  } catch (error) {
    $("answer").className = "wrong";
    $("answer").textContent = `This browser cannot run the page: ${error.message}. It needs WebAssembly and DecompressionStream, which browsers have since 2023.`;
    return;
  }
  $("puzzle").addEventListener("change", () => begin(PUZZLES.find(({ name }) => name === $("puzzle").value)));
  $("profile").addEventListener("change", () => answerNow());
  for (const radio of document.querySelectorAll("input[name=language]")) radio.addEventListener("change", () => answerNow());
  $("undo").addEventListener("click", undo);
  $("again").addEventListener("click", () => change(state.puzzle.program));
  $("link").addEventListener("click", () => navigator.clipboard?.writeText(location.href.replace(/#.*/, "") + addressOf()).then(() => { $("link").textContent = "Copied"; }, () => {}));
  $("step").addEventListener("click", () => step(() => state.step + 1));
  $("step-back").addEventListener("click", () => step(() => state.step - 1));
  $("step-wrong").addEventListener("click", () => step((steps) => steps.findIndex(({ wrong }) => wrong)));
  $("record").addEventListener("change", () => $("record").files[0]?.text().then(openRecord));
  $("text").addEventListener("change", () => change(linesOf($("text").value), null, true));
  $("board").addEventListener("keydown", keys);
  addEventListener("keydown", (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "z" && event.target.localName !== "textarea") { undo(); event.preventDefault(); } });
  addEventListener("resize", () => { if (state.answer) drawEdges($("board"), state.answer, state.answer.findings[state.finding]); });
  addEventListener("hashchange", readAddress);
  dragOn($("board"), (number) => may(state.answer.statements[number]), move);
  readAddress();
}

start();
