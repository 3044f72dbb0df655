/** The browser and its system, as far as the way to the camera settings depends on them. */
export type BrowserName = 'chrome' | 'edge' | 'firefox' | 'safari' | 'samsung' | 'other';
export type SystemName = 'android' | 'ios' | 'mac' | 'windows' | 'other';
export type Browser = { readonly name: BrowserName; readonly system: SystemName };

/** The places in which the camera is allowed again; each has a text of its own. */
export type SettingsPlace =
  | 'safariIos'
  | 'otherIos'
  | 'chromeAndroid'
  | 'samsung'
  | 'firefoxAndroid'
  | 'chromeDesktop'
  | 'safariMac'
  | 'firefoxDesktop'
  | 'other';

/** An iPad calls itself a Mac, but it has touch points. */
export function browserOf(userAgent: string, touchPoints = 0): Browser {
  return { name: nameOf(userAgent), system: systemOf(userAgent, touchPoints) };
}

export function settingsPlaceOf({ name, system }: Browser): SettingsPlace {
  if (system === 'ios') return name === 'safari' ? 'safariIos' : 'otherIos';
  if (name === 'samsung') return 'samsung';
  if (system === 'android') {
    if (name === 'firefox') return 'firefoxAndroid';
    return name === 'chrome' || name === 'edge' ? 'chromeAndroid' : 'other';
  }
  if (name === 'safari') return 'safariMac';
  if (name === 'firefox') return 'firefoxDesktop';
  return name === 'chrome' || name === 'edge' ? 'chromeDesktop' : 'other';
}

/** The address by which Android opens a page in Chrome, or in another browser without Chrome. The last `#` counts. */
export function chromeIntent(address: string): string {
  const { protocol, host, pathname, search, hash } = new URL(address);
  const scheme = protocol.replace(':', '');
  const fallback = encodeURIComponent(address);
  return `intent://${host}${pathname}${search}${hash}#Intent;scheme=${scheme};package=com.android.chrome;S.browser_fallback_url=${fallback};end`;
}

// The order matters: most browsers also carry the names of older ones.
const NAMES: readonly (readonly [BrowserName, RegExp])[] = [
  ['edge', /\bEdg(e|A|iOS)?\//],
  ['samsung', /SamsungBrowser\//],
  ['firefox', /Firefox\/|FxiOS\//],
  ['other', /\bOPR\/|OPiOS\/|YaBrowser\/|UCBrowser\/|DuckDuckGo\//],
  ['chrome', /Chrom(e|ium)\/|CriOS\//],
  ['safari', /Safari\//],
];

const SYSTEMS: readonly (readonly [SystemName, RegExp])[] = [
  ['android', /Android/],
  ['ios', /iPhone|iPad|iPod/],
  ['windows', /Windows/],
  ['mac', /Macintosh|Mac OS X/],
];

function nameOf(userAgent: string): BrowserName {
  return NAMES.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'other';
}

function systemOf(userAgent: string, touchPoints: number): SystemName {
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'other';
  return system === 'mac' && touchPoints > 1 ? 'ios' : system;
}
