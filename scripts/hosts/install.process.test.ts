// What the host adapters install and take out again, and that hosts can read it.
import { after, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  HOSTS,
  LEADS,
  listInline,
  listLines,
  readTexts,
  type Texts,
} from "../../test/hosts-lines.ts";
import {
  type Finished,
  listTree,
  makeScratch,
  runProgram,
  snapshotTree,
  toolEnv,
  withScratch,
  writeFiles,
} from "../../test/support.ts";

const READMES = ["", "shell/", ...Object.keys(LEADS).map((host) => `${host}/`)]
  .map((folder) => `${folder}README.md`);

function install(words: readonly string[], cwd: string, home = cwd): Finished {
  const env = toolEnv(HOSTS, { HOME: home });
  return runProgram([join(HOSTS, "install"), ...words], { cwd, env });
}

const read = (folder: string, path: string) => readFileSync(join(folder, path), "utf8");

/** Reads the strings of a TOML file that holds nothing else. */
function parseToml(text: string): Record<string, string> {
  const entry = /^(\w+) = (?:"""\n((?:[^"\\]|"(?!""))*)"""|"((?:[^"\\\n])*)")\n/gm;
  const values = Object.fromEntries(
    [...text.matchAll(entry)].map(([, key, long, short]) => [key!, long ?? short!]),
  );
  const rest = text.replace(entry, "").replace(/^#.*\n/gm, "");
  assertEquals(rest.trim(), "", "there is more than plain strings in it");
  return values;
}

