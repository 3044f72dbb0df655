import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fillWebhookTemplate, webhookTemplateFault } from './fill-template.ts';

const VALUES = {
  type: 'instance.created',
  processInstanceId: '01JZ4MCW8A0C2E4G6J8M0P2R4T',
  status: 'PENDING',
  sequence: 4,
  environment: 'live',
  processDefnName: 'onboarding',
  processDefnVersion: 2,
  storeName: '',
  userId: '',
  dateTime: '2026-01-01T00:00:00.000Z',
  parameters: { firstName: 'Ada "the first"\n', 'a.b': 'dotted' },
};

describe('a body template', () => {
  it('a body template is filled with values that stay inside their quotation marks', () => {
    const template = `{"e":"{type}","n":{sequence},"v":"{processDefnVersion}","p":{"first":"<{parameters.firstName}>",
      "d":"{parameters.a.b}","gone":"{parameters.nobody}"},"at":"{dateTime}"}`;
    assert.equal(webhookTemplateFault(template), undefined);
    assert.deepEqual(JSON.parse(fillWebhookTemplate(template, VALUES) ?? ''), {
      e: 'instance.created',
      n: 4,
      v: '2',
      p: { first: '<Ada "the first"\n>', d: 'dotted', gone: '' },
      at: '2026-01-01T00:00:00.000Z',
    });
  });

  it('a body template is refused if it is nested deeper than 32, whatever its texts contain', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}"[[[ \\" {{{"${'}]'.repeat(depth / 2)}`;
    assert.equal(webhookTemplateFault(nested(32)), undefined);
    assert.match(webhookTemplateFault(nested(34)) ?? '', /nested deeper than 32/);
    assert.match(webhookTemplateFault('['.repeat(60_000)) ?? '', /nested deeper than 32/);
  });

  it('a body template is refused if it is not JSON for every value, or has unknown placeholders', () => {
    for (const [template, fault] of [
      ['{"type": {type}}', /JSON once it is filled/],
      ['{"a": {parameters.age}}', /JSON once it is filled/],
      ['{"type": "{type}"', /JSON once it is filled/],
      ['not JSON', /JSON once it is filled/],
      ['{"a": "{nobody}"}', /must not hold \{nobody\}; there are \{type\}/],
      ['{"a": "{type.of}"}', /must not hold \{type.of\}/],
      ['{"a": "{parameters}"}', /must not hold \{parameters\}/],
      ['{"a": "{constructor}"}', /must not hold/],
      ['{"a": "{secret.KEY}"}', /secrets belong into headers/],
    ] as const) {
      assert.match(webhookTemplateFault(template) ?? '', fault, template);
    }
    for (const template of ['{}', '{"a":{}}', '[]', '"{type}"', '{"{type}":{"x":{sequence}}}']) {
      assert.equal(webhookTemplateFault(template), undefined, template);
    }
  });

  it('a body template keeps every parameter inside its place, and fills it only once', () => {
    const template = '{"name":"{parameters.name}","type":"{type}"}';
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary-ascii' }),
          fc.constantFrom('{type}', '","x":"', '\\', '$&', '\ud800', '名前'),
        ),
        (name) => {
          const filled = JSON.parse(fillWebhookTemplate(template, { ...VALUES, parameters: { name } }) ?? '');
          // Half of a surrogate pair cannot be sent; JSON writes it as an escape.
          assert.deepEqual(filled, { name, type: 'instance.created' });
        },
      ),
    );
  });

  it('a body template is not filled further once it is longer than a body may be', () => {
    let reads = 0;
    const long = '\u0001'.repeat(10_000);
    const counting = (value: string) => ({
      get long() {
        reads += 1;
        return value;
      },
    });
    const template = `{"a":"${'{parameters.long}'.repeat(200)}"}`;
    assert.equal(webhookTemplateFault(template), undefined);
    assert.equal(fillWebhookTemplate(template, { ...VALUES, parameters: counting(long) }), undefined);
    // Each placeholder inserts 60,000 characters.
    assert.equal(reads, 5);
    const short = fillWebhookTemplate(template, { ...VALUES, parameters: counting('b'.repeat(1000)) });
    assert.equal(short?.length, 200_008);
    assert.equal(reads, 205);
  });

  it('a body template takes no parameter from members that every object inherits', () => {
    assert.equal(fillWebhookTemplate('"{parameters.toString}"', VALUES), '""');
  });
});
