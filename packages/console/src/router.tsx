import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { Empty } from './parts/states.tsx';
import { Shell } from './shell.tsx';
import { useT } from './texts/texts.tsx';

/** The screens. Each is loaded when it is opened. */
type Search = Record<string, string | number | undefined>;

/** Filters are texts and `page` is a number; what else somebody writes into an address is dropped. */
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
const screen = <P extends string>(path: P, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, component });

const instances = () => import('./screens/instances.tsx');
const reviews = () => import('./screens/reviews.tsx');
const webhooks = () => import('./screens/webhooks.tsx');
const themes = () => import('./screens/themes.tsx');
const pages = () => import('./screens/pages.tsx');

const routeTree = root.addChildren([
  screen(
    '/',
    lazyRouteComponent(() => import('./screens/home.tsx'), 'Home'),
  ),
  screen('/instances', lazyRouteComponent(instances, 'Instances')),
  screen(
    '/instances/exports',
    lazyRouteComponent(() => import('./screens/exports.tsx'), 'Exports'),
  ),
  screen(
    '/instances/$id',
    lazyRouteComponent(() => import('./screens/instance.tsx'), 'Instance'),
  ),
  screen('/reviews', lazyRouteComponent(reviews, 'Reviews')),
  screen(
    '/reviews/$id',
    lazyRouteComponent(() => import('./screens/case.tsx'), 'CaseScreen'),
  ),
  screen(
    '/tokens',
    lazyRouteComponent(() => import('./screens/tokens.tsx'), 'Tokens'),
  ),
  screen(
    '/try',
    lazyRouteComponent(() => import('./screens/try-out.tsx'), 'TryOut'),
  ),
  screen(
    '/definitions',
    lazyRouteComponent(() => import('./screens/definitions.tsx'), 'Definitions'),
  ),
  screen(
    '/definitions/$id',
    lazyRouteComponent(() => import('./screens/definition.tsx'), 'Definition'),
  ),
  screen(
    '/secrets',
    lazyRouteComponent(() => import('./screens/secrets.tsx'), 'Secrets'),
  ),
  screen(
    '/keys',
    lazyRouteComponent(() => import('./screens/keys.tsx'), 'Keys'),
  ),
  screen('/webhooks', lazyRouteComponent(webhooks, 'Webhooks')),
  screen(
    '/webhooks/$id',
    lazyRouteComponent(() => import('./screens/webhook.tsx'), 'Webhook'),
  ),
  screen(
    '/audit',
    lazyRouteComponent(() => import('./screens/audit.tsx'), 'Audit'),
  ),
  screen(
    '/operators',
    lazyRouteComponent(() => import('./screens/operators.tsx'), 'Operators'),
  ),
  screen(
    '/usage',
    lazyRouteComponent(() => import('./screens/usage.tsx'), 'Usage'),
  ),
  screen(
    '/what-if',
    lazyRouteComponent(() => import('./screens/what-if.tsx'), 'WhatIf'),
  ),
  screen(
    '/settings',
    lazyRouteComponent(() => import('./screens/settings.tsx'), 'Settings'),
  ),
  screen(
    '/persons',
    lazyRouteComponent(() => import('./screens/persons.tsx'), 'Persons'),
  ),
  screen(
    '/watchlists',
    lazyRouteComponent(() => import('./screens/watchlists.tsx'), 'Watchlists'),
  ),
  screen(
    '/watchlists/$id',
    lazyRouteComponent(() => import('./screens/watchlist.tsx'), 'Watchlist'),
  ),
  screen(
    '/stores',
    lazyRouteComponent(() => import('./screens/stores.tsx'), 'Stores'),
  ),
  screen(
    '/stores/$name',
    lazyRouteComponent(() => import('./screens/store.tsx'), 'Store'),
  ),
  screen(
    '/stores/$name/users/$userId',
    lazyRouteComponent(() => import('./screens/store-user.tsx'), 'StoreUser'),
  ),
  screen(
    '/installation',
    lazyRouteComponent(() => import('./screens/installation.tsx'), 'Installation'),
  ),
  screen('/themes', lazyRouteComponent(themes, 'Themes')),
  screen('/themes/$name', lazyRouteComponent(themes, 'Theme')),
  screen('/pages', lazyRouteComponent(pages, 'CustomPages')),
  screen('/pages/$name', lazyRouteComponent(pages, 'CustomPage')),
  screen(
    '/pages/$name/source',
    lazyRouteComponent(() => import('./screens/page-source.tsx'), 'PageSource'),
  ),
  screen(
    '/events',
    lazyRouteComponent(() => import('./screens/events.tsx'), 'EventQueries'),
  ),
  screen(
    '/account',
    lazyRouteComponent(() => import('./screens/account.tsx'), 'Account'),
  ),
]);

export const router = createRouter({ routeTree, basepath: '/console', defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
