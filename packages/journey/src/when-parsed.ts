/** The element of the app, once the browser has parsed it: a cached script may run before that. */
export async function whenParsed(): Promise<HTMLElement> {
  if (document.readyState === 'loading') {
    await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
  }
  return document.getElementById('app') as HTMLElement;
}
