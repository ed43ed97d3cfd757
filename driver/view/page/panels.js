// panels.js -- the graph of funcs with their pictures, and the inspector of one func.

const VIEW = { a: DATA.schedules[DATA.schedules.length - 1], b: null, selected: null, component: 0, plane: 0, palette: "auto", probe: null, line: null };

// ---- pictures ----

const PALETTES = {
  grey: [[0, 0, 0], [255, 255, 255]],
  heat: [[13, 8, 60], [105, 23, 110], [188, 55, 84], [237, 121, 45], [250, 213, 80], [252, 255, 200]],
  diverging: [[33, 82, 163], [140, 184, 222], [245, 245, 242], [236, 160, 122], [176, 32, 44]],
};

function paletteOf(values) {
  if (VIEW.palette !== "auto") return VIEW.palette;
  if (isColour(values)) return "colour";
  const node = NODES.get(values.name);
  if (values.low < 0 && values.high > 0) return "diverging";
  return node && (node.kind === "input" || node.output || values.type.startsWith("f") || values.type === "u8") ? "grey" : "heat";
}

// Of each byte, the byte that makes the histogram of the plane even: dark pictures become visible.
function evened(data) {
  const counts = new Array(256).fill(0), table = [];
  for (const byte of data) counts[byte]++;
  let sum = 0;
  const all = Math.max(data.length - counts[255] - counts[0], 1);
  for (let byte = 0; byte < 255; byte++) { sum += byte ? counts[byte] : 0; table.push(Math.round(254 * sum / all)); }
  return table;
}

function colourAt(stops, byte) {
  const at = (byte / 254) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2), part = at - i;
  return stops[i].map((from, c) => Math.round(from + part * (stops[i + 1][c] - from)));
}

// Draws a plane; values of one dimension as bars.
function drawPicture(canvas, values, plane) {
  const palette = paletteOf(values), width = values.width, height = values.height;
  const context = canvas.getContext("2d");
  if (values.extent.length === 1) {
    canvas.width = Math.max(width, 160); canvas.height = Math.round(canvas.width * 0.6);
    const data = planeBytes(values, 0), step = canvas.width / width;
    const zero = values.low < 0 && values.high > 0 ? values.high / (values.high - values.low) : values.low >= 0 ? 1 : 0;
    context.fillStyle = "#4c8ed9";
    for (let i = 0; i < width; i++) {
      const top = 1 - data[i] / 254;
      context.fillRect(i * step, Math.min(top, zero) * canvas.height, Math.max(step - 0.3, 0.7), Math.max(Math.abs(zero - top) * canvas.height, 1));
    }
    return;
  }
  canvas.width = width; canvas.height = height;
  const pixels = context.createImageData(width, height), put = pixels.data;
  if (palette === "colour" && values.planes.length >= 3) {
    const planes = [0, 1, 2].map((p) => planeBytes(values, p));
    for (let i = 0; i < width * height; i++) {
      for (let c = 0; c < 3; c++) put[4 * i + c] = Math.min(planes[c][i], 254) * 255 / 254;
      put[4 * i + 3] = 255;
    }
  } else {
    const data = planeBytes(values, plane), stops = PALETTES[palette] || PALETTES.grey, table = [], even = palette === "evened" ? evened(data) : null;
    for (let byte = 0; byte < 255; byte++) table.push(colourAt(stops, even ? even[byte] : byte));
    table.push([255, 0, 255]); // a NaN
    for (let i = 0; i < width * height; i++) {
      const [red, green, blue] = table[data[i]];
      put[4 * i] = red; put[4 * i + 1] = green; put[4 * i + 2] = blue; put[4 * i + 3] = 255;
    }
  }
  context.putImageData(pixels, 0, 0);
}

// Where a point lies in the picture, as shares of its width and height; null if outside.
function placeIn(values, at) {
  const x = (at[0] - values.minimum[0] + 0.5) / values.extent[0];
  const y = at.length > 1 ? (at[1] - values.minimum[1] + 0.5) / values.extent[1] : 0.5;
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? [x, y] : null;
}

function dot(values, at, size, colour) {
  const place = at.length ? placeIn(values, at) : null;
  return place && element("span", { style: { position: "absolute", left: 100 * place[0] + "%", top: 100 * place[1] + "%", width: size + "px",
    height: size + "px", margin: -size / 2 + "px", borderRadius: "50%", background: colour, border: "1px solid #fff", pointerEvents: "none" } });
}

// ---- the graph ----

function sizeText(values) {
  return values.extent.length ? values.extent.join("×") : "one value";
}

