/** The reasons why there is no picture. The page has a remedy for each. */
export type CameraFault =
  /** The person refused, or the browser refuses for them. */
  | 'denied'
  /** The system does not let the browser use the camera. */
  | 'deniedBySystem'
  /** The browser's question was closed without an answer. */
  | 'dismissed'
  | 'notFound'
  /** Another program or tab uses the camera. */
  | 'inUse'
  | 'unsuitable'
  /** The embedding page does not allow the camera. */
  | 'blocked'
  | 'aborted'
  /** The browser has no camera API. */
  | 'noApi'
  /** The browser allows cameras only on https pages. */
  | 'insecure'
  /** The page is in the built-in browser of another app. */
  | 'inApp'
  /** The camera is open but shows nothing. */
  | 'noPicture'
  | 'unknown';

/** Finds the faults that are known before the camera is requested. */
export function faultBeforeAsking(browser: { isSecure: boolean; hasCameras: boolean }): CameraFault | null {
  if (browser.hasCameras) return null;
  return browser.isSecure ? 'noApi' : 'insecure';
}

/** The names are those of the Media Capture standard and of older browsers. */
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

/** Four cases have one name; only the text of the message distinguishes them. */
function notAllowed(message: string): CameraFault {
  if (/system/i.test(message)) return 'deniedBySystem';
  if (/dismiss/i.test(message)) return 'dismissed';
  if (/policy/i.test(message)) return 'blocked';
  return 'denied';
}
