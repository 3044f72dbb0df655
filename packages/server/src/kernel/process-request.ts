/** A process that a feature wants an end user to run before `notAfterAt`. */
export type ProcessRequest = {
  environment: 'live' | 'test';
  processDefnName?: string;
  processDefnVersion?: number | string;
  processDefnTag?: string;
  parameters?: Record<string, string>;
  /** The name of the process token, which must be unused. */
  name: string;
  madeFor: 'PUSH_NOTIFICATION';
  /** The name of the caller. */
  by: string;
  notAfterAt: number;
  now: number;
};

export type StartedProcess = {
  processInstanceId: string;
  processTokenId: string;
  processDefnName: string;
  processDefnVersion: number;
  /** A link that works once and for a limited time: whoever opens it counts as the end user. */
  redirectUrl: string;
};
