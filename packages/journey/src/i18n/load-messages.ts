import type { Messages } from './translate.ts';

/** Each language of each area is a file of its own, loaded when it is needed. */
export type Area = 'shell' | 'steps' | 'capture';

const files = import.meta.glob<{ messages: Messages }>('../../messages/*/*.json');
const cache = new Map<string, Promise<Messages>>();

export function loadMessages(area: Area, language: string): Promise<Messages> {
  const name = `../../messages/${area}/${language}.json`;
  let messages = cache.get(name);
  if (!messages) {
    const load = files[name];
    messages = load ? load().then((file) => file.messages) : Promise.resolve({});
    cache.set(name, messages);
    // A failed load is not cached, so that it is tried again.
    messages.catch(() => cache.delete(name));
  }
  return messages;
}
