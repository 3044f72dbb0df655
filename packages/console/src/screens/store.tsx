import { Button, Code, Group, JsonInput, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, callLoosely, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { Page } from '../parts/page.tsx';
import { useSafeSave } from '../parts/safe-save.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { StoreUsers } from '../parts/store-users.tsx';
import { useT } from '../texts/texts.tsx';
import { objectOf, StoreForm } from './stores.tsx';

type StoreView = Result<'stores', 'get'>;

/** One identity store: its configuration, its relying parties and policies, and its users. */
export function Store() {
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'store', name],
    queryFn: () => call('stores', 'get', { params: { storeName: name } }),
  });
  return (
    <Guarded group="stores" name="get">
      {query.isPending && <Waiting />}
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.data && <StoreDetails store={query.data} />}
    </Guarded>
  );
}

type Open = 'store' | 'passkey' | 'appkey' | 'totp' | 'push';

function StoreDetails({ store }: { store: StoreView }) {
  const t = useT();
  const may = useMay();
  const [open, setOpen] = useState<Open>();
  const [edited, setEdited] = useState<Edited>();
  const close = () => {
    setOpen(undefined);
    setEdited(undefined);
  };
  const buttons: readonly [Open, boolean][] = [
    ['store', may('stores', 'update')],
    ['passkey', may('passkeys', 'createConfig')],
    ['appkey', may('appkeys', 'createConfig')],
    ['totp', may('totps', 'createPolicy')],
    ['push', may('pushNotifications', 'createPolicy')],
  ];
  return (
    <Page
      title={store.name}
      actions={buttons
        .filter(([, isShown]) => isShown)
        .map(([which]) => (
          <Button key={which} size="xs" variant="default" onClick={() => setOpen(which)}>
            {t(`stores.${which}`)}
          </Button>
        ))}
    >
      <Group gap="xs">
        <WordTag word={store.status} />
      </Group>
      <Parties store={store} onEdit={(kind, name, config) => setEdited({ kind, name, config })} />
      {may('users', 'list') && <StoreUsers storeName={store.name} />}
      <Dialog opened={open === 'store'} onClose={close} title={t('stores.store')}>
        <StoreForm of={store} onDone={close} />
      </Dialog>
      <Dialog opened={open !== undefined && open !== 'store'} onClose={close} title={open && t(`stores.${open}`)}>
        {open && open !== 'store' && <ConfigForm store={store.name} kind={open} onDone={close} />}
      </Dialog>
      <Dialog opened={edited !== undefined} onClose={close} title={t('roles.editNamed', { name: edited?.name ?? '' })}>
        {edited && <ConfigForm store={store.name} kind={edited.kind} of={edited} onDone={close} />}
      </Dialog>
    </Page>
  );
}

type Config = { lastUpdatedDtm?: string };
type Edited = { kind: Kind; name: string; config: Config };
type PartiesProps = { store: StoreView; onEdit(kind: Kind, name: string, config: Config): void };

