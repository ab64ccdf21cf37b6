// What a user installs: npm packages on Node, modules on Deno. Each set of tools tells the quickstart.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { Script } from "node:vm";
import { removeTree } from "./remove-tree.mjs";
import {
  denoPath,
  denoWords,
  type Finished,
  ROOT,
  runProgram,
  RUNTIME,
  toolEnv,
  TOOLS,
  withScratch,
  writeFiles,
} from "./support.ts";

const RUN_FOLDER = ".okstra/tasks/quickstart/review/sources/runs/discussion";

/** What is in the name of that which this V8 compiled. */
const COMPILED = `-${process.versions.v8}-${process.platform}-${process.arch}-`;

/** An environment in which the built tools are not on PATH, but these are. */
function installedEnv(bin: string, ...more: string[]): Record<string, string> {
  const built = join(ROOT, "dist", "bin");
  const others = (process.env["PATH"] ?? "").split(delimiter).filter((part) => part !== built);
  return { ...toolEnv(bin), PATH: [bin, ...more, ...others].join(delimiter) };
}

function finish(command: readonly string[], env: Record<string, string>, cwd = ROOT): Finished {
  const finished = runProgram(command, { cwd, env });
  assertEquals(finished.status, 0, `${command.join(" ")}\n${finished.stderr}`);
  return finished;
}

/** Runs the quickstart by installed tools, and returns which wrapper its dispatches used. */
function tellQuickstart(scratch: string, bin: string, env: Record<string, string>): string[] {
  const project = join(scratch, "project"), at = (path: string) => join(project, RUN_FOLDER, path);
  cpSync(join(ROOT, "scripts", "quickstart.d", "sample"), project, { recursive: true });
  finish([join(ROOT, "scripts", "quickstart"), "--tools", bin, project], env);
  const readJson = (path: string) => JSON.parse(readFileSync(at(path), "utf8"));
  assertEquals(readJson("state/convergence-discussion-001.json").finalState, "contested");
  const rows: { wrapperPath: string }[] =
    readJson("state/team-state-discussion-001.json").workerDispatches;
  return [...new Set(rows.map((row) => row.wrapperPath))];
}

