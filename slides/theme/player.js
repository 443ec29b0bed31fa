// A player: a figure whose parts appear step by step. slides/tools/figure.py says what its HTML is.
function makePlayer(figure) {
  const last = Number(figure.dataset.steps);
  const parts = [...figure.querySelectorAll("[data-step]")].map((element) =>
    ({ element, steps: element.dataset.step.split(" ").map(Number), line: element.classList.contains("line") }));
  const sentences = new Map(parts.filter(({ element }) => element.closest(".steps"))
    .map(({ element, steps }) => [steps[0], element.textContent.trim()]));
  const drawn = parts.filter(({ element }) => !element.closest(".steps"));
  const controls = document.createElement("div");
  controls.className = "controls";
  const said = document.createElement("span");
  said.className = "said";
  said.setAttribute("role", "status");
  let now = last, clock = 0;

  function show(step) {
    now = Math.max(0, Math.min(last, step));
    for (const { element, steps, line } of drawn) {
      if (line) element.classList.toggle("current", steps.includes(now));
      else {
        element.classList.toggle("later", steps[0] > now);
        element.classList.toggle("now", steps[0] === now);
      }
    }
    said.textContent = `Step ${now} of ${last}${sentences.has(now) ? ": " + sentences.get(now) : ""}`;
  }
  function step(by) {
    const before = now;
    show(now + by);
    if (now === last) stop();
    return now !== before;
  }
  function stop() {
    clearInterval(clock);
    clock = 0;
    play.textContent = "Play";
  }
  function button(text, label, act) {
    const made = document.createElement("button");
    made.textContent = text;
    if (label) made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    controls.append(made);
    return made;
  }
  button("⇤", "First step", () => { stop(); show(0); });
  button("‹", "Step back", () => { stop(); step(-1); });
  button("›", "Next step", () => { stop(); step(1); });
  function start() {
    if (clock) return stop();
    if (now === last) show(0);
    clock = setInterval(() => step(1), 1400);
    play.textContent = "Pause";
  }
  const play = button("Play", "", start);
  controls.append(said);
  figure.insertBefore(controls, figure.querySelector("figcaption"));
  show(last);
  figure.player = { step, show, start, stop, last };
}
document.querySelectorAll("figure.player").forEach(makePlayer);
