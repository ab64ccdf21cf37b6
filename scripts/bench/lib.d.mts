export function cleanEnv(): Record<string, string>;
