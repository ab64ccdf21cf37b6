import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { removeTree } from "../../../../test/remove-tree.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** Finds a Chromium in the folders of a search path; `null` if there is none. For tests only. */
export function findChromium(path: string): string | null {
  for (const folder of path.split(delimiter)) {
    for (const name of NAMES) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // not here
      }
    }
  }
  return null;
}

/** A key that may be pressed. */
export type Key = "Tab" | "Enter" | "ArrowDown" | "ArrowRight";

/** A page in a browser without a window. */
export interface BrowserPage {
  /** Loads a file in a window of a size, in pixels, and a colour scheme. */
  load(
    path: string,
    view: { readonly width: number; readonly height: number; readonly scheme: "light" | "dark" },
  ): Promise<void>;
  /** Returns what an expression gives in the page, as JSON. */
  evaluate<T>(expression: string): Promise<T>;
  press(key: Key): Promise<void>;
  /** Addresses that the page asked for since it was loaded. */
  readonly requests: readonly string[];
}

/** Runs `body` with a page of a browser of its own, which is ended afterwards. For tests only. */
export async function withPage(
  chromium: string,
  body: (page: BrowserPage) => Promise<void>,
): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), "okstra-chromium-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const child = spawn(
    chromium,
    [...flags, ...quiet, "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
  );
  const ended = new Promise((resolve) => child.on("close", resolve));
  try {
    const talk = openTalk(child.stdio[3] as Writable, child.stdio[4] as Readable);
    void ended.then(() => talk.fail(new Error("Chromium ended")));
    await body(await openPage(talk));
  } finally {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // it has ended already
    }
    await ended;
    removeTree(profile);
  }
}

// deno-lint-ignore no-explicit-any
type Message = any;

/** The two ends of the browser's debugging pipe. */
interface Talk {
  ask(method: string, params?: object, sessionId?: string): Promise<Message>;
  once(method: string): Promise<Message>;
  on(method: string, listener: (params: Message) => void): void;
  fail(error: Error): void;
}

function openTalk(out: Writable, incoming: Readable): Talk {
  const waiting = new Map<number, { resolve: (m: Message) => void; reject: (e: Error) => void }>();
  const listeners = new Map<string, Set<(params: Message) => void>>();
  let next = 1, rest = "";
  incoming.setEncoding("utf8");
  incoming.on("data", (text: string) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop()!;
    for (const part of parts) {
      const { id, method, params, result, error } = JSON.parse(part) as Message;
      if (id === undefined) listeners.get(method)?.forEach((listener) => listener(params));
      else if (error) waiting.get(id)?.reject(new Error(`${error.message}: ${error.data ?? ""}`));
      else waiting.get(id)?.resolve(result);
      waiting.delete(id);
    }
  });
  const on = (method: string, listener: (params: Message) => void) => {
    listeners.set(method, (listeners.get(method) ?? new Set()).add(listener));
  };
  return {
    ask: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { resolve, reject });
        out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
    once: (method) =>
      new Promise((resolve) => {
        const listener = (params: Message) => {
          listeners.get(method)!.delete(listener);
          resolve(params);
        };
        on(method, listener);
      }),
    on,
    fail: (error) => waiting.forEach(({ reject }) => reject(error)),
  };
}

const KEYS: Readonly<Record<Key, { code: number; text?: string }>> = {
  Tab: { code: 9 },
  Enter: { code: 13, text: "\r" },
  ArrowDown: { code: 40 },
  ArrowRight: { code: 39 },
};

async function openPage(talk: Talk): Promise<BrowserPage> {
  const { targetId } = await talk.ask("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await talk.ask("Target.attachToTarget", { targetId, flatten: true });
  const ask = (method: string, params?: object) => talk.ask(method, params, sessionId);
  for (const domain of ["Page", "Network", "Runtime"]) await ask(`${domain}.enable`);
  const requests: string[] = [];
  talk.on("Network.requestWillBeSent", ({ request }) => requests.push(request.url));
  return {
    requests,
    async load(path, { width, height, scheme }) {
      const features = [{ name: "prefers-color-scheme", value: scheme }];
      await ask("Emulation.setEmulatedMedia", { features });
      const mobile = false, deviceScaleFactor = 1;
      await ask("Emulation.setDeviceMetricsOverride", { width, height, mobile, deviceScaleFactor });
      requests.length = 0;
      const loaded = talk.once("Page.loadEventFired");
      await ask("Page.navigate", { url: `file://${path}` });
      await loaded;
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await ask("Runtime.evaluate", {
        expression,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
      return result.value;
    },
    async press(key) {
      const { code: windowsVirtualKeyCode, text } = KEYS[key];
      const facts = { key, code: key, windowsVirtualKeyCode, ...(text ? { text } : {}) };
      await ask("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...facts });
      await ask("Input.dispatchKeyEvent", { type: "keyUp", ...facts });
    },
  };
}
