import { VARIABLES } from './config-variables.ts';
import { table } from './process-manager/definitions/step-table.ts';

/** The table of `docs/configuration.md`. */
export function configurationTable(): string {
  const rows = Object.entries(VARIABLES).map(([name, { default: value, about }]) => [
    `\`${name}\``,
    value && `\`${value}\``,
    // Angle brackets would be read as HTML and vanish.
    about.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ]);
  return table(['variable', 'default', 'what it is'], rows);
}
