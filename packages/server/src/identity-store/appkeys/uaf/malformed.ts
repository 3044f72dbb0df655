/** What a client sent is not what the standard says it should be. The message is for the log and for a developer. */
export class Malformed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Malformed';
  }
}
