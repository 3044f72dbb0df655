/** Why there is no picture, in words that a page can answer with a remedy. */
export type CameraFault =
  /** The person said no, or the browser says it for them. */
  | 'denied'
  /** The system does not let the browser have the camera. */
  | 'deniedBySystem'
  /** The question was closed without an answer. */
  | 'dismissed'
  | 'notFound'
  /** Another program or tab has it. */
  | 'inUse'
  | 'unsuitable'
  /** The page that embeds this one does not allow it. */
  | 'blocked'
  | 'aborted'
  /** The browser knows no cameras. */
  | 'noApi'
  /** The browser gives cameras only to pages that came by https. */
  | 'insecure'
  /** The browser inside another app. */
  | 'inApp'
  /** The camera runs, and shows nothing. */
  | 'noPicture'
  | 'unknown';

/** What can be known without asking for the camera. */
export function faultBeforeAsking(browser: { isSecure: boolean; hasCameras: boolean }): CameraFault | null {
  if (browser.hasCameras) return null;
  return browser.isSecure ? 'noApi' : 'insecure';
}

/** The names are those of the Media Capture standard and of the older browsers that had their own. */
export function cameraFaultOf(error: unknown): CameraFault {
  const { name = '', message = '' } = (error ?? {}) as { name?: string; message?: string };
  switch (name) {
    case 'NotAllowedError':
    case 'PermissionDeniedError':
      return notAllowed(message);
    case 'NotFoundError':
    case 'DevicesNotFoundError':
      return 'notFound';
    case 'NotReadableError':
    case 'TrackStartError':
      return 'inUse';
    case 'OverconstrainedError':
    case 'ConstraintNotSatisfiedError':
      return 'unsuitable';
    case 'SecurityError':
      return 'blocked';
    case 'AbortError':
      return 'aborted';
    case 'TypeError':
    case 'NotSupportedError':
      return 'noApi';
    default:
      return 'unknown';
  }
}

/** One name for four cases; only the text of the message tells them apart. */
function notAllowed(message: string): CameraFault {
  if (/system/i.test(message)) return 'deniedBySystem';
  if (/dismiss/i.test(message)) return 'dismissed';
  if (/policy/i.test(message)) return 'blocked';
  return 'denied';
}
