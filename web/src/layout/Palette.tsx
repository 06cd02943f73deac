import { Kbd, Loader, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { IconArrowDown, IconArrowUp, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client.ts';
import { sourceKindsQuery, viewsQuery, webhooksQuery } from '../api/queries.ts';
import { bodyQuery, dataQuery } from '../api/query.ts';
import { useOwnOrganizations, useSignOut } from '../api/session.ts';
import { alertsQuery } from '../parts/alerts/queries.ts';
import { takeKeys } from '../ui/earlyKeys.ts';
import { countOf } from '../ui/figures.ts';
import { isNotFound } from '../ui/Loaded.tsx';
import { useWhyNot } from '../ui/rights.tsx';
import { useChange } from '../ui/useChange.ts';
import { visitsOf } from '../ui/visits.ts';
import {
  bestFirst,
  closest,
  exact,
  matching,
  onceEach,
  pages,
  piecesOf,
  settingsPages,
  type Group,
  type Item,
} from './pageSearch.ts';
import {
  actions,
  alertItems,
  frameActions,
  organizationItems,
  runIdsIn,
  runItem,
  searchedDays,
  valueItems,
  valueKinds,
  type ValueKind,
  viewItems,
  visitItems,
  webhookItems,
  workflowItems,
} from './paletteItems.ts';
import { schemes } from './schemes.ts';

export type PaletteProps = {
  /** Changes each time the palette should open. */
  opened: number;
  organizationId: string;
  onShortcuts: () => void;
  onRail: () => void;
};

const [store, spotlight] = createSpotlight();
const listId = 'palette-list';
const optionId = (index: number) => `palette-option-${index}`;

export function Palette({ opened, organizationId, onShortcuts, onRail }: PaletteProps) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const [kept, setKept] = useState<{ typed: string; titles: string[] } | null>(null);
  const [leaving, setLeaving] = useState<string | null>(null);
  const { selected } = useSpotlight(store);
  const local = useLocalGroups(typed, organizationId, { onShortcuts, onRail });
  const named = useNamedGroups(typed, organizationId);
  const found = useFoundGroups(typed, organizationId);
  const isSearching = named.isSearching || found.isSearching;
  const isKept = kept?.typed === typed;
  const groups = bestFirst(
    onceEach([...local, ...named.groups, ...found.groups]),
    typed,
    isKept ? kept.titles : [],
  );
  const items = groups.flatMap((group) => group.items);
  const [best] = groups;
  const keep = () => {
    if (!isKept) setKept({ typed, titles: groups.map(({ title }) => title) });
  };
  const field = useRef<HTMLInputElement>(null);
  const takeTyped = () => {
    const early = takeKeys();
    if (early !== '') setText((before) => before + early);
  };
  useEffect(() => {
    spotlight.open();
    // It is open already, and its field may have the focus.
    field.current?.focus();
    if (field.current) takeTyped();
  }, [opened]);
  const choose = ({ go }: Item) => {
    spotlight.close();
    if (typeof go === 'function') go();
    else setLeaving(go);
  };
  return (
    <>
      <Spotlight.Root
        store={store}
        query={text}
        onQueryChange={setText}
        shortcut={null}
        size={620}
        yOffset="12vh"
        radius="lg"
        overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
        transitionProps={{ duration: 0 }}
        title="Search"
      >
        <Spotlight.Search
          placeholder="Search or run a command"
          maxLength={255}
          aria-label="Search pages, workflows, repositories, runs and actions"
          ref={field}
          onFocus={takeTyped}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
          rightSection={isSearching && <Loader size={16} aria-hidden />}
          role="combobox"
          aria-expanded={items.length > 0}
          aria-controls={items.length > 0 ? listId : undefined}
          aria-activedescendant={items[selected] && optionId(selected)}
          onKeyDown={({ key }) => {
            if (key.startsWith('Arrow')) keep();
          }}
        />
        {items.length > 0 && (
          <Results groups={groups} text={text} selected={selected} onPoint={keep} onChoose={choose} />
        )}
        <div role="status">
          {items.length === 0 ? (
            <Spotlight.Empty>
              {isSearching ? 'Searching …' : `No matches for “${text.trim()}”`}
            </Spotlight.Empty>
          ) : (
            <VisuallyHidden>{isSearching ? 'Searching' : countOf(items.length, 'result')}</VisuallyHidden>
          )}
        </div>
        <Selection
          typed={typed}
          ids={items.map(({ id }) => id)}
          exactCount={!isKept && best?.title === exact ? best.items.length : 0}
        />
        <HowTo />
      </Spotlight.Root>
      {leaving !== null && <Leave key={leaving} href={leaving} onLeft={() => setLeaving(null)} />}
    </>
  );
}

type ResultsProps = {
  groups: Group[];
  text: string;
  selected: number;
  onPoint: () => void;
  onChoose: (item: Item) => void;
};

function Results({ groups, text, selected, onPoint, onChoose }: ResultsProps) {
  const items = groups.flatMap((group) => group.items);
  return (
    <Spotlight.ActionsList id={listId} role="listbox" aria-label="Results">
      {groups.map(({ title, items: own }) => (
        <Spotlight.ActionsGroup key={title} label={title} role="group" aria-label={title}>
          {own.map((item) => {
            const index = items.indexOf(item);
            return (
              <Spotlight.Action
                key={item.id}
                // Spotlight does not pass `id` on.
                ref={(element: HTMLElement | null) => element?.setAttribute('id', optionId(index))}
                role="option"
                aria-selected={index === selected}
                closeSpotlightOnTrigger={false}
                onClick={() => onChoose(item)}
                onMouseMove={() => {
                  onPoint();
                  if (index !== selected) select(index);
                }}
              >
                <item.icon size={18} stroke={1.6} aria-hidden />
                <span className="palette-label">
                  {piecesOf(item.label, text).map((piece, at) =>
                    at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
                  )}
                </span>
                {item.detail && <span className="palette-detail">{item.detail}</span>}
              </Spotlight.Action>
            );
          })}
        </Spotlight.ActionsGroup>
      ))}
    </Spotlight.ActionsList>
  );
}

function HowTo() {
  return (
    <Spotlight.Footer className="palette-footer">
      <Kbd size="xs">
        <IconArrowUp size={11} aria-label="Up" />
      </Kbd>
      <Kbd size="xs">
        <IconArrowDown size={11} aria-label="Down" />
      </Kbd>{' '}
      to choose
      <Kbd size="xs">Enter</Kbd> to open
      <Kbd size="xs">Esc</Kbd> to close
    </Spotlight.Footer>
  );
}

/**
 * Must come after `ActionsList`, whose list it needs. Selects the first item of a new text; late results other than an
 * exact name keep the selection. Before the next paint, because the index of the item before may be that of another.
 */
function Selection({ typed, ids, exactCount }: { typed: string; ids: string[]; exactCount: number }) {
  const { opened, selected } = useSpotlight(store);
  const before = useRef({ opened, typed, ids });
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { opened, typed, ids };
    const isSame = last.opened === opened && last.typed === typed;
    const index = ids.indexOf(last.ids[selected]!);
    select(isSame && (exactCount === 0 || index < exactCount) ? Math.max(0, index) : 0);
  }, [opened, typed, ids.join('\n')]);
  return null;
}

