import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { patiently } from './api/when-unreachable.ts';
import { Empty, Failed, Waiting } from './parts/states.tsx';
import { Shell } from './shell.tsx';
import { useT } from './texts/texts.tsx';

/** The screens. Each is loaded when it is opened. */
type Search = Record<string, string | number | undefined>;

/** Reads the filters, which are texts, and `page`, which is a number; everything else in the query is dropped. */
function readSearch(search: Record<string, unknown>): Search {
  const filters: Search = {};
  for (const [name, value] of Object.entries(search)) {
    if (name === 'page') filters.page = Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
    else if (typeof value === 'string' || typeof value === 'number') filters[name] = String(value).slice(0, 255);
  }
  return filters;
}

function NotFound() {
  const t = useT();
  return <Empty title={t('state.notFound')} />;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, validateSearch: readSearch });
const screen = <P extends string, M extends Record<N, RouteComponent>, N extends string>(
  path: P,
  load: () => Promise<M>,
  name: N,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(patiently(load), name) });

const instances = () => import('./screens/instances.tsx');
const reviews = () => import('./screens/reviews.tsx');
const webhooks = () => import('./screens/webhooks.tsx');
const themes = () => import('./screens/themes.tsx');
const pages = () => import('./screens/pages.tsx');

const routeTree = root.addChildren([
  screen('/', () => import('./screens/home.tsx'), 'Home'),
  screen('/instances', instances, 'Instances'),
  screen('/instances/exports', () => import('./screens/exports.tsx'), 'Exports'),
  screen('/instances/$id', () => import('./screens/instance.tsx'), 'Instance'),
  screen('/reviews', reviews, 'Reviews'),
  screen('/reviews/$id', () => import('./screens/case.tsx'), 'CaseScreen'),
  screen('/tokens', () => import('./screens/tokens.tsx'), 'Tokens'),
  screen('/try', () => import('./screens/try-out.tsx'), 'TryOut'),
  screen('/definitions', () => import('./screens/definitions.tsx'), 'Definitions'),
  screen('/definitions/$id', () => import('./screens/definition.tsx'), 'Definition'),
  screen('/secrets', () => import('./screens/secrets.tsx'), 'Secrets'),
  screen('/keys', () => import('./screens/keys.tsx'), 'Keys'),
  screen('/webhooks', webhooks, 'Webhooks'),
  screen('/webhooks/$id', () => import('./screens/webhook.tsx'), 'Webhook'),
  screen('/audit', () => import('./screens/audit.tsx'), 'Audit'),
  screen('/operators', () => import('./screens/operators.tsx'), 'Operators'),
  screen('/usage', () => import('./screens/usage.tsx'), 'Usage'),
  screen('/what-if', () => import('./screens/what-if.tsx'), 'WhatIf'),
  screen('/settings', () => import('./screens/settings.tsx'), 'Settings'),
  screen('/persons', () => import('./screens/persons.tsx'), 'Persons'),
  screen('/watchlists', () => import('./screens/watchlists.tsx'), 'Watchlists'),
  screen('/watchlists/$id', () => import('./screens/watchlist.tsx'), 'Watchlist'),
  screen('/stores', () => import('./screens/stores.tsx'), 'Stores'),
  screen('/stores/$name', () => import('./screens/store.tsx'), 'Store'),
  screen('/stores/$name/users/$userId', () => import('./screens/store-user.tsx'), 'StoreUser'),
  screen('/installation', () => import('./screens/installation.tsx'), 'Installation'),
  screen('/themes', themes, 'Themes'),
  screen('/themes/$name', themes, 'Theme'),
  screen('/pages', pages, 'CustomPages'),
  screen('/pages/$name', pages, 'CustomPage'),
  screen('/pages/$name/source', () => import('./screens/page-source.tsx'), 'PageSource'),
  screen('/events', () => import('./screens/events.tsx'), 'EventQueries'),
  screen('/account', () => import('./screens/account.tsx'), 'Account'),
]);

/** Shown if the code of a screen did not load: the page is reloaded as soon as the server responds. */
function NotLoaded({ error }: { error: unknown }) {
  const loadAnew = () => fetch('/console/').then(() => location.reload());
  return <Failed error={error} retry={() => loadAnew().catch(() => undefined)} />;
}

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: NotLoaded,
  defaultPendingComponent: Waiting,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
