/** The start of a day in the viewer's time zone, shifted by `later` days. */
export function dayStart(day: string | undefined, later: number): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  if (!day || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
