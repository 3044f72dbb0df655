import fc from 'fast-check';
import { TEST_SEED } from './test-seed.ts';

/** Loaded before every test that uses fast-check. When a property fails, fast-check prints this seed and the path to it. */
fc.configureGlobal({ seed: TEST_SEED });
