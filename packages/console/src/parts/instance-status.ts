const WORDS: Record<string, string> = {
  PENDING: 'Pending',
  ACTIVE: 'In Progress',
  PAUSED: 'Paused',
  REVIEW: 'Review',
  COMPLETED_ENDED_SUCCESS: 'Accepted',
  COMPLETED_ENDED_ERROR: 'Declined',
  COMPLETED_PROCESS_ERROR: 'Error',
  COMPLETED_TERMINATED: 'Abandoned',
};

/** The key of a status in the texts. */
export function statusWord(status: string): string {
  return WORDS[status] ?? 'Pending';
}
