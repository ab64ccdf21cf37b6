// Builds the tools as scripts/build does, and makes npm packages of them: see scripts/pack.
//
// What is published has a manifest of its own, since that of the sources names other packages of the workspace and
// exports TypeScript, which Node does not load from node_modules. As CommonJS without extension a tool has one name
// wherever it lies; npm puts a link to it on PATH.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildBy, buildTools, digestIn, parseLines, TOOLS } from "./build.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const target = join(root, "dist", "npm");
/** What scripts/build writes of the packages that went into the tools. */
const LICENCES = "THIRD-PARTY-LICENCES";
/** What the manifest of the sources has in common with the published one. */
const KEPT = ["name", "version", "description", "license", "bin", "engines"];

/** Returns the names of the files that a tool reads: its parts, and what was compiled by each Node that built it. */
function listParts(tool) {
  const program = readFileSync(join(root, "dist", "bin", `okstra-${tool}`), "utf8");
  return readdirSync(join(root, "dist", "bin", "parts")).filter((name) =>
    program.includes(digestIn(name))
  );
}

/** Writes the folder of a package and packs it; returns the path of the tarball. */
function packTool(tool) {
  const source = join(root, "packages", tool), folder = join(target, tool);
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const kept = KEPT.map((key) => [key, manifest[key]]);
  const published = {
    ...Object.fromEntries(kept),
    type: "commonjs",
    publishConfig: { access: "public" },
  };
  mkdirSync(join(folder, "bin", "parts"), { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(root, "dist", LICENCES), join(folder, LICENCES));
  copyFileSync(join(source, "README.md"), join(folder, "README.md"));
  for (const path of Object.values(manifest.bin)) {
    copyFileSync(join(root, "dist", "bin", basename(path)), join(folder, path));
  }
  for (const name of listParts(tool)) {
    copyFileSync(join(root, "dist", "bin", "parts", name), join(folder, "bin", "parts", name));
  }
  const packed = spawnSync("npm", ["pack", "--json", "--pack-destination", target], {
    cwd: folder,
    encoding: "utf8",
  });
  if (packed.status !== 0) {
    throw new Error(`Cannot pack ${tool}: npm ended with an error\n${packed.stderr}`);
  }
  const [{ filename }] = JSON.parse(packed.stdout);
  return join(target, filename.replace("@", "").replace("/", "-"));
}

async function main() {
  const lines = parseLines("pack");
  if (lines === null) return;
  try {
    await buildTools(root);
    buildBy(lines);
    // Of other versions, too, or all of them would be installed.
    rmSync(target, { recursive: true, force: true });
    for (const tool of TOOLS) console.log(packTool(tool));
  } catch (error) {
    console.error(`pack: error: ${error.message}`);
    process.exitCode = 4;
  }
}

await main();
