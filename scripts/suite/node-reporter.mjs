// Writes one JSON line for each finished test of node:test, and {"end":true} when the run is over.
export default async function* report(events) {
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const name = [...names.slice(0, data.nesting), data.name].join(" > ");
    const error = data.details?.error;
    // A suite or test that failed only because of what it holds is told by what it holds; one that is skipped tells of
    // nothing that it holds.
    if (type === "test:fail" && error?.failureType === "subtestsFailed") continue;
    if (type === "test:pass" && data.details?.type === "suite" && data.skip === undefined) continue;
    const status = type === "test:fail"
      ? "failed"
      : data.skip !== undefined || data.todo !== undefined
      ? "skipped"
      : "passed";
    const cause = error?.cause ?? error;
    const text = error === undefined ? "" : `${cause?.stack ?? cause}`;
    yield JSON.stringify({ name, status, text }) + "\n";
  }
  yield '{"end":true}\n';
}
