import { Checkbox, Group } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { DescriptionField } from './description-field.tsx';
import { NameField } from './name-field.tsx';
import { PermissionsField } from './permissions-field.tsx';

export type Role = Result<'operatorRoles', 'list'>['roles'][number];
type Environment = 'live' | 'test';

/** A role of the tenant's own: what it permits, and where. */
export function RoleEditor({ of, onDone }: { of?: Role | undefined; onDone(): void }) {
  const t = useT();
  const [name, setName] = useState(of?.name ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [permissions, setPermissions] = useState<string[]>([...(of?.permissions ?? [])]);
  const [environments, setEnvironments] = useState<string[]>([...(of?.environments ?? ['live', 'test'])]);
  const store = useAct(async () => {
    const body = { description, permissions, environments: environments as Environment[] };
    if (of) await call('operatorRoles', 'update', { params: { roleName: of.name }, body });
    else await call('operatorRoles', 'create', { body: { name, ...body } });
  }, onDone);
  return (
    <ActForm act={store} submitLabel={t('app.save')} isDisabled={environments.length === 0}>
      {!of && <NameField name={name} onName={setName} maxLength={50} />}
      <DescriptionField description={description} onDescription={setDescription} />
      <PermissionsField permissions={permissions} onPermissions={setPermissions} />
      <Checkbox.Group label={t('keys.environment')} value={environments} onChange={setEnvironments}>
        <Group mt={4}>
          <Checkbox value="live" label={t('app.live')} />
          <Checkbox value="test" label={t('app.test')} />
        </Group>
      </Checkbox.Group>
    </ActForm>
  );
}
