/** The contrast ratio of two colours by WCAG 2, from 1 to 21. An invalid colour counts as black. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [, red = '0', green = '0', blue = '0'] = /^#(\w{2})(\w{2})(\w{2})$/.exec(colour) ?? [];
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
    const value = Number.parseInt(part, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
