/** Thrown if the data of a client breaks the format of the standard. The message is for the log and for a developer. */
export class Malformed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Malformed';
  }
}
