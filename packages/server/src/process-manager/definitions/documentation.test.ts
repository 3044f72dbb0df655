import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { stepTypes } from '../engine/steps/registry.ts';
import { SHIPPED } from '../install-shipped.ts';
import { checkDefinition, deploymentFaults } from './check-definition.ts';
import type { Lookup } from './check-references.ts';
import { settingsTable, stepTable } from './step-table.ts';

const page = readFileSync(new URL('../../../../../docs/definitions.md', import.meta.url), 'utf8');

/** A new tenant with the shipped definitions only. */
const newTenant: Lookup = {
  has: async ({ kind, name }) => kind === 'definition' && SHIPPED.some((each) => each === name),
  runs: async () => [],
};

describe('the page about definitions', () => {
  type Stage = { tags?: string[]; steps: { type: string }[] };
  const stages = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text = '']) => {
    const value = parse(text) as Stage | null;
    return value?.steps ? [value] : [];
  });

  it('the page about definitions shows complete definitions that a new tenant could deploy', async () => {
    assert.equal(stages.length, 14);
    for (const stage of stages) {
      const { tags: _ofTheFile, ...document } = stage;
      assert.deepEqual(await deploymentFaults(checkDefinition(document), newTenant), [], JSON.stringify(document));
    }
  });

  it('the page about definitions uses every type of step that a new tenant can deploy and that needs an explanation', () => {
    const used = new Set(stages.flatMap(({ steps }) => steps.map(({ type }) => type)));
    for (const type of [
      'consent',
      'form',
      'document',
      'face',
      'faceMatch',
      'pause',
      'review',
      'subprocess',
      'decision',
    ]) {
      assert.ok(stepTypes.has(type) && used.has(type), type);
    }
  });

  it('the page about definitions has the tables generated from the code; `npm run generate` writes them', () => {
    const between = (mark: string) => new RegExp(`<!-- ${mark} -->\n([^]*)\n<!-- /${mark} -->`).exec(page)?.[1]?.trim();
    assert.equal(between('steps'), stepTable());
    assert.equal(between('settings'), settingsTable());
  });
});
