import assert from 'node:assert/strict';
import { isGroveError } from 'grove-idv-sdk';

/** For `assert.rejects`: the server has refused the request of a client with this code. */
export function refuses(code: number, status?: number, pointer?: string): (error: unknown) => true {
  return (error) => {
    assert.ok(isGroveError(error), String(error));
    assert.equal(error.code, code);
    if (status !== undefined) assert.equal(error.status, status);
    if (pointer !== undefined) assert.equal(error.errors[0]?.pointer, pointer);
    return true;
  };
}
