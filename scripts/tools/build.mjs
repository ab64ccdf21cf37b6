// One CommonJS file a tool: Node starts it 4 to 6 ms sooner than the same code as an ES module.
// A file is replaced by rename and only if it changed, so that a build under running tools, or one
// that is killed, never leaves half a tool.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The tools, by the name of their package; the binary of `x` is `okstra-x`. */
export const TOOLS = [
  "manifest-io",
  "team-state",
  "wrapper-status",
  "dispatch",
  "convergence",
  "discussion",
];

/** Builds every tool below `root` into `root/dist/bin`; throws naming the entry files that do not exist. */
export async function buildTools(root) {
  const entries = TOOLS.map((tool) => join(root, "packages", tool, "src", "main.ts"));
  const missing = entries.filter((entry) => !existsSync(entry));
  if (missing.length > 0) {
    const names = missing.map((entry) => relative(root, entry)).join(", ");
    throw new Error(`Cannot build the tools: ${names} does not exist`);
  }
  const binDir = join(root, "dist", "bin");
  mkdirSync(binDir, { recursive: true });
  // Node takes a file without extension for what the nearest package.json says; that of the repository says module.
  writeIfChanged(
    join(root, "dist", "package.json"),
    Buffer.from('{ "type": "commonjs" }\n'),
    0o644,
  );
  await Promise.all(TOOLS.map(async (tool, i) => {
    const result = await build({
      absWorkingDir: root,
      entryPoints: [entries[i]],
      bundle: true,
      platform: "node",
      target: "node20.16",
      format: "cjs",
      minify: true,
      legalComments: "none",
      write: false,
      logLevel: "warning",
    });
    writeIfChanged(join(binDir, `okstra-${tool}`), result.outputFiles[0].contents, 0o755);
  }));
  const script = readFileSync(join(root, "scripts", "tools", "okstra.sh"));
  writeIfChanged(join(binDir, "okstra"), script, 0o755);
  return binDir;
}

function writeIfChanged(file, bytes, mode) {
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, bytes);
  chmodSync(temporary, mode);
  renameSync(temporary, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  try {
    await buildTools(root);
  } catch (error) {
    console.error(`build: error: ${error.message}`);
    process.exitCode = 4;
  }
}
