import type { Target } from "./target.ts";
import { DOCUMENT_TARGETS } from "./targets/documents.ts";
import { FINDINGS } from "./targets/findings.ts";
import { JSON_TARGETS } from "./targets/json.ts";
import { RECORD_TARGETS } from "./targets/records.ts";
import { SHARED_FILE_TARGETS } from "./targets/shared-files.ts";
import { STREAM_TARGETS } from "./targets/streams.ts";
import { SYSTEM_TARGETS } from "./targets/system.ts";
import { VERDICTS } from "./targets/verdicts.ts";
import { WORD_TARGETS } from "./targets/words.ts";

/** Every parser and schema that is fuzzed; a new one is a new row here. */
export const TARGETS: readonly Target[] = [
  ...JSON_TARGETS,
  ...WORD_TARGETS,
  ...STREAM_TARGETS,
  FINDINGS,
  VERDICTS,
  ...RECORD_TARGETS,
  ...SYSTEM_TARGETS,
  ...SHARED_FILE_TARGETS,
  ...DOCUMENT_TARGETS,
];
