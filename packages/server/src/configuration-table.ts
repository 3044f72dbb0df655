import { VARIABLES } from './config.ts';

/** The table of `docs/configuration.md`: a test keeps the page and the code the same. */
export function configurationTable(): string {
  const rows = Object.entries(VARIABLES).map(
    ([name, { default: value, about }]) => `| \`${name}\` | ${value && `\`${value}\``} | ${inCell(about)} |`,
  );
  return ['| variable | default | what it is |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Angle brackets would be read as HTML and vanish; a bar would end the cell. */
function inCell(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '\\|');
}
