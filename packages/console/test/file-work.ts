import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import sharp from 'sharp';
import { startJourney } from '../../server/test/end-user.ts';
import { checkScreen } from './case-work.ts';
import { walk } from './drawn-person.ts';
import type { Owner } from './owner.ts';
import { settled } from './stage.ts';

/** A file of about a megabyte takes a second or two. */
const BYTES_PER_SECOND = 400_000;

/** Tests the files of a verification. */
export function testFiles(owner: () => Owner): void {
  it('the download of an archive shows its progress in megabytes and per cent; items are downloaded by their path', async () => {
    const { stage, page: ownPage, open, keep } = owner();
    const page = ownPage();
    const { app, testKey } = stage();
    const parameters = { _scenario: 'face-mismatch', firstName: 'Arabella', lastName: 'Byrne' };
    const { user, processInstanceId: id } = await startJourney(app, testKey, { parameters });
    await walk(user, { document: await noise() });
    await open(`/instances/${id}`, /Arabella Byrne/);
    await page.getByRole('button', { name: 'Show personal data' }).click();
    await page.locator('.viewer img').first().waitFor();
    await settled(page);
    const network = await page.context().newCDPSession(page);
    const slow = (bytesPerSecond: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: bytesPerSecond,
        uploadThroughput: -1,
      });
    await slow(BYTES_PER_SECOND);
    const download = page.waitForEvent('download', { timeout: 120_000 });
    await page.getByRole('button', { name: 'Download archive' }).click();
    const progress = page.getByRole('button', { name: /^\d+(\.\d)? MB · [1-9]\d?%$/ });
    await progress.waitFor();
    assert.ok(await progress.isDisabled(), 'it is asked for once');
    await keep('archive-progress');
    const file = await download;
    await slow(-1);
    await page.getByRole('button', { name: 'Download archive' }).waitFor();
    assert.equal(file.suggestedFilename(), `${id}.zip`);
    assert.equal(
      readFileSync(await file.path())
        .subarray(0, 2)
        .toString(),
      'PK',
    );

    await page.getByText('Everything that is stored').click();
    const items = page.locator('details');
    await checkScreen(owner(), 'items');
    const [item] = await Promise.all([
      page.waitForEvent('download'),
      items
        .getByRole('button', { name: /^documents\/.*\/front/ })
        .first()
        .click(),
    ]);
    assert.equal(
      readFileSync(await item.path())
        .subarray(0, 2)
        .toString('hex'),
      'ffd8',
      'a JPEG',
    );
    await app.call(`/api/process-manager/processInstances/${id}/cancel`, {
      method: 'POST',
      token: await app.token(testKey),
    });
  });
}

/** A photograph that cannot be compressed. */
async function noise(): Promise<Uint8Array<ArrayBuffer>> {
  const create = {
    width: 1600,
    height: 1000,
    channels: 3,
    background: '#808080',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  } as const;
  return new Uint8Array(await sharp({ create }).jpeg({ quality: 92 }).toBuffer());
}
