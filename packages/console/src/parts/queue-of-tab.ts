const NAME = 'grove-queue';

/** The queue from which the reviewer gets the next case in this tab. */
export function queueOfTab(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function setQueueOfTab(queue: string | undefined): void {
  if (queue) sessionStorage.setItem(NAME, queue);
  else sessionStorage.removeItem(NAME);
}
