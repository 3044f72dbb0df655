/** An event of a process instance, for the features that listen to it. It holds no personal data. */
export type InstanceEvent = {
  readonly environment: 'live' | 'test';
  readonly type: string;
  readonly instanceId: string;
  readonly sequence: number;
  readonly status: string;
  readonly at: number;
  readonly step?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly processDefnId: string;
  readonly processDefnName: string;
  readonly processDefnVersion: number;
};
