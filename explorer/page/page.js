"use strict";
// The page's script. It picks from the data and draws; every count and verdict comes ready from the runs.
// Text goes in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byID = (id) => document.getElementById(id);
  const svg = "http://www.w3.org/2000/svg";
  const wrong = new Set(["missed", "broken", "lost", "double"]);
  let language = "en";

  // say returns a text of the data in the language of the page; a text that is the same in both is one string.
  const say = (text) => Array.isArray(text) ? text[language === "fr" ? 1 : 0] : text;
  const pool = (i) => say(data.pool[i]);
  const t = (key, ...args) => say(data.texts[key]).replace(/\{(\d)\}/g, (_, i) => args[i]);

  // tongue is the language of a text of the data, where it is not the page's: what a report says is said in English.
  const tongue = (i) => language === "fr" && !Array.isArray(data.pool[i]) ? { lang: "en" } : {};

  // el makes an element: its class, its children (texts, elements, or nothing), its attributes.
  function el(tag, className, children, attributes) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    for (const c of [children].flat()) if (c !== undefined && c !== null) e.append(c);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    return e;
  }
  function shape(family, name) {
    const s = document.createElementNS(svg, "svg");
    s.setAttribute("class", family + " " + name);
    s.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(svg, "use");
    use.setAttribute("href", "#" + family + "-" + name);
    s.append(use);
    return s;
  }
  const mark = (name) => shape("mark", name);
  // heading keeps the levels in order: with the lesson on the page, the report stands one lower.
  const heading = (n, text, attributes) => el("h" + (n + (data.lesson ? 1 : 0)), "level-" + n, text, attributes);

  // The language is kept where the browser lets a page keep something; a file may not.
  function kept() {
    try { return localStorage.getItem("paytwice.language"); } catch { return null; }
  }
  function keep(value) {
    try { localStorage.setItem("paytwice.language", value); } catch { /* shown for this visit only */ }
  }

  // ---- stories

  // ids keeps ids such as RF-19F1064B on one line.
  const ids = (text) => text.split(/(\b[A-Z]{1,3}-[0-9A-Z]{1,10}\b)/).map((piece, i) => i % 2 ? el("span", "id", piece) : piece);

  function part(row) {
    return el("span", "part", [row.k ? shape("kind", row.k) : null, pool(row.p), row.k ? el("span", "unseen", " (" + t("kind." + row.k) + ")") : null]);
  }
  function kindLegend() {
    return el("ul", "legend", ["wrote", "fault", "reconcile"].map((k) => el("li", k, [shape("kind", k), t("kind." + k)])));
  }
  // eventTable is the numbered table of a story.
  function eventTable(telling, caption) {
    const rows = telling.rows.map((i) => data.rows[i]).filter((r) => !r.d);
    const head = el("thead", "", el("tr", "", [el("th", "", "#", { scope: "col" }), el("th", "", t("event.part"), { scope: "col" }), el("th", "", t("event.what"), { scope: "col" })]));
    const body = el("tbody", "", rows.map((r, i) => el("tr", r.k || "", [el("td", "", String(i + 1)), el("td", "", part(r)), el("td", "", ids(pool(r.w)))])));
    return [el("table", "events", [caption ? el("caption", "", caption) : null, head, body]), kindLegend()];
  }
  // lanes draws one call: there, and back if the answer was seen.
  function lanes(row) {
    const l = el("div", "lanes " + row.l, null, { "aria-hidden": "true" });
    if (row.l === "process") { l.append(el("b")); return l; }
    l.append(el("i"), el("i", row.a ? "back" : "back gone"));
    return l;
  }
  function moment(row) {
    if (row.s) {
      return el("li", "", el("div", "kill", [el("span", "cross", "✕", { "aria-hidden": "true" }), el("span", "", pool(row.w))], { "data-kill": "" }), { class: "stopped" });
    }
    const open = row.l !== "process" && !row.a ? el("span", "quiet", " — " + t("unanswered")) : null;
    return el("li", row.k || "", [lanes(row), el("div", "what" + (row.d ? " quiet" : ""), [part(row), " ", ...ids(pool(row.w)), open])]);
  }
  // timeline draws every life of the process, one below the other.
  function timeline(telling) {
    const lives = new Map();
    for (const r of telling.rows.map((i) => data.rows[i])) {
      if (!lives.has(r.n)) lives.set(r.n, []);
      lives.get(r.n).push(r);
    }
    const out = [];
    for (const [n, rows] of lives) {
      out.push(heading(3, t("life", n)),
        el("div", "lane-names", [el("span", "", ["process", "checkpoint", "service"].map((l) => el("span", "", t("lane." + l)))), el("span")], { "aria-hidden": "true" }),
        el("ol", "life", rows.map(moment)));
    }
    return el("div", "timeline", out);
  }
  function list(items, empty) {
    return el("ul", "", items.length ? items.map((i) => el("li", "", ids(pool(i)))) : el("li", "", t(empty)));
  }
  function registers(telling) {
    return el("div", "registers", telling.registers.map((r) => el("div", "register", [heading(4, pool(r.title)), el("div", "sides", [
      el("div", "", [el("p", "side", t("register.record")), list([r.status, ...r.record], "register.empty")]),
      el("div", "", [el("p", "side", t("register.ledger")), list(r.ledger, "register.empty")]),
    ])])));
  }
  function whole(telling) {
    return [timeline(telling), heading(3, t("registers")), registers(telling)];
  }

  // ---- the lesson

  const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
  function choose(name, value) { document.querySelector(`input[name="${name}"][value="${value}"]`).checked = true; }

  function drawLesson() {
    const l = data.lesson;
    const stop = chosen("stop");
    byID("how").hidden = stop !== "during-call";
    const point = stop === "during-call" && chosen("how") === "timeout" ? "timeout" : stop;
    const c = l.cases.find((x) => x.point === point && x.with_id === (chosen("resume") === "id"));
    byID("case").className = "case " + c.mark;
    byID("case-refunds").textContent = c.refunds;
    byID("case-amount").textContent = pool(c.amount);
    byID("case-calls").textContent = c.calls;
    byID("case-why").textContent = pool(data.tellings[c.telling].why);
    byID("case-events").replaceChildren(...eventTable(data.tellings[c.telling], pool(c.caption)));
    byID("case-ledger-of").textContent = pool(l.ledger_of);
    byID("case-ledger").replaceChildren(...(c.ledger.length ? c.ledger.map((i) => el("li", "", ids(pool(i)))) : [el("li", "", t("ledger.none"))]));
    byID("conclusion-count").textContent = pool(l.conclusion);
    byID("conclusion-why").textContent = pool(l.why);
    byID("source").textContent = [pool(l.source), t("built"), pool(l.runs)].join(" ");
    drawSix(point, c.with_id);
  }
  // drawSix is the six cases as a small map that chooses among them; the time-out is none of them.
  function drawSix(point, withID) {
    const again = document.activeElement && document.activeElement.closest("#six") ? document.activeElement.dataset.at : "";
    const head = el("thead", "", el("tr", "", [el("td"), ...["id", "new"].map((r) => el("th", "", t("resume." + r), { scope: "col" }))]));
    const body = el("tbody", "", ["before-write", "during-call", "after-write"].map((p) => el("tr", "", [el("th", "", t("stop." + p), { scope: "row" }), ...["id", "new"].map((r) => {
      const c = data.lesson.cases.find((x) => x.point === p && x.with_id === (r === "id"));
      const b = el("button", c.mark, [mark(c.mark), String(c.refunds)], { type: "button", "data-at": p + " " + r, "aria-pressed": String(p === point && withID === c.with_id), "aria-label": t("six.cell", c.refunds, pool(c.caption)) });
      b.addEventListener("click", () => { choose("stop", p); choose("resume", r); choose("how", "kill"); drawLesson(); });
      return el("td", "", b);
    })])));
    byID("six").replaceChildren(el("p", "small", t("six.lead"), { id: "six-lead" }), el("div", "scroll", el("table", "heat", [head, body], { "aria-labelledby": "six-lead" })));
    if (again) byID("six").querySelector(`[data-at="${again}"]`).focus();
  }

  // ---- the report

  // What the reader chose outlives a change of language: the layer of each map, what each table is filtered by and how
  // far it was grown, and the case that is open: its cases, which of them, its title, and the key of its button.
  const layerOf = [];
  const wanted = [];
  let opened = null;

  function drawReport() {
    const r = data.report;
    byID("report-title").textContent = pool(r.title);
    byID("report-lead").textContent = pool(r.lead);
    byID("facts").replaceChildren(...r.facts.map((f) => el("div", f.mark || "", [el("dt", "", pool(f.label)), el("dd", "", pool(f.value))])));
    const notes = r.notes.map((n) => el("p", "note", n.flatMap((i) => [" ", el("span", "", pool(i), tongue(i))]).slice(1)));
    if (notes.length > 5) fold("notes", t("notes", notes.length), notes); else byID("notes").replaceChildren(...notes);
    byID("legend").replaceChildren(...(r.legend.length ? [el("ul", "legend", r.legend.map((l) => el("li", l.m, [mark(l.m), pool(l.t)])), { "aria-label": t("legend") })] : []));
    if (r.glossary.length) fold("glossary", t("glossary"), r.glossary.map(terms));
    byID("maps").replaceChildren(...r.maps.map(drawMap));
    const told = r.telling >= 0 ? data.tellings[r.telling] : null;
    byID("story").className = told ? "case " + r.mark : "";
    byID("story").replaceChildren(...(told ? [el("p", "why", pool(told.why)), heading(2, t("events")), ...eventTable(told), heading(2, t("detail")), ...whole(told)] : []));
    byID("tables").replaceChildren(...r.tables.map(drawTable));
    if (opened) drawDetail(); else byID("detail").hidden = true;
  }

  // fold shows only a summary until it is opened; a change of language leaves it as it is.
  function fold(id, summary, children) {
    const was = byID(id).querySelector("details");
    const details = el("details", "", [el("summary", "", summary), ...children]);
    details.open = was !== null && was.open;
    byID(id).replaceChildren(details);
  }
  function terms(list) {
    return el("div", "terms", [heading(2, pool(list.title)), el("dl", "", list.names.map((n, i) => el("div", "", [el("dt", "", pool(n)), el("dd", "", pool(list.what[i]))])))]);
  }

  function drawMap(map, n) {
    const body = el("div", "scroll");
    const card = el("div", "card map", [heading(2, pool(map.title)), el("p", "small", pool(map.lead))]);
    if (map.layers.length > 1) {
      const printed = el("p", "on-paper");
      const print = () => { printed.textContent = t("chosen", pool(map.choose), pool(map.layers[layerOf[n]].name)); };
      const select = el("select", "", map.layers.map((l, i) => el("option", "", pool(l.name), { value: i })));
      select.value = layerOf[n] = layerOf[n] || 0;
      select.addEventListener("change", () => { layerOf[n] = Number(select.value); print(); body.replaceChildren(grid(map, n)); });
      card.append(el("label", "choose", [el("span", "", pool(map.choose)), select]), printed);
      print();
    }
    body.append(grid(map, n));
    card.append(body, el("p", "small map-keys", t("map.keys")));
    return card;
  }
  // name is a name that may break where a reader expects it.
  const name = (text) => el("span", "name", text.split(/(?<=[._/])/).flatMap((piece) => [piece, el("wbr")]));
  const mostOnPaper = 12; // columns; beyond that each cell has its column's name beside it there
  // grid is the chosen layer of a map. One of its buttons is in the order of tabs; arrows go to the others.
  function grid(map, n) {
    const at = layerOf[n] || 0;
    const layer = map.layers[at];
    const wide = map.columns.length > mostOnPaper;
    const head = el("thead", "", el("tr", "", [el("td"), ...map.columns.map((c) => el("th", "", name(pool(c)), { scope: "col" }))]));
    const buttons = [];
    const body = el("tbody", "", map.rows.map((row, y) => el("tr", "", [el("th", "", name(pool(row)), { scope: "row" }), ...map.columns.map((column, x) => {
      const s = layer.cells[y][x];
      const title = () => pool(row) + " · " + pool(column) + (map.layers.length > 1 ? " · " + pool(layer.name) : "");
      const key = [n, at, y, x].join("-");
      const b = s ? el("button", s.m, [mark(s.m), pool(s.t)], { "data-key": key, "aria-label": title() + ": " + pool(s.t) + ", " + t("mark." + s.m) })
        : el("button", "", "–", { "aria-disabled": "true", "aria-label": title() + ": " + t("no.case") });
      b.type = "button";
      b.tabIndex = buttons.length ? -1 : 0;
      if (s) b.addEventListener("click", () => show(s.i, title, key));
      if (opened && opened.key === key) b.setAttribute("aria-pressed", "true");
      buttons.push(b);
      return el("td", "", b, wide ? { "data-column": pool(column) } : {});
    })])));
    const table = el("table", wide ? "heat wide" : "heat", [head, body], { "aria-label": pool(map.title) });
    table.addEventListener("keydown", (e) => move(e, buttons, map.columns.length));
    // A browser takes a cell that is half below the names for one in sight. A pointer needs none of this.
    table.addEventListener("focusin", (e) => { if (e.target.matches(":focus-visible")) e.target.scrollIntoView({ block: "nearest", inline: "nearest" }); });
    return table;
  }
  function move(e, buttons, width) {
    const at = buttons.indexOf(document.activeElement);
    const x = at % width;
    const to = { ArrowRight: x < width - 1 ? at + 1 : at, ArrowLeft: x > 0 ? at - 1 : at, ArrowDown: at + width, ArrowUp: at - width, Home: at - x, End: at - x + width - 1 }[e.key];
    if (to === undefined || at < 0 || !buttons[to]) return;
    e.preventDefault();
    buttons[at].tabIndex = -1;
    buttons[to].tabIndex = 0;
    buttons[to].focus();
  }

  // show opens the cases behind a button and takes the reader there; closing takes them back.
  function show(cases, title, key) {
    opened = { cases, at: 0, title, key };
    press();
    drawDetail();
    byID("detail-title").focus();
    byID("detail").scrollIntoView({ block: "start" });
  }
  function hide() {
    const back = document.querySelector(`[data-key="${opened.key}"]`) || byID("content");
    opened = null;
    press();
    byID("detail").hidden = true;
    back.focus();
  }
  // press marks the button of a map whose case is open.
  function press() {
    for (const b of document.querySelectorAll('.map [aria-pressed="true"]')) b.removeAttribute("aria-pressed");
    const b = opened && document.querySelector(`.map [data-key="${opened.key}"]`);
    if (b) b.setAttribute("aria-pressed", "true");
  }
  function drawDetail() {
    const { cases, at } = opened;
    const title = opened.title();
    const table = data.report.tables[0];
    const i = cases[at];
    const label = Object.fromEntries(table.columns.map((c, n) => [n, pool(c.label)]));
    const close = el("button", "plain", t("close"), { type: "button" });
    close.addEventListener("click", hide);
    const out = [el("div", "head", [heading(2, t("detail.of", title), { id: "detail-title", tabindex: "-1" }), close])];
    if (cases.length > 1) out.push(heading(3, t("detail.cases")), caseList(cases, at));
    const telling = table.tellings && table.tellings[i] >= 0 ? data.tellings[table.tellings[i]] : null;
    if (telling) out.push(el("p", "why", pool(telling.why)));
    out.push(el("dl", "facts", table.columns.map((c, n) => c.kind === "code" || cell(table, i, n) === "" ? null : el("div", "", [el("dt", "", label[n]), el("dd", "fact-" + c.kind, cell(table, i, n), c.kind === "prose" ? tongue(table.rows[i][n]) : {})]))));
    if (telling) out.push(...whole(telling)); else out.push(el("p", "", t("detail.none")));
    const commands = table.columns.map((c, n) => n).filter((n) => table.columns[n].kind === "code" && cell(table, i, n));
    for (const n of commands) out.push(heading(3, label[n]), el("code", "command", cell(table, i, n)));
    if (!telling && commands.includes(table.columns.length - 1)) out.push(el("p", "small", t("detail.again")));
    const d = byID("detail");
    d.className = table.marks[i];
    d.replaceChildren(...out);
    d.hidden = false;
  }
  const mostCases = 60; // beyond that the table below serves better than a list of buttons
  function caseList(cases, at) {
    const table = data.report.tables[0];
    return el("ul", "cases", cases.slice(0, mostCases).map((i, n) => {
      const name = [9, 10, 1, 2].map((c) => cell(table, i, c)).join(" · ");
      const b = el("button", table.marks[i], [mark(table.marks[i]), name], { type: "button", "aria-pressed": String(n === at), "aria-label": name + ": " + t("mark." + table.marks[i]) });
      b.addEventListener("click", () => { opened.at = n; drawDetail(); byID("detail").querySelectorAll(".cases button")[n].focus(); });
      return el("li", "", b);
    }));
  }

  // ---- tables

  const cell = (table, row, column) => table.columns[column].kind === "figure" ? String(table.rows[row][column]) : pool(table.rows[row][column]);
  const few = 15, step = 100; // rows drawn at a time: a report of ten thousand opens at once

  function drawTable(table, n) {
    const want = wanted[n] = wanted[n] || { text: "", wrong: false, rows: few };
    const body = el("tbody");
    const status = el("p", "", "", { role: "status" });
    const more = el("button", "plain more", t("table.more"), { type: "button" });
    const search = el("input", "", null, { type: "search" });
    const only = el("input", "", null, { type: "checkbox" });
    const hint = el("p", "small hint", t("table.sideways"));
    const region = el("div", "scroll", null, { tabindex: "0", role: "region", "aria-label": pool(table.title) });
    let rows = [];
    let shown = 0;
    search.value = want.text;
    only.checked = want.wrong;
    function grow() {
      for (const i of rows.slice(shown, want.rows)) body.append(tableRow(table, i));
      shown = Math.min(want.rows, rows.length);
      status.textContent = t("table.shown", shown, rows.length);
      more.hidden = shown === rows.length;
    }
    function filter() {
      const sought = want.text.toLowerCase();
      rows = [...table.rows.keys()].filter((i) => (!want.wrong || wrong.has(table.marks[i])) &&
        (!sought || pool(table.results[i]).toLowerCase().includes(sought) || table.columns.some((_, c) => cell(table, i, c).toLowerCase().includes(sought))));
      shown = 0;
      body.replaceChildren();
      grow();
    }
    search.addEventListener("input", () => { want.text = search.value; want.rows = few; filter(); });
    only.addEventListener("change", () => { want.wrong = only.checked; want.rows = few; filter(); });
    more.addEventListener("click", () => { want.rows += step; grow(); if (more.hidden) region.focus(); });
    filter();
    const head = el("thead", "", el("tr", "", [el("th", "", t("table.mark"), { scope: "col" }), ...table.columns.map((c) => el("th", c.kind, pool(c.label), { scope: "col" }))]));
    region.append(el("table", "rows", [head, body]));
    const tools = table.rows.length > 10 ? el("div", "filter", [el("label", "", [t("table.filter"), search]), el("label", "", [only, t("table.wrong")]), status]) : null;
    // Watched from when it is on the page, and whenever its place changes.
    new ResizeObserver(() => { hint.hidden = region.scrollWidth <= region.clientWidth; }).observe(region);
    return el("section", "", [heading(2, pool(table.title)), tools, hint, region, more]);
  }
  // A text with a word of this length may break anywhere on paper.
  const long = (text) => /[^\s-]{15}/.test(text) ? " long" : "";
  function tableRow(table, i) {
    const m = table.marks[i];
    const result = el(table.tellings ? "button" : "span", "result " + m + long(pool(table.results[i])), [mark(m), pool(table.results[i])]);
    if (table.tellings) {
      const title = () => [0, 1, 2].map((c) => cell(table, i, c)).join(" · ");
      result.type = "button";
      result.dataset.key = "row-" + i;
      result.setAttribute("aria-label", pool(table.results[i]) + ". " + t("table.open", title()));
      result.addEventListener("click", () => show([i], title, result.dataset.key));
    }
    const holder = { code: "code", prose: "span" };
    return el("tr", "", [el("td", "", result), ...table.columns.map((c, n) => {
      const text = cell(table, i, n);
      return el("td", c.kind + long(text), text && holder[c.kind] ? el(holder[c.kind], "", text, c.kind === "prose" ? tongue(table.rows[i][n]) : {}) : text);
    })]);
  }

  // ---- the page

  function draw() {
    document.documentElement.lang = language;
    document.title = t("page.title");
    for (const e of document.querySelectorAll("[data-t]")) e.textContent = t(e.dataset.t);
    if (data.lesson) drawLesson();
    drawReport();
  }
  function speak(value) { language = value; draw(); }

  for (const input of document.querySelectorAll('input[name="language"]')) {
    input.addEventListener("change", () => { keep(input.value); speak(input.value); });
  }
  // On paper nothing can be opened.
  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
  for (const input of document.querySelectorAll(".controls input")) input.addEventListener("change", drawLesson);
  const first = kept() || (navigator.language.startsWith("fr") ? "fr" : "en");
  choose("language", first === "fr" ? "fr" : "en");
  speak(first === "fr" ? "fr" : "en");
})();
