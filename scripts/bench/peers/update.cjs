// One change of a document with the two npm packages that most programs take for it: MODULES FILE KEY VALUE
const { readFileSync } = require("node:fs");
const [modules, path, key, value] = process.argv.slice(2);
const lockfile = require(`${modules}/proper-lockfile`);
const writeFileAtomic = require(`${modules}/write-file-atomic`);

async function update() {
  const release = await lockfile.lock(path, {
    retries: { retries: 1000, minTimeout: 5, maxTimeout: 50 },
  });
  try {
    const document = JSON.parse(readFileSync(path, "utf8"));
    document.revision += 1;
    document[key] = value;
    await writeFileAtomic(path, `${JSON.stringify(document, null, 2)}\n`);
  } finally {
    await release();
  }
}

update().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
