// page.js -- the head, the text, the loops, the steps and the code; and what happens first.

// ---- the head ----

function scheduleChoice(label, chosen, hasNone, onchange) {
  const options = DATA.schedules.map((schedule, i) => element("option", { value: i, selected: schedule === chosen }, scheduleTitle(schedule)));
  if (hasNone) options.unshift(element("option", { value: -1, selected: !chosen }, "nothing"));
  return element("label", null, label, element("select", { "aria-label": label, onchange: (event) => { onchange(DATA.schedules[event.target.value] || null); draw(); } }, options));
}

function drawHead() {
  const timed = DATA.schedules.filter((schedule) => schedule.times), slowest = Math.max(...timed.map((schedule) => schedule.times.run_ms));
  const speeds = timed.flatMap((schedule) => [element("span", null, scheduleTitle(schedule)), element("div.bar", { style: { width: 100 * schedule.times.run_ms / slowest + "%" } }), element("b", null, milliseconds(schedule.times.run_ms))]);
  replace(document.getElementById("head"),
    element("div", null, element("h1", null, DATA.pipeline_name), element("div.arguments", null, DATA.operands.join("  ") + (DATA.threads ? "  · " + DATA.threads + (DATA.threads === 1 ? " thread" : " threads") : ""))),
    element("div.speeds", null, speeds),
    element("div.choose", null, scheduleChoice("schedule", VIEW.a, false, (chosen) => { VIEW.a = chosen; VIEW.line = null; }), scheduleChoice("beside it", VIEW.b, true, (chosen) => { VIEW.b = chosen; })));
  document.title = DATA.pipeline_name + " · hlc view";
}

function shown() {
  return VIEW.b && VIEW.b !== VIEW.a ? [VIEW.a, VIEW.b] : [VIEW.a];
}

// ---- the text ----

// Of each line of each file: the stages that it defines.
const LINES = new Map();
for (const func of PIPELINE.funcs)
  for (const stage of func.stages) {
    const place = stage.place || func.place, key = place && place[0] + ":" + place[1];
    if (!key) continue;
    if (!LINES.has(key)) LINES.set(key, []);
    LINES.get(key).push([func.name, stage.number]);
  }

function costOf(schedule, stages) {
  const share = stages.reduce((sum, [func, stage]) => sum + shareOf(schedule, func, stage), 0);
  if (!schedule.times || !share) return element("span.cost");
  return element("span.cost", { title: stages.map(([func]) => func).join(", ") }, element("span.track", null, element("div.bar", { style: { width: 100 * share + "%" } })), milliseconds(share * schedule.times.run_ms));
}

function drawSource(file, index) {
  const schedules = shown(), lines = file.text.replace(/\n$/, "").split("\n");
  const head = element("div.line.names", null, schedules.map((schedule) => element("span.cost", null, scheduleTitle(schedule))), element("span"), element("span", null, file.path));
  return element("div.card.source" + (schedules.length > 1 ? ".two" : ""), null, head, lines.map((text, i) => {
    const stages = LINES.get(index + ":" + (i + 1));
    const properties = { id: "line-" + index + "-" + (i + 1) };
    if (stages) properties.onclick = () => { show("graph"); select(stages[0][0]); };
    return element("div.line" + (stages && stages.some(([func, stage]) => shareOf(VIEW.a, func, stage) > 0.1) ? ".hot" : ""), properties,
      schedules.map((schedule) => costOf(schedule, stages || [])), element("span.number", null, String(i + 1)), element("pre", null, coloured(text, "hl")));
  }));
}

function drawText() {
  const files = PIPELINE.files.map((file, i) => [file, i]).filter(([file, i]) => i > 0 && file.path !== "point" && (!file.built_in || [...LINES.keys()].some((key) => key.startsWith(i + ":"))));
  replace(document.getElementById("panel-text"), element("p.lead", null, "The time of each line is that of the stages that it defines: one line of a template or a loop may define many. A line without a time is inlined, or too short to be seen. Lines above a tenth of the time are marked."),
    files.map(([file, i]) => drawSource(file, i)));
}

function showLine(place) {
  if (!place) return;
  show("text");
  const line = document.getElementById("line-" + place[0] + "-" + place[1]);
  if (line) { line.scrollIntoView({ block: "center" }); line.classList.add("hot"); }
}

// ---- loops ----

