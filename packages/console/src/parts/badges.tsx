import { Badge } from '@mantine/core';
import { isTextKey, type TextKey, useT } from '../texts/texts.tsx';

type Tone = 'good' | 'bad' | 'wait' | 'plain';

const CLASSES: Record<Tone, string> = { good: 'tone-good', bad: 'tone-bad', wait: 'tone-wait', plain: 'tone-plain' };

export function Tag({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge variant="light" className={CLASSES[tone]} tt="none" fw={600}>
      {children}
    </Badge>
  );
}

const INSTANCE: Record<string, Tone> = { Accepted: 'good', Declined: 'bad', Error: 'bad', Review: 'wait' };

export function StatusTag({ status }: { status: string }) {
  const t = useT();
  return <Tag tone={INSTANCE[status] ?? 'plain'}>{t(`status.${status}` as TextKey)}</Tag>;
}

const CHECK: Record<string, Tone> = { PASSED: 'good', FAILED: 'bad', REVIEW: 'wait' };

export function CheckTag({ status }: { status: string }) {
  const t = useT();
  return <Tag tone={CHECK[status] ?? 'plain'}>{t(`check.${status}` as TextKey)}</Tag>;
}

const WORD: Record<string, Tone> = {
  ACTIVE: 'good',
  DELIVERED: 'good',
  DONE: 'good',
  DEPLOYED_ACTIVE: 'good',
  BLOCKED: 'bad',
  FAILED: 'bad',
  SUSPENDED: 'bad',
  DISABLED: 'bad',
  LOCKED: 'bad',
  TEMP_LOCKED: 'bad',
  DEAD: 'bad',
  PENDING: 'wait',
  INVITED: 'wait',
};

/** Translates a status of the contract; an unknown one is shown unchanged. */
export function useWord(): (word: string) => string {
  const t = useT();
  return (word) => {
    const key = `word.${word}`;
    return isTextKey(key) ? t(key) : word;
  };
}

export function WordTag({ word }: { word: string }) {
  return <Tag tone={WORD[word] ?? 'plain'}>{useWord()(word)}</Tag>;
}
