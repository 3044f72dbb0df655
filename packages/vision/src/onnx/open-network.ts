import { nativeCall } from '../native-calls.ts';
import { narrow } from './narrow.ts';
import { InferenceSession } from './runtime.ts';

type SessionOptions = InferenceSession.SessionOptions;

const ONLY_FATAL = 4;

/**
 * Opens a network with narrow convolutions, if the processor computes with 16-bit numbers: ARM does, except for old
 * processors, and x64 does not. Otherwise the result is undefined.
 */
export async function openNarrow(network: Uint8Array, options: SessionOptions): Promise<InferenceSession | undefined> {
  if (process.arch !== 'arm64') return undefined;
  const narrowNetwork = narrow(network);
  try {
    return await openAsItIs(narrowNetwork, { ...options, logSeverityLevel: ONLY_FATAL });
  } catch {
    // ONNX Runtime has the operators only on suitable processors, and throws otherwise when a network is opened.
    return undefined;
  }
}

/** For one thread, because workers are the unit of parallelism. */
export function openAsItIs(network: Uint8Array, options: SessionOptions): Promise<InferenceSession> {
  const one = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  return nativeCall(() => InferenceSession.create(network, { logSeverityLevel: 3, ...options, ...one }));
}