function drawFlame(schedule) {
  const flame = element("div.flame"), rows = [];
  const place = (lines, left, depth) => {
    for (const line of lines) {
      const width = line.share;
      if (width > 0.002 && line.kind !== "store") {
        rows[depth] = true;
        const bar = element("div." + (line.kind === "loop" ? line.traversal : line.kind), { title: line.text + "\n" + percent(width) + " of the time", onclick: () => choose(schedule, line),
          style: { left: 100 * left + "%", width: 100 * width + "%", top: 22 * depth + "px", background: line.kind === "compute" ? "var(--time)" : "" } }, line.kind === "loop" ? line.loop : line.kind === "compute" ? line.func : line.text);
        flame.append(bar);
      }
      const counts = line.kind === "loop" || line.kind === "compute";
      place(line.inside, left, depth + (counts && width > 0.002 ? 1 : 0));
      left += width;
    }
  };
  place(schedule.roots, 0, 0);
  flame.style.height = 22 * rows.length + "px";
  return flame;
}

function wordsOf(line) {
  if (line.kind === "loop") {
    const rest = line.text.split(", " + line.traversal).slice(1).join(", " + line.traversal);
    const count = line.count !== undefined ? " ×" + line.count : " × " + line.text.replace(/^for \S+ from /, "").split(", ").slice(1).join(", ").split(" iteration")[0];
    return [element("span.chip." + line.traversal, null, "for ", element("b", null, line.loop), count), element("span.soft", null, " " + line.traversal + rest)];
  }
  if (line.kind === "compute") return [element("span.chip.compute", null, line.text.split(";")[0]), element("span.soft", null, line.text.includes(";") ? ";" + line.text.split(";").slice(1).join(";") : "")];
  if (line.kind === "allocate") return [element("span.chip.allocate", null, line.text)];
  return [line.text];
}

function drawRow(schedule, line, most) {
  const time = schedule.times && line.share ? [element("span.track", null, element("div.bar", { style: { width: 100 * line.share * schedule.times.run_ms / most.time + "%" } })), milliseconds(line.share * schedule.times.run_ms)] : [];
  const holds = line.kind === "allocate" && line.count !== undefined;
  const memory = holds ? [element("span.track", null, element("div.bar.memory", { style: { width: 100 * line.count / most.memory + "%" } })), bytes(line.count)] : [];
  return element("div.row." + line.kind + (VIEW.line === line ? ".on" : ""), { title: line.text, onclick: () => choose(schedule, line) },
    element("span.words", { style: { paddingLeft: 16 * line.depth + "px" } }, wordsOf(line)), element("span.amount", null, time), element("span.amount", null, memory));
}

function choose(schedule, line) {
  VIEW.line = line; VIEW.lineOf = schedule;
  drawLoops();
}

function drawLoops() {
  const schedules = shown();
  const most = { time: Math.max(...schedules.map((schedule) => (schedule.times ? schedule.times.run_ms : 0)), 1e-9),
    memory: Math.max(1, ...schedules.flatMap((schedule) => schedule.lines.filter((line) => line.kind === "allocate" && line.count).map((line) => line.count))) };
  const legend = element("div.legend", null, ["serial", "parallel", "vectorized", "unrolled"].map((name) => element("span.chip." + name, null, name)), element("span", null, element("span.bar", { style: { display: "inline-block", width: "24px" } }), " time"),
    element("span", null, element("span.bar.memory", { style: { display: "inline-block", width: "24px" } }), " memory at a time, at most"));
  replace(document.getElementById("panel-loops"), element("p.lead", null, "The loops from the outside in. In the strip above, the width of a loop is its share of the time. Bars have one scale for both schedules. Click a line: what made it, its statement and its assembly stand below."), legend,
    element("div.pair" + (schedules.length < 2 ? ".one" : ""), null, schedules.map((schedule) => element("div.card.nest", null, element("h2", null, scheduleTitle(schedule), schedule.times ? element("span.soft", null, "  " + milliseconds(schedule.times.run_ms) + ", " + schedule.times.busy.toFixed(2) + " threads busy") : null),
      schedule.times ? drawFlame(schedule) : null, schedule.lines.map((line) => drawRow(schedule, line, most))))),
    VIEW.line ? drawDetails(VIEW.lineOf, VIEW.line) : null);
}

// ---- what made a loop, and what became of it ----

// The directives that name the loop, or one that it was split from.
function directivesOf(schedule, line) {
  if (line.kind !== "loop") {
    const func = line.func;
    return schedule.nest.directives.filter((directive) => directive.func === func && /^(compute|store|compute-with|inline|hoist|fold|memory)/.test(directive.text));
  }
  const names = new Set([line.variable]), found = [];
  for (const directive of [...schedule.nest.directives].reverse()) {
    if (directive.func !== line.func || !directive.names.some((name) => names.has(name)) || /^(compute|store)/.test(directive.text)) continue;
    found.unshift(directive);
    directive.names.forEach((name, i) => { if (i === 0 && /^(split|fuse)/.test(directive.text)) names.add(name); });
  }
  return found;
}

