/** Quotes a worker's words for a message, shortened. */
export function quoteWords(text: string): string {
  const points = [...text.slice(0, 200)];
  return JSON.stringify(points.length > 60 ? `${points.slice(0, 60).join("")}…` : text);
}
