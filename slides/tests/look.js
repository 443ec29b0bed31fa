// What is wrong with how a deck looks: faults(slide) lists what leaves its slide, is cut off, lies over another part or is
// too small to read. In a reading column a page scrolls, and wide code scrolls by itself.
function faults(slide) {
  const page = document.documentElement, wide = matchMedia("(min-width: 900px) and (min-height: 500px)").matches;
  const found = [], small = [], edge = slide.getBoundingClientRect(), scale = parseFloat(getComputedStyle(page).fontSize) / 16;
  const name = (element) => `<${element.localName}> "${(element.getAttribute("aria-label") || element.textContent).trim().slice(0, 40)}"`;
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".hidden, .steps, .notes");
  const bottom = wide ? edge.bottom - 40 * scale : Infinity;
  const scrolls = (element) => !wide && element.closest("pre, .scrolls, .drawn");
  for (const element of [slide, ...slide.querySelectorAll("*")]) {
    if (!shown(element)) continue;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (!box.width || !box.height) continue;
    const leaves = element !== slide && (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > bottom + 1);
    if (leaves && !scrolls(element) && !element.closest("defs, clipPath")) found.push(`leaves the slide: ${name(element)}`);
    const clips = style.overflowX !== "visible" && !element.ownerSVGElement;
    const across = element.scrollWidth > element.clientWidth + 1, down = element.scrollHeight > element.clientHeight + 1;
    if (clips && ((across && !scrolls(element)) || (down && element.localName !== "svg"))) found.push(`is cut off: ${name(element)}`);
    if (wide && element.matches("text, pre, code, p, li, td, th, figcaption")) {
      const size = parseFloat(style.fontSize) * (element.localName === "text" ? element.getScreenCTM().a : 1) / scale;
      if (size < 13.9) small.push([size, element]);
    }
    if (element.localName === "svg" && wide && box.height < 120 * scale && !element.ownerSVGElement) found.push(`is ${(box.height / scale).toFixed(0)} px high: ${name(element)}`);
  }
  small.sort((a, b) => a[0] - b[0]).slice(0, 1).forEach(([size, element]) => found.push(`is ${size.toFixed(1)} px large on 1280: ${name(element)}`));
  const apart = (elements, across, down) => elements.forEach((one, k) => elements.slice(k + 1).forEach((other) => {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    if (a.left < b.right - across && b.left < a.right - across && a.top < b.bottom - down && b.top < a.bottom - down) {
      found.push(`${name(one)} lies over ${name(other)}`);
    }
  }));
  apart([...slide.children].filter((element) => shown(element) && element.getBoundingClientRect().height), 1, 1);
  for (const drawing of slide.querySelectorAll("svg")) { // a line of text is lower than its box
    apart([...drawing.querySelectorAll("text")].filter((text) => shown(text) && text.getBoundingClientRect().width), 1, 4);
  }
  return [...new Set(found)];
}

// How far down a slide's text and pictures reach: 1 is its lower edge.
function filled(slide) {
  const edge = slide.getBoundingClientRect();
  const parts = [...slide.children].filter((element) => !element.matches(".notes"));
  return (Math.max(...parts.map((element) => element.getBoundingClientRect().bottom)) - edge.top) / edge.height;
}

const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

// Goes forward to the end and back with the arrow keys. Returns [slides shown, slide, step] of each state, both ways, the
// steps that each slide has, and the address at the end.
function walk() {
  const slides = [...document.querySelectorAll(".slide")];
  const state = () => {
    const now = slides.filter((slide) => slide.checkVisibility()), said = now[0].querySelector(".player .said");
    return [now.length, slides.indexOf(now[0]), said ? Number(said.textContent.match(/Step (\d+)/)[1]) : 0];
  };
  const there = [state()], back = [];
  for (let before = ""; before !== String(state());) {
    before = String(state());
    press("ArrowRight");
    if (before !== String(state())) there.push(state());
  }
  for (const _ of there) {
    back.unshift(state());
    press("ArrowLeft");
  }
  return [there, back, slides.map((slide) => Number(slide.querySelector(".player")?.dataset.steps || 0)), location.hash];
}

// Tries the speaker's keys. Returns what each should do, and whether it does.
function speak() {
  const page = document.documentElement, slides = [...document.querySelectorAll(".slide")], help = document.querySelector("dialog");
  const after = (keys, does) => { keys.split(" ").forEach(press); return does(); };
  const now = (k) => () => slides.at(k).classList.contains("now");
  const seen = (selector) => !!document.querySelector(selector)?.checkVisibility();
  const scheme = () => getComputedStyle(page).colorScheme, before = scheme();
  return {
    last: after("End", now(-1)), third: after("3 Enter", now(2)), first: after("Home", now(0)),
    notes: after("ArrowRight n", () => seen(".now .notes div")), no_notes: after("n", () => !seen(".now .notes div")),
    dark: after("d", () => scheme() !== before), light: after("d", () => scheme() === before),
    overview: after("o", () => slides.every((slide) => slide.checkVisibility())), chosen: after("ArrowRight Enter", now(2)),
    black: after("b", () => seen(".black")), slide: after("b", () => !seen(".black")),
    timer: after("t", () => /^0:00 of/.test(document.querySelector(".clock").textContent)),
    help: after("t ?", () => { const open = help.open; help.close(); return open; }),
  };
}

// Steps through a player. Returns the lines that are lit at each step, the parts that are drawn, and what is said.
function fill(figure) {
  const count = (selector) => figure.querySelectorAll(selector).length;
  const states = [...Array(figure.player.last + 1).keys()].map((step) => {
    figure.player.show(step);
    return [count(".line.current"), count("svg [data-step]:not(.later)"), figure.querySelector(".said").textContent];
  });
  return [0, 1, 2].map((k) => states.map((state) => state[k]));
}
