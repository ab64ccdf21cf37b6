import { stderr } from "node:process";

/** Returns how large the terminal behind standard error is; 80 by 24 where it does not tell. */
export function terminalSize(): { readonly columns: number; readonly rows: number } {
  const { columns, rows } = stderr as { readonly columns?: number; readonly rows?: number };
  return { columns: columns || 80, rows: rows || 24 };
}
