import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The signals by which somebody asks the wrapper to end. */
export interface SignalWatch {
  /** Calls `listener` for every signal from now on, and for one that came before. */
  listen(listener: (signal: NodeJS.Signals) => void): void;
  /** Gives the signals back to the system. */
  dispose(): void;
}

/** Takes INT, TERM and HUP, so that a wrapper never ends without saying what became of its child. */
export function watchSignals(): SignalWatch {
  let listener: ((signal: NodeJS.Signals) => void) | null = null;
  const early: NodeJS.Signals[] = [];
  const handle = (signal: NodeJS.Signals) => listener ? listener(signal) : early.push(signal);
  for (const signal of SIGNALS) process.on(signal, handle);
  return {
    listen(next) {
      listener = next;
      for (const signal of early.splice(0)) next(signal);
    },
    dispose() {
      for (const signal of SIGNALS) process.off(signal, handle);
    },
  };
}
