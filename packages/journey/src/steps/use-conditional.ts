import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Passkeys without a dialog: one that is chosen in a field (autofill), and one that the browser creates by itself after
 * a login. Both wait in the background until the button is pressed instead.
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
  /** True while a dialog is open: browsers run one request at a time. */
  paused: boolean;
  onCredential(credential: object): void;
};

/** True if the page needs a field in which the browser offers passkeys. */
export function useConditional({ making, options, paused, onCredential }: Conditional): boolean {
  const [supported, setSupported] = useState(false);
  const latestOnCredential = useRef(onCredential);
  latestOnCredential.current = onCredential;
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
    // The button remains for end users who choose no passkey or have none.
    ceremony.then(
      (credential) => over || latestOnCredential.current(credential),
      () => undefined,
    );
    // A requested dialog ends this request by itself, so it is not aborted then.
    return () => {
      over = true;
    };
  }, [waits, publicKey, making]);
  useEffect(() => () => WebAuthnAbortService.cancelCeremony(), []);
  return offered && !making;
}

/** A browser that does not support this would open its dialog without a press. */
async function createsByItself(): Promise<boolean> {
  const { PublicKeyCredential: credentials } = globalThis as {
    PublicKeyCredential?: { getClientCapabilities?(): Promise<Record<string, boolean>> };
  };
  return (await credentials?.getClientCapabilities?.())?.conditionalCreate === true;
}
