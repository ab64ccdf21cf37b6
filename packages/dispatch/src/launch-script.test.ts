import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { formatLaunchScript } from "./launch-script.ts";

describe("formatLaunchScript()", () => {
  it("formatLaunchScript() sets and takes away variables, then becomes the command", () => {
    const script = formatLaunchScript({
      command: ["/bin/wrap", "a b"],
      variables: { A: "x y", B: null },
      remark: "two\nlines",
    });
    assertEquals(
      script,
      "#!/bin/sh\n# two lines\nexport A='x y'\nunset B\nexec /bin/wrap 'a b'\n",
    );
  });
});
