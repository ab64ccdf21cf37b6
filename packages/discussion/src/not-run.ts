/** Names the dispatch that a worker never had, for the failure that says so. */
export function notRunDispatch(worker: string): string {
  return `not-run:${worker}`;
}
