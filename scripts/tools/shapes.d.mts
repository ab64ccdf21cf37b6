import type { Plugin } from "esbuild";

export function shapes(root: string): Promise<Plugin>;
