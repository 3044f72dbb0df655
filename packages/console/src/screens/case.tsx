import { Alert, Button, Checkbox, Group, NativeSelect, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useHotkeys, useLocalStorage } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { call, callForBlob } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { say, useAct } from '../parts/act.ts';
import { CaseStates, loadCase, useCase } from '../parts/case-data.tsx';
import { imagesOf } from '../parts/case-images.tsx';
import { OnceShown } from '../parts/dialogs.tsx';
import { useMomentText } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { useExplainQueue } from '../texts/reasons.ts';
import { useT, useTexts } from '../texts/texts.tsx';
import { CaseView } from './instance.tsx';
import { nameOf } from './instances.tsx';
import { reviewerName } from './reviews.tsx';

/** One case: everything about it, and the decision, by keyboard if one likes. The next case is fetched ahead. */
export function CaseScreen() {
  const t = useT();
  const { id = '' } = useParams({ strict: false });
  const may = useMay();
  const allowed = { seeData: may('userData', 'get'), seeEvents: may('processInstances', 'listEvents') };
  const query = useCase(id, allowed);
  const next = useNextCase(id, allowed);
  const go = useGo(next);
  // It outlives the decision: a case that is asked again waits for the person, and no more for a reviewer.
  const [link, setLink] = useState<string>();
  if (!query.data) return <CaseStates query={query} />;
  const { instance } = query.data;
  const steps = [...new Set(query.data.checks.map(({ step }) => step))];
  return (
    <Page title={nameOf(instance) || t('instances.noName')}>
      <CaseView found={query.data} />
      {instance.status === 'REVIEW' ? (
        <Decision key={id} id={id} steps={steps} next={next} onLink={setLink} />
      ) : (
        <Decided next={next} />
      )}
      <OnceShown
        title={t('case.askAgain')}
        lead={t('case.asked')}
        value={link}
        onClose={() => {
          setLink(undefined);
          go();
        }}
      />
    </Page>
  );
}

/** Cases that wait for the second verdict of somebody else are passed over. */
const NEXT_SIZE = 20;
const IMAGES_AHEAD = 6;

type Allowed = { seeData: boolean; seeEvents: boolean };

/** The oldest other case that nobody has claimed, with its data and its first images. */
function useNextCase(id: string, allowed: Allowed): string | undefined {
  const environment = useEnvironment();
  const client = useQueryClient();
  const me = reviewerName(useSession().operator);
  const { data } = useQuery({
    queryKey: [environment, 'next-case', id],
    queryFn: () =>
      call('reviews', 'list', { query: { assigned: 'UNCLAIMED', size: NEXT_SIZE, sort: ['waitingSinceDtm,asc'] } }),
  });
  const next = data?.content.find((row) => row.processInstanceId !== id && !row.verdictsBy.includes(me));
  const nextId = next?.processInstanceId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: fetched once for each next case.
  useEffect(() => {
    if (!nextId) return;
    const queryFn = () => loadCase(nextId, allowed);
    client
      .ensureQueryData({ queryKey: [environment, 'case', nextId], queryFn, staleTime: 30_000 })
      .then((found) => {
        const params = { processDefnId: found.instance.processDefnId, processInstanceId: nextId };
        const fetches = imagesOf(found.data).map(({ path }) =>
          client.prefetchQuery({
            queryKey: [environment, 'image', nextId, path],
            queryFn: () => callForBlob('userData', 'getItem', { params, query: { path } }, 'image/*'),
            staleTime: Number.POSITIVE_INFINITY,
          }),
        );
        return Promise.all(fetches.slice(0, IMAGES_AHEAD));
      })
      .catch(() => undefined);
  }, [nextId, environment]);
  return nextId;
}

function useGo(next: string | undefined): () => void {
  const navigate = useNavigate();
  return () => navigate({ to: next ? `/reviews/${next}` : '/reviews' });
}

function Decided({ next }: { next: string | undefined }) {
  const t = useT();
  const go = useGo(next);
  return (
    <Alert variant="light" color="gray" title={t('case.decided')}>
      <Button size="xs" variant="default" onClick={go}>
        {t('case.next')}
      </Button>
    </Alert>
  );
}

type DecisionProps = {
  id: string;
  steps: readonly string[];
  next: string | undefined;
  /** The person is asked again by this link. */
  onLink(link: string): void;
};

