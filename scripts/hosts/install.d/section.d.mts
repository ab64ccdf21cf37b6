export function addSection(
  text: string | null,
  section: string,
  name: string,
  leadsHere?: (name: string) => boolean,
): string;
export function removeSection(
  text: string,
  name: string,
  leadsHere?: (name: string) => boolean,
): { text: string | null; users: string[] };
