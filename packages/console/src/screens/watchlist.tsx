import { Button, FileInput, Group, Stack, Table, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { base64Of } from '../parts/base64.ts';
import { ChosenPicture } from '../parts/chosen-picture.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ReasonAndEnd } from '../parts/reason-and-end.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type ListView = Result<'watchlists', 'get'>;
type MemberRow = Result<'watchlists', 'listMembers'>['content'][number];

/** One watchlist: its members with reason and expiry, and a form to test a match. */
export function Watchlist() {
  const { id = '' } = useParams({ strict: false });
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'watchlist', id],
    queryFn: () => call('watchlists', 'get', { params: { watchlistId: id } }),
  });
  return (
    <Guarded group="watchlists" name="get">
      {query.isPending && <Waiting />}
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.data && <WatchlistDetails list={query.data} />}
    </Guarded>
  );
}

const memberName = ({ firstName, lastName, value }: MemberRow) =>
  value ?? ([firstName, lastName].filter(Boolean).join(' ') || '');

function WatchlistDetails({ list }: { list: ListView }) {
  const t = useT();
  const may = useMay();
  const { masked } = useSession();
  const { filters } = useFilters<'name'>();
  const [isAdding, setAdding] = useState(false);
  const params = { watchlistId: list.id };
  const columns: Column<MemberRow>[] = [
    {
      title: t('keys.name'),
      ...(!masked && { sort: 'lastName' }),
      show: (row) => <bdi>{memberName(row) || row.id}</bdi>,
      text: memberName,
    },
    { title: t('watchlists.reason'), show: ({ note }) => <bdi>{note ?? '–'}</bdi>, text: ({ note }) => note },
    {
      title: t('keys.expires'),
      show: ({ expiringDtm }) => <Moment at={expiringDtm} />,
      text: ({ expiringDtm }) => expiringDtm,
    },
    { title: t('keys.createdBy'), show: ({ createdBy }) => createdBy ?? '–', text: ({ createdBy }) => createdBy },
  ];
  return (
    <Page
      title={list.name}
      actions={may('watchlists', 'addMember') && <Button onClick={() => setAdding(true)}>{t('watchlists.add')}</Button>}
    >
      {list.description && <Text size="sm">{list.description}</Text>}
      {may('watchlists', 'listMembers') && list.type === 'FACE' && <NameFilter />}
      {may('watchlists', 'listMembers') && (
        <List<MemberRow>
          group="watchlists"
          name="listMembers"
          query={{ name: filters.name }}
          params={params}
          label={list.name}
          columns={columns}
          keyOf={({ id }) => id}
          actionsOf={(row) =>
            may('watchlists', 'removeMember') && (
              <DeleteButton
                name={memberName(row) || row.id}
                lead={t('watchlists.removeLead')}
                remove={() => call('watchlists', 'removeMember', { params: { ...params, memberId: row.id } })}
              />
            )
          }
        />
      )}
      {may('watchlists', 'match') && <Match list={list} />}
      <Dialog opened={isAdding} onClose={() => setAdding(false)} title={t('watchlists.add')}>
        <NewMember list={list} onDone={() => setAdding(false)} />
      </Dialog>
    </Page>
  );
}

/** The maximum number of values that are added together. */
const MAX_LINES = 500;

