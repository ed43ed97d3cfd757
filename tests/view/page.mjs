// page.mjs -- opens a page of `hlc view` in chromium and checks what each panel shows.
//   node page.mjs CHROMIUM PAGE CHECK [FOLDER]
// CHECK names the checks below; with FOLDER, a picture of each panel is written there.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const { chromium } = createRequire(import.meta.url)("playwright-core");
const [, , executablePath, path, check, folder] = process.argv;

let failures = 0, checks = 0;
function expect(holds, what) {
  checks++;
  if (!holds) { failures++; console.log("FAILED: " + what); }
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"], timeout: 120000 });
const page = await browser.newPage({ viewport: { width: 1500, height: 950 } });
page.setDefaultTimeout(60000);
const faults = [], asked = [];
page.on("pageerror", (fault) => faults.push(String(fault)));
page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
page.on("request", (request) => asked.push(request.url()));
const begin = Date.now();
await page.goto(pathToFileURL(path).href);
const loaded = Date.now() - begin;
await page.waitForFunction(() => performance.getEntriesByName("drawn").length === 1);
const drawn = await page.evaluate(() => performance.getEntriesByName("drawn")[0].startTime);
await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length === 1);
const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);

const open = async (name) => {
  await page.click(`nav button[data-panel=${name}]`);
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};
const text = (selector) => page.locator(selector).first().innerText();
const count = (selector) => page.locator(selector).count();
const texts = (selector) => page.locator(selector).allInnerTexts();
// Has the canvas more than one colour?
const isDrawn = (selector) => page.locator(selector).first().evaluate((canvas) => {
  const data = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return data.some((pixel) => pixel !== data[0]);
});

// ---- the program tests/view/hostile.hl on random:1:64x48 ----

