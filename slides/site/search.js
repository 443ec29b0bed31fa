// The search: every word must be in a part of a page; names and headings come before text. INDEX, from search-index.js,
// has a row [address, title of the page, heading, text] for each part.
(() => {
  const MOST = 50, input = document.getElementById("q");
  const found = document.getElementById("found"), results = document.getElementById("results");
  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // How well a part fits; 0 if a word is missing.
  function fit([, title, heading, text], words) {
    let sum = 0;
    for (const { word, whole } of words) {
      const [t, h, b] = [title, heading, text].map((part) => part.toLowerCase());
      if (!t.includes(word) && !h.includes(word) && !b.includes(word)) return 0;
      sum += h === word ? 100 : whole.test(h) ? 40 : h.includes(word) ? 20 : t.includes(word) ? 10 : 0;
      sum += whole.test(b) ? 2 + Math.min(5, b.split(word).length) : b.includes(word) ? 1 : 0;
    }
    return sum;
  }

  // The text around the first word, with the words marked.
  function excerpt(text, words) {
    const any = new RegExp(words.map(({ word }) => escaped(word)).join("|"), "gi");
    const at = text.lastIndexOf(" ", Math.max(0, text.search(any) - 80)) + 1, shown = document.createElement("p");
    const part = (at ? "… " : "") + text.slice(at, at + 260) + (text.length > at + 260 ? "…" : "");
    let end = 0;
    for (const hit of part.matchAll(any)) {
      const mark = document.createElement("mark");
      mark.textContent = hit[0];
      shown.append(part.slice(end, hit.index), mark);
      end = hit.index + hit[0].length;
    }
    shown.append(part.slice(end));
    return shown;
  }

  function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
      .map((word) => ({ word, whole: new RegExp(`(?<!\\w)${escaped(word)}(?!\\w)`, "i") }));
    const hits = words.length ? INDEX.map((row) => ({ row, fits: fit(row, words) })).filter(({ fits }) => fits) : [];
    hits.sort((a, b) => b.fits - a.fits);
    results.replaceChildren(...hits.slice(0, MOST).map(({ row: [address, title, heading, text] }) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = address;
      link.textContent = heading && heading !== title ? `${heading} · ${title}` : title;
      item.append(link, excerpt(text, words));
      return item;
    }));
    found.textContent = !words.length ? "Type a word or a name above."
      : hits.length > MOST ? `The best ${MOST} of ${hits.length} places.` : `${hits.length} places.`;
  }

  input.value = new URLSearchParams(location.search).get("q") || "";
  input.addEventListener("input", search);
  search();
  if (!input.value) input.focus();
})();
