import { command, resolveRunPath, runOptions, stripControl, UsageError } from "@okstra/kit/cli";

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
      "run-manifest": {
        ...runOptions["run-manifest"],
        help: "Manifest of a run in the place of a project, whose own providers are listed, too " +
          "(default: $OKSTRA_RUN where --project-root is not given)",
      },
    },
    example: "okstra-wrapper-status providers --check",
    reads: [".okstra/providers.json", "the run manifest"],
    async run(call) {
      const { values, io } = call;
      const { "project-root": given, "run-manifest": named, check } = values;
      const { reportProviders } = await import("../io/provider-report.ts");
      const options = { check, searchPath: io.env("PATH") ?? "" };
      if (named === undefined && (given !== undefined || !io.env("OKSTRA_RUN"))) {
        const { findProjectRoot } = await import("@okstra/manifest-io/io/project-root");
        const place = given === undefined ? undefined : call.path(given);
        return call.json({
          providers: reportProviders(findProjectRoot(place, call.path(".")), options),
        });
      }
      if (given !== undefined) {
        throw new UsageError("Cannot list providers: --project-root and --run-manifest are given", {
          hint: "Leave --project-root out: the run says which project it is of",
        });
      }
      const path = await resolveRunPath(call);
      const { openRun } = await import("@okstra/manifest-io/io/run");
      const { projectRoot, manifest, manifestPath, remark } = openRun(path);
      if (remark !== null) io.err(`okstra-wrapper-status: note: ${stripControl(remark)}\n`);
      call.json({
        runManifestPath: manifestPath,
        providers: reportProviders(projectRoot, { ...options, frozen: manifest.providers }),
      });
    },
  }),
};
