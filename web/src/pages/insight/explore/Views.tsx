import { Button, Text } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { Caret } from '../../../analysis/Caret.tsx';
import { api } from '../../../api/client.ts';
import { viewsKey, viewsQuery } from '../../../api/queries.ts';
import { Form } from '../../../ui/Form.tsx';
import { late } from '../../../ui/late.ts';
import { LateMenu, type TargetProps } from '../../../ui/LateMenu.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { ConfirmRemoval, type Removal } from '../../../ui/rowActions.tsx';
import type { Open, View } from './ViewsOpened.tsx';

const load = () => import('./ViewsOpened.tsx');
const ViewsOpened = late(load, 'ViewsOpened');

/** Menu of saved views: opens one, saves the current question, and changes or deletes the open view. */
export function Views() {
  const search = useSearch();
  const [open, setOpen] = useState<Open | null>(null);
  const whyNot = useWhyNot()({ role: 'viewer', scope: 'views:write' });
  const views = useQuery(viewsQuery);
  const listed = views.data ?? [];
  const current = listed.find(({ query }) => isSame(query, search));
  const target = (props: TargetProps) => (
    <Button
      {...props}
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
  );
  return (
    <>
      <LateMenu
        load={load}
        target={target}
        menu={
          <ViewsOpened
            target={target}
            views={views.data}
            current={current}
            whyNot={whyNot}
            onOpen={setOpen}
          />
        }
      />
      {open?.kind === 'save' && <SaveView query={search} view={null} onClose={() => setOpen(null)} />}
      {open?.kind === 'edit' && <SaveView query={search} view={open.view} onClose={() => setOpen(null)} />}
      {open?.kind === 'delete' && (
        <ConfirmRemoval row={open.view} removal={removal} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

const removal: Removal<View> = {
  what: 'view',
  text: ({ is_shared: isShared, name }) =>
    `${isShared ? 'Everybody in your organization loses' : 'You lose'} “${name}”. The costs stay.`,
  act: ({ id }) => api.DELETE('/api/v1/views/{id}', { params: { path: { id } } }),
  done: () => 'View deleted.',
  refresh: [viewsKey],
};

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
