import { useRef, useState } from 'preact/hooks';
import './capture/capture.css';
import { type BrowserName, browserOf, type SystemName } from './capture/camera/browser.ts';
import { CameraTrouble } from './capture/camera-trouble.tsx';
import { CardCamera } from './capture/document/card-camera.tsx';
import { useCardGuide } from './capture/document/use-card-guide.ts';
import { SelfieCamera } from './capture/face/selfie-camera.tsx';
import { useFaceFinder } from './capture/face/use-face-finder.ts';
import { CardFigure } from './capture/figures.tsx';
import { CaptureIcon } from './capture/icons.tsx';
import type { Picture } from './capture/picture/picture.ts';
import { useCamera } from './capture/use-camera.ts';
import type { Translate } from './i18n/translate.ts';
import { Button } from './ui/button.tsx';
import { Passed } from './ui/illustrations.tsx';
import { Title } from './ui/title.tsx';

/** Shows whether this device and browser can take the photographs of a journey. It uploads nothing. */
type Kind = 'document' | 'face';
type CameraFacts = { width: number; height: number; lenses: number; rate: number | undefined };
type View = { at: 'start' } | { at: 'looking'; kind: Kind } | { at: 'works'; facts: CameraFacts };

export function CameraCheck({ t }: { t: Translate; language: string }) {
  const [view, setView] = useState<View>({ at: 'start' });
  const back = () => setView({ at: 'start' });
  if (view.at === 'looking') {
    return (
      <Looking
        key={view.kind}
        t={t}
        kind={view.kind}
        onBack={back}
        onFound={(facts) => setView({ at: 'works', facts })}
      />
    );
  }
  if (view.at === 'works') return <Works t={t} facts={view.facts} onBack={back} />;
  return (
    <>
      <CardFigure kind="card" side="front" />
      <Title>{t('cameraCheck.title')}</Title>
      <p class="lead">{t('cameraCheck.lead')}</p>
      <p class="note">{t('camera.primer')}</p>
      <div class="actions">
        <Button kind="primary" onPress={() => setView({ at: 'looking', kind: 'document' })}>
          <CaptureIcon name="camera" />
          {t('cameraCheck.document')}
        </Button>
        <Button onPress={() => setView({ at: 'looking', kind: 'face' })}>
          <CaptureIcon name="face" />
          {t('cameraCheck.face')}
        </Button>
      </div>
    </>
  );
}

type LookingProps = { t: Translate; kind: Kind; onBack(): void; onFound(facts: CameraFacts): void };

function Looking({ t, kind, onBack, onFound }: LookingProps) {
  const guide = useCardGuide();
  const finder = useFaceFinder(kind === 'face');
  const camera = useCamera(kind === 'document' ? 'environment' : 'user');
  const frameTimes = useRef<{ first: number; last: number; count: number }>({ first: 0, last: 0, count: 0 });
  const count = () => {
    const now = performance.now();
    const { first, count: before } = frameTimes.current;
    frameTimes.current = { first: before === 0 ? now : first, last: now, count: before + 1 };
  };
  const show = ({ width, height }: Picture) => {
    const { first, last, count: all } = frameTimes.current;
    const rate = all > 1 ? ((all - 1) * 1000) / (last - first) : undefined;
    const lenses = camera.state.phase === 'open' ? camera.state.camera.lenses.length : 0;
    onFound({ width, height, lenses, rate });
  };
  if (camera.state.phase === 'fault') {
    return (
      <>
        <CameraTrouble t={t} fault={camera.state.fault} ways={{}} onAgain={camera.again} />
        <Button onPress={onBack}>{t('back')}</Button>
      </>
    );
  }
  return (
    <>
      <Title>{t(`cameraCheck.${kind}`)}</Title>
      {kind === 'document' ? (
        <CardCamera
          t={t}
          camera={camera}
          guide={guide}
          kind="card"
          side="front"
          otherSide={undefined}
          shutterAtOnce
          onLook={count}
          onShot={({ picture }) => show(picture)}
        />
      ) : (
        <SelfieCamera t={t} camera={camera} finder={finder} shutterAtOnce onLook={count} onShot={show} />
      )}
      <div class="actions">
        <Button onPress={onBack}>{t('back')}</Button>
      </div>
    </>
  );
}

/** Names are the same in every language; an unknown browser has none. */
const BROWSERS: Readonly<Record<BrowserName, string>> = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  safari: 'Safari',
  samsung: 'Samsung Internet',
  other: '–',
};
const SYSTEMS: Readonly<Record<SystemName, string>> = {
  android: 'Android',
  ios: 'iOS',
  mac: 'macOS',
  windows: 'Windows',
  other: '',
};

function Works({ t, facts, onBack }: { t: Translate; facts: CameraFacts; onBack(): void }) {
  const { name, system } = browserOf(navigator.userAgent, navigator.maxTouchPoints);
  const { width, height, lenses, rate } = facts;
  const guidance =
    rate === undefined ? t('cameraCheck.guide.no') : t('cameraCheck.guide.yes', { rate: rate.toFixed(1) });
  return (
    <>
      <Passed />
      <Title>{t('cameraCheck.works')}</Title>
      <dl class="facts panel" data-rate={rate}>
        <Fact name={t('cameraCheck.size')} value={`${width} × ${height}`} />
        <Fact name={t('cameraCheck.lenses')} value={String(lenses)} />
        <Fact name={t('cameraCheck.guide')} value={guidance} />
        <Fact name={t('cameraCheck.browser')} value={[BROWSERS[name], SYSTEMS[system]].filter(Boolean).join(', ')} />
      </dl>
      <div class="actions">
        <Button kind="primary" onPress={onBack}>
          {t('back')}
        </Button>
      </div>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