async function checkHostile(hasTimes) {
  expect(await page.evaluate(() => window.broken) === undefined, "a text of the program ran as a script");
  expect((await text("header h1")) === "hostile", "the head names the pipeline");
  expect((await count("header .speeds .bar")) === (hasTimes ? 3 : 0), "the head has a bar a schedule");

  await open("graph");
  const nodes = await texts(".node .name");
  expect(["input", "soft", "signed", "out", "count", "total", "pair"].every((name) => nodes.includes(name)) && nodes.length === 7, "the graph has each input and func: " + nodes);
  expect((await count(".graph path")) === 9, "the graph has the reads as edges, not " + (await count(".graph path")));
  for (const name of ["input", "soft", "signed", "out", "count"])
    expect(await isDrawn(`.node[data-name=${name}] canvas`), name + " has a picture");
  expect(/^\d+$/.test(await text(".node[data-name=total] .single")), "a func of one value shows it");
  await page.click(".node[data-name=soft]");
  expect((await text(".inspector h2")) === "soft(x, y)", "a click chooses a func");
  expect((await text(".inspector")).includes("x 0 .. 63, y 0 .. 47"), "the inspector has the region");
  expect((await text(".inspector")).includes("all 3072 points"), "all points of a small func are looked at");
  expect((await isDrawn(".inspector canvas.large")) && (await isDrawn(".inspector canvas.histogram")), "the inspector has a picture and a histogram");
  await page.selectOption(".inspector select[aria-label=colours]", "heat");
  expect(await page.locator(".inspector canvas.large").evaluate((canvas) => { const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data; return data.some((_, i) => i % 4 === 0 && data[i] !== data[i + 2]); }), "false colours have colours");
  const box = await page.locator(".inspector canvas.large").boundingBox();
  await page.mouse.click(box.x + box.width * 0.9, box.y + box.height * 0.1);
  const chosen = await page.evaluate(() => ({ at: VIEW.probe.at, value: VIEW.probe.value, reads: VIEW.probe.reads }));
  expect(chosen.at[0] > 32 && chosen.at[1] < 24, "a click chooses the nearest point: " + chosen.at);
  expect(chosen.reads.length === 3 && chosen.reads.every((read) => read[0] === "input"), "the point has what it was made from");
  const mean = chosen.reads.reduce((sum, read) => sum + Number(read[3]), 0) / 3;
  expect(Math.abs(mean - Number(chosen.value)) < 1e-4, `the value is what was read makes: ${mean}, ${chosen.value}`);
  expect((await count("table.around td")) === 25 && (await text("table.around td.here")).length > 0, "the values around the point are shown");
  await page.click("ul.reads a >> nth=1");
  expect((await text(".inspector h2")) === "input", "a click on what was read goes there");
  expect((await text(".inspector h3 >> nth=1")) === `input(${chosen.reads[1][2].join(", ")}) = ${chosen.reads[1][3]}`, "at that very point, with its value");
  await page.click(".node[data-name=out]");
  expect((await text(".inspector")).includes("hlc eval"), "the inspector has the command that prints the same");

  await open("text");
  const source = await texts(".source pre");
  expect(source[0].includes("</script><script>window.broken = 1</script><!-- <img src=x onerror="), "the text is shown letter for letter: " + source[0]);
  expect((await count(".source img")) === 0, "no text became an element");
  if (hasTimes) expect((await count(".source .cost .bar")) >= 2, "lines have costs");

  await open("loops");
  expect((await texts(".nest h2")).length === 2, "two schedules stand side by side");
  expect((await count(".row.loop .chip.parallel")) === 1 && (await count(".row.loop .chip.vectorized")) === 2, "loops have their manner");
  expect((await count(".row .bar.memory")) >= 3, "memory is drawn");
  if (hasTimes) expect((await count(".flame div")) >= 4 && (await count(".row .bar:not(.memory)")) >= 4, "times are drawn");
  await page.click(".row.loop:has(.chip.vectorized) >> nth=1");
  const details = await text(".details");
  expect(details.includes("vectorize(out.x, 8)") || details.includes("vectorize(soft.x, 8)"), "a loop has the directive that made it: " + details);
  expect((await text(".details pre >> nth=0")).includes("vectorized do"), "a loop has its statement");
  expect(/\tv?[a-z]+/.test(await page.locator(".details pre").nth(1).textContent()), "a loop has its assembly");

  await open("steps");
  const last = Number(await page.getAttribute(".slider input", "max"));
  expect(last >= 4, "there is a step a directive: " + last);
  expect((await count(".l.new")) + (await count(".l.gone")) > 0, "a step shows what changed");
  const before = await text(".lines >> nth=1");
  await page.click(".slider button >> nth=1");
  expect((await text(".lines >> nth=0")).split("\n").slice(1).join() === before.split("\n").slice(1).join(), "the nest after a step is that before the next");

  await open("code");
  expect((await count(".code >> nth=0")) === 1 && (await texts(".code .l")).some((line) => line.includes("vectorized do")), "the target program is shown");
  expect((await page.locator(".code").nth(1).locator(".l").count()) > 3, "it has its assembly");
  await page.selectOption("header select >> nth=0", { label: "the empty schedule" });
  expect((await text("#panel-code .lead")).includes("the empty schedule"), "another schedule is shown");
}

// ---- any page: each panel opens, with content ----

async function checkAny() {
  expect((await count(".node")) >= 2, "there are funcs");
  for (const name of ["text", "loops", "steps", "code", "graph"]) {
    await open(name);
    expect((await text("#panel-" + name)).length > 200, `the panel ${name} has content`);
  }
}

if (check === "hostile") await checkHostile(true);
else if (check === "untimed") await checkHostile(false);
else await checkAny();
expect(faults.length === 0, "the page has faults: " + faults.join("; "));
expect(asked.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")).length === 0 && asked.length === 1, "the page asks for something: " + asked);
console.log(`${checks} checks, ${failures} failures; loaded in ${loaded} ms, first paint after ${Math.round(painted)} ms, the panel drawn after ${Math.round(drawn)} ms`);
await browser.close();
process.exit(failures ? 1 : 0);
