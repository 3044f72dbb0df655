import { Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError, call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say } from './act.ts';
import { ActForm } from './act-form.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Dialog } from './dialogs.tsx';
import { onFirstClick } from './first-click.ts';
import { useSafeSave } from './safe-save.tsx';
import { SectionHead } from './section-head.tsx';

type Settings = Result<'singleSignOn', 'get'>;

const KEY = ['singleSignOn'];
const NOT_SET_UP = 100234;
/** Sent as the time of the last change if no settings were stored. */
const NEVER = new Date(0).toISOString();

/** The settings for signing in with company accounts. */
export function SingleSignOn({ roleNames }: { roleNames: readonly string[] }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { data, isPending } = useQuery({ queryKey: KEY, queryFn: fetchSettings });
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

async function fetchSettings(): Promise<Settings | null> {
  try {
    return await call('singleSignOn', 'get', {});
  } catch (error) {
    if (error instanceof CallError && error.code === NOT_SET_UP) return null;
    throw error;
  }
}

const FIELDS = [
  ['issuer', 500],
  ['clientId', 255],
  ['clientSecretName', 100],
  ['groupsClaim', 100],
] as const;

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
  const [base] = useState(of);
  const { clientSecretName, ...rest } = texts;
  const mine = { ...rest, ...(clientSecretName !== '' && { clientSecretName }), scopes: base?.scopes, roles };
  const { act: save, conflict } = useSafeSave<unknown>({
    save: (isSure) =>
      call('singleSignOn', 'set', {
        query: isSure ? {} : { ifLastUpdatedDtm: base?.lastUpdatedDtm ?? NEVER },
        body: mine,
      }),
    async fetchTheirs() {
      const { redirectUrl, lastUpdatedDtm, ...theirs } = { ...(await fetchSettings()) };
      return theirs;
    },
    mine,
    onSaved() {
      say(t('settings.saved'));
      onSaved();
    },
    onTheirs: onSaved,
  });
  return (
    <ActForm act={save} submitLabel={t('app.save')}>
      <Text size="sm">{t('sso.redirect')}</Text>
      <Code block>{of?.redirectUrl ?? `${location.origin}/console/single-sign-on`}</Code>
      {FIELDS.map(([name, maxLength]) => (
        <TextInput
          key={name}
          label={t(`sso.${name}`)}
          description={name === 'clientSecretName' ? t('sso.clientSecretHint') : undefined}
          value={texts[name]}
          onChange={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          type={name === 'issuer' ? 'url' : 'text'}
          maxLength={maxLength}
          required={name !== 'clientSecretName'}
        />
      ))}
      <Stack gap="xs" component="fieldset" className="plain-fieldset">
        <legend>{t('sso.roles')}</legend>
        {roles.map((each, at) => (
          <GroupRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no id, and its group can be edited.
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
      {conflict}
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
        maxLength={255}
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
        <Button variant="default" onClick={onFirstClick(onRemove)} aria-label={`${t('app.delete')}: ${group}`}>
          ×
        </Button>
      )}
    </Group>
  );
}
