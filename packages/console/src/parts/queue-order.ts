/** The order in which cases are worked on: the most urgent first, then what waits longest. */
export const QUEUE_ORDER = ['priority,desc', 'waitingSinceDtm,asc'];
