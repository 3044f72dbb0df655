import { MultiSelect } from '@mantine/core';
import { useT } from '../texts/texts.tsx';
import { usePermissionChoices } from './permission-choices.ts';

type PermissionsFieldProps = { permissions: string[]; onPermissions(permissions: string[]): void };

/** The permissions of a key or role, chosen from those that the operator may grant. */
export function PermissionsField({ permissions, onPermissions }: PermissionsFieldProps) {
  const t = useT();
  return (
    <MultiSelect
      label={t('keys.permissions')}
      description={t('keys.permissionsHint')}
      data={usePermissionChoices()}
      value={permissions}
      onChange={onPermissions}
      searchable
      limit={100}
      hidePickedOptions
    />
  );
}
