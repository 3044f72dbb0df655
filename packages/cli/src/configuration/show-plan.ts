import { stringify } from 'yaml';
import { printable, styled } from '../output.ts';
import { lineDiff } from './line-diff.ts';
import type { DefinitionChange, Plan, SettingsChange, TagChange } from './plan-changes.ts';
import type { ResourceChange } from './resources.ts';

/** Formats a plan for people, before or after it is applied. */
export type Tense = 'planned' | 'done';

export function showPlan(plan: Plan, tense: Tense): string {
  const { definitions, tags, settings, resources, unmanaged } = plan;
  const parts = [
    ...resources.map((change) => resourceText(change, tense)),
    ...definitions.map((change) => definitionText(change, tense)),
    ...tags.map((change) => tagText(change, tense)),
    ...(settings ? [settingsText(settings, tense)] : []),
    ...unmanaged.map(({ kind, name }) => `  ${kind} ${JSON.stringify(printable(name))}: not in the folder; it stays`),
  ];
  return [...parts, '', summary(plan, tense)].join('\n');
}

/** Formats a plan for machines, with one entry for each version, tag and setting. */
export function planValue({ definitions, tags, settings, resources, unmanaged }: Plan) {
  return {
    ...(resources.length > 0 && {
      resources: resources.map(({ action, kind, file, name }) => ({ action, kind, file, name })),
    }),
    ...(unmanaged.length > 0 && { unmanaged }),
    definitions: definitions.map(({ action, file, name, version, before }) => ({
      action,
      file,
      name,
      version,
      ...(before && { before: before.version }),
    })),
    tags: tags.map((change) => ({ ...change })),
    ...(settings && { settings: settingsValue(settings) }),
  };
}

/** Each setting of the file with its present and its new value. */
function settingsValue({ action, before, after }: SettingsChange) {
  const pairs = Object.keys(after).map((name) => {
    const key = name as keyof typeof after;
    return [name, { action, before: before[key], after: after[key] }];
  });
  return Object.fromEntries(pairs);
}

function definitionText(change: DefinitionChange, tense: Tense): string {
  const { action, file, name, version, before, document } = change;
  const label = `${name} ${version}`;
  const source = styled('dim', file);
  if (action === 'none') return `  ${label}: unchanged ${source}`;
  const sign = mark(before ? '~' : '+');
  const todo = `${verb(tense, action === 'deploy' ? 'deployed' : 'created and deployed')} ${source}`;
  if (!before) return `${sign} ${label}: new, with ${stepsOf(document)}, ${todo}`;
  const title = `${sign} ${name} ${before.version} → ${version}: changed, ${todo}`;
  return [title, ...diffLines(toYaml(before.document), toYaml(document))].join('\n');
}

function resourceText({ action, kind, file, name, values, before }: ResourceChange, tense: Tense): string {
  const title = `${kind} ${JSON.stringify(printable(name))}`;
  const source = styled('dim', file);
  if (action === 'none') return `  ${title}: unchanged ${source}`;
  if (action === 'create') return `${mark('+')} ${title}: new, ${verb(tense, 'created')} ${source}`;
  const lines = diffLines(toYaml(before), toYaml(values));
  return [`${mark('~')} ${title}: ${verb(tense, 'changed')} ${source}`, ...lines].join('\n');
}

function tagText({ action, tag, name, version, from }: TagChange, tense: Tense): string {
  const title = `tag ${JSON.stringify(printable(tag))}`;
  if (action === 'none') return `  ${title}: unchanged, on ${name} ${version}`;
  if (action === 'add') return `${mark('+')} ${title}: ${verb(tense, 'put')} on ${name} ${version}`;
  return `${mark('~')} ${title}: ${verb(tense, 'moved')} from ${from} to ${name} ${version}`;
}

function settingsText({ action, before, after }: SettingsChange, tense: Tense): string {
  if (action === 'none') return '  settings: unchanged';
  const lines = diffLines(toYaml(before), toYaml(after));
  return [`${mark('~')} settings: ${verb(tense, 'changed')}`, ...lines].join('\n');
}

function summary({ definitions, tags, settings, resources }: Plan, tense: Tense): string {
  const all = [...resources, ...definitions, ...tags, ...(settings ? [settings] : [])];
  const changed = all.filter(({ action }) => action !== 'none').length;
  if (changed === 0) return 'The tenant matches the folder.';
  const many = changed === 1 ? '1 change' : `${changed} changes`;
  return tense === 'planned' ? `${many} to make: grove apply makes them.` : `${many} made.`;
}

function verb(tense: Tense, participle: string): string {
  return tense === 'planned' ? `to be ${participle}` : participle;
}

function stepsOf({ steps }: DefinitionChange['document']): string {
  const count = Array.isArray(steps) ? steps.length : 0;
  return count === 1 ? '1 step' : `${count} steps`;
}

const COLOURS = { '+': 'green', '-': 'red', '~': 'yellow', ' ': undefined, '…': 'dim' } as const;

function mark(sign: keyof typeof COLOURS): string {
  return coloured(sign, sign);
}

function diffLines(before: string, after: string): string[] {
  return lineDiff(before, after).map((line) =>
    coloured(line.mark, `    ${line.mark} ${printable(line.text)}`.trimEnd()),
  );
}

function coloured(sign: keyof typeof COLOURS, text: string): string {
  const colour = COLOURS[sign];
  return colour === undefined ? text : styled(colour, text);
}

/** Formats a value as YAML with one line for each scalar, however long, so that lines can be compared. */
export function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
