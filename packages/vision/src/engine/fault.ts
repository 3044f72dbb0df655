export type VisionFaultReason =
  /** The queue is full; a later attempt may succeed. */
  | 'busy'
  /** The picture took too long. */
  | 'timed_out'
  /** Two workers died while they worked on this picture. */
  | 'crashed'
  /** The engine was stopped. */
  | 'stopped'
  /** No worker has this task. */
  | 'not_available';

/** The engine could not examine the picture. The fault is not the picture's. */
export class VisionFault extends Error {
  readonly reason: VisionFaultReason;

  constructor(reason: VisionFaultReason, cause?: unknown) {
    super(`Vision is not possible: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'VisionFault';
    this.reason = reason;
  }
}
