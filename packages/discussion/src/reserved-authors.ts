import { RESERVED_AUTHORS } from "@okstra/manifest-io/vocabulary";

/** The author of what the user said. */
export const USER = RESERVED_AUTHORS[0] as string;

/** The author of what the moderating lead did. */
export const LEAD = RESERVED_AUTHORS[1] as string;
