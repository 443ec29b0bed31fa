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
    if (wide && element.matches("text, pre, p, li, td, th, figcaption")) {
      const size = parseFloat(style.fontSize) * (element.localName === "text" ? element.getScreenCTM().a : 1) / scale;
      if (size < (element.localName === "text" ? 10.5 : 11.5)) small.push([size, element]);
    }
    if (element.localName === "svg" && wide && box.height < 120 * scale && !element.ownerSVGElement) found.push(`is ${(box.height / scale).toFixed(0)} px high: ${name(element)}`);
  }
  small.sort((a, b) => a[0] - b[0]).slice(0, 1).forEach(([size, element]) => found.push(`is ${size.toFixed(1)} px large on 1280: ${name(element)}`));
  const parts = [...slide.children].filter((element) => shown(element) && element.getBoundingClientRect().height);
  parts.forEach((part, k) => parts.slice(k + 1).forEach((other) => {
    const [a, b] = [part.getBoundingClientRect(), other.getBoundingClientRect()];
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) {
      found.push(`${name(part)} lies over ${name(other)}`);
    }
  }));
  return [...new Set(found)];
}
