const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a text is base64 with its padding. Node's decoder ignores invalid characters instead of refusing them. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}
