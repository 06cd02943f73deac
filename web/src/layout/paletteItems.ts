import type { Icon } from '@tabler/icons-react';
import {
  IconBell,
  IconBookmark,
  IconBox,
  IconGitFork,
  IconKeyboard,
  IconLayoutSidebar,
  IconLogout,
  IconPlayerPlay,
  IconServer,
  IconSwitchHorizontal,
  IconTag,
  IconUser,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { initial, literal, parametersOf } from '../analysis/question.ts';
import { valueTitle } from '../analysis/words.ts';
import { verbActions } from '../api/actions.ts';
import { addressIn } from '../api/organization.ts';
import type { SourceKind } from '../api/queries.ts';
import type { OwnOrganization } from '../api/session.ts';
import { alertType } from '../parts/alerts/alertTypes.ts';
import type { ListedAlert } from '../parts/alerts/types.ts';
import { nameOf as nameOfWebhook } from '../parts/webhooks/webhookNames.ts';
import { sentence, titleOfRun } from '../ui/figures.ts';
import { sharedOwner, withoutOwner } from '../ui/text.tsx';
import { runAddress } from '../ui/useAddress.ts';
import type { Visit } from '../ui/visits.ts';
import { isIn, places } from './areas.ts';
import type { Item } from './pageSearch.ts';

/** What people can do from anywhere, in the order of the navigation. */
export const actions = places.flatMap((place) =>
  verbActions
    .filter(({ go }) => isIn(place, go.split('?')[0]!))
    .map((action) => ({ ...action, id: action.go, icon: place.icon, words: `new ${place.words}` })),
);

/** Values of a dimension, which lead to Explore. */
export const valueKinds = [
  { dimension: 'repository', title: 'Repositories', kind: 'Repository' },
  { dimension: 'team', title: 'Teams', kind: 'Team' },
  { dimension: 'runner', title: 'Runners', kind: 'Runner' },
  { dimension: 'actor', title: 'People and bots', kind: 'Person or bot' },
  { dimension: 'label', title: 'Labels', kind: 'Label' },
] as const;

export type ValueKind = (typeof valueKinds)[number]['dimension'];

const icons = {
  organization: IconSwitchHorizontal,
  workflow: IconGitFork,
  repository: IconBox,
  team: IconUsersGroup,
  run: IconPlayerPlay,
  alert: IconBell,
  webhook: IconWebhook,
  view: IconBookmark,
  runner: IconServer,
  actor: IconUser,
  label: IconTag,
} satisfies Record<Visit['kind'] | ValueKind | 'organization' | 'view', Icon>;

type Named = Pick<Item, 'label' | 'detail' | 'words'> & { go: string };

const item = (kind: keyof typeof icons, id: string, named: Named): Item => ({
  id: `${kind} ${id}`,
  icon: icons[kind],
  ...named,
});

export function organizationItems(own: readonly OwnOrganization[], current: string): Item[] {
  const words = 'organization company account change';
  return own
    .filter(({ id }) => id !== current)
    .map(({ id, name, role, address_name: named }) =>
      item('organization', id, {
        label: `Switch to ${name}`,
        detail: role,
        words,
        go: addressIn('/', named),
      }),
    );
}

type Doings = { onShortcuts: () => void; onRail: () => void; onSignOut: () => void };

export function frameActions({ onShortcuts, onRail, onSignOut }: Doings): Item[] {
  return [
    { id: 'keys', label: 'Keyboard shortcuts', icon: IconKeyboard, words: 'help', go: onShortcuts },
    {
      id: 'rail',
      label: 'Collapse or expand the navigation',
      icon: IconLayoutSidebar,
      words: 'menu sidebar',
      go: onRail,
    },
    { id: 'sign-out', label: 'Sign out', icon: IconLogout, words: 'log out leave', go: onSignOut },
  ];
}

type Workflow = { workflow_id: string; workflow_name: string; repo_name: string };

export function workflowItems(found: readonly Workflow[]): Item[] {
  const owner = sharedOwner(found.map(({ repo_name: name }) => name));
  return found.map(({ workflow_id: id, workflow_name: label, repo_name: name }) =>
    item('workflow', id, {
      label,
      detail: `Workflow in ${withoutOwner(name, owner)}`,
      go: `/workflows/${id}`,
    }),
  );
}

const has = (name: string, text: string) => name.toLowerCase().includes(text.toLowerCase());

type Value = { value: string | null; name: string };

/** The palette finds what cost something in these days. */
export const searchedDays = 90;

export function valueItems(dimension: ValueKind, found: readonly Value[], text: string): Item[] {
  const { kind: detail } = valueKinds.find((each) => each.dimension === dimension)!;
  return found.flatMap(({ value, name }) => {
    const label = valueTitle(dimension, name);
    if ((!value && dimension !== 'team') || !has(label, text)) return [];
    const filters = [{ dimension, isNot: false, values: [literal(value)] }];
    const range = { kind: 'days' as const, days: searchedDays };
    const groupBy = dimension === 'repository' ? ['workflow'] : initial.groupBy;
    const go = `/explore?${parametersOf({ ...initial, range, groupBy, filters }).toString()}`;
    return [item(dimension, label, { label, detail, go })];
  });
}

type NamedAlert = Pick<ListedAlert, 'id' | 'name' | 'alert_type' | 'measure'> & { scope: { value?: string } };

export function alertItems(alerts: readonly NamedAlert[]): Item[] {
  return alerts.map(({ id, name: label, scope: { value: words = '' }, ...kind }) =>
    item('alert', id, { label, detail: `${alertType(kind).title} alert`, words, go: `/alerts/${id}` }),
  );
}

type NamedWebhook = { id: string; name: string | null; url: string; events: string[] };

export function webhookItems(webhooks: readonly NamedWebhook[]): Item[] {
  return webhooks.map(({ id, name, url, events }) => {
    const words = [url, ...events].join(' ');
    return item('webhook', id, {
      label: nameOfWebhook({ name, url }),
      detail: 'Webhook',
      words,
      go: `/webhooks/${id}`,
    });
  });
}

type View = { id: string; name: string; query: string };

export function viewItems(views: readonly View[]): Item[] {
  return views.map(({ id, name: label, query }) =>
    item('view', id, { label, detail: 'Saved view', go: `/explore?${query}` }),
  );
}

type FoundRun = Parameters<typeof titleOfRun>[0] & { id: string; repository: string };

export function runItem(run: FoundRun): Item {
  const detail = `${run.repository} · ${run.id}`;
  return item('run', run.id, { label: titleOfRun(run), detail, go: runAddress(run.id) });
}

export function visitItems(visits: Visit[], path: string): Item[] {
  return visits
    .filter(({ href }) => href !== path)
    .slice(0, 5)
    .map(({ href, title, kind }) => {
      const [label, place] = kind === 'workflow' ? title.split(/ in (?=\S+$)/) : [title];
      const detail = sentence(kind) + (place === undefined ? '' : ` in ${place}`);
      // The same id as a found one, so that each is listed once.
      return item(kind, kind === 'repository' || kind === 'team' ? title : href, {
        label: label!,
        detail,
        go: href,
      });
    });
}

type KnownKind = Pick<SourceKind, 'kind' | 'run_pattern'>;

/**
 * Possible ids of the run that someone searches for by our id, or by its id or the address of its page at the provider.
 */
export function runIdsIn(text: string, kinds: readonly KnownKind[]): string[] {
  if (/^run_\S+$/.test(text)) return [text];
  return kinds.flatMap(({ kind, run_pattern: pattern }) => {
    const id = new RegExp(pattern).exec(text)?.[1];
    return id === undefined ? [] : [`run_${kind}_${id}`];
  });
}
