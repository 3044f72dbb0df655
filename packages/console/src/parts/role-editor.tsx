import { Checkbox, Group, Switch } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { ActForm } from './act-form.tsx';
import { DescriptionField } from './description-field.tsx';
import { NameField } from './name-field.tsx';
import { PermissionsField } from './permissions-field.tsx';
import { useSafeSave } from './safe-save.tsx';

export type Role = Result<'operatorRoles', 'list'>['roles'][number];
type Environment = 'live' | 'test';

/** A role of the tenant: its permissions and environments. */
export function RoleEditor({ of, onDone }: { of?: Role | undefined; onDone(): void }) {
  const t = useT();
  const [name, setName] = useState(of?.name ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [permissions, setPermissions] = useState<string[]>([...(of?.permissions ?? [])]);
  const [environments, setEnvironments] = useState<string[]>([...(of?.environments ?? ['live', 'test'])]);
  const [masked, setMasked] = useState(of?.masked ?? false);
  const [base] = useState(of);
  const body = { description, permissions, environments: environments as Environment[], masked };
  const { act: store, conflict } = useSafeSave<unknown>({
    save(isSure) {
      if (!base) return call('operatorRoles', 'create', { body: { name, ...body } });
      const query = isSure ? {} : { ifLastUpdatedDtm: base.lastUpdatedDtm };
      return call('operatorRoles', 'update', { params: { roleName: base.name }, query, body });
    },
    async fetchTheirs() {
      const { roles } = await call('operatorRoles', 'list', {});
      const newer = roles.find((role) => role.name === base?.name);
      return {
        description: newer?.description ?? '',
        permissions: newer?.permissions ?? [],
        environments: newer?.environments ?? [],
        masked: newer?.masked ?? false,
      };
    },
    mine: body,
    onSaved: onDone,
    onTheirs: onDone,
  });
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
      <Switch
        label={t('roles.masked')}
        description={t('roles.maskedHint')}
        checked={masked}
        onChange={(event) => setMasked(event.currentTarget.checked)}
      />
      {conflict}
    </ActForm>
  );
}
