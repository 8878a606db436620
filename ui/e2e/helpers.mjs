// What the end-to-end tests share: the program, simulated jobs, servers, the browser, and pages that are watched.
//
// The environment: NPUSCOPE names the binary, NPUSCOPE_PAGES a directory of pages instead of those in the binary,
// NPUSCOPE_SCREENSHOTS where pictures go, NPUSCOPE_SHARED the reference material, CHROMIUM the browser.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tableFromIPC } from "@uwdata/flechette";
import { chromium } from "playwright-core";

const BINARY = process.env.NPUSCOPE;
const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "../..");
const SHARED = process.env.NPUSCOPE_SHARED ?? join(REPOSITORY, "../shared");
const SCREENSHOTS = process.env.NPUSCOPE_SCREENSHOTS ?? join(tmpdir(), "npuscope-screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Ms until something that must come has come. Debug builds on a busy machine take their time. */
export const PATIENCE = 20_000;

export const PAGES = ["overview", "timeline", "operators", "memory", "communication", "cluster", "rl", "query", "report", "health"];

const TABS = {
  operators: ["kernels", "host", "overall", "dispatch", "copies"],
  memory: ["holders", "allocations", "components", "leaks", "planned"],
  communication: ["durations", "matrix", "collectives", "links"],
  cluster: ["grid", "heat", "steps", "slow", "pipeline", "experts"],
};

/** All pages, and all their parts. */
export const PARTS = PAGES.flatMap((page) => (TABS[page] ?? [""]).map((tab) => (tab === "" ? page : `${page}?tab=${tab}`)));

/** A directory for what the tests of a file write; it goes when they end. */
export const scratch = mkdtempSync(join(tmpdir(), "npuscope-e2e-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** Runs the program to its end. */
export function npuscope(...args) {
  assert.ok(BINARY, "NPUSCOPE must name the npuscope binary");
  return execFileSync(BINARY, ["--cache-dir", join(scratch, "cache"), "--quiet", ...args], { encoding: "utf8" });
}

const JOBS = {
  // Rank 5 is slow.
  slow: "--tp 2 --pp 2 --dp 2 --layers 4 --steps 3 --fault slow-rank@5:1.4",
  rl: "--rl --tp 2 --pp 1 --dp 2 --layers 2 --steps 2",
  moe: "--preset deepseek-moe --tp 1 --pp 1 --dp 4 --ep 4 --layers 2 --hidden 1024 --sequence 1024 --steps 2",
  level0: "--tp 1 --pp 1 --dp 2 --layers 2 --steps 2 --level level0",
  windows: "--tp 2 --pp 1 --dp 1 --layers 2 --micro-batches 1 --windows 2..5,8..10 --profiling dynamic",
  none: "--tp 1 --pp 1 --dp 2 --layers 2 --steps 2 --level none",
};

/** The directory of a simulated job, made when it is first asked for. */
export function job(name) {
  const directory = join(scratch, name);
  if (!existsSync(directory)) npuscope("synth", "-o", directory, ...JOBS[name].split(" "));
  return directory;
}

/** A path below the reference data; null where that is absent, which `make test` reports as a skipped test. */
export function shared(path) {
  const place = join(SHARED, "data", path);
  if (existsSync(place)) return place;
  if (process.env.NPUSCOPE_SKIPPED) appendFileSync(process.env.NPUSCOPE_SKIPPED, `ui/e2e data/${path}\n`);
  return null;
}

const children = [];
const servers = new Map();

/** The server of a profile, started when it is first asked for. */
export function serve(directory) {
  if (!servers.has(directory)) servers.set(directory, start(directory));
  return servers.get(directory);
}

async function start(directory) {
  assert.ok(BINARY, "NPUSCOPE must name the npuscope binary");
  const pages = process.env.NPUSCOPE_PAGES ? ["--pages", process.env.NPUSCOPE_PAGES] : [];
  const args = ["--cache-dir", join(scratch, "cache"), "view", directory, "--no-open", ...pages];
  const child = spawn(BINARY, args, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let complaint = "";
  child.stderr.on("data", (text) => (complaint += text));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => line.startsWith("http") && resolve(line.trim()));
    child.on("exit", (code) => reject(new Error(`npuscope view ended with ${code}: ${complaint}`)));
  });
  return new Server(url);
}

class Server {
  constructor(url) {
    this.url = url;
    this.origin = new URL(url).origin;
    this.token = new URL(url).search;
  }

  async ask(path, body) {
    const url = `${this.origin}/${path}${path.includes("?") ? this.token.replace("?", "&") : this.token}`;
    const init = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(url, init);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }

  /** An answer in JSON. */
  async json(path, body) {
    return (await this.ask(path, body)).json();
  }

  /** The rows that answer a query; whole numbers of 64 bits are BigInts. */
  async sql(sql) {
    const answer = await this.ask("api/query", { sql, limit: 100_000 });
    return tableFromIPC(new Uint8Array(await answer.arrayBuffer()), { useBigInt: true }).toArray();
  }
}

/** What the first finding of the slow job claims, in lower case; it is about the slow rank. */
export async function firstClaim(server) {
  const [first] = (await server.json("api/diagnosis")).findings;
  assert.deepEqual(first.ranks, [5], "rank 5 is slow");
  return first.claim.text.en.toLowerCase();
}

let browser = null;

/** The browser, one for all tests of a file. */
export async function openBrowser() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  return browser;
}

