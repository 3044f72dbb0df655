import { Alert, Button, Checkbox, Group, Kbd, NativeSelect, Stack, Switch, Table, Text, Textarea } from '@mantine/core';
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CallError, call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { useExplainQueue } from '../texts/reasons.ts';
import { type TextKey, useT, useTexts } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { type Case, caseKey } from './case-data.tsx';
import { Dialog } from './dialogs.tsx';
import { useMomentText } from './moment.tsx';
import { reviewerName } from './reviewer-name.ts';

type Review = Result<'reviews', 'get'>;

const NOT_IN_REVIEW = 100061;

/** Resolves to null if the case was decided meanwhile. */
export const fetchReview = (processInstanceId: string): Promise<Review | null> =>
  call('reviews', 'get', { params: { processInstanceId } }).catch((error) => {
    if (error instanceof CallError && error.code === NOT_IN_REVIEW) return null;
    throw error;
  });

export function useReview(id: string) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const mayGet = useMay()('reviews', 'get');
  // Evaluated before each fetch, because the case may have been decided on this page.
  const isWaiting = () =>
    (client.getQueryData<Case>(caseKey(environment, id))?.instance.status ?? 'REVIEW') === 'REVIEW';
  const enabled = () => mayGet && isWaiting();
  return useQuery({ queryKey: [environment, 'review', id], queryFn: () => fetchReview(id), enabled });
}

/** Removes the review of a case that was decided on this page. */
function useCloseCase(id: string): (status: Case['instance']['status']) => void {
  const environment = useEnvironment();
  const client = useQueryClient();
  return (status) =>
    client.setQueryData<Case>(
      caseKey(environment, id),
      (old) => old && { ...old, instance: { ...old.instance, status } },
    );
}

type DecisionProps = {
  id: string;
  steps: readonly string[];
  onNext(): void;
  /** Called with the link by which the person repeats steps. */
  onLink(link: string): void;
};

/** Default reasons, if the tenant has none of its own; a digit key inserts one. */
const PRESETS = ['preset.1', 'preset.2', 'preset.3', 'preset.4', 'preset.5'] as const satisfies readonly TextKey[];

/** Claims the case for whoever opens it, so that two people never work on the same one. */
function useClaimed(id: string) {
  const may = useMay();
  const me = reviewerName(useSession().operator);
  const review = useReview(id);
  const claim = useAct(() => call('reviews', 'claim', { params: { processInstanceId: id }, body: {} }));
  const isTried = useRef(false);
  const { data } = review;
  const isFree = data != null && !data.reviewer && !data.verdictsBy.includes(me);
  // biome-ignore lint/correctness/useExhaustiveDependencies: claimed once for each case.
  useEffect(() => {
    if (!isFree || isTried.current || !may('reviews', 'claim')) return;
    isTried.current = true;
    // A failure is ignored: the case shows who holds it, and somebody else may have decided it.
    call('reviews', 'claim', { params: { processInstanceId: id }, body: {} })
      .catch(() => undefined)
      .then(() => review.refetch());
  }, [isFree]);
  return { review: data ?? undefined, claim, isMine: data?.reviewer === me };
}

