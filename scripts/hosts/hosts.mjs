// What belongs to which host and where it goes: path in the project or in the home directory → file of this folder.

/**
 * @param root how a hook finds the place of its script, in a shell
 * @param chapters the folder of the relay's chapters, as the relay names it
 */
const place = (root, { files, sections = {}, hooks = {} }, chapters = "") => ({
  root,
  files,
  sections,
  hooks,
  chapters,
});

/** The chapters of the relay in a folder, beside or below the text that names them. */
const chapters = (folder) =>
  Object.fromEntries(
    ["failed", "questions", "critic", "report", "sessions"].map((name) => [
      `${folder}/${name}.md`,
      `relay/${name}.md`,
    ]),
  );

const claude = {
  files: {
    ".claude/skills/okstra/SKILL.md": "skill.md",
    ...chapters(".claude/skills/okstra"),
    ".claude/skills/okstra-status/SKILL.md": "claude-code/status.md",
    ".claude/hooks/okstra-status": "okstra-status",
  },
  hooks: { ".claude/settings.json": "claude-code/settings.json" },
};
const codex = {
  files: {
    ".agents/skills/okstra/SKILL.md": "skill.md",
    ...chapters(".agents/skills/okstra"),
    ".codex/hooks/okstra-status": "okstra-status",
  },
  hooks: { ".codex/hooks.json": "codex/hooks.json" },
};
const gemini = {
  files: {
    ".gemini/skills/okstra/SKILL.md": "skill.md",
    ...chapters(".gemini/skills/okstra"),
    ".gemini/commands/okstra/lead.toml": "gemini/lead.toml",
    ".gemini/commands/okstra/status.toml": "gemini/status.toml",
    ".gemini/hooks/okstra-status": "okstra-status",
  },
  hooks: { ".gemini/settings.json": "gemini/settings.json" },
};

/** `lead` is what `okstra-manifest-io prepare --lead` is told. */
export const HOSTS = {
  "shell": {
    lead: "external",
    user: place("", { files: { ".local/bin/okstra-review": "shell/okstra-review" } }),
    note: 'Needs ~/.local/bin on PATH: export PATH="$HOME/.local/bin:$PATH"',
  },
  "claude-code": {
    lead: "claude",
    project: place('"$CLAUDE_PROJECT_DIR"', { ...claude, sections: { "CLAUDE.md": "section.md" } }),
    user: place('"$HOME"', { ...claude, sections: { ".claude/CLAUDE.md": "section.md" } }),
  },
  "codex": {
    lead: "codex",
    project: place('"$(git rev-parse --show-toplevel 2>/dev/null || pwd)"', {
      ...codex,
      sections: { "AGENTS.md": "section.md" },
    }),
    user: place('"$HOME"', { ...codex, sections: { ".codex/AGENTS.md": "section.md" } }),
    note: "Codex runs a new hook only after you trusted it: give /hooks in Codex",
  },
  "gemini": {
    lead: "gemini",
    project: place('"$GEMINI_PROJECT_DIR"', { ...gemini, sections: { "GEMINI.md": "section.md" } }),
    user: place('"$HOME"', { ...gemini, sections: { ".gemini/GEMINI.md": "section.md" } }),
  },
  "lead": {
    lead: "external",
    project: place(
      "",
      { files: { "OKSTRA.md": "lead/OKSTRA.md", ...chapters("OKSTRA.d") } },
      "OKSTRA.d/",
    ),
  },
};
