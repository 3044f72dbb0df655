import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from './api/client.ts';
import { forgetSession, useSession } from './api/session.tsx';
import { useTexts } from './texts/texts.tsx';

export function AccountMenu() {
  const { t } = useTexts();
  const { operator } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    await call('consoleAccount', 'signOut', { body: {} }).catch(() => undefined);
    forgetSession(client);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`${initials(operator.name)}: ${t('app.account')}`}
          className="account"
        >
          {initials(operator.name)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {operator.name} · {operator.role}
        </Menu.Label>
        <Menu.Item onClick={() => navigate({ to: '/account' })}>{t('app.account')}</Menu.Item>
        <Menu.Item onClick={signOut}>{t('app.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => word?.charAt(0).toUpperCase() ?? '').join('');
}
