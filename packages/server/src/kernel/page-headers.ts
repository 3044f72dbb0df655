import { splitWords } from './split-words.ts';

/**
 * The headers that keep the page of a tenant from reaching anything else. The server sends them, and so does the tester of
 * the CLI.
 */
export type PageSource = {
  /** The host and port of the request. */
  host: string | undefined;
  /** The path of the folder with the page's files; empty if the host serves nothing else. */
  folder: string;
  /** The sites that may frame the page, as a source list of a policy. */
  ancestors: string;
};

const NOTHING_ALLOWED = splitWords(`
  accelerometer autoplay browsing-topics camera clipboard-read clipboard-write compute-pressure display-capture
  encrypted-media fullscreen gamepad geolocation gyroscope hid idle-detection keyboard-map local-fonts
  magnetometer microphone midi otp-credentials payment picture-in-picture publickey-credentials-create
  publickey-credentials-get screen-wake-lock serial storage-access usb window-management xr-spatial-tracking
`)
  .map((feature) => `${feature}=()`)
  .join(', ');

export function pageHeaders(page: PageSource): Record<string, string> {
  return {
    'content-security-policy': policyOf(page),
    'permissions-policy': NOTHING_ALLOWED,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    // A sandboxed page loads its own fonts and modules from an opaque origin, which never equals ours. A page holds no
    // secret, and no request for one carries a cookie.
    'access-control-allow-origin': '*',
  };
}

/**
 * `'self'` would allow everything on this host: the API and the pages of other tenants. So the policy names the folder of
 * the page.
 */
function policyOf({ host, folder, ancestors }: PageSource): string {
  const from = /^[A-Za-z0-9.:[\]-]{1,255}$/.test(host ?? '') ? `${host}${folder}` : "'none'";
  return [
    'sandbox allow-scripts allow-forms',
    "default-src 'none'",
    `script-src ${from}`,
    `style-src ${from} 'unsafe-inline'`,
    `img-src ${from} data: blob:`,
    `font-src ${from} data:`,
    "connect-src 'none'",
    // No other directive limits connections between browsers (WebRTC). Chromium does not obey this one yet.
    "webrtc 'block'",
    "worker-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}
