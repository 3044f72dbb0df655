import { render } from 'preact';
import { App } from './app.tsx';

/** The one page of the app, under each of its addresses. */
const root = document.getElementById('app') as HTMLElement;
const page = location.pathname.replace(/\/+$/, '').split('/').pop();

if (page === 'accessibility' || page === 'camera-check') {
  import('./plain-page.tsx').then(({ PlainPage }) => {
    root.textContent = '';
    render(<PlainPage page={page} />, root);
  });
} else {
  root.textContent = '';
  render(<App />, root);
}
