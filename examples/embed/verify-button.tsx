/** @jsxImportSource react */
import { type EmbeddedJourney, type JourneyEvents, openJourney } from 'grove-journey-embed';
import { useEffect, useRef, useState } from 'react';

type Props = {
  /** Asks your server for the `redirectUrl` of a new process instance. */
  start(): Promise<string>;
  onCompleted(event: JourneyEvents['completed']): void;
};

/** A button for React that shows a journey over the page, and takes it away with itself. */
export function VerifyButton({ start, onCompleted }: Props) {
  const journey = useRef<EmbeddedJourney | undefined>(undefined);
  const [step, setStep] = useState('');
  useEffect(() => () => journey.current?.close(), []);
  const verify = async () => {
    const opened = openJourney({ url: await start() });
    journey.current = opened;
    opened.on('step', ({ position, total }) => setStep(`${position} of ${total}`));
    opened.on('completed', onCompleted);
    opened.on('closed', () => setStep(''));
  };
  return (
    <button type="button" onClick={verify} disabled={step !== ''}>
      {step === '' ? 'Verify my identity' : step}
    </button>
  );
}