// The stretches of the target program that are this line: [first, last], counted from 0.
function targetOf(schedule, line) {
  schedule.targetLines = schedule.targetLines || schedule.target.replace(/\n$/, "").split("\n");
  const lines = schedule.targetLines, indent = (i) => lines[i].length - lines[i].trimStart().length, found = [];
  const begins = (text) => {
    if (line.kind === "loop") return text.startsWith("for ") && [" ", "'"].includes(text[4 + line.loop.length]) && text.startsWith(line.loop, 4);
    if (line.kind === "compute") return text.startsWith("compute " + line.func + " on");
    if (line.kind === "allocate") return text.startsWith("allocate " + line.func + ":");
    return line.kind === "store" && text.startsWith(line.func + "[") && text.includes("<-");
  };
  for (let i = 0; i < lines.length; i++) {
    if (!begins(lines[i].trimStart())) continue;
    let end = i;
    if (line.kind !== "allocate") while (end + 1 < lines.length && indent(end + 1) > indent(i)) end++;
    found.push([i, end]);
  }
  return found;
}

function assemblyLines(schedule) {
  if (schedule.assemblyLines || !schedule.assembly) return schedule.assemblyLines || [];
  const text = schedule.assembly.text.split("\n"), from = schedule.assembly.lines;
  schedule.assemblyLines = [];
  for (let i = 0, at = 0; i < from.length; i += 2)
    for (let n = 0; n < from[i + 1]; n++) schedule.assemblyLines.push({ text: text[at++], line: from[i] });
  return schedule.assemblyLines;
}

// The assembly of stretches of the target program; gaps are shown as such.
function assemblyOf(schedule, stretches, most) {
  const found = [];
  let last = -1, left = 0;
  assemblyLines(schedule).forEach((line, i) => {
    const inside = stretches.some(([first, end]) => line.line - 1 >= first && line.line - 1 <= end);
    if (!inside) return;
    if (found.length >= most) { left++; return; }
    if (last >= 0 && last !== i - 1) found.push("\t..");
    found.push(line.text);
    last = i;
  });
  if (left) found.push("\tand " + left + " more lines");
  return found;
}

function drawDetails(schedule, line) {
  const stretches = targetOf(schedule, line), directives = directivesOf(schedule, line);
  const target = stretches.slice(0, 6).map(([first, last]) => schedule.targetLines.slice(first, Math.min(last + 1, first + 60)).map((text) => text.slice(schedule.targetLines[first].length - schedule.targetLines[first].trimStart().length)).join("\n")).join("\n\n");
  const assembly = schedule.assembly ? assemblyOf(schedule, stretches, 400) : [];
  const made = directives.map((directive) => element("li", null, element("code", null, directive.text), element("div.soft", null, directive.place ? [element("a.go", { onclick: () => showLine(directive.place) }, placeText(directive.place)), " ", element("code", null, writtenAt(directive.place))] : null)));
  return element("div.card.details", null,
    element("div", null, element("h2", null, line.loop || line.func || line.text), element("p", null, line.text), element("h3", null, "made by"),
      made.length ? element("ol", { style: { paddingLeft: "18px" } }, made) : element("p.soft", null, schedule.name ? "no directive: it is as the algorithm has it" : "the empty schedule has no directives")),
    element("div", null, element("h3", null, "in the target program" + (stretches.length > 1 ? ", " + stretches.length + " copies" : "")), target ? element("pre", null, coloured(target, "target")) : element("p.soft", null, "It is not in the target program: it was unrolled, runs once, or is an output's memory.")),
    element("div", null, element("h3", null, "its assembly"), assembly.length ? element("pre", null, coloured(assembly.join("\n"), "assembly")) : element("p.soft", null, "no instructions stem from it")));
}

// ---- steps ----

function stepLines(schedule, step) {
  return step.lines.map((i) => { const line = schedule.nest.table[i]; return "  ".repeat(line.depth) + line.text; });
}

function drawSteps() {
  const schedule = VIEW.a, steps = schedule.nest.steps;
  schedule.step = schedule.step === undefined ? Math.min(1, steps.length - 1) : schedule.step;
  const panel = document.getElementById("panel-steps");
  const slider = element("input", { type: "range", min: 0, max: steps.length - 1, value: schedule.step, "aria-label": "step", oninput: (event) => { schedule.step = Number(event.target.value); drawStep(); } });
  const move = (by) => () => { schedule.step = Math.min(Math.max(schedule.step + by, 0), steps.length - 1); slider.value = schedule.step; drawStep(); };
  replace(panel, element("p.lead", null, "The directives one after another, in the order in which they are applied (by phases, not as written). Red lines go, green lines come."),
    steps.length < 2 ? element("p", null, "The empty schedule has no directives: choose another one above.") : element("div.card.slider", null, slider, element("div.tools", null, element("button", { onclick: move(-1) }, "back"), element("button", { onclick: move(1) }, "next"), element("span.directive"))), element("div.pair"));
  drawStep();
}

