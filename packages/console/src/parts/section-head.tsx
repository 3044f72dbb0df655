import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The heading of a part of a screen, with its actions. */
export function SectionHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Group justify="space-between" mb="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Group>
  );
}
