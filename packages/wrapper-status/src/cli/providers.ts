import { command } from "@okstra/kit/cli";

/** The command that tells of providers. */
export const commands = {
  providers: command({
    summary: "List the providers that workers may have",
    options: {
      "check": { type: "boolean", help: "Look which programs are installed, and their version" },
      "project-root": {
        type: "string",
        value: "DIR",
        help: "Project (default: nearest parent with .okstra, else the current directory)",
      },
    },
    example: "okstra-wrapper-status providers --check",
    reads: [".okstra/providers.json"],
    async run(call) {
      const { findProjectRoot } = await import("@okstra/manifest-io/io/project-root");
      const { reportProviders } = await import("../io/provider-report.ts");
      const given = call.values["project-root"];
      const root = findProjectRoot(
        given === undefined ? undefined : call.path(given),
        call.path("."),
      );
      const searchPath = call.io.env("PATH") ?? "";
      call.json({ providers: reportProviders(root, { check: call.values.check, searchPath }) });
    },
  }),
};
