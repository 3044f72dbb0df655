import { createBucket, missingForCeph, startCeph } from '../../packages/server/test/ceph.ts';
import { openMailServer } from '../../packages/server/test/mail-server.ts';
import { S3_KEY, S3_REGION, startS3 } from '../../packages/server/test/s3-server.ts';

/**
 * The other servers in the network of the drill: a mail server and a store of images, which is Ceph if it is installed. Prints
 * one line of JSON when it is ready, and one for each mail that arrives. Ends when its standard input ends.
 */
const BUCKET = 'my-images';

const mails = await openMailServer();
const store = await openStore();
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
print({ smtpUrl: mails.url, ...store.settings });

process.stdin.resume().on('end', async () => {
  await store.stop();
  await mails.close();
  process.exit(0);
});

for (let count = 1; ; count++) {
  const { to, text } = await mails.arrived(count);
  print({ to, text });
}

async function openStore() {
  if (missingForCeph().length > 0) {
    const { endpoint, stop } = await startS3(BUCKET);
    return { settings: { store: 'the S3 server of the tests', region: S3_REGION, endpoint, ...S3_KEY }, stop };
  }
  const { endpoint, key, stop } = await startCeph();
  const settings = { store: 'Ceph', region: 'default', endpoint, ...key };
  await createBucket({ ...settings, endpoint: `${endpoint}/${BUCKET}` });
  return { settings, stop };
}
