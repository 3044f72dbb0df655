import { type JSX, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Opening } from './app-opening.tsx';
import type { Translate } from './i18n/translate.ts';
import { useMessages } from './i18n/use-messages.ts';
import { AccessibilityScreen } from './screens/accessibility.tsx';
import { Shell } from './shell.tsx';
import { whenParsed } from './when-parsed.ts';

/** Pages that belong to no journey. */
type View = (props: { t: Translate; language: string }) => JSX.Element;

type Page = 'accessibility' | 'camera-check';

export async function showPlainPage(page: Page): Promise<void> {
  const root = await whenParsed();
  root.textContent = '';
  render(<PlainPage page={page} />, root);
}

function PlainPage({ page }: { page: Page }) {
  const words = useMessages(page === 'accessibility' ? ['shell'] : ['shell', 'steps', 'capture']);
  const View = useView(page);
  if (!words || !View) return <Opening />;
  return (
    <Shell words={words}>
      <div class="view">
        <View t={words.t} language={words.language} />
      </div>
    </Shell>
  );
}

function useView(page: Page): View | undefined {
  const [view, setView] = useState<{ View: View }>();
  useEffect(() => {
    if (page === 'accessibility') return setView({ View: AccessibilityScreen });
    void import('./camera-check.tsx').then(({ CameraCheck }) => setView({ View: CameraCheck }));
  }, [page]);
  return view?.View;
}