function nodePicture(node, reads) {
  const values = (VALUES.get(node.name) || [])[0];
  if (!values) return element("div.picture.soft", null, "no picture");
  if (!values.points) return element("div.picture.soft", null, "no points");
  if (!values.extent.length) return element("div.picture", null, element("span.single", null, values.probes[0].value));
  const canvas = element("canvas");
  drawPicture(canvas, values, Math.floor(values.planes.length / 2));
  const scale = Math.min(134 / canvas.width, 92 / canvas.height);
  Object.assign(canvas.style, { width: canvas.width * scale + "px", height: canvas.height * scale + "px" });
  const dots = reads.map((read) => dot(values, read[2], 7, "#e8853b"));
  return element("div.picture", null, element("div", { style: { position: "relative" } }, canvas, dots));
}

function nodeCard(node, reads) {
  const share = node.kind === "func" ? shareOf(VIEW.a, node.name) : 0;
  const list = VALUES.get(node.name), classes = ["div", "card", "node", node.kind];
  if (node.output) classes.push("output");
  if (VIEW.selected === node.name) classes.push("on");
  if (reads.length) classes.push("read");
  return element(classes.join("."), { "data-name": node.name, onclick: () => select(node.name) },
    element("div.name", { title: node.name }, node.name), nodePicture(node, reads),
    element("div.what", null, element("span", { title: list ? sizeText(list[0]) : "" }, node.types.join(", ") + (list ? " " + sizeText(list[0]) : "")),
      share ? element("b", null, percent(share)) : null),
    element("div.track", null, element("div.bar", { style: { width: 100 * share + "%", visibility: share ? "visible" : "hidden" } })));
}

let layout = null;

