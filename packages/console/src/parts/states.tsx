import { Alert, Button, Center, Loader, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Group, isForbidden, type Name, permissionOf } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useErrorText, useT } from '../texts/texts.tsx';

/** What a screen shows while it has no data. */
export function Waiting() {
  const t = useT();
  return (
    <Center mih={200}>
      <Loader aria-label={t('app.loading')} />
    </Center>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center mih={220}>
      <Stack align="center" gap="xs">
        <EmptyPicture />
        <Text fw={600}>{title}</Text>
        {children}
      </Stack>
    </Center>
  );
}

function EmptyPicture() {
  return (
    <svg width="72" height="56" viewBox="0 0 72 56" fill="none" aria-hidden="true">
      <rect x="10" y="8" width="52" height="40" rx="8" stroke="currentColor" strokeOpacity="0.35" strokeWidth="2" />
      <path d="M20 22h32M20 32h20" stroke="var(--mantine-primary-color-filled)" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useT();
  const errorText = useErrorText();
  if (isForbidden(error)) return <Forbidden detail={errorText(error)} />;
  return (
    <Alert color="red" title={t('state.error')} role="alert" variant="light">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{errorText(error)}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('app.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

export function Forbidden({ permission, detail }: { permission?: string; detail?: string }) {
  const t = useT();
  return (
    <Center mih={220}>
      <Stack align="center" gap="xs" maw={480}>
        <Title order={2} size="h4" ta="center">
          {t('state.forbidden')}
        </Title>
        <Text size="sm" c="dimmed" ta="center">
          {permission ? t('state.forbiddenHint', { permission }) : detail}
        </Text>
      </Stack>
    </Center>
  );
}

/** Shows its content only if the role permits the operation. */
export function IfMay<G extends Group>({
  group,
  name,
  otherwise = null,
  children,
}: {
  group: G;
  name: Name<G>;
  otherwise?: ReactNode;
  children: ReactNode;
}) {
  const may = useMay();
  return may(group, name) ? children : otherwise;
}

/** A whole screen that needs a permission. */
export function Guarded<G extends Group>({ group, name, children }: { group: G; name: Name<G>; children: ReactNode }) {
  return (
    <IfMay group={group} name={name} otherwise={<Forbidden permission={permissionOf(group, name)} />}>
      {children}
    </IfMay>
  );
}
