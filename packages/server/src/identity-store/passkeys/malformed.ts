/** What a client sent is not what WebAuthn says it is. The message is for a developer and quotes no value. */
export class Malformed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Malformed';
  }
}