/** Selects an item as Spotlight's arrow keys do, so that they continue from here. */
function select(index: number): void {
  const list = document.getElementById(listId);
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
  list?.querySelectorAll('[data-action]')[index]?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: index }));
}

/** Clicks a link instead of navigating, so that a form with changes can ask first. */
function Leave({ href, onLeft }: { href: string; onLeft: () => void }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    link.current?.click();
    onLeft();
  }, []);
  if (href === '/docs') return <a ref={link} href={href} hidden aria-hidden tabIndex={-1} />;
  return <Link ref={link} href={href} hidden aria-hidden tabIndex={-1} />;
}

/** Number of frequent actions listed before the pages. */
const firstActions = 3;

type Doings = Pick<PaletteProps, 'onShortcuts' | 'onRail'>;

function useLocalGroups(text: string, organizationId: string, doings: Doings): Group[] {
  const [path] = useLocation();
  const whyNot = useWhyNot();
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useChange({ act: useSignOut() });
  const { data: organizations = [] } = useOwnOrganizations();
  const allowed = [
    ...actions.filter(({ needs }) => whyNot(needs) === null),
    ...schemes.map(({ value, label, icon }) => ({
      id: `theme ${value}`,
      label: `Theme: ${label.toLowerCase()}`,
      words: 'color scheme mode',
      icon,
      go: () => setColorScheme(value),
    })),
    ...frameActions({ ...doings, onSignOut: () => signOut.mutate(undefined) }),
  ].map((each): Item => ({ ...each, detail: 'Action' }));
  return [
    { title: 'Recent', items: matching(visitItems(visitsOf(organizationId), path), text) },
    ...(text === '' ? [{ title: 'Actions', items: allowed.slice(0, firstActions) }] : []),
    { title: 'Pages', items: matching(text === '' ? pages : [...pages, ...settingsPages], text) },
    { title: 'Organizations', items: matching(organizationItems(organizations, organizationId), text) },
    {
      title: text === '' ? 'More actions' : 'Actions',
      items: text === '' ? allowed.slice(firstActions) : matching(allowed, text),
    },
  ];
}

