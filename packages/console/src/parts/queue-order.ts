/** The order in which cases are reviewed: the most urgent first, then the longest waiting. */
export const QUEUE_ORDER = ['priority,desc', 'waitingSinceDtm,asc'];
