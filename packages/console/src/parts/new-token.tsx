import { Button, Group, NativeSelect, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { NameField } from './name-field.tsx';

const TYPES = ['UNLIMITED', 'MULTI_USE_COUNT_LIMITED', 'MULTI_USE_TIME_LIMITED'] as const;
type Type = (typeof TYPES)[number];
const MAX_DEFINITIONS = 200;
const MAX_URL = 500;
const MAX_PARAMETERS = 50;
const NAME_LENGTH = 50;

type Parameter = { name: string; value: string };

/** Creates a start link. The fields depend on its type. */
export function NewToken({ onMade }: { onMade(): void }) {
  const t = useT();
  const environment = useEnvironment();
  const [name, setName] = useState('');
  const [definitionId, setDefinitionId] = useState<string | null>(null);
  const [limits, setLimits] = useState<UseLimits>({ type: 'UNLIMITED', maxCount: 1, until: '' });
  const { type, maxCount, until } = limits;
  const [redirectUrl, setRedirectUrl] = useState('');
  const [more, setMore] = useState<readonly Parameter[]>([]);
  const definitions = useQuery({
    queryKey: [environment, 'deployed-definitions'],
    queryFn: () => call('processDefinitions', 'list', { query: { status: 'DEPLOYED_ACTIVE', size: MAX_DEFINITIONS } }),
  });
  const all = definitions.data?.content ?? [];
  const definition = all.find(({ id }) => id === definitionId) ?? all[0];
  const parameterEntries = more.filter((each) => each.name !== '').map((each) => [each.name, each.value]);
  const parameters = { ...Object.fromEntries(parameterEntries), ...(redirectUrl && { _redirectUrl: redirectUrl }) };
  const make = useAct(
    () =>
      call('processTokens', 'create', {
        body: {
          name,
          type,
          processDefnName: definition?.name,
          processDefnVersion: definition?.version,
          ...(type === 'MULTI_USE_COUNT_LIMITED' && { maxCount }),
          ...(until && { notAfterDtm: new Date(until).toISOString() }),
          ...(Object.keys(parameters).length > 0 && { parameters }),
        },
      }),
    onMade,
  );
  const lacksEnd = type === 'MULTI_USE_TIME_LIMITED' && until === '';
  return (
    <ActForm act={make} submitLabel={t('app.create')} isDisabled={!definition || lacksEnd}>
      <NameField name={name} onName={setName} maxLength={NAME_LENGTH} />
      <Text size="xs" c="dimmed" aria-live="polite">
        {t('tokens.lengthLeft', { n: NAME_LENGTH - name.length })}
      </Text>
      <Select
        label={t('instances.definition')}
        data={all.map(({ id, name: of, version }) => ({ value: id, label: `${of} v${version}` }))}
        value={definition?.id ?? null}
        onChange={setDefinitionId}
        allowDeselect={false}
        searchable
      />
      <Limits limits={limits} onLimits={setLimits} />
      <TextInput
        type="url"
        label={t('tokens.redirectUrl')}
        description={t('tokens.redirectUrlHint')}
        value={redirectUrl}
        onChange={(event) => setRedirectUrl(event.currentTarget.value)}
        maxLength={MAX_URL}
      />
      <Parameters parameters={more} onParameters={setMore} />
    </ActForm>
  );
}

type UseLimits = { type: Type; maxCount: number; until: string };

/** How often and until when the link may be used. */
function Limits({ limits, onLimits }: { limits: UseLimits; onLimits(limits: UseLimits): void }) {
  const t = useT();
  const { type, maxCount, until } = limits;
  const change = (more: Partial<UseLimits>) => onLimits({ ...limits, ...more });
  return (
    <>
      <NativeSelect
        label={t('tokens.type')}
        value={type}
        data={TYPES.map((value) => ({ value, label: t(`tokens.${value}`) }))}
        onChange={(event) => change({ type: event.currentTarget.value as Type })}
      />
      {type === 'MULTI_USE_COUNT_LIMITED' && (
        <NumberInput
          label={t('tokens.maxCount')}
          value={maxCount}
          min={1}
          onChange={(next) => change({ maxCount: Number(next) || 1 })}
          required
        />
      )}
      <TextInput
        type="datetime-local"
        label={t('keys.expires')}
        value={until}
        onChange={(event) => change({ until: event.currentTarget.value })}
        required={type === 'MULTI_USE_TIME_LIMITED'}
      />
    </>
  );
}

type ParametersProps = { parameters: readonly Parameter[]; onParameters(parameters: readonly Parameter[]): void };

function Parameters({ parameters, onParameters }: ParametersProps) {
  const t = useT();
  const change = (at: number, more: Partial<Parameter>) =>
    onParameters(parameters.map((each, index) => (index === at ? { ...each, ...more } : each)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('tokens.parameters')}
      </Text>
      {parameters.map((parameter, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names can be edited, positions cannot.
        <Group key={at} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={t('keys.name')}
            placeholder={t('keys.name')}
            value={parameter.name}
            onChange={(event) => change(at, { name: event.currentTarget.value })}
            maxLength={NAME_LENGTH}
          />
          <TextInput
            aria-label={t('secrets.value')}
            placeholder={t('secrets.value')}
            value={parameter.value}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
            maxLength={MAX_URL}
          />
        </Group>
      ))}
      <Group>
        <Button
          size="compact-xs"
          variant="default"
          disabled={parameters.length >= MAX_PARAMETERS}
          onClick={() => onParameters([...parameters, { name: '', value: '' }])}
        >
          {t('tokens.addParameter')}
        </Button>
      </Group>
    </Stack>
  );
}