describe("scripts/hosts/install", () => {
  const all = makeScratch();
  let known: Texts | null = null;
  after(() => rmSync(all, { recursive: true }));

  /** Gives what the adapters of all hosts are made of, each installed below one folder. */
  const withTexts = (body: (folder: string, texts: Texts) => void) =>
    body(all, known ??= readTexts(all));

  it("does what the READMEs say, in a project and in a home directory, and takes it out again", () =>
    withScratch((scratch) => {
      const lines = new Set(READMES.flatMap((name) => {
        const text = read(HOSTS, name);
        return [
          ...listLines(text, /^scripts\/hosts\/install/),
          ...listInline(text, /^scripts\/hosts\/install/),
        ];
      }));
      const both = [...lines].flatMap((line) => {
        const other = /or: (.*)$/.exec(line)?.[1];
        return other === undefined ? [line] : [line, other];
      });
      assertEquals(
        [...new Set(both.map((line) => line.split(" ")[1]))].sort(),
        [...Object.keys(LEADS), "shell"].sort(),
      );
      both.forEach((line, i) => {
        const home = join(scratch, `home-${i}`), project = join(scratch, `project-${i}`);
        mkdirSync(home);
        mkdirSync(project);
        const words = line.split(" ").slice(1).map((word) => word === "DIR" ? project : word);
        const before = [listTree(home), listTree(project)];
        const { status, stderr } = install(words, scratch, home);
        assertEquals(status, 0, `${line}\n${stderr}`);
        const target = words.includes("--user") ? home : project;
        assert(listTree(target).length > 0, line);
        const installed = snapshotTree(target);
        assertEquals(install(words, scratch, home).stdout, "nothing to do\n");
        assertEquals(snapshotTree(target), installed);
        assertEquals(install([...words, "--remove"], scratch, home).status, 0);
        assertEquals([listTree(home), listTree(project)], before);
      });
    }));

  it("puts every file there that the README of its host names", () =>
    withTexts((scratch) => {
      for (const host of Object.keys(LEADS)) {
        const named = listInline(
          read(HOSTS, `${host}/README.md`),
          /^\.?[A-Za-z][\w./-]*(\.(md|json|toml)|\/okstra-status)$/,
        );
        const there = listTree(join(scratch, host)).filter((path) => !path.endsWith("/"));
        if (host !== "lead") {
          assertEquals(
            there.filter((path) => !named.includes(path) && !path.includes("status.toml")),
            [],
          );
        }
        for (const path of there.filter((path) => path.endsWith("okstra-status"))) {
          assert((statSync(join(scratch, host, path)).mode & 0o111) !== 0, path);
        }
      }
    }));

  it("writes what hosts can read: settings, commands, skills", () =>
    withTexts((scratch, texts) => {
      for (
        const [path, events] of [
          ["claude-code/.claude/settings.json", ["SessionStart", "Stop"]],
          ["codex/.codex/hooks.json", ["SessionStart", "Stop"]],
          ["gemini/.gemini/settings.json", ["SessionStart", "AfterAgent"]],
        ] as const
      ) {
        const { hooks } = JSON.parse(read(scratch, path));
        assertEquals(Object.keys(hooks), [...events]);
        for (const event of events) {
          const [{ hooks: [hook] }] = hooks[event];
          assertEquals(hook.type, "command");
          assert(
            /okstra-status" ?(start|stop)$|okstra-status (start|stop)$/.test(hook.command),
            hook.command,
          );
        }
      }
      for (const name of ["lead", "status"]) {
        const { description, prompt } = parseToml(
          texts.get(`gemini/.gemini/commands/okstra/${name}.toml`)!,
        );
        assert(description !== "" && prompt!.includes("{{args}}"));
      }
      const skills = [...texts].filter(([name]) => name.endsWith("SKILL.md"));
      assertEquals(skills.length, 4);
      for (const [name, text] of skills) {
        const [, head, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
        const folder = name.split("/").at(-2);
        assertEquals(/^name: (.*)$/m.exec(head!)?.[1], folder);
        const description = /^description: (.*)$/m.exec(head!)?.[1] ?? "";
        assert(
          description.length > 20 && description.length <= 1024 && !/: /.test(description),
          name,
        );
        assert(body!.length > 100);
      }
      for (const [name, text] of texts) {
        assert(!/\{\{(?!args\}\})/.test(text) || name.includes("README"), name);
      }
    }));

  it("gives every leading agent the same relay and chapters, with its own name in it", () =>
    withTexts((_, texts) => {
      const relays = [
        "claude-code/.claude/skills/okstra/SKILL.md",
        "codex/.agents/skills/okstra/SKILL.md",
        "gemini/.gemini/skills/okstra/SKILL.md",
        "lead/OKSTRA.md",
      ].map((name) => {
        const lead = LEADS[name.split("/")[0]!]!;
        const text = texts.get(name)!;
        assertStringIncludes(text, `--lead ${lead} `);
        const own = text.slice(text.indexOf("# Lead an okstra"));
        const chapters = [...own.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path]) => {
          const chapter = texts.get(join(dirname(name), path!));
          assert(chapter !== undefined, `${name}: there is no ${path}`);
          return chapter;
        });
        assertEquals(chapters.length, 5);
        return [own.replaceAll("OKSTRA.d/", ""), ...chapters].join("\n")
          .replace(/^<!-- okstra-file .*\n/gm, "").replaceAll(`--lead ${lead} `, "--lead L ");
      });
      assertEquals(relays, relays.map(() => relays[0]!));
    }));

  it("keeps what others wrote into the same files, and puts its own part there once", () =>
    withScratch((scratch) => {
      const others = { command: "./mine.sh", type: "command" };
      const settings = {
        model: "m",
        hooks: { Stop: [{ hooks: [others] }], PreToolUse: [{ matcher: "Bash", hooks: [others] }] },
      };
      const before = {
        "CLAUDE.md": "# Mine\n\nText.\n",
        ".claude/settings.json": `${JSON.stringify(settings, null, 2)}\n`,
      };
      writeFiles(scratch, before);
      assertEquals(install(["claude-code"], scratch).status, 0);
      const { hooks, model } = JSON.parse(read(scratch, ".claude/settings.json"));
      assertEquals([model, hooks.PreToolUse, hooks.Stop[0]], [
        "m",
        settings.hooks.PreToolUse,
        settings.hooks.Stop[0]!,
      ]);
      assertEquals([hooks.Stop.length, hooks.SessionStart.length], [2, 1]);
      // A person put a hook of theirs into our group, and text behind our part.
      hooks.SessionStart[0].hooks.unshift(others);
      writeFileSync(join(scratch, ".claude/settings.json"), JSON.stringify({ model, hooks }));
      writeFileSync(join(scratch, "CLAUDE.md"), `${read(scratch, "CLAUDE.md")}\nMore.\n`);
      assertEquals(install(["claude-code"], scratch).status, 0);
      const again = JSON.parse(read(scratch, ".claude/settings.json")).hooks;
      assertEquals(again.SessionStart.map((group: { hooks: unknown[] }) => group.hooks.length), [
        1,
        1,
      ]);
      assertEquals(read(scratch, "CLAUDE.md").split("okstra: begin").length, 2);
      assertEquals(install(["claude-code", "--remove"], scratch).status, 0);
      assertEquals(read(scratch, "CLAUDE.md"), "# Mine\n\nText.\n\nMore.\n");
      assertEquals(JSON.parse(read(scratch, ".claude/settings.json")), {
        model: "m",
        hooks: { ...settings.hooks, SessionStart: [{ hooks: [others] }] },
      });
    }));

  it("refuses what it does not understand, and changes nothing", () =>
    withScratch((scratch) => {
      writeFiles(scratch, {
        "a/.claude/settings.json": "{",
        "b/.claude/settings.json": '{"hooks":[]}',
        "c/.claude/settings.json": '{"hooks":{"Stop":{}}}',
        "d/CLAUDE.md": "<!-- okstra: begin -->\nhalf\n",
        "e/.claude/hooks": "",
        "f/CLAUDE.md/x": "",
        "g/.claude/skills/okstra/SKILL.md": "mine\n",
        "h/CLAUDE.md": "",
      });
      writeFileSync(join(scratch, "h/CLAUDE.md"), Buffer.from("Stra\xdfe\n", "latin1"));
      const before = snapshotTree(scratch);
      for (
        const words of [
          [],
          ["nobody"],
          ["toString"],
          ["codex", "absent"],
          ["codex", ""],
          ["codex", "a", "b"],
          ["codex", "--user", "a"],
          ["codex", "--bogus"],
          ["codex", "--user=yes"],
          ["codex", "--force", "--remove"],
          ["lead", "d/CLAUDE.md"],
          ["lead", "--user"],
          ["shell", "a"],
          ...[..."abcdefgh"].map((directory) => ["claude-code", directory]),
        ]
      ) {
        const { status, stdout, stderr } = install(words, scratch);
        assertEquals([status, stdout], [2, ""], words.join(" "));
        assert(/^install: error: Cannot .*\ninstall: hint: .*\n$/.test(stderr), stderr);
        assert(
          !/nobody|toString/.test(stderr) || /hint: .*claude-code, .*gemini/.test(stderr),
          stderr,
        );
      }
      assertEquals(snapshotTree(scratch), before);
    }));

  it("says that it needs node", () =>
    withScratch((scratch) => {
      const { status, stderr } = runProgram(["/bin/sh", join(HOSTS, "install"), "lead"], {
        cwd: scratch,
        env: { PATH: scratch },
      });
      assertEquals(status, 2);
      assertStringIncludes(stderr, "install: error: Cannot find node");
      assertEquals(listTree(scratch), []);
    }));

  it("brings back every file as it was, whatever hosts share it", () =>
    withScratch((scratch) => {
      writeFiles(scratch, {
        "AGENTS.md": "",
        ".claude/settings.json": "{}",
        ".codex/hooks.json":
          '{"hooks": {"Stop": [{"hooks": [{"command": "/opt/okstra-status-mine"}]}]}}',
        ".gemini/settings.json": "\n",
        ".agents/skills/mine/SKILL.md": "# Mine\n\n\n",
      });
      mkdirSync(join(scratch, ".gemini/hooks"));
      chmodSync(join(scratch, ".claude/settings.json"), 0o600);
      symlinkSync("AGENTS.md", join(scratch, "CLAUDE.md"));
      symlinkSync("AGENTS.md", join(scratch, "GEMINI.md"));
      const before = snapshotTree(scratch);
      for (const host of ["claude-code", "codex", "gemini"]) {
        assertEquals(install([host], scratch).status, 0);
      }
      assertStringIncludes(read(scratch, "AGENTS.md"), "begin CLAUDE.md AGENTS.md GEMINI.md -->");
      assertEquals(read(scratch, "AGENTS.md").split("## okstra").length, 2);
      assertEquals(statSync(join(scratch, ".claude/settings.json")).mode & 0o777, 0o600);
      for (const host of ["codex", "claude-code", "gemini"]) {
        assertStringIncludes(read(scratch, "AGENTS.md"), "GEMINI.md -->");
        assertEquals(install([host, "--remove"], scratch).status, 0);
      }
      assertEquals(snapshotTree(scratch), before);
    }));

  it("keeps a file of the user that has the name of one of ours", () =>
    withScratch((scratch) => {
      writeFiles(scratch, { "OKSTRA.md": "mine\n" });
      const before = snapshotTree(scratch);
      const { status, stderr } = install(["lead"], scratch);
      assertEquals(status, 2);
      assertStringIncludes(stderr, "--force overwrites it");
      const removal = install(["lead", "--remove"], scratch);
      assertEquals(removal.status, 0);
      assertStringIncludes(removal.stdout, "kept ");
      assertEquals(snapshotTree(scratch), before);
      assertEquals(install(["lead", "--force"], scratch).status, 0);
      assertEquals(install(["lead", "--remove"], scratch).status, 0);
      assertEquals(listTree(scratch), []);
    }));
});
