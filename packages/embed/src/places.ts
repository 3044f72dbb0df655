/** A place in which a journey is shown: a dialog over the page, an element of it, or a window. */
export type JourneyDisplay = {
  /** The window whose messages are accepted; null before it exists. */
  target(): Window | null;
  resize(height: number): void;
  /** Offers a window in place of a frame that did not load. */
  offerWindow(open: () => void): void;
  remove(): void;
};

export type Labels = {
  /** The title of the frame, for screen readers. */
  title: string;
  close: string;
  openWindow: string;
};

const MIN_HEIGHT = 640;

export function showInline(container: Element, url: string, labels: Labels): JourneyDisplay {
  const frame = makeFrame(url, labels.title);
  Object.assign(frame.style, { width: '100%', height: `${MIN_HEIGHT}px` });
  container.append(frame);
  return {
    target: () => frame.contentWindow,
    resize: (height) => {
      frame.style.height = `${Math.max(MIN_HEIGHT, height)}px`;
    },
    offerWindow: (open) => frame.replaceWith(makeButton(labels.openWindow, open)),
    remove: () => container.replaceChildren(),
  };
}

/** A dialog of the browser: it keeps the focus inside, and Escape closes it. */
export function showModal(url: string, labels: Labels, onClose: () => void): JourneyDisplay {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', labels.title);
  // The dialog uses the browser's own colours, light or dark. On a small screen it fills the screen.
  Object.assign(dialog.style, {
    boxSizing: 'border-box',
    width: 'min(480px, 100vw)',
    height: 'min(860px, 100dvh)',
    maxWidth: 'none',
    maxHeight: 'none',
    padding: '0',
    border: '0',
    borderRadius: '12px',
    overflow: 'hidden',
    colorScheme: 'light dark',
    background: 'Canvas',
    color: 'CanvasText',
  });
  const close = makeButton('×', onClose);
  close.setAttribute('aria-label', labels.close);
  Object.assign(close.style, {
    display: 'block',
    width: '44px',
    height: '44px',
    marginInlineStart: 'auto',
    border: '0',
    background: 'none',
    color: 'inherit',
    font: '28px/1 sans-serif',
  });
  const frame = makeFrame(url, labels.title);
  Object.assign(frame.style, { width: '100%', height: 'calc(100% - 44px)' });
  dialog.append(close, frame);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    onClose();
  });
  document.body.append(dialog);
  dialog.showModal();
  frame.focus();
  return {
    target: () => frame.contentWindow,
    resize: () => undefined,
    offerWindow: (open) => frame.replaceWith(makeButton(labels.openWindow, open)),
    remove: () => dialog.remove(),
  };
}

function makeFrame(url: string, title: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.src = url;
  // The browser still asks the end user for permission.
  frame.allow =
    'camera; publickey-credentials-get; publickey-credentials-create; clipboard-write; fullscreen; web-share';
  frame.referrerPolicy = 'no-referrer';
  Object.assign(frame.style, { display: 'block', border: '0', colorScheme: 'light dark' });
  return frame;
}

function makeButton(text: string, press: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.style.cursor = 'pointer';
  button.addEventListener('click', press);
  return button;
}