/** The relying parties and policies of the store. */
function Parties({ store: { name: storeName, configuration }, onEdit }: PartiesProps) {
  const t = useT();
  const may = useMay();
  const canEdit: Record<Kind, boolean> = {
    passkey: may('passkeys', 'updateConfig'),
    appkey: may('appkeys', 'updateConfig'),
    totp: may('totps', 'updatePolicy'),
    push: may('pushNotifications', 'updatePolicy'),
  };
  const { passkeyConfigs, appkeyConfigs, totpPolicies, pushNotificationPolicies = {} } = configuration;
  const kinds = { passkey: passkeyConfigs, appkey: appkeyConfigs, totp: totpPolicies, push: pushNotificationPolicies };
  const rows = Object.entries(kinds).flatMap(([kind, all]) =>
    Object.entries(all).map(([name, config]) => ({ kind: kind as keyof typeof kinds, name, config })),
  );
  if (rows.length === 0) return null;
  return (
    <Table className="list" verticalSpacing="xs">
      <caption className="hidden">{t('stores.parties')}</caption>
      <Table.Tbody>
        {rows.map(({ kind, name, config }) => (
          <Table.Tr key={`${kind} ${name}`}>
            <Table.Td data-title={t('stores.parties')}>{t(`stores.kind.${kind}`)}</Table.Td>
            <Table.Td data-title={t('keys.name')}>
              <strong>{name}</strong>
            </Table.Td>
            <Table.Td data-title={t('stores.configuration')}>
              <Code className="wrap">{JSON.stringify(changeable(config))}</Code>
            </Table.Td>
            <Table.Td className="actions">
              <Group gap={4} justify="flex-end" wrap="nowrap">
                {canEdit[kind] && (
                  <Button size="compact-xs" variant="default" onClick={() => onEdit(kind, name, config)}>
                    {t('roles.edit')}
                  </Button>
                )}
                {kind === 'push' && may('pushNotifications', 'deletePolicy') && (
                  <DeleteButton
                    name={name}
                    lead={t('stores.policyDeleteLead')}
                    remove={() => call('pushNotifications', 'deletePolicy', { params: { storeName, rpId: name } })}
                  />
                )}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type Kind = Exclude<Open, 'store'>;
const STARTERS: Record<Kind, object> = {
  passkey: { rpId: 'example.com', rpName: 'Example', restrictedOrigins: ['https://www.example.com'] },
  appkey: { rpId: 'app', appId: 'https://example.com/app' },
  totp: { name: 'usual', issuer: 'Example', digits: 6, period: 30 },
  push: { rpId: 'app', numberMatching: true },
};

/** Members of a response that an update does not accept. */
const NOT_SENT: ReadonlySet<string> = new Set(['rpId', 'name', 'providers', 'createdDtm', 'lastUpdatedDtm']);
/** The operation that changes each kind, and the parameter that names the object. */
const CHANGES = {
  passkey: ['passkeys', 'updateConfig', 'rpId'],
  appkey: ['appkeys', 'updateConfig', 'rpId'],
  totp: ['totps', 'updatePolicy', 'policyName'],
  push: ['pushNotifications', 'updatePolicy', 'rpId'],
} as const;

function changeable(config: object): object {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !NOT_SENT.has(name)));
}

type ConfigFormProps = { store: string; kind: Kind; of?: Edited; onDone(): void };

const CREATES = {
  passkey: ['passkeys', 'createConfig'],
  appkey: ['appkeys', 'createConfig'],
  totp: ['totps', 'createPolicy'],
  push: ['pushNotifications', 'createPolicy'],
} as const;

const MEMBERS = {
  passkey: 'passkeyConfigs',
  appkey: 'appkeyConfigs',
  totp: 'totpPolicies',
  push: 'pushNotificationPolicies',
} as const;

/** Edits a relying party or a policy. The server explains why it refuses an inconsistent one. */
function ConfigForm({ store: storeName, kind, of, onDone }: ConfigFormProps) {
  const t = useT();
  const [text, setText] = useState(JSON.stringify(of ? changeable(of.config) : STARTERS[kind], null, 2));
  const { act, conflict } = useSafeSave<unknown>({
    async save(isSure) {
      const body: unknown = JSON.parse(text);
      const [creator, create] = CREATES[kind];
      if (!of) return callLoosely(creator, create, { params: { storeName }, body });
      const [group, operation, param] = CHANGES[kind];
      const query = isSure ? {} : { ifLastUpdatedDtm: of.config.lastUpdatedDtm };
      return callLoosely(group, operation, { params: { storeName, [param]: of.name }, query, body });
    },
    async fetchTheirs() {
      const { configuration } = await call('stores', 'get', { params: { storeName } });
      return changeable(configuration[MEMBERS[kind]]?.[of?.name ?? ''] ?? {});
    },
    // Members that are not sent stay unchanged.
    mine: { ...changeable(of?.config ?? {}), ...objectOf(text) },
    onSaved: onDone,
    onTheirs: onDone,
  });
  return (
    <ActForm act={act} submitLabel={t('app.save')}>
      <JsonInput
        label={t('stores.configuration')}
        value={text}
        onChange={setText}
        autosize
        minRows={6}
        maxRows={24}
        className="code"
        data-autofocus
      />
      {conflict}
    </ActForm>
  );
}
