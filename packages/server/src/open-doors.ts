import type { Logger } from 'pino';
import type { BusinessMetrics } from './business-metrics.ts';
import type { Config } from './config.ts';
import { openBlobs } from './engines/blobs/open.ts';
import type { Confinement } from './engines/images/confine.ts';
import { openImages } from './engines/images/images.ts';
import { openMail } from './engines/mail/mail.ts';
import { parseAllowList } from './engines/outbound/allow-list.ts';
import { openHttp2 } from './engines/outbound/http2.ts';
import { openOutbound } from './engines/outbound/outbound.ts';
import { openPush } from './engines/push/push.ts';
import { openVision } from './engines/vision/open-vision.ts';
import type { Platform } from './kernel/feature.ts';
import type { Tracing } from './kernel/tracing.ts';
import { tracedOutbound } from './open-tracing.ts';

/** The configuration has already checked the list. */
const NOBODY = { ranges: [], targets: new Set<string>() };

type DoorDeps = Pick<Platform, 'clock' | 'onError'> & {
  config: Config;
  log: Logger;
  metrics: BusinessMetrics;
  tracing?: Tracing | undefined;
};

/** Opens the doors to the image engines and to servers outside, each with metrics. */
export function openDoors({ config, clock, log, metrics, tracing, onError }: DoorDeps) {
  const images = openImages({ onError, onStart: confinementLog(log) });
  const machine = openVision({
    isElsewhere: !config.roles.includes('vision'),
    mode: config.vision,
    facePack: config.facePack,
    weights: config.weights,
    clock,
    onError,
  });
  const allow = parseAllowList(config.outboundAllow) ?? NOBODY;
  const outbound = tracedOutbound(openOutbound({ allow }), tracing);
  const http2 = openHttp2({ allow });
  const mail = openMail({ smtp: config.smtp, sms: config.sms, outbound });
  const vision = metrics.measured('vision', machine, ['readDocument', 'readFace', 'matchFaces', 'faceTemplate']);
  return {
    blobs: metrics.measured('blob', openBlobs(config, clock), ['put', 'get', 'delete', 'deleteAll']),
    images: metrics.measured('decoder', images, ['reencode', 'firstPage']),
    vision,
    outbound,
    mail: metrics.measured('mail', mail, ['sendMail', 'sendText']),
    push: openPush({ outbound, http2, clock }),
    start() {
      if (config.vision !== 'off' || config.roles.includes('vision')) return;
      log.warn(
        'live pictures wait for a process with the role vision; if there is none, set GROVE_ROLES=api,worker,vision',
      );
    },
    async close() {
      http2.close();
      await Promise.all([images.stop(), vision.stop()]);
    },
  };
}

/** Logs once if the process that decodes images is less confined than it could be. */
function confinementLog(log: Logger): (confinement: Confinement) => void {
  let isLogged = false;
  return ({ systemCalls, nodePermissions, reason }) => {
    if (systemCalls || isLogged) return;
    isLogged = true;
    log.warn({ nodePermissions, reason }, 'images are decoded without a filter of system calls; see docs/security.md');
  };
}