/** The actions on a case, and their keys. */
function useDecision({ id, onNext, onLink }: Omit<DecisionProps, 'steps'>) {
  const t = useT();
  const may = useMay();
  const [comment, setComment] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [hasHelp, help] = useDisclosure();
  const field = useRef<HTMLTextAreaElement>(null);
  const [hasKeys, setKeys] = useLocalStorage({ key: 'grove-shortcuts', defaultValue: true });
  const claimed = useClaimed(id);
  const closeCase = useCloseCase(id);
  const params = { processInstanceId: id };
  const release = useAct(() => call('reviews', 'release', { params, body: {} }), onNext);
  const decide = useAct(
    (verdict: 'approve' | 'reject') => call('reviews', verdict, { params, body: { comment } }),
    ({ status }, verdict) => {
      closeCase(status);
      if (status === 'REVIEW') say(t('case.firstVerdict'));
      else say(t(verdict === 'approve' ? 'case.approved' : 'case.rejected'));
      onNext();
    },
  );
  const asking = useAsking({ id, comment, onNext, onLink });
  const withReason = (act: () => void) => () => (comment.trim() === '' ? field.current?.focus() : act());
  const acts = {
    approve: withReason(() => decide.mutate('approve')),
    reject: withReason(() => decide.mutate('reject')),
    askAgain() {
      if (!isAsking) setAsking(true);
      else if (asking.steps.length > 0) withReason(() => asking.ask.mutate(undefined))();
    },
    next: () => (claimed.isMine ? release.mutate(undefined) : onNext()),
    claim: () => claimed.claim.mutate(undefined),
    release: () => release.mutate(undefined),
  };
  const offered = claimed.review?.offeredReasons ?? [];
  const reasons = offered.length > 0 ? offered : PRESETS.map((key) => t(key));
  const isBusy = decide.isPending || asking.ask.isPending;
  const on = (key: string, act: () => void): [string, () => void] => [key, () => hasKeys && !isBusy && act()];
  const onIfMay = (key: string, name: 'approve' | 'reject' | 'askAgain' | 'claim') =>
    on(key, () => may('reviews', name) && acts[name]());
  useHotkeys([
    onIfMay('a', 'approve'),
    onIfMay('d', 'reject'),
    onIfMay('r', 'askAgain'),
    onIfMay('c', 'claim'),
    on('n', acts.next),
    on('?', help.open),
    on('shift+?', help.open),
    ...reasons.map((reason, at) => on(String(at + 1), () => setComment(reason))),
  ]);
  return {
    comment,
    setComment,
    isAsking,
    asking,
    field,
    hasHelp,
    help,
    hasKeys,
    setKeys,
    acts,
    isBusy,
    isMoving: claimed.claim.isPending || release.isPending,
    review: claimed.review,
    isMine: claimed.isMine,
    reasons,
  };
}

const EVALUATION_COLOURS = { PASS: 'green', FAIL: 'red', REVIEW: 'gray' } as const;

export function Decision({ id, steps, onNext, onLink }: DecisionProps) {
  const t = useT();
  const explain = useExplainQueue();
  const decision = useDecision({ id, onNext, onLink });
  const { review, comment, setComment, field, hasHelp, help } = decision;
  return (
    <Stack gap="xs" className="decision" component="section" aria-label={t('case.decide')}>
      {review && (
        <Text size="sm">
          {review.reasons.slice(0, 3).map(explain).join(' ')} <Claim review={review} />
        </Text>
      )}
      {review?.evaluation && (
        <Alert variant="light" color={EVALUATION_COLOURS[review.evaluation]} py="xs">
          {t(`correct.${review.evaluation}`)}
        </Alert>
      )}
      {review && review.verdictsNeeded > 1 && <FourEyes review={review} />}
      <Textarea
        ref={field}
        label={t('case.comment')}
        placeholder={t('case.commentHint')}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        maxLength={1000}
        autosize
        minRows={1}
        required
      />
      <Group gap={4}>
        {decision.reasons.map((reason, at) => (
          <Button key={reason} size="compact-xs" variant="default" onClick={() => setComment(reason)}>
            <bdi>{`${at + 1} · ${reason}`}</bdi>
          </Button>
        ))}
      </Group>
      {decision.isAsking && <AskFields steps={steps} asking={decision.asking} />}
      <Buttons decision={decision} />
      <Dialog opened={hasHelp} onClose={help.close} title={t('case.help')}>
        <Keys />
      </Dialog>
    </Stack>
  );
}

