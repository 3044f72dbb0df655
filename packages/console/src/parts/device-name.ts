import { useT } from '../texts/texts.tsx';

/** Translates the server's names of browsers: `Firefox on Android`, or `A browser` if it is unknown. */
export function useDeviceName(): (browser: string) => string {
  const t = useT();
  return (browser) => {
    const [, name = browser, system] = /^(.+) on (.+)$/.exec(browser) ?? [];
    const shownName = name === 'A browser' ? t('device.unknown') : name;
    return system ? t('device.on', { browser: shownName, system }) : shownName;
  };
}
