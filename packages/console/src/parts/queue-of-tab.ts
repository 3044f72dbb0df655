const NAME = 'grove-queue';

/** The queue that the reviewer works through in this tab: the next case comes from it. */
export function queueOfTab(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function setQueueOfTab(queue: string | undefined): void {
  if (queue) sessionStorage.setItem(NAME, queue);
  else sessionStorage.removeItem(NAME);
}
