import { openJourney } from '/embed/index.ts';

/** What the page of a shop does: asks its own server for a link, shows the journey, and hears how it goes. */
const note = (text) => {
  const line = document.createElement('li');
  line.textContent = text;
  document.querySelector('#events').append(line);
};

async function verify(mode) {
  const { url, id } = await (await fetch('/start', { method: 'POST' })).json();
  const journey = openJourney({ url, mode, container: document.querySelector('#place') });
  for (const name of ['ready', 'step', 'completed', 'closed', 'error']) {
    journey.on(name, (event) => note(`${name} ${JSON.stringify(event)}`));
  }
  // Not what the browser says counts, but what the server of the shop learns from Grove.
  journey.on('closed', async () => note(`Grove says: ${await (await fetch(`/status/${id}`)).text()}`));
}

for (const button of document.querySelectorAll('button[data-mode]')) {
  button.addEventListener('click', () => verify(button.dataset.mode));
}