/** Adds members. A reason and an expiry are required. */
function NewMember({ list, onDone }: { list: ListView; onDone(): void }) {
  const t = useT();
  const [value, setValue] = useState('');
  const [names, setNames] = useState({ firstName: '', lastName: '' });
  const [image, setImage] = useState<File | null>(null);
  const [note, setNote] = useState('');
  const [expireAfter, setExpireAfter] = useState('P365D');
  const isFace = list.type === 'FACE';
  const lines = [...new Set(value.split('\n').map((line) => line.trim()))].filter(Boolean);
  const add = useAct(async () => {
    const addOne = (who: object) =>
      call('watchlists', 'addMember', { params: { watchlistId: list.id }, body: { ...who, note, expireAfter } });
    if (isFace) {
      const { firstName, lastName } = names;
      const who = { image: image ? await base64Of(image) : '', ...(firstName && { firstName }) };
      return addOne({ ...who, ...(lastName && { lastName }) });
    }
    // Added lines leave the field, so that a refused line becomes the first one.
    for (const [at, line] of lines.entries()) {
      setValue(lines.slice(at).join('\n'));
      await addOne({ value: line });
    }
  }, onDone);
  return (
    <ActForm
      act={add}
      submitLabel={t('watchlists.add')}
      isDisabled={isFace ? !image : lines.length === 0 || lines.length > MAX_LINES}
    >
      {isFace ? (
        <>
          <FileInput
            label={t('watchlists.picture')}
            accept="image/jpeg,image/png"
            value={image}
            onChange={setImage}
            required
          />
          <ChosenPicture file={image} />
          {(['firstName', 'lastName'] as const).map((name) => (
            <TextInput
              key={name}
              label={t(`watchlists.${name}`)}
              value={names[name]}
              onChange={(event) => setNames({ ...names, [name]: event.currentTarget.value })}
              maxLength={100}
            />
          ))}
        </>
      ) : (
        <Textarea
          label={t(`watchlists.${list.type}`)}
          description={t('watchlists.perLine', { n: MAX_LINES })}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          autosize
          maxRows={10}
          required
        />
      )}
      <ReasonAndEnd note={note} setNote={setNote} expireAfter={expireAfter} setExpireAfter={setExpireAfter} />
    </ActForm>
  );
}

/** Searches a face or a value in the list, and shows the number of matches. */
function Match({ list }: { list: ListView }) {
  const t = useT();
  const [value, setValue] = useState('');
  const [image, setImage] = useState<File | null>(null);
  const [matchResult, setMatchResult] = useState<Result<'watchlists', 'match'>>();
  const match = useAct(async () => {
    const body = list.type === 'FACE' ? { image: image ? await base64Of(image) : '' } : { value };
    return call('watchlists', 'match', { params: { watchlistId: list.id }, body });
  }, setMatchResult);
  return (
    <section className="card">
      <Stack gap="xs">
        <Title order={2} size="h5">
          {t('watchlists.try')}
        </Title>
        <Group align="flex-end">
          {list.type === 'FACE' ? (
            <FileInput
              label={t('watchlists.picture')}
              accept="image/jpeg,image/png"
              value={image}
              onChange={setImage}
            />
          ) : (
            <TextInput
              label={t(`watchlists.${list.type}`)}
              value={value}
              onChange={(event) => setValue(event.currentTarget.value)}
              maxLength={254}
            />
          )}
          <Button
            variant="default"
            onClick={() => match.mutate(undefined)}
            loading={match.isPending}
            disabled={list.type === 'FACE' ? !image : value === ''}
          >
            {t('watchlists.look')}
          </Button>
        </Group>
        <ChosenPicture file={image} />
        {matchResult && (
          <Text size="sm" role="status">
            {t('watchlists.found', { n: matchResult.candidates.length, compared: matchResult.numCompared })}
          </Text>
        )}
        {matchResult && matchResult.candidates.length > 0 && <Candidates matchResult={matchResult} />}
      </Stack>
    </section>
  );
}

/** The possible matches, the likeliest first. Without pictures, because the list holds numbers instead of faces. */
function Candidates({ matchResult: { candidates } }: { matchResult: Result<'watchlists', 'match'> }) {
  const t = useT();
  return (
    <Table withTableBorder>
      <Table.Tbody>
        {candidates.map(({ memberId, score, firstName, lastName }) => (
          <Table.Tr key={memberId}>
            <Table.Td>
              <bdi>{[firstName, lastName].filter(Boolean).join(' ') || memberId}</bdi>
            </Table.Td>
            <Table.Td>{t('check.scoreAlone', { score: Math.round(score * 100) / 100 })}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
