/** The tester's page. It acts as the journey: it frames the custom page, exchanges messages and logs them. */

export const TESTER_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Custom page</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/tester.css">
</head>
<body>
<main>
<section>
<h1>Custom page</h1>
<p id="checks" role="status"></p>
<label for="constants">Constants, as JSON</label>
<textarea id="constants" rows="5" spellcheck="false">{}</textarea>
<label for="language">Language</label>
<input id="language" value="en" maxlength="10">
<p id="fault" role="alert"></p>
<button id="reload" type="button">Load again</button>
<h2>Messages</h2>
<ol id="log" aria-live="polite"></ol>
</section>
<iframe id="page" title="The page" sandbox="allow-scripts allow-forms"></iframe>
</main>
<script src="/tester.js"></script>
</body>
</html>
`;

export const TESTER_CSS = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 0 }
main { display: grid; grid-template-columns: minmax(18rem, 26rem) 1fr; min-height: 100vh }
section { padding: 1.5rem; border-inline-end: 1px solid GrayText; overflow: auto; max-height: 100vh; box-sizing: border-box }
h1 { font-size: 1.25rem; margin: 0 0 .5rem } h2 { font-size: 1rem; margin: 1.5rem 0 .5rem }
label { display: block; margin-top: 1rem; font-weight: 600 }
textarea, input { box-sizing: border-box; width: 100%; font: inherit; font-family: ui-monospace, monospace; padding: .5rem }
button { font: inherit; min-height: 44px; padding: .5rem 1rem; margin-top: 1rem }
ol { list-style: none; margin: 0; padding: 0; font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
li { padding: .5rem 0; border-top: 1px solid GrayText; white-space: pre-wrap }
[data-good=no], [role=alert] { color: #c5221f; font-weight: 600 }
iframe { border: 0; width: 100%; height: 100%; min-height: 30rem; background: Canvas }
@media (max-width: 50rem) { main { grid-template-columns: 1fr } section { max-height: none; border: 0 } }
@media (prefers-color-scheme: dark) { [data-good=no], [role=alert] { color: #ff8a80 } }
`;

/** The limits are those of the step and of the journey. */
export const TESTER_JS = `const MAX_VARIABLES = 50, MAX_LENGTH = 1000, READY_WITHIN_MS = 10000, LOOK_EVERY_MS = 1000;
const at = (id) => document.getElementById(id);
const frame = at('page');
let version = '';
let late;

const write = (who, what) => {
  const line = document.createElement('li');
  line.textContent = new Date().toISOString().slice(11, 23) + ' ' + who + '\\n' + what;
  at('log').prepend(line);
};

const constantsOf = () => {
  at('fault').textContent = '';
  try {
    const constants = JSON.parse(at('constants').value || '{}');
    const good = constants && typeof constants === 'object' && !Array.isArray(constants)
      && Object.values(constants).every((value) => typeof value === 'string');
    if (!good) throw new Error('they must be an object of texts');
    return constants;
  } catch (error) {
    at('fault').textContent = 'Constants: ' + error.message;
    return {};
  }
};

const faultOf = (variables) => {
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) return 'variables must be an object';
  const entries = Object.entries(variables);
  if (entries.length > MAX_VARIABLES) return 'there may be ' + MAX_VARIABLES + ' variables at most';
  for (const [name, value] of entries) {
    if (!['string', 'number', 'boolean'].includes(typeof value)) return name + ' must be a text';
    if (String(value).length > MAX_LENGTH) return name + ' may have ' + MAX_LENGTH + ' characters at most';
  }
};

addEventListener('message', ({ data, source, origin }) => {
  if (source !== frame.contentWindow) return;
  write('page', JSON.stringify(data, null, 1));
  if (origin !== 'null') write('tester', 'The page has an origin, and must not.');
  if (data?.event === 'READY') {
    clearTimeout(late);
    const sessionData = { language: at('language').value, environment: 'test', tenantName: 'Tester' };
    const told = { command: 'PROCESS', variables: { constants: constantsOf(), sessionData } };
    frame.contentWindow.postMessage(told, '*');
    write('journey', JSON.stringify(told, null, 1));
  } else if (data?.event === 'SEND') {
    const fault = faultOf(data.variables ?? {});
    write('tester', fault ? 'A journey would refuse this: ' + fault + '.' : 'A journey would take this, and go on.');
  } else {
    write('tester', 'A journey would not know what this means.');
  }
});

const load = () => {
  clearTimeout(late);
  late = setTimeout(() => write('tester', 'The page has not said READY. A journey would give it up now.'), READY_WITHIN_MS);
  frame.src = '/pages/page/?' + encodeURIComponent(version);
  write('tester', 'Loaded.');
};

const look = async () => {
  const state = await fetch('/state').then((answer) => answer.json()).catch(() => undefined);
  if (!state) return;
  const { fault, files, bytes } = state;
  at('checks').textContent = fault ? fault : files + ' files, ' + bytes + ' bytes: an upload would be taken.';
  at('checks').dataset.good = fault ? 'no' : 'yes';
  if (state.version === version) return;
  version = state.version;
  if (!fault) load();
};

at('reload').addEventListener('click', load);
look();
setInterval(look, LOOK_EVERY_MS);
`;