function Decision({ id, steps, next, onLink }: DecisionProps) {
  const t = useT();
  const may = useMay();
  const go = useGo(next);
  const environment = useEnvironment();
  const [comment, setComment] = useState('');
  const [again, setAgain] = useState<string[]>([]);
  const [reason, setReason] = useState<Reason>('other');
  const [message, setMessage] = useState('');
  const { language } = useTexts();
  const [isAsking, setAsking] = useState(false);
  const explain = useExplainQueue();
  const field = useRef<HTMLTextAreaElement>(null);
  const [hasKeys, setKeys] = useLocalStorage({ key: 'grove-shortcuts', defaultValue: true });
  const review = useQuery({
    queryKey: [environment, 'review', id],
    queryFn: () => call('reviews', 'get', { params: { processInstanceId: id } }).catch(() => null),
  });
  const params = { processInstanceId: id };
  const claim = useAct(() => call('reviews', 'claim', { params, body: {} }));
  const release = useAct(() => call('reviews', 'release', { params, body: {} }));
  const decide = useAct(
    (verdict: 'approve' | 'reject') => call('reviews', verdict, { params, body: { comment } }),
    ({ status }, verdict) => {
      if (status === 'REVIEW') say(t('case.firstVerdict'));
      else say(t(verdict === 'approve' ? 'case.approved' : 'case.rejected'));
      go();
    },
  );
  const ask = useAct(
    () => call('reviews', 'askAgain', { params, body: { comment, steps: again, reason, ...told(language, message) } }),
    ({ redirectUrl }) => onLink(redirectUrl),
  );
  const withReason = (act: () => void) => () => (comment.trim() === '' ? field.current?.focus() : act());
  const approve = withReason(() => decide.mutate('approve'));
  const reject = withReason(() => decide.mutate('reject'));
  const askAgain = () => {
    if (!isAsking) setAsking(true);
    else if (again.length > 0) withReason(() => ask.mutate(undefined))();
  };
  const on = (key: string, act: () => void): [string, () => void] => [key, () => hasKeys && act()];
  useHotkeys([
    on('a', approve),
    on('d', reject),
    on('r', askAgain),
    on('n', go),
    on('c', () => claim.mutate(undefined)),
  ]);
  const isBusy = decide.isPending || ask.isPending;
  return (
    <Stack gap="xs" className="decision" component="section" aria-label={t('case.decide')}>
      {review.data && (
        <Text size="sm">
          {review.data.reasons.slice(0, 3).map(explain).join(' ')} <Claim review={review.data} />
        </Text>
      )}
      {review.data && review.data.verdictsNeeded > 1 && <FourEyes review={review.data} />}
      <Textarea
        ref={field}
        label={t('case.comment')}
        placeholder={t('case.commentHint')}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        maxLength={1000}
        autosize
        minRows={1}
        required
      />
      {isAsking && (
        <>
          <NativeSelect
            label={t('case.why')}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value as Reason)}
            data={REASONS.map((value) => ({ value, label: t(`case.why.${value}`) }))}
          />
          <Textarea
            label={t('case.message')}
            description={t('case.messageHint')}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            maxLength={500}
            autosize
            minRows={1}
          />
          <Checkbox.Group label={t('case.steps')} value={again} onChange={setAgain}>
            <Group gap="sm" mt={4}>
              {steps.map((step) => (
                <Checkbox key={step} value={step} label={step} size="xs" />
              ))}
            </Group>
          </Checkbox.Group>
        </>
      )}
      <Group gap="xs">
        <Button onClick={approve} loading={isBusy} disabled={!may('reviews', 'approve')}>
          {t('case.approve')}
        </Button>
        <Button color="red.9" onClick={reject} loading={isBusy} disabled={!may('reviews', 'reject')}>
          {t('case.reject')}
        </Button>
        <Button
          variant="default"
          onClick={askAgain}
          disabled={!may('reviews', 'askAgain') || (isAsking && again.length === 0) || isBusy}
        >
          {t('case.askAgain')}
        </Button>
        {review.data?.claimedUntilDtm ? (
          <Button variant="default" onClick={() => release.mutate(undefined)} loading={release.isPending}>
            {t('case.release')}
          </Button>
        ) : (
          <Button variant="default" onClick={() => claim.mutate(undefined)} loading={claim.isPending}>
            {t('case.claim')}
          </Button>
        )}
        <Button variant="subtle" onClick={go}>
          {t('case.next')}
        </Button>
        <Switch
          size="xs"
          checked={hasKeys}
          onChange={(event) => setKeys(event.currentTarget.checked)}
          label={hasKeys ? t('case.shortcuts') : t('case.shortcutsOn')}
        />
      </Group>
    </Stack>
  );
}

/** What the end user is told; each has words in every language of the journey. */
const REASONS = ['other', 'unreadable', 'expired', 'otherDocument', 'faceUnclear', 'detailsDiffer'] as const;
type Reason = (typeof REASONS)[number];

/** Written in the language of whoever writes; the journey says so where it is another than that of the end user. */
function told(language: string, message: string) {
  const text = message.trim();
  return text === '' ? {} : { message: { [language]: text } };
}

function FourEyes({ review }: { review: { verdictsBy: readonly string[]; disagree: boolean } }) {
  const t = useT();
  const { verdictsBy, disagree } = review;
  const [first] = verdictsBy;
  return (
    <Alert variant="light" color={disagree ? 'red' : 'gray'} py="xs">
      {disagree ? t('case.disagree') : first ? t('case.secondOf', { name: first }) : t('case.firstOf')}
    </Alert>
  );
}

function Claim({ review }: { review: { reviewer?: string; claimedUntilDtm?: string } }) {
  const t = useT();
  const momentText = useMomentText();
  const { operator } = useSession();
  const { reviewer, claimedUntilDtm } = review;
  if (!reviewer || !claimedUntilDtm) return null;
  const time = momentText(claimedUntilDtm);
  const isMine = reviewer === reviewerName(operator);
  return (
    <Text span size="sm" c="dimmed">
      {isMine ? t('case.claimed', { time }) : t('case.claimedBy', { name: reviewer, time })}
    </Text>
  );
}
