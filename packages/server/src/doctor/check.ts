/** The result of one check, and what to do about it. */
export type Check = { name: string; state: 'ok' | 'warning' | 'fault'; message: string; remedy?: string };

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });

export const warning = (name: string, message: string, remedy: string): Check => ({
  name,
  state: 'warning',
  message,
  remedy,
});

export const fault = (name: string, message: string, remedy: string): Check => ({
  name,
  state: 'fault',
  message,
  remedy,
});
