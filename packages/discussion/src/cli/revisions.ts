import { command, mutationOptions } from "@okstra/kit/cli";
import { change, changeOptions, findTask } from "./call.ts";
import { CHANGED, reason, RUN, STORE, taskOptions } from "./options.ts";

/** Commands that freeze the draft and open it again. */
export const commands = {
  complete: command({
    summary: "Freeze the draft that the user saw as a revision",
    options: {
      "draft-version": {
        type: "string",
        value: "DIGEST",
        required: true,
        help: "draftVersion of status, as the user saw it",
      },
      ...taskOptions,
      ...mutationOptions,
    },
    example: `okstra-discussion complete --draft-version "$(okstra-discussion status | ` +
      `okstra-manifest-io get --raw - /draftVersion)"`,
    reads: [RUN, ...STORE],
    writes: ["<store>/revisions/<revision>.md", ...CHANGED],
    run: async (call) => {
      const task = await findTask(call), options = await changeOptions(call);
      const { completeTask } = await import("../io/complete.ts");
      const draftVersion = call.values["draft-version"];
      call.json(completeTask(task, { ...options, draftVersion }));
    },
  }),

  reopen: command({
    summary: "Open a completed discussion again as a new draft",
    options: {
      ...reason,
      revision: {
        type: "string",
        value: "ID",
        help: "Revision that is reopened (default: the completed one)",
      },
      ...taskOptions,
      ...mutationOptions,
    },
    example: "okstra-discussion reopen --reason 'A new release changes the facts'",
    reads: [RUN, ...STORE],
    writes: CHANGED,
    run: async (call) => {
      const { reopen } = await import("../reopen.ts");
      const { reason, revision } = call.values;
      await change(call, (ledger, task) => reopen(ledger, task, { reason, revision }));
    },
  }),
};
