import { openJourney } from './index.ts';

/** For pages without modules: `<script src="…/script.js">`, then `GroveJourney.open({ … })`. */
Object.assign(globalThis, { GroveJourney: { open: openJourney } });
