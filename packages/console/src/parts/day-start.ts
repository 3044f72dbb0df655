/** The first moment of a day in the zone of the viewer, so many days later. */
export function dayStart(day: string | undefined, later: number): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  if (!day || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
