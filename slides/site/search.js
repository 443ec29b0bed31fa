// The search: every word must be in a part of a page, or as many of a question's words as any part has. INDEX, from
// search-index.js, has a row [address, title of the page, heading, text, rank of the page] for each part; the smaller the
// rank, the earlier a reader wants the page.
(() => {
  const MOST = 50, input = document.getElementById("q");
  const found = document.getElementById("found"), results = document.getElementById("results");
  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // Words of a question that say nothing about its subject.
  const SMALL = new Set(("a about an and are as at be before by can do does for from has have how i if in is it me must my of on "
    + "explained mean means or own say that the there this to what when where which who why with").split(" "));

  // A word without its ending: that of "events" is that of "event", that of "measuring" that of "measure". A name keeps all.
  function stem_of(word) {
    const stem = word.replace(/(?:ing|ed|es|(?<!s)s|e)$/, "");
    return /^[a-z]{4}/.test(stem) && !/[^a-z]/.test(word) ? stem : word.replace(/(?<=^[a-z]{3,})(?<!s)s$/, "");
  }
  const telling = (words) => words.filter((word) => !SMALL.has(word));
  const stems = (text) => telling(text.match(/\w+/g) || []).map(stem_of).join(" ");

  const ROWS = INDEX.map(([address, title, heading, text, rank]) => ({ address, title, heading, text, rank,
    names: heading.toLowerCase().split(/, |…/).map(stems), lower: [title, heading, text].map((part) => part.toLowerCase()) }));
  const CODE = LAST - 2, LENGTH = ROWS.reduce((sum, { text }) => sum + text.length, 0) / ROWS.length;

  // A word with its endings, and how much it tells: nearly nothing if it is in most parts of pages.
  function asked(word) {
    const stem = stem_of(word), ending = stem.length < 4 || /[^a-z]/.test(stem) ? "(?:e?s)?" : "(?:e|e?s|e?d|ing)?";
    const form = `(?<!\\w)${escaped(stem)}${ending}(?!\\w)`, whole = new RegExp(form, "i");
    const rows = ROWS.filter(({ lower }) => lower.some((part) => part.includes(stem))).length;
    return { word, stem, form, whole, every: new RegExp(form, "gi"), tells: 2 + Math.log(ROWS.length / (1 + rows)) };
  }

  // How well a row fits: [class, points], or null if a word is missing. Class 0 is the page or the entry about just these
  // words, 1 has every word whole, 2 has them in a header or a source file that no name asks for, 3 has one only as a part of
  // a longer word, 4 is what only tools include.
  function fit(row, words, phrase) {
    const [title, heading, text] = row.lower;
    if (!words.every(({ stem }) => row.lower.some((part) => part.includes(stem)))) return null;
    const all = words.reduce((sum, { tells }) => sum + tells, 0);
    let points = 0, named = 0, covered = 0, whole = true;
    for (const { word, stem, whole: form, every, tells } of words) {
      const times = (text.match(every) || []).length, dense = times / (times + .3 + .3 * Math.sqrt(text.length / LENGTH));
      whole &&= times > 0 || form.test(title) || form.test(heading);
      named += tells / all * (heading === word ? 100 : form.test(heading) ? 40 : heading.includes(stem) ? 15 : 0);
      covered += tells / all * heading.includes(stem);
      points += tells / all * ((form.test(title) ? 10 : 0) + 25 * dense);
    }
    points += named * Math.sqrt(covered); // a heading with one word of several says less
    points += words.length > 1 ? 50 * phrase.test(heading) + 30 * phrase.test(text) : 0;
    const said = words.map(({ stem }) => stem).join(" "), page = row.heading === row.title;
    const lesson = row.rank === 0 && page && words.every(({ whole: form }) => form.test(heading));
    const code = row.rank >= CODE && !/_/.test(said), about = lesson || (row.names.includes(said) && !code);
    points += (lesson ? 200 : about && page ? 60 : 0) - 5 * row.rank;
    return [about ? 0 : row.rank === LAST ? 4 : !whole ? 3 : code ? 2 : 1, points];
  }

  // How many letters must change, go, come or trade places with the next to make one word of the other.
  function distance(one, other) {
    let before = [], last = [...Array(other.length + 1).keys()];
    for (let i = 1; i <= one.length; i++) {
      const now = [i];
      for (let j = 1; j <= other.length; j++) {
        const same = one[i - 1] === other[j - 1];
        now[j] = Math.min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
        if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) now[j] = Math.min(now[j], before[j - 2] + 1);
      }
      [before, last] = [last, now];
    }
    return last[other.length];
  }

  // The words of the pages, each with how often it is there; those of headings count more.
  let known = null;
  function vocabulary() {
    known ??= ROWS.reduce((all, { lower }) => {
      lower.forEach((part, k) => (part.match(/[a-z_][\w]{2,}/g) || []).forEach((word) =>
        all.set(word, (all.get(word) || 0) + (k === 1 ? 20 : 1))));
      return all;
    }, new Map());
    return known;
  }

  // The word of the pages that somebody may have meant, or the word itself.
  function meant(word) {
    const most = word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
    let best = word, least = most + 1, often = 0;
    for (const [other, count] of ROWS.some(({ lower }) => lower.some((part) => part.includes(word))) ? [] : vocabulary()) {
      if (Math.abs(other.length - word.length) > most) continue;
      const far = distance(word, other);
      if (far < least || (far === least && far <= most && count > often)) [best, least, often] = [other, far, count];
    }
    return least > most ? word : best;
  }

  // The text around the first word, with the words marked.
  function excerpt(text, words) {
    const any = new RegExp(words.flatMap(({ form, stem }) => [form, escaped(stem)]).join("|"), "gi");
    const whole = words.map(({ whole: form }) => text.search(form)).filter((at) => at >= 0);
    const first = whole.length ? Math.min(...whole) : text.search(any);
    const at = text.lastIndexOf(" ", Math.max(0, first - 80)) + 1, shown = document.createElement("p");
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

  // What to say above the results: how many there are, or the words that were perhaps meant.
  function say(words, count) {
    found.textContent = !words.length ? "Type a word or a name above."
      : count > MOST ? `The best ${MOST} of ${count} places.` : `${count} ${count === 1 ? "place" : "places"}.`;
    if (count) return;
    const better = words.map(({ word }) => meant(word)).join(" ");
    if (better === words.map(({ word }) => word).join(" ")) return;
    const link = document.createElement("a");
    link.href = `?q=${encodeURIComponent(better)}`;
    link.textContent = better;
    found.append(" Did you mean ", link, "?");
  }

  function found_by(words) {
    const phrase = new RegExp(words.map(({ form }) => form).join("\\W+"), "i");
    return words.length ? ROWS.map((row) => ({ row, fits: fit(row, words, phrase) })).filter(({ fits }) => fits) : [];
  }

  // Those of a question's words that no part of a page lacks together: without one of them, if all are nowhere together.
  function kept(words) {
    if (words.length < 3 || found_by(words).length) return words;
    return words.map((left_out) => words.filter((word) => word !== left_out))
      .reduce((best, fewer) => found_by(fewer).length > found_by(best).length ? fewer : best, words);
  }

  function search() {
    const typed = input.value.toLowerCase().split(/[\s?,;]+/).filter(Boolean);
    const words = kept((telling(typed).length ? telling(typed) : typed).map(asked)), hits = found_by(words);
    hits.sort((a, b) => a.fits[0] - b.fits[0] || b.fits[1] - a.fits[1]);
    results.replaceChildren(...hits.slice(0, MOST).map(({ row: { address, title, heading, text } }) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = address;
      link.textContent = heading && heading !== title ? `${heading} · ${title}` : title;
      item.append(link, excerpt(text, words));
      return item;
    }));
    say(words, hits.length);
  }

  input.value = new URLSearchParams(location.search).get("q") || "";
  input.addEventListener("input", search);
  search();
  if (!input.value) input.focus();
})();