type FoundGroups = { groups: Group[]; isSearching: boolean };

/** Alerts, webhooks and views by name. There are few, so all of them load when the palette opens. */
function useNamedGroups(text: string, organizationId: string): FoundGroups {
  const { opened } = useSpotlight(store);
  const whyNot = useWhyNot();
  const isAsked = (scope: string) => ({
    enabled: opened && whyNot({ role: 'viewer', scope }) === null,
    staleTime: 30_000,
    refetchInterval: false as const,
  });
  const alerts = useQuery({ ...alertsQuery(organizationId), ...isAsked('alerts:read') });
  const webhooks = useQuery({ ...webhooksQuery, ...isAsked('webhooks:read') });
  const views = useQuery({ ...viewsQuery, ...isAsked('costs:read') });
  if (text === '') return { groups: [], isSearching: false };
  return {
    groups: [
      { title: 'Alerts', items: matching(alertItems(alerts.data ?? []), text) },
      { title: 'Webhooks', items: matching(webhookItems(webhooks.data ?? []), text) },
      { title: 'Views', items: matching(viewItems(views.data ?? []), text) },
    ],
    isSearching: alerts.isLoading || webhooks.isLoading || views.isLoading,
  };
}

const maxFound = 6;

function useFoundGroups(text: string, organizationId: string): FoundGroups {
  const [typed] = useDebouncedValue(text, 150);
  const mayRead = useWhyNot()({ role: 'viewer', scope: 'costs:read' }) === null;
  const isAsked = mayRead && typed.length > 1;
  const query = { org_id: organizationId, days: searchedDays, per_page: 30, search: typed };
  const workflows = useQuery({
    ...bodyQuery('/api/v1/dashboard/workflows', { query }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  const values = useValues(isAsked);
  const mayReadSources = useWhyNot()({ role: 'viewer', scope: 'admin' }) === null;
  const kinds = useQuery({ ...sourceKindsQuery, enabled: isAsked && mayReadSources });
  const ids = isAsked ? runIdsIn(typed, kinds.data ?? []) : [];
  const run = useQuery({
    queryKey: ['first run of', ids],
    queryFn: () => firstRun(ids),
    enabled: ids.length > 0,
  });
  // While an answer is pending, keeps only the earlier results that match.
  const isOlder = text !== typed || workflows.isPlaceholderData;
  const has = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  const canFind = isAsked && text.length > 1;
  const answered = canFind ? (workflows.data?.workflows ?? []) : [];
  const listed = answered.filter((each) => !isOlder || has(each.workflow_name) || has(each.repo_name));
  const named = listed.filter(({ workflow_name: name }) => has(name));
  const repositories = [...new Set(listed.map(({ repo_name: name }) => name))];
  const valuesOf = (dimension: ValueKind) => {
    if (dimension === 'repository') return repositories.map((name) => ({ name, value: name }));
    return canFind ? values.of(dimension) : [];
  };
  const closestOf = (items: Item[]) => closest(items, text).slice(0, maxFound);
  return {
    groups: [
      { title: 'Runs', items: run.data ? [runItem(run.data)] : [] },
      { title: 'Workflows', items: closestOf(workflowItems([...new Set([...named, ...listed])])) },
      ...valueKinds.map(({ dimension, title }) => ({
        title,
        items: closestOf(valueItems(dimension, valuesOf(dimension), text)),
      })),
    ],
    isSearching:
      mayRead &&
      text.length > 1 &&
      (text !== typed || workflows.isFetching || run.isFetching || values.isLoading),
  };
}

/** Repositories come with the workflows. */
type Searched = Exclude<ValueKind, 'repository'>;
const searched = valueKinds.flatMap(({ dimension }) => (dimension === 'repository' ? [] : dimension));

/** All teams, runners, people and labels that cost something. There are few, so they are asked for once an hour. */
function useValues(enabled: boolean) {
  const asked = useQueries({
    queries: searched.map((dimension) => {
      const query = { days: searchedDays, group_by: dimension, granularity: 'total', limit: 1_000 } as const;
      return { ...dataQuery('/api/v1/costs', { query }), staleTime: 3_600_000, enabled };
    }),
  });
  const of = (dimension: Searched) =>
    asked[searched.indexOf(dimension)]!.data?.groups.map(({ by: [value] }) => value!) ?? [];
  return { of, isLoading: asked.some(({ isLoading }) => isLoading) };
}

async function firstRun(ids: string[]) {
  for (const id of ids) {
    try {
      return (await api.GET('/api/v1/runs/{id}', { params: { path: { id } } })).data!.data;
    } catch (error) {
      if (!isNotFound(error as Error)) throw error;
    }
  }
  return null;
}
