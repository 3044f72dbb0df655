import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientSignals, noteSignals } from './client-signals.ts';

const SIDES = ['front', 'back'];

it('the signals of a client report a virtual camera and a file, each once, and contain no free text of the client', () => {
  const hints = {
    frontSource: 'auto',
    frontCameraLabel: 'OBS Virtual Camera',
    frontTorch: true,
    frontSha256: 'ab',
    backSource: 'file',
    backCameraLabel: 'Ada’s OBS',
    otherSource: 'pdf',
  };
  assert.deepEqual(clientSignals(hints, SIDES), ['virtual_camera', 'from_file']);
  assert.deepEqual(clientSignals({ frontSource: 'pdf', backSource: '__proto__' }, SIDES), ['from_pdf']);
  assert.deepEqual(clientSignals({ frontSource: 'auto', frontCameraLabel: 'Back Camera' }, SIDES), []);
});

it('the signals of a client are added to the findings, and do not change them', () => {
  const check = { name: 'documentQuality', type: 'document', status: 'PASSED', metaData: { engine: 'x' } } as const;
  const other = { name: 'documentType', type: 'document', status: 'FAILED' } as const;
  const findings = noteSignals([check, other], 'documentQuality', ['from_file']);
  assert.deepEqual(findings, [{ ...check, metaData: { engine: 'x', client: ['from_file'] } }, other]);
  assert.deepEqual(noteSignals([check], 'documentQuality', []), [check]);
});
