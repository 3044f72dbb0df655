import { Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError, call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Dialog } from './dialogs.tsx';
import { SectionHead } from './section-head.tsx';

type Settings = Result<'singleSignOn', 'get'>;

const KEY = ['singleSignOn'];
const NOT_SET_UP = 100234;

/** How people sign in with the accounts of their company. */
export function SingleSignOn({ roleNames }: { roleNames: readonly string[] }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { data, isPending } = useQuery({
    queryKey: KEY,
    queryFn: () => call('singleSignOn', 'get', {}).catch(nothing),
  });
  if (isPending) return null;
  return (
    <section>
      <SectionHead title={t('sso.title')}>
        {may('singleSignOn', 'set') && (
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {t(data ? 'roles.edit' : 'sso.setUp')}
          </Button>
        )}
      </SectionHead>
      <Text size="sm" c="dimmed">
        {data ? t('sso.on', { issuer: data.issuer }) : t('sso.off')}
      </Text>
      {data && may('singleSignOn', 'remove') && (
        <DeleteButton
          name={data.clientId}
          label={t('sso.remove')}
          title={t('sso.remove')}
          lead={t('sso.removeLead', { name: data.clientId })}
          remove={() => call('singleSignOn', 'remove', {})}
        />
      )}
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('sso.title')}>
        <Form of={data ?? undefined} roleNames={roleNames} onSaved={() => setOpen(false)} />
      </Dialog>
    </section>
  );
}

function nothing(error: unknown): null {
  if (error instanceof CallError && error.code === NOT_SET_UP) return null;
  throw error;
}

type FormProps = { of: Settings | undefined; roleNames: readonly string[]; onSaved(): void };

function Form({ of, roleNames, onSaved }: FormProps) {
  const t = useT();
  const [texts, setTexts] = useState({
    issuer: of?.issuer ?? '',
    clientId: of?.clientId ?? '',
    clientSecretName: of?.clientSecretName ?? '',
    groupsClaim: of?.groupsClaim ?? 'groups',
  });
  const [roles, setRoles] = useState(of?.roles ?? [{ group: '', role: 'Reviewer' }]);
  const save = useAct(
    () => {
      const { clientSecretName, ...rest } = texts;
      const secret = clientSecretName === '' ? {} : { clientSecretName };
      return call('singleSignOn', 'set', { body: { ...rest, ...secret, roles, ...(of && { scopes: of.scopes }) } });
    },
    () => {
      say(t('settings.saved'));
      onSaved();
    },
  );
  const fields = ['issuer', 'clientId', 'clientSecretName', 'groupsClaim'] as const;
  return (
    <ActForm act={save} submitLabel={t('app.save')}>
      <Text size="sm">{t('sso.redirect')}</Text>
      <Code block>{of?.redirectUrl ?? `${location.origin}/console/single-sign-on`}</Code>
      {fields.map((name) => (
        <TextInput
          key={name}
          label={t(`sso.${name}`)}
          description={name === 'clientSecretName' ? t('sso.clientSecretHint') : undefined}
          value={texts[name]}
          onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          required={name !== 'clientSecretName'}
        />
      ))}
      <Stack gap="xs" component="fieldset" className="plain-fieldset">
        <legend>{t('sso.roles')}</legend>
        {roles.map((each, at) => (
          <GroupRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while it is typed.
            key={at}
            of={each}
            roleNames={roleNames}
            onChange={(next) => setRoles(roles.with(at, next))}
            onRemove={roles.length > 1 ? () => setRoles(roles.toSpliced(at, 1)) : undefined}
          />
        ))}
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => setRoles([...roles, { group: '', role: 'Reviewer' }])}
        >
          {t('sso.addGroup')}
        </Button>
      </Stack>
    </ActForm>
  );
}

type GroupRole = Settings['roles'][number];
type RowProps = {
  of: GroupRole;
  roleNames: readonly string[];
  onChange(next: GroupRole): void;
  onRemove: (() => void) | undefined;
};

function GroupRow({ of: { group, role }, roleNames, onChange, onRemove }: RowProps) {
  const t = useT();
  return (
    <Group gap="xs" wrap="nowrap" align="end">
      <TextInput
        flex={1}
        label={t('sso.group')}
        value={group}
        onChange={(event) => onChange({ group: event.currentTarget.value, role })}
        required
      />
      <Select
        label={t('operators.role')}
        data={[...roleNames]}
        value={role}
        onChange={(next) => onChange({ group, role: next ?? role })}
        allowDeselect={false}
      />
      {onRemove && (
        <Button variant="default" onClick={onRemove} aria-label={`${t('app.delete')}: ${group}`}>
          ×
        </Button>
      )}
    </Group>
  );
}
