import {
  ActionIcon,
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  NavLink,
  SegmentedControl,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { setEnvironment, useEnvironment } from './api/environment.ts';
import { canTry, useMay, useSession } from './api/session.tsx';
import { lazily } from './api/when-unreachable.ts';
import { useMayLeave } from './parts/use-leave-guard.ts';
import { LANGUAGES, type Language, useTexts } from './texts/texts.tsx';

// Loaded later, because menus are large and no screen needs them at once.
const Palette = lazily(() => import('./parts/palette.tsx'), 'Palette');
const AskForCode = lazily(() => import('./parts/ask-for-code.tsx'), 'AskForCode');
const AccountMenu = lazily(() => import('./account-menu.tsx'), 'AccountMenu');

/** The frame of every screen: navigation, tenant, environment and account. */
export function Shell() {
  const { t } = useTexts();
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isJumping, jump] = useDisclosure();
  useHotkeys([['mod+K', jump.open]], []);
  const { tenantName } = useSession();
  const screens = useScreens();
  const environment = useEnvironment();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when another screen is opened.
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a href="#content" className="skip">
        {t('app.skip')}
      </a>
      <AppShell.Header>
        <Header isOpen={isOpen} toggle={toggle} jump={jump.open} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t('nav.main')}>
        <Text fw={650} px="sm" pb="xs" hiddenFrom="sm" className="wrap">
          <bdi>{tenantName}</bdi>
        </Text>
        <AppShell.Section grow className="scrolls">
          <Navigation path={path} />
        </AppShell.Section>
        <AppShell.Section>
          <Preferences />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        {environment === 'test' && <div className="test-banner">{t('app.testBanner')}</div>}
        <Outlet />
        <Suspense fallback={null}>
          <AskForCode />
        </Suspense>
        {isJumping && (
          <Suspense fallback={null}>
            <Palette screens={screens.map(({ to, label }) => ({ to, label, hint: '' }))} onClose={jump.close} />
          </Suspense>
        )}
      </AppShell.Main>
    </AppShell>
  );
}

function Header({ isOpen, toggle, jump }: { isOpen: boolean; toggle(): void; jump(): void }) {
  const { t } = useTexts();
  const { tenantName, region } = useSession();
  return (
    <Group h="100%" px="md" gap="xs" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t('app.menu')} />
        <Box component="img" src="/console/icon.svg" w={26} h={26} alt="" visibleFrom="xs" />
        <Text fw={650} truncate dir="auto">
          {tenantName}
        </Text>
        <Badge variant="default" className="region no-shrink">
          {region}
        </Badge>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button size="xs" variant="default" onClick={jump} visibleFrom="sm" aria-keyshortcuts="Control+K Meta+K">
          {t('palette.open')}
        </Button>
        <EnvironmentSwitch />
        <Suspense fallback={null}>
          <AccountMenu />
        </Suspense>
      </Group>
    </Group>
  );
}

function EnvironmentSwitch() {
  const { t } = useTexts();
  const environment = useEnvironment();
  const { environments } = useSession();
  const mayLeave = useMayLeave();
  const data = environments.map((value) => ({ value, label: t(value === 'live' ? 'app.live' : 'app.test') }));
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('app.environment')}
      value={environment}
      data={data}
      onChange={(value) => mayLeave() && setEnvironment(value === 'test' ? 'test' : 'live')}
    />
  );
}

/** The screens that the role permits. */
function useScreens() {
  const { t } = useTexts();
  const may = useMay();
  const { environments, ofInstallation } = useSession();
  return [
    { to: '/', label: t('nav.home'), isShown: true },
    { to: '/reviews', label: t('nav.reviews'), isShown: may('reviews', 'list') },
    { to: '/instances', label: t('nav.instances'), isShown: may('processInstances', 'list') },
    { to: '/tokens', label: t('nav.tokens'), isShown: may('processTokens', 'list') },
    { to: '/try', label: t('try.title'), isShown: canTry(may) && environments.includes('test') },
    { to: '/definitions', label: t('nav.definitions'), isShown: may('processDefinitions', 'list') },
    { to: '/what-if', label: t('whatIf.title'), isShown: may('whatIf', 'run') && may('processDefinitions', 'list') },
    { to: '/usage', label: t('usage.title'), isShown: may('usage', 'get') },
    { to: '/watchlists', label: t('watchlists.title'), isShown: may('watchlists', 'list') },
    { to: '/stores', label: t('stores.title'), isShown: may('stores', 'list') },
    { to: '/themes', label: t('themes.title'), isShown: may('themes', 'list') },
    { to: '/pages', label: t('pages.title'), isShown: may('customPages', 'list') },
    { to: '/keys', label: t('nav.keys'), isShown: may('apiKeys', 'list') },
    { to: '/webhooks', label: t('nav.webhooks'), isShown: may('webhooks', 'list') },
    { to: '/secrets', label: t('nav.secrets'), isShown: may('cloudSecrets', 'list') },
    { to: '/audit', label: t('nav.audit'), isShown: may('auditEvents', 'list') },
    { to: '/persons', label: t('persons.title'), isShown: may('personRequests', 'get') },
    { to: '/operators', label: t('nav.operators'), isShown: may('operators', 'list') },
    { to: '/events', label: t('events.title'), isShown: may('events', 'startQuery') },
    { to: '/settings', label: t('settings.title'), isShown: may('processSettings', 'get') },
    {
      to: '/installation',
      label: t('installation.title'),
      isShown: ofInstallation && may('installation', 'listTenants'),
    },
  ].filter(({ isShown }) => isShown);
}

function Navigation({ path }: { path: string }) {
  const screens = useScreens();
  const route = path.replace(/^\/console/, '') || '/';
  return screens.map(({ to, label }) => {
    const isHere = to === '/' ? route === '/' : route.startsWith(to);
    return (
      <NavLink
        key={to}
        component={Link}
        to={to}
        label={label}
        active={isHere}
        variant="light"
        fw={isHere ? 650 : 500}
        {...(isHere && { 'aria-current': 'page' as const })}
      />
    );
  });
}

function Preferences() {
  const { t, language, setLanguage } = useTexts();
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const scheme = useComputedColorScheme('light');
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={t('app.language')}
          value={language}
          data={Object.keys(LANGUAGES).map((value) => ({ value, label: value.toUpperCase() }))}
          onChange={(value) => setLanguage(value as Language)}
        />
        <ActionIcon
          variant="default"
          aria-label={t('app.scheme')}
          onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
        >
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.6" />
            <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
          </svg>
        </ActionIcon>
      </Group>
    </Stack>
  );
}
