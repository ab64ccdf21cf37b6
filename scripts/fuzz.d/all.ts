import type { Target } from "./target.ts";
import { BYTE_TARGETS } from "./targets/bytes.ts";
import { CONSUMERS } from "./targets/consumers.ts";
import { DOCUMENT_TARGETS } from "./targets/documents.ts";
import { FINDINGS } from "./targets/findings.ts";
import { JSON_TARGETS } from "./targets/json.ts";
import { OPTION_TARGETS } from "./targets/options.ts";
import { RECORD_TARGETS } from "./targets/records.ts";
import { ROW_TARGETS } from "./targets/rows.ts";
import { RUN } from "./targets/run.ts";
import { SHARED_FILE_TARGETS } from "./targets/shared-files.ts";
import { STATE_TARGETS } from "./targets/states.ts";
import { STREAM_TARGETS } from "./targets/streams.ts";
import { SYSTEM_TARGETS } from "./targets/system.ts";
import { VERDICTS } from "./targets/verdicts.ts";
import { WORD_TARGETS } from "./targets/words.ts";

/** Every parser and schema that is fuzzed; a new one is a new row here. */
export const TARGETS: readonly Target[] = [
  ...JSON_TARGETS,
  ...BYTE_TARGETS,
  ...WORD_TARGETS,
  ...OPTION_TARGETS,
  ...STREAM_TARGETS,
  FINDINGS,
  VERDICTS,
  ...RECORD_TARGETS,
  ...ROW_TARGETS,
  ...STATE_TARGETS,
  RUN,
  CONSUMERS,
  ...SYSTEM_TARGETS,
  ...SHARED_FILE_TARGETS,
  ...DOCUMENT_TARGETS,
];
