/** The place of the app, once the browser has read as far as that: what is kept from before may be there sooner. */
export async function whenParsed(): Promise<HTMLElement> {
  if (document.readyState === 'loading') {
    await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
  }
  return document.getElementById('app') as HTMLElement;
}
