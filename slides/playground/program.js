// The program as lines of text, and changes of it. What a line means the library says: `statements` are those of the
// last answer.
const OPERATIONS = ["copy", "copy-now", "fill", "kernel", "function", "launch", "host"];
const POINTS = ["alloc", "free", "capture", "end", "record", "wait", "sync", "sync-device"];
const HOST = ["sync", "sync-device", "host"];
const STREAM_WORD = { copy: 1, fill: 1, kernel: 1, function: 1, launch: 1, alloc: 1, free: 1, capture: 1, end: 1, wait: 1, record: 2 };

const isCall = (statement) => OPERATIONS.includes(statement.kind) || isPoint(statement);
const isPoint = (statement) => POINTS.includes(statement.kind);
const laneOf = (statement) => statement.kind === "copy-now" ? "null" : HOST.includes(statement.kind) ? "host" : statement.stream;

// Without comments and empty lines, so that a line is a statement.
const linesOf = (text) => text.split(/[;\r\n]+/).map((line) => line.replace(/#.*/, "").trim()).filter(Boolean);

const onStream = (line, kind, stream) => {
  const words = wordsOf(line);
  words[STREAM_WORD[kind]] = stream;
  return words.join(" ");
};

// The lines with number `at` on another stream. A capture ends where it begins.
const withStream = (lines, at, kind, stream) => {
  const isOther = (line) => ["capture", "end"].includes(kind) && /^(capture|end)\s/.test(line) && wordsOf(line)[2] === wordsOf(lines[at])[2];
  return lines.map((line, number) => number === at || isOther(line) ? onStream(line, kind, stream) : line);
};

// The lines with number `from` moved to the place before number `to`.
const moved = (lines, from, to) => {
  const rest = lines.filter((line, number) => number !== from);
  rest.splice(to > from ? to - 1 : to, 0, lines[from]);
  return rest;
};

const inserted = (lines, at, ...added) => [...lines.slice(0, at), ...added, ...lines.slice(at)];

const wordsOf = (line) => line.split(/\s+/);

// The lines with memory that is taken from the pool before its first use, and returned behind its last, on the stream;
// and with memory that is there all the time.
const pooled = (lines, memory, stream) => {
  const uses = lines.map((line, number) => wordsOf(line).indexOf(memory) > 1 ? number : -1).filter((number) => number >= 0);
  return inserted(inserted(lines, uses[uses.length - 1] + 1, `free ${stream} ${memory}`), uses[0], `alloc ${stream} ${memory}`)
    .map((line) => line.startsWith(`device ${memory} `) ? line.replace("device", "pooled") : line);
};
const unpooled = (lines, memory) => lines.filter((line) => !(/^(alloc|free)\s/.test(line) && wordsOf(line)[2] === memory))
  .map((line) => line.startsWith(`pooled ${memory} `) ? line.replace("pooled", "device") : line);

// The lines with the call as the only node of a new graph, which is launched in its place; and without a graph.
const captured = (lines, at, stream) => {
  const graph = newName(lines, "g");
  const first = lines.findIndex((line) => !/^(stream|blocking|event|graph|device|pooled|pinned|pageable)\s/.test(line));
  return [...inserted(lines.slice(0, at), first, `graph ${graph}`), `capture ${stream} ${graph}`, lines[at],
    `end ${stream} ${graph}`, `launch ${stream} ${graph}`, ...lines.slice(at + 1)];
};
const uncaptured = (lines, graph) => lines.filter((line) => !(/^(graph|capture|end|launch)\s/.test(line) && wordsOf(line).includes(graph)));

// The lines without number `at`, and without events that nothing names any more. Memory that nothing allocates is there
// all the time.
const removed = (lines, at) => {
  if (/^(capture|end)\s/.test(lines[at])) return uncaptured(lines, wordsOf(lines[at])[2]);
  if (lines[at].startsWith("alloc ")) return unpooled(lines, wordsOf(lines[at])[2]);
  const rest = lines.filter((line, number) => number !== at);
  const named = (event) => rest.some((line) => !line.startsWith("event ") && wordsOf(line).includes(event));
  return rest.filter((line) => !line.startsWith("event ") || named(wordsOf(line)[1]) || lines[at] === line);
};

// "e1", or the next that nothing is called.
const newName = (lines, letter) => {
  for (let number = 1; ; number++) if (!lines.some((line) => wordsOf(line)[1] === letter + number)) return letter + number;
};

// What a puzzle counts.
const countOf = (statements, ...kinds) => statements.filter((statement) => kinds.includes(statement.kind)).length;
const eventsOf = (statements) => new Set(statements.filter((statement) => statement.kind === "record").map((statement) => statement.event)).size;
const workOf = (statements) => statements.filter((statement) => OPERATIONS.includes(statement.kind))
  .map((statement) => [statement.says, laneOf(statement)].join(" on "));
const many = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

// Whether an answer solves a puzzle, whose solution has this answer: why not, or "".
const SLOWER = 1.02;
function missing(answer, solution) {
  const given = answer.statements, wanted = solution.statements;
  const same = ["alloc", "free", "capture"].every((kind) => countOf(given, kind) === countOf(wanted, kind));
  if (!same || JSON.stringify(workOf(given)) !== JSON.stringify(workOf(wanted))) return "The copies, kernels and uses are others than at first: leave them as they are.";
  if (answer.findings.length) return "";
  const waits = countOf(given, "sync", "sync-device") - countOf(wanted, "sync", "sync-device");
  if (waits > 0) return `It is right, but the host waits ${waits === 1 ? "once" : `${waits} times`} more than it has to.`;
  if (eventsOf(given) > eventsOf(wanted)) return `It is right, with ${many(eventsOf(given), "event")}. ${many(eventsOf(wanted), "event")} ${eventsOf(wanted) === 1 ? "is" : "are"} enough.`;
  if (answer.model.makespan > SLOWER * solution.model.makespan) return `It is right, but work waits that need not: ${answer.model.makespan.toFixed(2)} ms, where ${solution.model.makespan.toFixed(2)} ms are possible.`;
  return "";
}
