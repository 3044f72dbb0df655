import { permissionCatalogue } from '../api/client.ts';
import { useSession } from '../api/session.tsx';

/** Lists each component, followed by its operations. */
export function usePermissionChoices() {
  const { tenantId } = useSession();
  const prefix = `TNT#${tenantId}#`;
  return [...permissionCatalogue()].map(([component, permissions]) => ({
    group: component,
    items: [`${component}:*`, ...permissions].map((each) => ({ value: `${prefix}${each}`, label: each })),
  }));
}