function Buttons({ decision }: { decision: ReturnType<typeof useDecision> }) {
  const t = useT();
  const may = useMay();
  const { acts, isAsking, asking, isBusy, isMoving, isMine, hasKeys, setKeys, help } = decision;
  return (
    <Group gap="xs">
      {may('reviews', 'approve') && (
        <Button onClick={acts.approve} loading={isBusy}>
          {t('case.approve')}
        </Button>
      )}
      {may('reviews', 'reject') && (
        <Button color="red.9" onClick={acts.reject} loading={isBusy}>
          {t('case.reject')}
        </Button>
      )}
      {may('reviews', 'askAgain') && (
        <Button variant="default" onClick={acts.askAgain} disabled={(isAsking && asking.steps.length === 0) || isBusy}>
          {t('case.askAgain')}
        </Button>
      )}
      {may('reviews', isMine ? 'release' : 'claim') && (
        <Button variant="default" onClick={isMine ? acts.release : acts.claim} loading={isMoving}>
          {t(isMine ? 'case.release' : 'case.claim')}
        </Button>
      )}
      <Button variant="subtle" onClick={acts.next} disabled={isBusy || isMoving}>
        {t('case.next')}
      </Button>
      <Switch
        size="xs"
        checked={hasKeys}
        onChange={(event) => setKeys(event.currentTarget.checked)}
        label={t('case.shortcutsOn')}
      />
      <Button size="compact-xs" variant="default" onClick={help.open} aria-label={`?: ${t('case.help')}`}>
        ?
      </Button>
    </Group>
  );
}

const KEYS = [
  ['A', 'case.approve'],
  ['D', 'case.reject'],
  ['R', 'case.askAgain'],
  ['N', 'case.next'],
  ['C', 'case.claim'],
  ['1 – 9', 'case.presets'],
  ['Esc', 'case.leaveField'],
  ['?', 'case.help'],
] as const satisfies readonly (readonly [string, TextKey])[];

function Keys() {
  const t = useT();
  return (
    <Table>
      <Table.Tbody>
        {KEYS.map(([key, text]) => (
          <Table.Tr key={key}>
            <Table.Td>
              <Kbd>{key}</Kbd>
            </Table.Td>
            <Table.Td>{t(text)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The reason that the end user reads; each has texts in every language of the journey. */
const REASONS = ['other', 'unreadable', 'expired', 'otherDocument', 'faceUnclear', 'detailsDiffer'] as const;
type Reason = (typeof REASONS)[number];

type Asking = Pick<DecisionProps, 'id' | 'onNext' | 'onLink'> & { comment: string };

function useAsking({ id, comment, onNext, onLink }: Asking) {
  const { t, language } = useTexts();
  const { masked } = useSession();
  const [steps, setSteps] = useState<string[]>([]);
  const [reason, setReason] = useState<Reason>('other');
  const [message, setMessage] = useState('');
  const closeCase = useCloseCase(id);
  // Marked with the language of the operator; the journey says so if it is not that of the end user.
  const words = message.trim() === '' ? {} : { message: { [language]: message.trim() } };
  const ask = useAct(
    () =>
      call('reviews', 'askAgain', { params: { processInstanceId: id }, body: { comment, steps, reason, ...words } }),
    ({ redirectUrl }) => {
      closeCase('ACTIVE');
      if (!masked) return onLink(redirectUrl);
      say(t('case.askedMasked'));
      onNext();
    },
  );
  return { steps, setSteps, reason, setReason, message, setMessage, ask };
}

function AskFields({ steps, asking }: { steps: readonly string[]; asking: ReturnType<typeof useAsking> }) {
  const t = useT();
  return (
    <>
      <NativeSelect
        label={t('case.why')}
        value={asking.reason}
        onChange={(event) => asking.setReason(event.currentTarget.value as Reason)}
        data={REASONS.map((value) => ({ value, label: t(`case.why.${value}`) }))}
      />
      <Textarea
        label={t('case.message')}
        description={t('case.messageHint')}
        value={asking.message}
        onChange={(event) => asking.setMessage(event.currentTarget.value)}
        maxLength={500}
        autosize
        minRows={1}
      />
      <Checkbox.Group label={t('case.steps')} value={asking.steps} onChange={asking.setSteps}>
        <Group gap="sm" mt={4}>
          {steps.map((step) => (
            <Checkbox key={step} value={step} label={step} size="xs" />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
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
