import { Alert, Button, Divider } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call, callForBlob } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { AssignReview } from '../parts/assign-review.tsx';
import { BlockButton } from '../parts/case-block.tsx';
import { type Case, CaseStates, caseKey, loadCase, useCase } from '../parts/case-data.tsx';
import { Decision, fetchReview } from '../parts/case-decision.tsx';
import { imagesOf } from '../parts/case-images.tsx';
import { OnceShown } from '../parts/dialogs.tsx';
import { Page } from '../parts/page.tsx';
import { PrioritySelect } from '../parts/priority-select.tsx';
import { queueOfTab } from '../parts/queue-of-tab.ts';
import { QUEUE_ORDER } from '../parts/queue-order.ts';
import { RedactInstance } from '../parts/redact-instance.tsx';
import { ReopenInstance } from '../parts/reopen-instance.tsx';
import { reviewerName } from '../parts/reviewer-name.ts';
import { MailForm } from '../parts/send-link.tsx';
import { useT } from '../texts/texts.tsx';
import { CaseView } from './instance.tsx';
import { titleOf } from './instances.tsx';

/** One case with its data and its decision, by keyboard if wanted. The next case is loaded in advance. */
export function CaseScreen() {
  const t = useT();
  const { id = '' } = useParams({ strict: false });
  const may = useMay();
  const allowed = { seeData: may('userData', 'get'), seeEvents: may('processInstances', 'listEvents') };
  const query = useCase(id, allowed);
  const go = useNextCase(id, allowed);
  // The link outlives the decision: after "Ask again" the case waits for the person, not for a reviewer.
  const [link, setLink] = useState<string>();
  const leave = () => {
    setLink(undefined);
    go();
  };
  if (!query.data) return <CaseStates query={query} />;
  const { instance } = query.data;
  const steps = [...new Set(query.data.checks.map(({ step }) => step))];
  return (
    <Page key={id} title={titleOf(t, instance, query.data.data)} actions={<CaseActions caseFile={query.data} />}>
      <CaseView caseFile={query.data} />
      {instance.status === 'REVIEW' ? (
        <Decision key={id} id={id} steps={steps} onNext={go} onLink={setLink} />
      ) : (
        <Decided onNext={go} />
      )}
      <OnceShown title={t('case.askAgain')} lead={t('case.asked')} value={link} onClose={leave}>
        {may('processInstances', 'sendResumeLink') && (
          <>
            <Divider label={t('link.or')} />
            <MailForm id={id} email={instance.email} onSent={leave} />
          </>
        )}
      </OnceShown>
    </Page>
  );
}

function CaseActions({ caseFile }: { caseFile: Case }) {
  const { id, status, redactedDtm } = caseFile.instance;
  return (
    <>
      {status === 'REVIEW' && <PrioritySelect id={id} />}
      {status === 'REVIEW' && <AssignReview id={id} />}
      {!redactedDtm && <ReopenInstance id={id} status={status} />}
      <RedactInstance instance={caseFile.instance} />
      <BlockButton caseFile={caseFile} />
    </>
  );
}

/** The number of cases that are searched for the next one; cases with the viewer's own verdict are skipped. */
const NEXT_SIZE = 20;
const IMAGES_AHEAD = 6;

type Allowed = { seeData: boolean; seeEvents: boolean };

/**
 * Goes to the most urgent unclaimed case, whose data and first images are loaded in advance. A reviewer who is faster
 * than the server waits for its response; if there is no such case, the queue is shown.
 */
function useNextCase(id: string, allowed: Allowed): () => void {
  const environment = useEnvironment();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { operator, masked } = useSession();
  const me = reviewerName(operator);
  const nextCase = {
    queryKey: [environment, 'next-case', id],
    queryFn: async () => {
      const query = { assigned: 'UNCLAIMED', queue: queueOfTab(), size: NEXT_SIZE, sort: QUEUE_ORDER } as const;
      const { content } = await call('reviews', 'list', { query });
      const next = content.find((row) => row.processInstanceId !== id && !row.verdictsBy.includes(me));
      return next?.processInstanceId ?? null;
    },
  };
  const may = useMay();
  const mayList = may('reviews', 'list');
  const { data: nextId } = useQuery({ ...nextCase, enabled: mayList });
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once for each next case.
  useEffect(() => {
    if (!nextId) return;
    const queryFn = () => loadCase(nextId, allowed);
    if (may('reviews', 'get')) {
      client.prefetchQuery({ queryKey: [environment, 'review', nextId], queryFn: () => fetchReview(nextId) });
    }
    client
      .ensureQueryData({ queryKey: caseKey(environment, nextId), queryFn, staleTime: 30_000 })
      .then((caseFile) => {
        const params = { processDefnId: caseFile.instance.processDefnId, processInstanceId: nextId };
        const images = masked ? [] : imagesOf(caseFile.data);
        const fetches = images.slice(0, IMAGES_AHEAD).map(({ path }) =>
          client.prefetchQuery({
            queryKey: [environment, 'image', nextId, path],
            queryFn: () => callForBlob('userData', 'getItem', { params, query: { path } }, 'image/*'),
            staleTime: Number.POSITIVE_INFINITY,
          }),
        );
        return Promise.all(fetches);
      })
      .catch(() => undefined);
  }, [nextId, environment]);
  return async () => {
    const next = mayList ? await client.ensureQueryData(nextCase).catch(() => null) : null;
    navigate({ to: next ? `/reviews/${next}` : '/reviews' });
  };
}

function Decided({ onNext }: { onNext(): void }) {
  const t = useT();
  useHotkeys([['n', onNext]]);
  return (
    <Alert variant="light" color="gray" title={t('case.decided')}>
      <Button size="xs" variant="default" onClick={onNext}>
        {t('case.next')}
      </Button>
    </Alert>
  );
}
