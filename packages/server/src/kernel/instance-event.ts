/** What happened in a process instance, for whoever wants to be told. Nothing of a person is in it. */
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
