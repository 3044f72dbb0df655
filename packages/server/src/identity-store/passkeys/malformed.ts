/** Thrown if the data of a client breaks the format of WebAuthn. The message is for a developer and quotes no value. */
export class Malformed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Malformed';
  }
}