describe("the npm packages", { skip: RUNTIME === "deno" && "npm installs for Node" }, () => {
  it("hold a tool each and nothing to install, and work from where npm puts them", () =>
    withScratch((scratch) => {
      const prefix = join(scratch, "prefix"), bin = join(prefix, "bin"), env = installedEnv(bin);
      const folder = join(ROOT, "dist", "npm");
      writeFiles(folder, { "okstra-dispatch-0.0.1.tgz": "of a version before" });
      const tarballs = finish([join(ROOT, "scripts", "pack")], env).stdout.trim().split("\n");
      assertEquals(tarballs.length, TOOLS.length);
      const there = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
      assertEquals(there.map((name) => join(folder, name)), tarballs.toSorted());
      tarballs.forEach((tarball, i) => {
        const { stdout } = finish(["tar", "-tzf", tarball], env), files = stdout.trim().split("\n");
        const parts = files.filter((name) => name.startsWith("package/bin/parts/"));
        assertEquals(parts.filter((name) => name.endsWith(".js")).length, 2);
        assert(parts.some((name) => name.includes(COMPILED)));
        assertEquals(
          files.filter((name) => !parts.includes(name)).sort(),
          [
            "package/LICENSE",
            "package/README.md",
            "package/THIRD-PARTY-LICENCES",
            ...TOOLS[i] === "manifest-io" ? ["package/bin/okstra"] : [],
            `package/bin/okstra-${TOOLS[i]}`,
            "package/package.json",
          ],
        );
        const manifest = finish(["tar", "-xOzf", tarball, "package/package.json"], env).stdout;
        assertEquals(Object.keys(JSON.parse(manifest)).filter((key) => /depend/i.test(key)), []);
        const licences = ["tar", "-xOzf", tarball, "package/THIRD-PARTY-LICENCES"];
        assertMatch(finish(licences, env).stdout, /^valibot [\d.]+\n\n(?:.*\n)*?Copyright/m);
      });
      const options = ["--global", "--prefix", prefix, "--offline", "--no-audit", "--no-fund"];
      finish(["npm", "install", ...options, ...tarballs], env);
      assertEquals(
        readdirSync(bin).sort(),
        ["okstra", ...TOOLS.map((tool) => `okstra-${tool}`)].sort(),
      );
      assertEquals(tellQuickstart(scratch, bin, env), [join(bin, "okstra-wrapper-status")]);

      // Without the folder on PATH the tools still find each other.
      const project = join(scratch, "other");
      writeFiles(project, { "brief.md": "Look.\n" });
      const away = { ...env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
      const call = (...words: string[]) => JSON.parse(finish(words, away, project).stdout);
      const { runManifestPath } = call(
        ...[join(bin, "okstra"), "manifest-io", "prepare", "--task-key", "a/b/c"],
        ...["--task-type", "discussion", "--brief", "brief.md", "--worker", "claude"],
      );
      for (const words of [[join(bin, "okstra-dispatch")], [join(bin, "okstra"), "dispatch"]]) {
        const plan = call(...words, "plan", "--run-manifest", runManifestPath);
        assertEquals(plan.workers[0].command[0], join(bin, "okstra-wrapper-status"));
      }
    }));
});

describe(
  "what the build compiled",
  { skip: RUNTIME === "deno" && "Deno compiles for itself" },
  () => {
    it("is what the tools look for, and this V8 takes it", () => {
      const folder = join(ROOT, "dist", "bin", "parts");
      for (const tool of TOOLS) {
        const bin = readFileSync(join(ROOT, "dist", "bin", `okstra-${tool}`), "utf8");
        const prefix = /okstra-[a-z-]+-[0-9a-f]{16}/.exec(bin)![0];
        const names = readdirSync(folder).filter((name) => name.startsWith(`${prefix}${COMPILED}`));
        assert(names.length > 1, tool);
        for (const name of names) {
          const part = name.endsWith("-rest") ? "rest" : "usual";
          const text = readFileSync(join(folder, `${prefix}-${part}.js`), "utf8");
          const script = new Script(text, { cachedData: readFileSync(join(folder, name)) });
          assertEquals(script.cachedDataRejected, false, name);
        }
      }
    });
  },
);

describe("a built tool", () => {
  it("answers to help and version as its source does", () => {
    for (const tool of TOOLS) {
      const source = [denoPath(), "run", "-A", join(ROOT, "packages", tool, "src", "main.ts")];
      for (const [word, ...others] of [["--help", "-h"], ["--version"]]) {
        const told = finish([...source, word!], toolEnv("")).stdout;
        for (const each of [word!, ...others]) {
          const built = finish([...builtWords(tool), each], toolEnv("")).stdout;
          assertEquals(built, told, `${tool} ${each}`);
        }
      }
    }
  });

  const noFullDevice = !existsSync("/dev/full") && "the system has no /dev/full";
  it("fails to print help as any command does (K-003)", { skip: noFullDevice }, () => {
    const line = [...builtWords("team-state"), "--help"].map((word) => `'${word}'`).join(" ");
    const command = ["sh", "-c", `${line} > /dev/full`];
    const { status, stderr } = runProgram(command, { cwd: ROOT, env: toolEnv("") });
    assertEquals(status, 4);
    assertStringIncludes(stderr, 'error: Cannot write "standard output": no space left');
  });
});

describe("a built tool for Node", { skip: RUNTIME === "deno" && "Deno has modules" }, () => {
  it("says what is missing if its parts are", () =>
    withScratch((scratch) => {
      cpSync(join(ROOT, "dist", "bin", "okstra-team-state"), join(scratch, "okstra-team-state"));
      const tool = join(scratch, "okstra-team-state"), env = toolEnv("");
      const { status, stdout, stderr } = runProgram([tool, "show"], { cwd: scratch, env });
      assertEquals([status, stdout], [4, ""]);
      assertMatch(
        stderr,
        /error: Cannot read the rest of this program: .*parts.*\n.*hint: Install/,
      );
      assertMatch(finish([tool, "--version"], env).stdout, /^okstra-team-state \d/);
    }));

  const noProc = !existsSync("/proc/self/fd") && "only /proc tells what a process has opened";
  it(
    "keeps what it may need later, although it is removed",
    { skip: noProc },
    () =>
      withScratch(async (scratch) => {
        cpSync(join(ROOT, "dist", "bin"), scratch, { recursive: true });
        const tool = join(scratch, "okstra-team-state");
        // It waits for its run; that this is none is said by a part that is not read before.
        const child = spawn(tool, ["show", "--run-manifest", "-"], { env: toolEnv("") });
        let stderr = "";
        child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
        const ended = new Promise((resolve) => child.on("close", resolve));
        const descriptors = `/proc/${child.pid}/fd`;
        const hasOpened = () =>
          readdirSync(descriptors).some((name) =>
            readLink(join(descriptors, name)).endsWith("-rest.js")
          );
        while (!hasOpened()) await new Promise((resolve) => setTimeout(resolve, 5));
        removeTree(join(scratch, "parts"));
        child.stdin.end("{");
        assertEquals([await ended, stderr.split("\n")[0]], [
          2,
          "okstra-team-state: error: Cannot find the run on standard input: it is not one JSON document",
        ]);
      }),
  );
});

/** Where a link leads; nowhere, if it has been removed meanwhile. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The words that run a built tool. */
const builtWords = (tool: string) =>
  RUNTIME === "deno" ? denoWords(tool) : [join(ROOT, "dist", "bin", `okstra-${tool}`)];

describe("the modules for Deno", { skip: RUNTIME === "node" && "Deno installs for Deno" }, () => {
  it("are installed by deno install, and start the wrapper that lies beside them", () =>
    withScratch((scratch) => {
      const prefix = join(scratch, "prefix"), bin = join(prefix, "bin");
      const modules = join(scratch, "lib"), env = installedEnv(bin, dirname(process.execPath));
      cpSync(join(ROOT, "dist", "deno"), modules, { recursive: true });
      for (const tool of TOOLS) {
        const name = `okstra-${tool}`, module = join(modules, `${name}.mjs`);
        const options = ["--global", "--allow-all", "--root", prefix, "--name", name];
        finish([process.execPath, "install", ...options, module], env, scratch);
      }
      assertEquals(
        tellQuickstart(scratch, bin, env),
        [join(modules, "okstra-wrapper-status.mjs")],
      );
    }));
});