function drawStep() {
  const schedule = VIEW.a, steps = schedule.nest.steps, step = steps[schedule.step], before = steps[Math.max(schedule.step - 1, 0)];
  const panel = document.getElementById("panel-steps"), title = panel.querySelector(".directive");
  const applied = schedule.nest.directives.slice(schedule.step ? before.until : 0, step.until).map((directive) => directive.text);
  if (title) title.textContent = schedule.step + " of " + (steps.length - 1) + ":  " + (applied.length ? applied.join(";  ") + ";" : "the empty schedule");
  const side = (name, content) => element("div.card.lines", null, element("h2", null, name), content);
  const refused = (one) => one.refused !== undefined ? element("p.soft", null, "So many directives alone are no schedule: " + one.refused) : null;
  const old = before.refused === undefined ? stepLines(schedule, before) : [], now = step.refused === undefined ? stepLines(schedule, step) : [];
  const left = [], right = [];
  for (const part of Libraries.diffArrays(old, now))
    for (const text of part.value) {
      if (!part.added) left.push(element("div.l" + (part.removed ? ".gone" : ""), null, text));
      if (!part.removed) right.push(element("div.l" + (part.added ? ".new" : ""), null, text));
    }
  replace(panel.querySelector(".pair"), side("before", refused(before) || left), side("after", refused(step) || right));
}

// ---- code ----

function drawCode() {
  const schedule = VIEW.a, panel = document.getElementById("panel-code");
  schedule.targetLines = schedule.targetLines || schedule.target.replace(/\n$/, "").split("\n");
  const assembly = element("div.card.code"), target = element("div.card.code");
  const used = new Set(assemblyLines(schedule).map((line) => line.line));
  const choose = (first) => {
    const indent = (i) => schedule.targetLines[i].length - schedule.targetLines[i].trimStart().length;
    let last = first;
    while (last + 1 < schedule.targetLines.length && indent(last + 1) > indent(first)) last++;
    [...target.children].forEach((line, i) => line.classList.toggle("on", i >= first && i <= last));
    const lines = assemblyOf(schedule, [[first, last]], 1500);
    replace(assembly, lines.length ? lines.map((text) => element("div.l", null, element("i"), coloured(text, "assembly"))) : element("p.soft", { style: { padding: "0 14px" } }, "no instructions stem from it"));
  };
  replace(target, schedule.targetLines.map((text, i) => element("div.l", { onclick: () => choose(i), style: { opacity: used.size && !used.has(i + 1) ? 0.75 : 1 } }, element("i", null, String(i + 1)), coloured(text, "target"))));
  replace(panel, element("p.lead", null, "The target program under " + scheduleTitle(schedule) + ", after all passes, and the assembly that it became. Click a statement: its instructions, and those of what is inside, stand on the right. Instructions of statements that LLVM joined belong to one of them."),
    element("div.pair", null, target, assembly));
  const isSteady = (text) => text.includes("vectorized do") && !/^\s*for \S+'/.test(text);
  const inner = schedule.targetLines.findIndex(isSteady), first = inner >= 0 ? inner : Math.max(0, schedule.targetLines.findIndex((text) => text.includes("<-")));
  choose(first);
  target.scrollTop = target.children[first].offsetTop - target.offsetTop - 120;
}

// ---- the page ----

const PANELS = { graph: ["Funcs", drawGraph], text: ["Text", drawText], loops: ["Loops", drawLoops], steps: ["Step by step", drawSteps], code: ["Code", drawCode] };
let current = "graph";

function draw() {
  drawHead();
  drawTabs();
  PANELS[current][1]();
}

function drawTabs() {
  replace(document.getElementById("tabs"), Object.entries(PANELS).map(([name, [title]]) => element("button" + (name === current ? ".on" : ""), { "data-panel": name, onclick: () => show(name) }, title)));
  for (const name of Object.keys(PANELS)) document.getElementById("panel-" + name).hidden = name !== current;
}

function show(name) {
  current = PANELS[name] ? name : "graph";
  history.replaceState(null, "", "#" + current);
  draw();
}

// The last schedule that has a name, beside the empty one, or beside another.
VIEW.a = DATA.schedules.filter((schedule) => schedule.name).pop() || VIEW.a;
VIEW.b = DATA.schedules.find((schedule) => !schedule.name && schedule !== VIEW.a) || DATA.schedules.find((schedule) => schedule !== VIEW.a) || null;
VIEW.selected = PIPELINE.outputs[0];
current = PANELS[location.hash.slice(1)] ? location.hash.slice(1) : "graph";
drawHead();
drawTabs();
// The panel waits until the browser has shown the head: a large graph takes longer than all before it.
requestAnimationFrame(() => setTimeout(() => {
  if (current === "graph") select(VIEW.selected);
  else draw();
  performance.mark("drawn");
}));
