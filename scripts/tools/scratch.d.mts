export function makeScratch(
  prefix: string,
  how?: {
    readonly parent?: string | undefined;
    readonly release?: () => void;
    readonly isKept?: boolean;
  },
): string;
