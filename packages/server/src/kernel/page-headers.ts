/**
 * What shuts in a page that a tenant made, wherever it is served: by the server, and by the tester on the machine of
 * whoever writes it.
 */
export type PagePlace = {
  /** The host and port that were asked. */
  host: string | undefined;
  /** The path below which the files of the page are; empty if the whole host is the page's. */
  folder: string;
  /** Who may frame it, as a source of a policy. */
  ancestors: string;
};

const NOTHING_ALLOWED = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'compute-pressure',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

export function pageHeaders(page: PagePlace): Record<string, string> {
  return {
    'content-security-policy': policyOf(page),
    'permissions-policy': NOTHING_ALLOWED,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    // Its own fonts and modules are asked for by an opaque origin, which is never the same as ours. There is nothing
    // secret in a page, and no request for one carries a cookie.
    'access-control-allow-origin': '*',
  };
}

/**
 * `'self'` would be everything at this host: the API, and the pages of others. So the policy names the one folder that is
 * the page's.
 */
function policyOf({ host, folder, ancestors }: PagePlace): string {
  const from = /^[A-Za-z0-9.:[\]-]{1,255}$/.test(host ?? '') ? `${host}${folder}` : "'none'";
  return [
    'sandbox allow-scripts allow-forms',
    "default-src 'none'",
    `script-src ${from}`,
    `style-src ${from} 'unsafe-inline'`,
    `img-src ${from} data: blob:`,
    `font-src ${from} data:`,
    "connect-src 'none'",
    "worker-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}