function layOut() {
  const graph = new Libraries.dagre.graphlib.Graph();
  graph.setGraph({ rankdir: NODES.size > 2 ? "LR" : "TB", nodesep: 16, ranksep: 42, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of NODES.values()) graph.setNode(node.name, { width: 148, height: 158 });
  for (const node of NODES.values())
    for (const read of node.reads) if (NODES.has(read)) graph.setEdge(read, node.name);
  Libraries.dagre.layout(graph);
  return graph;
}

const SVG = "http://www.w3.org/2000/svg";

function drawEdges(graph) {
  const svg = document.createElementNS(SVG, "svg");
  for (const edge of graph.edges()) {
    const points = graph.edge(edge).points, path = document.createElementNS(SVG, "path");
    let text = `M${points[0].x},${points[0].y}`;
    for (let i = 1; i < points.length - 1; i++) {
      const middle = i + 2 < points.length ? { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 } : points[i + 1];
      text += `Q${points[i].x},${points[i].y} ${middle.x},${middle.y}`;
    }
    if (points.length === 2) text += `L${points[1].x},${points[1].y}`;
    path.setAttribute("d", text);
    if (edge.v === VIEW.selected || edge.w === VIEW.selected) path.setAttribute("class", "lit");
    svg.append(path);
  }
  return svg;
}

// How much smaller the graph is drawn, so that most of it can be seen.
function fitting() {
  const size = layout.graph(), width = document.documentElement.clientWidth - 540;
  return Math.min(1, Math.max(0.5, Math.round(20 * Math.min(width / size.width, (innerHeight - 200) / size.height)) / 20));
}

function drawGraph() {
  const panel = document.getElementById("panel-graph"), isFirst = !panel.firstChild;
  layout = layout || layOut();
  if (!panel.firstChild)
    panel.append(element("p.lead", null, "Each card is an input or a func, with a picture of its values: what it reads stands before it. The bar is its share of the time under the schedule above. Click a card, then a point of its picture."),
      element("div.split", null, element("div", null, element("div.card.graph", null, element("div.canvas")),
        element("label.zoom", null, element("input", { type: "range", min: 0.25, max: 1, step: 0.05, value: fitting(), "aria-label": "zoom", oninput: (event) => { panel.querySelector(".canvas").style.zoom = event.target.value; } }))), element("div.card.inspector")));
  const canvas = panel.querySelector(".canvas"), size = layout.graph();
  Object.assign(canvas.style, { width: size.width + "px", height: size.height + "px" });
  const cards = [...NODES.values()].map((node) => {
    const reads = ((VIEW.probe && VIEW.probe.reads) || []).filter((read) => read[0] === node.name);
    const card = nodeCard(node, reads), place = layout.node(node.name);
    Object.assign(card.style, { left: place.x - 74 + "px", top: place.y - 79 + "px" });
    return card;
  });
  replace(canvas, drawEdges(layout), cards);
  if (isFirst) canvas.style.zoom = fitting();
  const chosen = canvas.querySelector(".node.on");
  if (chosen && VIEW.shownNode !== VIEW.selected) chosen.scrollIntoView({ block: "nearest", inline: "nearest" });
  VIEW.shownNode = VIEW.selected;
  drawInspector();
}

// ---- the inspector ----

function valuesSelected() {
  return (VALUES.get(VIEW.selected) || [])[VIEW.component];
}

function nearestProbe(values, at) {
  let best = null, least = Infinity;
  for (const probe of values.probes) {
    const distance = probe.at.reduce((sum, c, d) => sum + (at[d] === undefined ? 0 : (c - at[d]) ** 2 * (d < 2 ? 1 : 1e4)), 0);
    if (distance < least) { least = distance; best = probe; }
  }
  return best;
}

function select(name, at) {
  if (VIEW.selected !== name) Object.assign(VIEW, { component: 0, plane: 0 });
  VIEW.selected = name;
  const values = valuesSelected();
  VIEW.probe = values && values.probes.length ? nearestProbe(values, at || values.minimum.map((m, d) => m + values.extent[d] / 2)) : null;
  if (values && at && values.planes.length > 1) {
    const distance = (plane) => plane.at.reduce((sum, c, d) => sum + Math.abs(c - at[d + 2]), 0);
    VIEW.plane = values.planes.reduce((best, plane, i) => (distance(plane) < distance(values.planes[best]) ? i : best), 0);
  }
  drawGraph();
}

function drawHistogram(values) {
  const canvas = element("canvas.histogram", { width: 64 * 6, height: 70 }), context = canvas.getContext("2d");
  const most = Math.max(...values.bins, 1), style = getComputedStyle(document.body);
  values.bins.forEach((count, i) => {
    const height = count ? Math.max(1, 68 * Math.sqrt(count / most)) : 0;
    context.fillStyle = style.getPropertyValue("--memory");
    context.fillRect(6 * i, 70 - height, 5, height);
  });
  Object.assign(canvas.style, { width: "100%", height: "70px" });
  return element("div", null, canvas, element("div.what.soft", { style: { display: "flex", justifyContent: "space-between", fontSize: "11.5px" } },
    element("span", null, short(values.least)), element("span", null, "heights are square roots of the counts"), element("span", null, short(values.greatest))));
}

function aroundTable(values, probe) {
  const rows = [], columns = probe.columns;
  if (values.extent.length)
    rows.push(element("tr", null, element("th", null, values.extent.length > 1 ? "y \\ x" : ""), Array.from({ length: columns }, (_, i) => element("th", null, String(probe.from[0] + i)))));
  for (let i = 0; i < probe.around.length; i += columns) {
    const y = probe.from[1] + i / columns;
    rows.push(element("tr", null, element("th", null, values.extent.length > 1 ? String(y) : ""), probe.around.slice(i, i + columns).map((value, x) => {
      const here = !values.extent.length || (probe.from[0] + x === probe.at[0] && (values.extent.length < 2 || y === probe.at[1]));
      return element(here ? "td.here" : "td", { title: value }, value.length > 11 ? String(Number(Number(value).toPrecision(6))) : value);
    })));
  }
  return element("table.around", null, rows);
}

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

function evalCommand(node, probe) {
  const [file, ...rest] = DATA.operands;
  return ["hlc eval", quoted(file), quoted(node.name + "(" + probe.at.join(", ") + ")"), ...rest.map(quoted), "--why"].join(" ");
}

function readsOf(values, probe) {
  if (!probe.reads)
    return element("p.soft", null, NODES.get(values.name).kind === "input" ? "an input" : values.no_reads ? "What it was made from is not kept: " + values.no_reads + "." : "What it was made from is not kept for this point.");
  if (!probe.reads.length) return element("p.soft", null, "It reads nothing.");
  return element("div", null, element("ul.reads", null, probe.reads.map(([name, component, at, value]) =>
    element("li", null, element("a", { onclick: () => select(name, at) }, name + "(" + at.join(", ") + ")" + (component >= 0 ? "." + component : "")), " = " + value))),
    probe.read_count > probe.reads.length ? element("p.soft", null, "and " + (probe.read_count - probe.reads.length) + " more") : null);
}

function largePicture(values) {
  if (!values.extent.length || !values.points) return null;
  const canvas = element("canvas.large");
  drawPicture(canvas, values, VIEW.plane);
  const click = (event) => {
    const box = canvas.getBoundingClientRect();
    const at = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].slice(0, values.extent.length)
      .map((share, d) => Math.floor(values.minimum[d] + share * values.extent[d]));
    const plane = values.planes[VIEW.plane];
    VIEW.probe = nearestProbe(values, paletteOf(values) === "colour" ? at : [...at, ...plane.at]);
    drawGraph();
  };
  return element("div.large", { onclick: click }, canvas, values.probes.map((probe) => dot(values, probe.at, 5, "#3b82f680")),
    VIEW.probe ? dot(values, VIEW.probe.at, 11, "#e8853b") : null);
}

