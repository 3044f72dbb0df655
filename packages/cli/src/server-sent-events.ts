/** Reads server-sent events (HTML, 9.2), as far as Grove sends them: single lines of data, and comments. */
export type ServerSentEvent = { event: string; data: string };

const MAX_EVENT_CHARACTERS = 2 ** 20;

export async function* readEvents({ body }: Response): AsyncGenerator<ServerSentEvent> {
  if (!body) return;
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > MAX_EVENT_CHARACTERS) throw new Error('an event is too long');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  return data === undefined ? undefined : { event: fields.get('event') ?? 'message', data };
}
