import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { escapeArgument, escapeFormat, paneSetupWords, parsePaneState } from "./tmux-words.ts";

describe("escapeArgument()", () => {
  it("escapeArgument() marks a semicolon at the end, which would end the command", () => {
    assertEquals(["a", "a;b", ";", "a;", "a\\;", ""].map(escapeArgument), [
      "a",
      "a;b",
      "\\;",
      "a\\;",
      "a\\\\;",
      "",
    ]);
  });
});

describe("escapeFormat()", () => {
  it("escapeFormat() leaves nothing that tmux would expand or run", () => {
    assertEquals(escapeFormat("a #(rm x) #{b} ##"), "a ##(rm x) ##{b} ####");
  });
});

describe("paneSetupWords()", () => {
  it("paneSetupWords() sets and marks everything before it fills the pane, with two words at least (D-043)", () => {
    const words = paneSetupWords({
      paneId: "%5",
      title: "a#b-worker",
      tags: { "@okstra_dispatch": "x;" },
      variables: { A: "1;", B: null },
      command: ["prog"],
    });
    const commands = words.join(" ").split(" ; ");
    assertEquals(commands, [
      "set-option -p -t %5 remain-on-exit on",
      "set-option -p -t %5 @okstra_dispatch x\\;",
      "select-pane -t %5 -T a##b-worker",
      "respawn-pane -k -t %5 -e A=1\\; -- env -u B prog",
      "display-message -p -t %5 #{pane_id} #{pane_pid}",
    ]);
  });
});

describe("parsePaneState()", () => {
  const read = (answer: string) => parsePaneState(answer, "%5", "run inv:attempt-1");

  it("parsePaneState() takes an empty line, and another pane's, for a pane that is not there (P-21)", () => {
    assertEquals(read("").kind, "absent");
    assertEquals(read("\n").kind, "absent");
    assertEquals(read("%6 0 [] [] run inv:attempt-1").kind, "absent");
  });

  it("parsePaneState() trusts a number only with its mark (P-21)", () => {
    assertEquals(read("%5 0 [] [] run inv:attempt-1").kind, "alive");
    assertEquals(read("%5 0 [] [] run inv:attempt-10").kind, "foreign");
    assertEquals(read("%5 0 [] [] another inv:attempt-1").kind, "foreign");
    assertEquals(read("%5 0 [] []  inv:attempt-1").kind, "foreign");
    assertEquals(read("%5 0 [] []").kind, "foreign");
  });

  it("parsePaneState() reads status and signal, and that neither is known yet (P-21)", () => {
    const dead = (status: number | null, signal: string | null) => ({
      kind: "dead",
      status,
      signal,
    });
    assertEquals(read("%5 1 [7] [] run inv:attempt-1"), dead(7, null) as never);
    assertEquals(read("%5 1 [0] [] run inv:attempt-1"), dead(0, null) as never);
    assertEquals(read("%5 1 [] [9] run inv:attempt-1"), dead(null, "9") as never);
    assertEquals(read("%5 1 [] [] run inv:attempt-1"), dead(null, null) as never);
  });
});
