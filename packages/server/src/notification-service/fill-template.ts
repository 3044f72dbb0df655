import { fillTemplateUpTo, type Placeholders, templateFault } from '../kernel/json-template.ts';

/** The body of a webhook, if the tenant writes its own. */
export type WebhookValues = {
  type: string;
  processInstanceId: string;
  status: string;
  sequence: number;
  environment: string;
  processDefnName: string;
  processDefnVersion: number;
  dateTime: string;
  /** Set for events of identity stores; empty otherwise. */
  storeName: string;
  userId: string;
  parameters: Readonly<Record<string, string>>;
};

const PLACEHOLDERS: Placeholders = {
  names: {
    type: 'instance.created',
    processInstanceId: '01JZ4MCW8A0C2E4G6J8M0P2R4T',
    status: 'PENDING',
    sequence: 1,
    environment: 'test',
    processDefnName: 'a "name"',
    processDefnVersion: 1,
    dateTime: '2026-01-01T00:00:00.000Z',
    storeName: 'a "store"',
    userId: '01JZ4MCW8A0C2E4G6J8M0P2R4T',
  } satisfies Omit<WebhookValues, 'parameters'>,
  open: { parameters: 'parameters.NAME' },
  example: '{"type": "{type}"}',
};
const PARAMETER = /^parameters\./;

export function webhookTemplateFault(template: string): string | undefined {
  return templateFault(template, PLACEHOLDERS);
}

export const MAX_BODY_BYTES = 256 * 1024;

/** A missing parameter becomes the empty string. Undefined if the body would be too long. */
export function fillWebhookTemplate(template: string, { parameters, ...own }: WebhookValues): string | undefined {
  return fillTemplateUpTo(MAX_BODY_BYTES, template, (path) => {
    const [from, name] = PARAMETER.test(path) ? [parameters, path.replace(PARAMETER, '')] : [own, path];
    return Object.hasOwn(from, name) ? (from as Record<string, unknown>)[name] : undefined;
  });
}

export function namesParameters(template: string): boolean {
  return template.includes('{parameters.');
}
