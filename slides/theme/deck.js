// Turns slides: keys, buttons, swipes, the address, an overview, notes, a timer. In a narrow window slides are a column
// to read, and all of this rests. Without it all slides stand one below the other.
(() => {
  const page = document.documentElement;
  const slides = [...document.querySelectorAll(".slide")];
  const status = document.querySelector("footer [role=status]");
  const dark = document.getElementById("dark");
  const help = document.querySelector("dialog");
  const wide = matchMedia("(min-width: 900px) and (min-height: 500px)");
  const title = (slide) => slide.querySelector("h1, h2").textContent;
  const players = () => [...slides[now].querySelectorAll(".player")].map((figure) => figure.player);
  let now = 0, typed = "", partner = null;

  function go(to, last = false, told = false) {
    players().forEach((player) => player.stop());
    slides[now].classList.remove("now");
    now = Math.max(0, Math.min(slides.length - 1, to));
    slides[now].classList.add("now");
    if (wide.matches) players().forEach((player) => player.show(last ? player.last : 0));
    status.textContent = `Slide ${now + 1} of ${slides.length}: ${title(slides[now])}`;
    page.style.setProperty("--done", now / (slides.length - 1 || 1));
    history.replaceState(null, "", "#" + slides[now].id);
    if (page.classList.contains("overview")) slides[now].scrollIntoView({ block: "nearest" });
    if (!told) tell();
  }
  function step(by) {
    const moved = by > 0 ? players().some((player) => player.step(1)) : players().reverse().some((player) => player.step(-1));
    if (!moved) go(now + by, by < 0);
    else tell(by);
  }
  // The second window shows the same slide and step.
  function tell(by = 0) { partner?.postMessage({ slide: now, by }, "*"); }
  addEventListener("message", ({ data, source }) => {
    if (!source || source !== partner || typeof data?.slide !== "number") return;
    if (data.by && data.slide === now) (data.by > 0 ? players() : players().reverse()).some((player) => player.step(data.by));
    else go(data.slide, false, true);
  });
  if (opener && page && location.search === "?notes") partner = opener;

  function fromAddress() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    return Math.max(0, slides.findIndex((slide) => target && slide.contains(target)));
  }
  function notes(shown) {
    page.classList.toggle("with-notes", shown);
    document.querySelectorAll(".notes").forEach((element) => { element.open = shown; });
    if (shown && wide.matches) slides[now].querySelector(".notes")?.scrollTo(0, 0);
  }
  function turnDark() {
    const isDark = getComputedStyle(page).colorScheme === "dark";
    dark.media = isDark ? "not all" : "screen";
    try { localStorage.setItem("slides-dark", dark.media); } catch { /* a private window */ }
  }

  const clock = document.querySelector(".clock");
  let began = 0, spent = 0, ticking = 0;
  function tick() {
    const seconds = Math.floor((spent + (began ? Date.now() - began : 0)) / 1000);
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} of ${clock.dataset.minutes} min`;
  }
  function timer(reset) {
    if (reset || began) {
      spent = reset ? 0 : spent + Date.now() - began;
      began = 0;
      clearInterval(ticking);
    } else {
      began = Date.now();
      ticking = setInterval(tick, 500);
    }
    tick();
  }

  let black = null;
  function blackout() {
    if (black) return black = black.remove();
    black = document.createElement("div");
    black.className = "black";
    black.addEventListener("click", blackout);
    document.body.append(black);
  }
  function overview(shown) {
    page.classList.toggle("overview", shown);
    slides[now].scrollIntoView({ block: "nearest" });
  }
  // On paper shown notes stand under their slides, one slide on a page of A4.
  let printed = null;
  addEventListener("beforeprint", () => {
    const shown = page.classList.contains("with-notes");
    printed = { classes: page.className, places: [], sheet: document.createElement("style") };
    page.classList.remove("overview", "with-notes");
    if (!shown) return;
    page.classList.add("printed-notes");
    printed.sheet.textContent = "@page { size: A4; margin: 12mm; }";
    document.head.append(printed.sheet);
    printed.places = [...document.querySelectorAll(".notes")].map((notes) => [notes.parentNode, notes]);
    printed.places.forEach(([slide, notes]) => slide.after(notes));
  });
  addEventListener("afterprint", () => {
    printed.places.forEach(([slide, notes]) => slide.append(notes));
    printed.sheet.remove();
    page.className = printed.classes;
  });

  const inOverview = () => page.classList.contains("overview");
  const keys = {
    ArrowRight: () => inOverview() ? go(now + 1) : step(1), ArrowLeft: () => inOverview() ? go(now - 1) : step(-1),
    ArrowDown: () => inOverview() ? go(now + 4) : step(1), ArrowUp: () => inOverview() ? go(now - 4) : step(-1),
    " ": (event) => step(event.shiftKey ? -1 : 1), PageDown: () => step(1), PageUp: () => step(-1),
    Home: () => go(0), End: () => go(slides.length - 1, true),
    Enter: () => { if (typed) go(Number(typed) - 1); else if (inOverview()) overview(false); },
    Escape: () => overview(false), o: () => overview(!inOverview()),
    n: () => notes(!page.classList.contains("with-notes")),
    w: () => { partner = open(location.pathname + "?notes" + location.hash, "notes", "width=1000,height=800"); },
    t: (event) => timer(event.shiftKey), d: turnDark, b: blackout, ".": blackout, p: () => print(),
    f: () => document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen?.(),
    "?": () => help.showModal(),
  };
  const everywhere = "nd?p";

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help.open) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const focused = document.activeElement;
    // Enter and space press a button that has the focus, arrows scroll code that is wider than its box.
    if ((key === "Enter" || key === " ") && focused.matches("button, a, summary") && !(key === "Enter" && typed)) return;
    if (key.startsWith("Arrow") && focused.scrollWidth > focused.clientWidth + 1 && focused.matches("pre, .scrolls, .drawn")) return;
    if (/^\d$/.test(key)) { typed += key; return; }
    if (keys[key] && (wide.matches || everywhere.includes(key))) {
      event.preventDefault();
      keys[key](event);
    }
    typed = "";
  });
  document.querySelector("footer").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) keys[button.dataset.key](event);
  });
  slides.forEach((slide, k) => slide.addEventListener("click", () => {
    if (inOverview()) { go(k); overview(false); }
  }));
  let touched = null;
  addEventListener("touchstart", (event) => { touched = event.touches.length === 1 ? event.touches[0] : null; }, { passive: true });
  addEventListener("touchend", (event) => {
    if (!touched || !wide.matches || event.target.closest("button, dialog, .notes")) return;
    const [across, down] = [event.changedTouches[0].clientX - touched.clientX, event.changedTouches[0].clientY - touched.clientY];
    if (Math.abs(across) > 50 && Math.abs(across) > 2 * Math.abs(down)) step(across < 0 ? 1 : -1);
  });
  addEventListener("hashchange", () => { if (wide.matches) go(fromAddress()); });
  wide.addEventListener("change", () => {
    overview(false);
    document.querySelectorAll(".player").forEach((figure) => figure.player.show(figure.player.last));
  });

  try { dark.media = localStorage.getItem("slides-dark") || dark.media; } catch { /* a private window */ }
  page.classList.add("script");
  if (wide.matches || location.hash) go(fromAddress());
  if (!wide.matches && location.hash) slides[now].scrollIntoView();
  if (location.search === "?notes") notes(true);
})();
