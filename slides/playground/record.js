// A record that LAB_TRACE or make labNN-timeline has saved, as a program. Throws an Error that says what the playground has
// no statement for.
const SKIPPED = ["stream create", "stream destroy", "event create", "event destroy", "memory alloc", "host alloc", "pool alloc",
  "pool free", "pinned pool alloc", "pinned pool free", "module load", "module unload", "mark", "host register"];
const MOST_CALLS = 120;

function programOf(record) {
  const events = record.traceEvents ?? [];
  const streams = events.filter(({ name }) => name === "thread_name").map(({ args }) => args).filter(({ stream }) => stream);
  const calls = events.map(({ args }) => args).filter((args) => args?.id && args.kind).sort((one, other) => one.id - other.id);
  const work = calls.filter(({ kind }) => !SKIPPED.includes(kind));
  if (record.otherData?.format !== "lab-trace") throw new Error("The file is not a record of this library.");
  if (work.length > MOST_CALLS) throw new Error(`The record has ${work.length} calls; the playground takes ${MOST_CALLS}.`);
  if (new Set(work.map(({ thread }) => thread)).size > 1) throw new Error("The record has calls of several host threads.");

  const made = streams.filter((each) => !each.null_stream).map((each) => `${each.non_blocking ? "stream" : "blocking"} s${each.stream}`);
  const streamOf = ({ stream }) => streams.some((each) => each.stream === stream && each.null_stream) ? "null" : `s${stream}`;
  const known = [], named = new Set();
  const pinned = calls.filter(({ kind }) => ["host alloc", "host register", "pinned pool alloc"].includes(kind));
  const memoryOf = ([address, bytes, how]) => {
    const start = BigInt(address), end = start + BigInt(bytes), host = how.startsWith("host");
    const same = known.findIndex((each) => each.host === host && each.start === start && each.end === end);
    if (same >= 0) return `m${same}`;
    if (known.some((each) => each.host === host && each.start < end && start < each.end)) throw new Error("The record has operations on parts of a memory.");
    const isPinned = pinned.some(({ object, bytes: all }) => BigInt(object) <= start && start < BigInt(object) + BigInt(all));
    made.push(`${!host ? "device" : isPinned ? "pinned" : "pageable"} m${known.length} ${bytes}`);
    return `m${known.push({ host, start, end }) - 1}`;
  };
  const eventOf = ({ object }) => {
    if (!named.has(object)) made.push(`event e${object}`);
    named.add(object);
    return `e${object}`;
  };
  const usesOf = (op) => (op.access ?? []).map((each) => {
    const memory = memoryOf(each), how = each[2].replace("host ", "");
    return `${how.includes("r") ? ` reads ${memory}` : ""}${how.includes("w") ? ` writes ${memory}` : ""}`;
  }).join("");
  const say = {
    "kernel": (op) => `kernel ${streamOf(op)} ${op.name.toLowerCase()}${usesOf(op)}`,
    "host function": (op) => `function ${streamOf(op)} call${usesOf(op)}`,
    "fill": (op) => `fill ${streamOf(op)} ${memoryOf(op.access[0])}`,
    "event record": (op) => `record ${eventOf(op)} ${streamOf(op)}`,
    "event wait": (op) => `wait ${streamOf(op)} ${eventOf(op)}`,
    "event sync": (op) => `sync ${eventOf(op)}`,
    "event query": (op) => `sync ${eventOf(op)}`,
    "stream sync": (op) => `sync ${streamOf(op)}`,
    "stream query": (op) => `sync ${streamOf(op)}`,
    "host read": (op) => `host reads ${memoryOf(op.access[0])}`,
    "host write": (op) => `host writes ${memoryOf(op.access[0])}`,
  };
  for (const kind of ["device sync", "memory free", "host free", "host unregister"]) say[kind] = () => "sync device";
  for (const kind of ["copy htod", "copy dtoh", "copy dtod"]) {
    say[kind] = (op) => `${op.host_waits ? "copy-now" : `copy ${streamOf(op)}`} ${op.access.map(memoryOf).join(" ")}`;
  }
  const said = work.map((op) => {
    if (!say[op.kind]) throw new Error(`The record has a ${op.kind}, and the playground has no statement for it.`);
    return say[op.kind](op);
  });
  return [...made, ...said];
}
