/** A process that a feature wants an end user to run within a time, and what was made for it. */
export type ProcessRequest = {
  environment: 'live' | 'test';
  processDefnName?: string;
  processDefnVersion?: number | string;
  processDefnTag?: string;
  parameters?: Record<string, string>;
  /** Of the token; nobody else may have it. */
  name: string;
  madeFor: 'PUSH_NOTIFICATION';
  /** Who asks. */
  by: string;
  notAfterAt: number;
  now: number;
};

export type StartedProcess = {
  processInstanceId: string;
  processTokenId: string;
  processDefnName: string;
  processDefnVersion: number;
  /** Good once, and only for a while: whoever opens it is the end user. */
  redirectUrl: string;
};
