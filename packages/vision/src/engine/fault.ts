export type VisionFaultReason =
  /** The queue is full: try again later. */
  | 'busy'
  /** The picture took too long. */
  | 'timed_out'
  /** The worker died over this picture, twice. */
  | 'crashed'
  /** The engine was stopped. */
  | 'stopped'
  /** No worker knows this task. */
  | 'not_available';

/** The engine could not look at the picture; it says nothing about the picture. */
export class VisionFault extends Error {
  readonly reason: VisionFaultReason;

  constructor(reason: VisionFaultReason, cause?: unknown) {
    super(`Vision is not possible: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'VisionFault';
    this.reason = reason;
  }
}
