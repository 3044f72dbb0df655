import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserOf, chromeIntent, settingsPlaceOf } from './browser.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test('each browser leads to its own settings', () => {
  const places = [
    [`${IPHONE} Version/17.4 Mobile/15E148 Safari/604.1`, 'safariIos'],
    [`${IPHONE} CriOS/123.0 Mobile/15E148 Safari/604.1`, 'otherIos'],
    [`${IPHONE} FxiOS/124.0 Mobile/15E148 Safari/605.1.15`, 'otherIos'],
    [`${ANDROID} Chrome/123.0.0.0 Mobile Safari/537.36`, 'chromeAndroid'],
    [`${ANDROID} Chrome/123.0.0.0 Mobile Safari/537.36 EdgA/123.0`, 'chromeAndroid'],
    [`${ANDROID} SamsungBrowser/24.0 Chrome/117.0.0.0 Mobile Safari/537.36`, 'samsung'],
    ['Mozilla/5.0 (Android 14; Mobile; rv:124.0) Gecko/124.0 Firefox/124.0', 'firefoxAndroid'],
    [`${ANDROID} Chrome/123.0.0.0 Mobile Safari/537.36 OPR/80.0`, 'other'],
    [`${WINDOWS} Chrome/123.0.0.0 Safari/537.36`, 'chromeDesktop'],
    [`${WINDOWS} Chrome/123.0.0.0 Safari/537.36 Edg/123.0.0.0`, 'chromeDesktop'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:124.0) Gecko/20100101 Firefox/124.0', 'firefoxDesktop'],
    [`${MAC} Version/17.4 Safari/605.1.15`, 'safariMac'],
    ['something else', 'other'],
  ];
  for (const [userAgent = '', place] of places) assert.equal(settingsPlaceOf(browserOf(userAgent)), place, userAgent);
});

test('an iPad that calls itself a Mac is recognised by its touch points', () => {
  const userAgent = `${MAC} Version/17.4 Safari/605.1.15`;
  assert.equal(settingsPlaceOf(browserOf(userAgent, 5)), 'safariIos');
  assert.equal(settingsPlaceOf(browserOf(userAgent, 0)), 'safariMac');
});

test('an intent opens the whole address in Chrome, and in any other browser where there is no Chrome', () => {
  const intent = chromeIntent('https://acme.eu.grove.example/web/?pi=1#c=a%26b');
  assert.equal(
    intent,
    'intent://acme.eu.grove.example/web/?pi=1#c=a%26b#Intent;scheme=https;package=com.android.chrome;' +
      'S.browser_fallback_url=https%3A%2F%2Facme.eu.grove.example%2Fweb%2F%3Fpi%3D1%23c%3Da%2526b;end',
  );
});
