import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Passkeys without a dialog of ours: one that is taken from the list of a field (autofill), and one that the browser makes
 * by itself after a login. Both wait in the background until the button is pressed instead.
 */
export type PasskeyOptions = {
  readonly publicKey?: object;
  readonly expiringDtm?: string;
  readonly mediation?: 'conditional';
};
type Registration = Parameters<typeof startRegistration>[0]['optionsJSON'];
type Authentication = Parameters<typeof startAuthentication>[0]['optionsJSON'];

type Conditional = {
  making: boolean;
  options: PasskeyOptions | undefined;
  /** Not beside a dialog that was asked for: a browser answers one question at a time. */
  paused: boolean;
  onCredential(credential: object): void;
};

/** True if the page needs a field for the browser to offer passkeys in. */
export function useConditional({ making, options, paused, onCredential }: Conditional): boolean {
  const [supported, setSupported] = useState(false);
  const tell = useRef(onCredential);
  tell.current = onCredential;
  useEffect(() => {
    (making ? createsByItself() : browserSupportsWebAuthnAutofill()).then(setSupported, () => setSupported(false));
  }, [making]);
  const { publicKey, mediation } = options ?? {};
  const offered = supported && mediation === 'conditional';
  const waits = offered && !paused && publicKey !== undefined;
  useEffect(() => {
    if (!waits || !publicKey) return;
    let over = false;
    const ceremony = making
      ? startRegistration({ optionsJSON: publicKey as Registration, useAutoRegister: true })
      : startAuthentication({ optionsJSON: publicKey as Authentication, useBrowserAutofill: true });
    // Who takes none, or has none, presses the button.
    ceremony.then(
      (credential) => over || tell.current(credential),
      () => undefined,
    );
    // A dialog that was asked for ends it by itself, and must not be ended in its place.
    return () => {
      over = true;
    };
  }, [waits, publicKey, making]);
  useEffect(() => () => WebAuthnAbortService.cancelCeremony(), []);
  return offered && !making;
}

/** A browser that does not know it would open its dialog without a gesture. */
async function createsByItself(): Promise<boolean> {
  const { PublicKeyCredential: credentials } = globalThis as {
    PublicKeyCredential?: { getClientCapabilities?(): Promise<Record<string, boolean>> };
  };
  return (await credentials?.getClientCapabilities?.())?.conditionalCreate === true;
}
