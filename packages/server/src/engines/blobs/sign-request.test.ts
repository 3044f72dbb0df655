import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RequestToSign, sha256, signRequest } from './sign-request.ts';

/** Values published by Amazon: the signing test suite, and the examples in the documentation of S3. */
const NOTHING = sha256('');
const SUITE_KEY = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
};
const SUITE_TIME = Date.parse('2015-08-30T12:36:00Z');
const S3_KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
};
const S3_TIME = Date.parse('2013-05-24T00:00:00Z');

const suite = (request: Partial<RequestToSign>) =>
  signRequest(
    { method: 'GET', host: 'example.amazonaws.com', path: '/', payloadHash: NOTHING, ...request },
    SUITE_KEY,
    SUITE_TIME,
  );
const s3 = ({ headers, payloadHash = NOTHING, ...request }: Partial<RequestToSign>) =>
  signRequest(
    {
      method: 'GET',
      host: 'examplebucket.s3.amazonaws.com',
      path: '/',
      payloadHash,
      ...request,
      headers: { ...headers, 'x-amz-content-sha256': payloadHash },
    },
    S3_KEY,
    S3_TIME,
  );
const signatureOf = ({ headers }: ReturnType<typeof signRequest>) => headers.authorization.split('Signature=')[1];

describe('a signed request', () => {
  const vectors: [name: string, signed: ReturnType<typeof signRequest>, signature: string][] = [
    ['get-vanilla', suite({}), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      suite({ query: { Param2: 'value2', Param1: 'value1' } }),
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['post-vanilla', suite({ method: 'POST' }), '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    ['get-utf8', suite({ path: '/ሴ' }), '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
    [
      'S3: GET object',
      s3({ path: '/test.txt', headers: { Range: 'bytes=0-9' } }),
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'S3: PUT object',
      s3({
        method: 'PUT',
        path: '/test$file.text',
        headers: { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        payloadHash: sha256('Welcome to Amazon S3.'),
      }),
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'S3: GET bucket lifecycle',
      s3({ query: { lifecycle: '' } }),
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'S3: list objects',
      s3({ query: { 'max-keys': '2', prefix: 'J' } }),
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ];
  for (const [name, signed, signature] of vectors) {
    it(`a signed request has the signature that Amazon published: ${name}`, () =>
      assert.equal(signatureOf(signed), signature));
  }

  it('a signed request names who signed it, when, and which headers', () => {
    const { headers, path } = suite({ query: { b: 'two words', a: "it's*" } });
    assert.equal(path, '/?a=it%27s%2A&b=two%20words');
    assert.equal(headers['x-amz-date'], '20150830T123600Z');
    assert.match(
      headers.authorization,
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/service\/aws4_request, SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
  });
});