/** Ends the browser and the servers; to be called after all tests of a file. */
export async function closeAll() {
  await browser?.close();
  await Promise.all(
    children.map((child) => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      return child.exitCode === null && child.kill() ? ended : null;
    }),
  );
}

/** A page in a browser profile of its own, English and light by default. Console errors are gathered. */
export async function openPage(url, { language = "en-US", colorScheme = "light", offline = false } = {}) {
  const context = await (await openBrowser()).newContext({
    locale: language,
    colorScheme,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(PATIENCE);
  if (offline) await context.setOffline(true);
  const viewer = new Viewer(await context.newPage());
  await viewer.page.goto(url);
  return viewer;
}

/** A page of the viewer that is watched. */
class Viewer {
  constructor(page) {
    this.page = page;
    /** What went wrong in the page. */
    this.problems = [];
    /** Requests under way. */
    this.pending = new Set();
    page.on("console", (message) => message.type() === "error" && this.problems.push(`console: ${message.text()} ${message.location().url}`));
    page.on("pageerror", (error) => this.problems.push(`error: ${error.stack ?? error}`));
    page.on("dialog", async (dialog) => {
      this.problems.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    // The stream of progress does not end.
    page.on("request", (request) => request.url().includes("/api/progress") || this.pending.add(request));
    for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => this.pending.delete(request));
  }

  async close() {
    await this.page.context().close();
  }

  /** Fails if anything went wrong in the page since it was asked last. */
  assertQuiet(where) {
    assert.deepEqual(this.problems.splice(0), [], `${where}: the browser reported problems`);
  }

  hash() {
    return this.page.evaluate(() => location.hash);
  }

  /** A parameter of the address, decoded. */
  async param(name) {
    return new URLSearchParams((await this.hash()).split("?")[1] ?? "").get(name);
  }

  /** The stretch of time in the address. */
  async time() {
    const [begin, end] = ((await this.param("t")) ?? "").split(",").map(Number);
    return end === undefined ? null : { begin, end };
  }

  /** Goes to an address below `#/` and waits until all of it is there. */
  async go(place) {
    await this.page.evaluate((hash) => (location.hash = hash), `#/${place}`);
    await this.settled(place.split("?")[0]);
  }

  /** Waits until the page, the given one if any, is shown and nothing is on its way. */
  async settled(name = null) {
    await until(
      async () => {
        const isReady = await this.page.evaluate(isShown, name);
        return isReady && this.pending.size === 0;
      },
      async () =>
        `${await this.hash()} did not settle: under way ${JSON.stringify([...this.pending].map((request) => request.url()))}; ` +
        `shown: ${(await this.page.locator("main").innerText()).slice(0, 300)}`,
      2,
    );
  }

  /** Waits until `read` answers what `holds` accepts, and gives that. */
  async when(read, holds, what) {
    let last;
    await until(
      async () => {
        last = await read();
        return holds(last);
      },
      () => `${what}; it was ${JSON.stringify(last)}`,
    );
    return last;
  }

  /** Fails if axe finds something serious. */
  async assertAccessible(where) {
    await this.page.evaluate(`typeof axe === "undefined" && (() => { ${AXE} })()`);
    const found = await this.page.evaluate(async () => {
      const { violations } = await axe.run(document, { resultTypes: ["violations"] });
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} (${node.any[0]?.message ?? node.failureSummary})`).join(" | ")}`);
    });
    assert.deepEqual(found, [], `${where}: axe found serious issues`);
  }

  /** Keeps a picture. */
  async picture(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled" });
  }

  /** Changes between light and dark, as the system would. */
  async setTheme(colorScheme) {
    await this.page.emulateMedia({ colorScheme });
    await frames(this.page);
  }

  /** Presses the button of the other language. */
  async switchLanguage() {
    await this.page.locator(".scope-bar button[lang]").click();
    await frames(this.page);
  }

  /** Whether a canvas has more than one colour. */
  isDrawn(selector) {
    return this.page.locator(selector).first().evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const words = new Uint32Array(data.buffer);
      return new Set(words).size > 3;
    });
  }
}

/** Runs in the page: whether it is shown and says of no part that it is loading. */
function isShown(name) {
  const rail = document.querySelector("nav.rail a[aria-current=page]")?.getAttribute("href") ?? "";
  return (
    (name === null || rail.startsWith(`#/${name}`)) &&
    document.querySelector("main h1") !== null &&
    document.querySelector("main .spinner, main [aria-busy=true]") === null
  );
}

/** Waits until what was changed is on the screen. */
export async function frames(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Waits until something holds, `times` times in a row. */
async function until(holds, complaint, times = 1) {
  const end = Date.now() + PATIENCE;
  for (let held = 0; held < times; ) {
    held = (await holds()) ? held + 1 : 0;
    if (Date.now() > end) assert.fail(await complaint());
    if (held < times) await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
