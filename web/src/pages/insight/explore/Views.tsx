import { Button, Menu, Text } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import { Caret } from '../../../analysis/Caret.tsx';
import { api } from '../../../api/client.ts';
import { viewsKey, viewsQuery } from '../../../api/queries.ts';
import type { Answer } from '../../../api/query.ts';
import { Confirm } from '../../../ui/Dialog.tsx';
import { Form } from '../../../ui/Form.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';

type View = Answer<'/api/v1/views'>[number];

type Open = { kind: 'save' } | { kind: 'edit' | 'delete'; view: View } | null;

/** Menu of saved views: opens one, saves the current question, and changes or deletes the open view. */
export function Views() {
  const search = useSearch();
  const [open, setOpen] = useState<Open>(null);
  const whyNot = useWhyNot()({ role: 'viewer', scope: 'views:write' });
  const views = useQuery(viewsQuery);
  const listed = views.data ?? [];
  const current = listed.find(({ query }) => isSame(query, search));
  const removal = useChange({
    act: ({ id }: View) => api.DELETE('/api/v1/views/{id}', { params: { path: { id } } }),
    done: 'View deleted.',
    refresh: [viewsKey],
  });
  return (
    <>
      <Menu position="bottom-end" shadow="md" width={280}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            className="icon-on-phones"
            leftSection={<IconBookmark size={16} stroke={1.7} aria-hidden="true" />}
            rightSection={<Caret />}
          >
            <Text span inherit truncate maw={160}>
              {current?.name ?? 'Views'}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto', overflowWrap: 'anywhere' }}>
          <Listed
            title="Yours"
            views={listed.filter(({ is_shared: isShared }) => !isShared)}
            current={current}
          />
          <Listed
            title="Shared"
            views={listed.filter(({ is_shared: isShared }) => isShared)}
            current={current}
          />
          {views.data?.length === 0 && (
            <Note px="sm" py="xs">
              No saved views yet. Save this one to come back to it.
            </Note>
          )}
          <Actions current={current} whyNot={whyNot} onOpen={setOpen} />
        </Menu.Dropdown>
      </Menu>
      {open?.kind === 'save' && <SaveView query={search} view={null} onClose={() => setOpen(null)} />}
      {open?.kind === 'edit' && <SaveView query={search} view={open.view} onClose={() => setOpen(null)} />}
      {open?.kind === 'delete' && (
        <Confirm
          title="Delete this view?"
          label="Delete view"
          change={removal}
          onClose={() => setOpen(null)}
          onConfirm={() => removal.mutate(open.view, { onSuccess: () => setOpen(null) })}
        >
          {open.view.is_shared
            ? `Everybody in your organization loses “${open.view.name}”.`
            : `You lose “${open.view.name}”.`}{' '}
          The costs stay.
        </Confirm>
      )}
    </>
  );
}

type ActionsProps = {
  current: View | undefined;
  whyNot: string | null;
  onOpen: (open: Open) => void;
};

function Actions({ current, whyNot, onOpen }: ActionsProps) {
  return (
    <>
      <Menu.Divider />
      <Menu.Item disabled={whyNot !== null} onClick={() => onOpen({ kind: 'save' })}>
        Save this view …
      </Menu.Item>
      {current?.can_change && (
        <>
          <Menu.Item disabled={whyNot !== null} onClick={() => onOpen({ kind: 'edit', view: current })}>
            Rename or share “{current.name}” …
          </Menu.Item>
          <Menu.Item disabled={whyNot !== null} onClick={() => onOpen({ kind: 'delete', view: current })}>
            Delete “{current.name}”
          </Menu.Item>
        </>
      )}
      {whyNot !== null && (
        <Note size="xs" px="sm" pb="xs">
          {whyNot}
        </Note>
      )}
    </>
  );
}

type ListedProps = { title: string; views: View[]; current: View | undefined };

function Listed({ title, views, current }: ListedProps) {
  if (views.length === 0) return null;
  return (
    <>
      <Menu.Label>{title}</Menu.Label>
      {views.map((view) => (
        <Menu.Item
          key={view.id}
          component={Link}
          href={`/explore?${view.query}`}
          aria-current={view === current ? 'true' : undefined}
          fw={view === current ? 600 : undefined}
        >
          {view.name}
          {view.is_shared && <Note size="xs">by {view.author}</Note>}
        </Menu.Item>
      ))}
    </>
  );
}

/** Compares queries, ignoring the order of parameters. */
function isSame(one: string, other: string): boolean {
  const sorted = (text: string) => {
    const params = new URLSearchParams(text);
    params.sort();
    return params.toString();
  };
  return sorted(one) === sorted(other);
}

type SaveProps = {
  query: string;
  view: View | null;
  onClose: () => void;
};

function SaveView({ query, view, onClose }: SaveProps) {
  const whyNotShared = useWhyNot()({ role: 'member', scope: 'views:write' });
  return (
    <Form
      title={view ? 'Change this view' : 'Save this view'}
      label="Save view"
      initial={{ name: view?.name ?? '', is_shared: view?.is_shared ?? false }}
      fields={[
        { name: 'name', label: 'Name', required: true, maxLength: 100, 'data-autofocus': true },
        {
          name: 'is_shared',
          kind: 'check',
          label: 'Share with everybody in this organization',
          description: whyNotShared ?? 'Otherwise only you see it.',
          disabled: whyNotShared !== null,
        },
      ]}
      act={async (body) => {
        if (view) await api.PUT('/api/v1/views/{id}', { params: { path: { id: view.id } }, body });
        else await api.POST('/api/v1/views', { body: { ...body, query } });
      }}
      done="View saved."
      refresh={[viewsKey]}
      onClose={onClose}
    />
  );
}
