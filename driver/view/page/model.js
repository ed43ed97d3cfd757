// model.js -- the data of the page, indexed, and small helpers.
//
// Texts of the program come into the page by textContent, or by Prism, which escapes them: none is ever
// read as HTML.

const DATA = JSON.parse(document.getElementById("data").textContent);
const PIPELINE = DATA.pipeline;

// ---- elements ----

// element("div.card", {onclick: f, title: "x"}, "text", child, ..): strings become texts.
function element(what, properties, ...children) {
  const [tag, ...classes] = what.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties || {}))
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(made.style, value);
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

function replace(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null));
}

// ---- numbers ----

function milliseconds(ms) {
  return ms >= 100 ? ms.toFixed(0) + " ms" : ms >= 1 ? ms.toFixed(2) + " ms" : (1000 * ms).toFixed(1) + " µs";
}

function bytes(count) {
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  while (count >= 1000 && unit < 3) { count /= 1000; unit++; }
  return (unit && count < 100 ? count.toFixed(1) : Math.round(count)) + " " + units[unit];
}

function percent(share) {
  return share >= 0.0995 ? Math.round(100 * share) + " %" : (100 * share).toFixed(1) + " %";
}

function short(number) {
  return number === null ? "none" : String(Number(number.toPrecision(6)));
}

// ---- values ----

// Of each func and image: its components' values.
const VALUES = new Map();
for (const values of DATA.values || []) {
  if (!VALUES.has(values.name)) VALUES.set(values.name, []);
  VALUES.get(values.name).unshift(values);
}
for (const list of VALUES.values()) list.sort((a, b) => a.component - b.component);

function planeBytes(values, plane) {
  const found = values.planes[plane];
  if (!found) return new Uint8Array(0);
  if (!found.decoded) found.decoded = Uint8Array.from(atob(found.bytes), (c) => c.charCodeAt(0));
  return found.decoded;
}

// Three planes that are red, green and blue, on an input or an output.
function isColour(values) {
  const node = NODES.get(values.name);
  return values.extent.length === 3 && (values.extent[2] === 3 || values.extent[2] === 4) && values.planes.length >= 3 &&
    node && (node.kind === "input" || node.output);
}

// ---- nodes: images and funcs ----

const NODES = new Map();
for (const input of PIPELINE.inputs)
  if (input.dimensions !== undefined)
    NODES.set(input.name, { name: input.name, kind: "input", types: [input.type], variables: [], place: input.place, reads: [] });
for (const func of PIPELINE.funcs) {
  const reads = new Set(func.stages.flatMap((stage) => stage.reads));
  reads.delete(func.name);
  NODES.set(func.name, { ...func, kind: "func", reads: [...reads] });
}

// ---- schedules ----

function scheduleTitle(schedule) {
  return schedule.name || "the empty schedule";
}

// The rows of the profile that are about a func.
function rowsOf(schedule, func) {
  return (schedule.times ? schedule.times.rows : []).filter((row) => row.kind === "stage" && row.func === func);
}

function shareOf(schedule, func, stage) {
  return rowsOf(schedule, func).filter((row) => stage === undefined || row.stage === "" || row.stage === "s" + stage)
    .reduce((sum, row) => sum + row.share, 0);
}

// Nests as trees: a line gets `inside`, its time as a share, and its parent. Shares of stages are
// divided among the places that compute them by the number of points, or evenly.
for (const schedule of DATA.schedules) {
  const nest = schedule.nest;
  schedule.lines = nest.lines.map((i) => ({ ...nest.table[i], inside: [], share: 0 }));
  const around = [];
  for (const line of schedule.lines) {
    while (around.length && around[around.length - 1].depth >= line.depth) around.pop();
    line.parent = around.length ? around[around.length - 1] : null;
    if (line.parent) line.parent.inside.push(line);
    around.push(line);
  }
  schedule.roots = schedule.lines.filter((line) => !line.parent);
  const stores = schedule.lines.filter((line) => line.kind === "store");
  for (const row of schedule.times ? schedule.times.rows : []) {
    if (row.kind !== "stage") continue;
    const of = stores.filter((line) => line.func === row.func && (row.stage === "" || row.stage === "s" + line.stage));
    for (const store of of)
      for (let line = store; line; line = line.parent) line.share += row.share / of.length;
  }
}

// ---- places ----

// The text of a directive as it was written at its place.
function writtenAt(place) {
  if (!place) return null;
  const text = PIPELINE.files[place[0]].text.split("\n")[place[1] - 1];
  return text === undefined ? null : text.slice(place[2] - 1).split(";")[0].trim();
}

function placeText(place) {
  return place ? PIPELINE.files[place[0]].path + ":" + place[1] : "";
}

// ---- colours of code ----

const GRAMMARS = {
  hl: {
    comment: /\/\/.*/, string: /"(?:\\.|[^"\\\n])*"/,
    definition: { pattern: /\b(fun|let|pipeline|schedule|template|directive|for)\s+[A-Za-z_]\w*/, inside: { keyword: /^\w+/ } },
    keyword: /\b(?:fun|let|pipeline|schedule|for|in|template|directive|rdom|if|else|import|const|require|extern|extends|rec|by|option)\b/,
    builtin: /\b(?:[iu](?:8|16|32|64)|f(?:16|32|64)|bf16|bool|image|select|min|max|clamp|abs|lerp|repeat_edge|u8_sat|exp|sqrt)\b/,
    number: /\b\d+(?:\.\d+)?(?:e-?\d+)?\b/,
  },
  target: {
    string: /"(?:\\.|[^"\\\n])*"/,
    keyword: /\b(?:for|in|do|let|if|then|else|allocate|compute|on|label|assert|parallel|vectorized|unrolled|rare|guard|pipeline|func)\b/,
    builtin: /\b(?:[iu](?:8|16|32|64)|f(?:16|32|64)|bf16|bool|min|max|select)\b/, number: /\b\d+(?:\.\d+)?\b/,
  },
  assembly: { definition: /^[.\w]+:/m, keyword: /^\t[a-z]\w*/m, comment: /#.*/, number: /\$-?\w+/, builtin: /%\w+/ },
};

// An element whose text is coloured; Prism escapes it.
function coloured(text, language) {
  const made = element("span");
  made.innerHTML = Libraries.Prism.highlight(text, GRAMMARS[language], language);
  return made;
}
