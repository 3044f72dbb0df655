/** The pages of the shop. */
export type Customer = { status: string; told: string[] };

const style = `
  :root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif; }
  body { max-width: 32rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
  button { font: inherit; font-weight: 600; padding: .75rem 1.5rem; border: 0; border-radius: .75rem;
    background: #14532d; color: #fff; cursor: pointer; min-height: 44px; }
  button:focus-visible { outline: 3px solid #22c55e; outline-offset: 2px; }
  li { font-family: ui-monospace, monospace; }`;

function layout(title: string, body: string, more = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${more}
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main>${body}</main></body></html>`;
}

export function startPage(): string {
  return layout(
    'Open an account',
    `<h1>Open an account</h1>
<p>Before you can, we have to know who you are. You need your passport or identity card, and about three minutes.</p>
<form method="post" action="/start"><button>Verify my identity</button></form>`,
  );
}

const WORDS: Readonly<Record<string, string>> = {
  Accepted: 'Welcome. Your account is open.',
  Declined: 'We could not open your account. Please call us.',
  Review: 'Thank you. Somebody looks at it, and we write to you.',
  Abandoned: 'You did not finish. You can begin again at any time.',
};

export function statusPage({ status, told }: Customer): string {
  const words = WORDS[status];
  const list = told.map((each) => `<li>${escaped(each)}</li>`).join('');
  return layout(
    escaped(status),
    `<h1>${words ?? 'One moment…'}</h1>
<p>Grove says: <strong id="status">${escaped(status)}</strong></p>
${told.length > 0 ? `<p>Told by webhook:</p><ul id="told">${list}</ul>` : ''}
<p><a href="/">Back to the start</a></p>`,
    words ? '' : '<meta http-equiv="refresh" content="2">',
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
