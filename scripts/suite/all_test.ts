// Many ordinary test files in one process: 50 small files take a quarter of a second this way, and
// seven seconds with a process each. OKSTRA_TEST_FILES names them, as a JSON list of file URLs.
import { it } from "node:test";

for (const url of JSON.parse(process.env.OKSTRA_TEST_FILES ?? "[]") as string[]) {
  try {
    await import(url);
  } catch (error) {
    it(`loads ${url}`, () => {
      throw error;
    });
  }
}