function pictureTools(list, values) {
  const planes = element("input", { type: "range", min: 0, max: values.planes.length - 1, value: VIEW.plane, oninput: (event) => { VIEW.plane = Number(event.target.value); drawInspector(); } });
  const palette = element("select", { "aria-label": "colours", onchange: (event) => { VIEW.palette = event.target.value; drawGraph(); } },
    ["auto", "grey", "evened", "heat", "diverging"].map((name) => element("option", { value: name, selected: VIEW.palette === name }, name === "auto" ? "colours: as fits" : name)));
  const components = list.length > 1 ? element("select", { "aria-label": "component", onchange: (event) => { VIEW.component = Number(event.target.value); VIEW.plane = 0; select(VIEW.selected); } },
    list.map((_, i) => element("option", { value: i, selected: i === VIEW.component }, "component " + i))) : null;
  const shown = values.planes.length > 1 && paletteOf(values) !== "colour";
  return element("div.tools", null, palette, components, shown ? element("span.soft", null, "plane (.., " + values.planes[VIEW.plane].at.join(", ") + ") of " + values.planes_of) : null, shown ? planes : null);
}

function timeFacts(node) {
  return DATA.schedules.filter((schedule) => schedule.times).flatMap((schedule) => {
    const rows = rowsOf(schedule, node.name), sum = rows.reduce((all, row) => all + row.share, 0);
    const text = rows.length ? milliseconds(sum * schedule.times.run_ms) + " (" + percent(sum) + ")" + (rows.some((row) => row.lanes) ? ", " + Math.max(...rows.map((row) => row.lanes)) + " lanes" : ", no vectors") +
      (rows[0].accesses ? ", " + rows[0].accesses : "") : "inlined, or too short to be seen";
    return [element("dt", null, scheduleTitle(schedule)), element("dd", null, text)];
  });
}

function drawInspector() {
  const panel = document.querySelector(".inspector"), node = NODES.get(VIEW.selected);
  if (!node) return replace(panel, element("p.soft", null, "Click a func."));
  const list = VALUES.get(node.name), values = valuesSelected();
  const written = node.place ? PIPELINE.files[node.place[0]].text.split("\n")[node.place[1] - 1].trim() : "";
  const head = [element("h2", null, node.name + (node.variables.length ? "(" + node.variables.join(", ") + ")" : "")),
    element("a.go", { onclick: () => showLine(node.place) }, placeText(node.place)), element("pre", { style: { whiteSpace: "pre-wrap" } }, coloured(written, "hl"))];
  if (!values) return replace(panel, head, element("p.soft", null, "There is no picture: it has more than four dimensions, or is an equation of a recurrence."));
  const facts = [["type", values.type], ["region", values.extent.map((extent, d) => (node.variables[d] ? node.variables[d] + " " : "") + values.minimum[d] + " .. " + (values.minimum[d] + extent - 1)).join(", ") || "one value"],
    ["least, mean, greatest", [values.least, values.mean, values.greatest].map(short).join(", ") + (values.nans ? ", and " + values.nans + " NaNs" : "")],
    ["looked at", values.samples === values.points ? "all " + values.points + " points" : values.samples + " of " + values.points + " points"]];
  const probe = VIEW.probe;
  replace(panel, head, pictureTools(list, values), largePicture(values), values.extent.length && values.points ? [element("h3", null, "histogram"), drawHistogram(values)] : null,
    element("dl.facts", null, facts.flatMap(([name, text]) => [element("dt", null, name), element("dd", null, text)]), timeFacts(node)),
    probe ? [element("h3", null, node.name + "(" + probe.at.join(", ") + ") = " + probe.value), aroundTable(values, probe), element("h3", null, "was made from"), readsOf(values, probe),
      node.kind === "func" ? element("pre.soft", { style: { whiteSpace: "pre-wrap" } }, evalCommand(node, probe)) : null] : null);
}
