import type { DefinitionFile } from './read-folder.ts';

/** Orders definitions so that each follows its subprocesses, and finds circles among them. */
export function runOrder(files: readonly DefinitionFile[]): { ordered: DefinitionFile[]; circles: string[] } {
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<DefinitionFile>();
  const circles: string[] = [];
  const visit = (file: DefinitionFile, way: readonly DefinitionFile[]) => {
    if (ordered.has(file)) return;
    if (way.includes(file)) {
      const circle = [...way.slice(way.indexOf(file)), file].map(({ name }) => name).join(' → ');
      circles.push(`${file.placeOf('/steps')} would run itself: ${circle}`);
      return;
    }
    for (const name of runs(file)) {
      const below = byName.get(name);
      if (below) visit(below, [...way, file]);
    }
    ordered.add(file);
  };
  for (const file of files) visit(file, []);
  return { ordered: [...ordered], circles };
}

function runs({ document: { steps } }: DefinitionFile): string[] {
  const listed = Array.isArray(steps) ? (steps as ({ type?: unknown; definition?: unknown } | null)[]) : [];
  return listed.flatMap((step) => (step?.type === 'subprocess' ? [String(step.definition)] : []));
}
