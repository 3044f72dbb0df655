/** The challenges of active liveness: drawn here, kept by whoever lets them be used once. */
export { CHALLENGE_SECONDS, type Challenge, newChallenge } from '@grove/vision/templates';
