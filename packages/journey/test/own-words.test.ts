import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { heading, press } from './acts.ts';
import { keepScreens } from './keep-screens.ts';
import { openStage, type Stage } from './stage.ts';

/** Texts of the tenant, in the language of the page. */
describe('the words of a tenant', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places);
  });
  after(() => stage.close());

  const CONSENT = {
    id: 'consent',
    type: 'consent',
    purpose: { en: 'We open your account.', de: 'Wir eröffnen Ihr Konto.' },
    declineText: { en: 'Come to our branch.', ar: 'تفضل بزيارة فرعنا.' },
  };
  const FORM = {
    id: 'form',
    type: 'form',
    title: { en: 'About you', de: 'Über Sie', ar: 'عنك' },
    schema: {
      type: 'object',
      required: ['plan'],
      properties: {
        income: {
          type: 'number',
          title: { en: 'Yearly income', de: 'Jahreseinkommen' },
          description: { en: 'Before tax' },
        },
        plan: {
          type: 'string',
          title: 'Plan',
          enum: ['basic', 'premium'],
          labels: { basic: { en: 'Basic', de: 'Einfach', ar: 'أساسي' }, premium: { en: 'Premium', de: 'Erweitert' } },
        },
      },
    },
  };

  it('texts of a tenant are shown in the language of the page, or in English with its language and direction', async () => {
    const { url } = await stage.link({ steps: [CONSENT, FORM] });
    const page = await stage.page({ locale: 'de-DE' });
    await page.goto(url);
    await press(page, 'Beginnen');
    await page.getByText('Wir eröffnen Ihr Konto.').waitFor();
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('ar');
    const purpose = page.getByText('We open your account.');
    assert.deepEqual([await purpose.getAttribute('lang'), await purpose.getAttribute('dir')], ['en', 'auto']);
    assert.equal(await purpose.evaluate((element) => getComputedStyle(element).direction), 'ltr');
    await keepScreens(page, 'own-words-consent-ar');
    await page.locator('.actions button').nth(1).click();
    await page.getByText('تفضل بزيارة فرعنا.').waitFor();
    await page.locator('.actions button').first().click();
    await page.locator('.actions button').first().click();
    await heading(page, 'عنك');
    await page.getByText('أساسي').waitFor();
    await keepScreens(page, 'own-words-form-ar');
    await page.getByRole('combobox').first().selectOption('de');
    await heading(page, 'Über Sie');
    await page.getByLabel('Jahreseinkommen').fill('x');
    await page.getByText('Before tax').waitFor();
    await press(page, 'Weiter');
    await page.locator('.summary a', { hasText: 'Jahreseinkommen' }).waitFor();
    await page.getByLabel('Jahreseinkommen').fill('3');
    assert.equal(
      await page.locator('.summary a', { hasText: 'Jahreseinkommen' }).count(),
      0,
      'a mended field has no fault',
    );
    await page.getByLabel('Einfach').check();
    await press(page, 'Weiter');
    await heading(page, 'Fertig, vielen Dank');
    assert.deepEqual(stage.complaints, []);
  });

  it('validation names the languages that a text lacks, and no shipped definition lacks one', async () => {
    const validate = async (definition: object) => {
      const body = JSON.stringify(definition);
      const answer = await stage.app.call('/api/process-manager/processDefinitions/validate', { method: 'POST', body });
      return answer.body as { valid: boolean; missingLanguages: { pointer: string; languages: string[] }[] };
    };
    const steps = [CONSENT, FORM, { id: 'decide', type: 'decision' }];
    const { valid, missingLanguages } = await validate({ name: 'x', processDefinitionType: 'VERIFICATION', steps });
    assert.equal(valid, true);
    assert.deepEqual(
      missingLanguages.find(({ pointer }) => pointer === '/steps/1/schema/properties/plan/labels/premium')?.languages,
      missingLanguages.find(({ pointer }) => pointer === '/steps/0/purpose')?.languages,
    );
    assert.ok(!missingLanguages.some(({ pointer }) => pointer.endsWith('/plan/title')));
    const token = await stage.app.token();
    const { body } = await stage.app.call('/api/process-manager/processDefinitions?size=50', { token });
    for (const { id, name } of body.content.filter(({ createdBy }: { createdBy: string }) => createdBy === 'Grove')) {
      const found = await stage.app.call(`/api/process-manager/processDefinitions/${id}`, { token });
      const { missingLanguages: missing } = await validate(found.body.document ?? found.body.processDefinition ?? {});
      assert.deepEqual(missing, [], name);
    }
    const wrong = { ...CONSENT, purpose: { german: 'x' } };
    assert.equal((await validate({ name: 'x', processDefinitionType: 'VERIFICATION', steps: [wrong] })).valid, false);
  });
});
