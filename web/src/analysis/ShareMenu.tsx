import { Button, Menu, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { CopyField, copyText } from '../ui/CopyField.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { useWhyNot } from '../ui/rights.tsx';
import { useChange } from '../ui/useChange.ts';
import { When } from '../ui/When.tsx';
import { Caret } from './Caret.tsx';
import type { Question } from './question.ts';
import { datesOf, datesTitle } from './ranges.ts';
import { filterTitles, sharedQueryOf, titleOfQuestion, type charts } from './sharing.ts';

type Props = {
  page: 'overview' | 'explore';
  chart?: (typeof charts)[number];
  question: Question;
  today: string;
};

/** Gives the view to others: as its address, or as a link for people without an account. */
export function ShareMenu(props: Props) {
  const [isCreating, setIsCreating] = useState(false);
  const whyNot = useWhyNot()({ role: 'member', scope: 'shares:write' });
  const copy = useChange({
    act: async () => {
      if (!(await copyText(location.href))) throw new Error('The browser did not let us copy the link.');
    },
    done: 'Link copied.',
  });
  return (
    <>
      <Menu position="bottom-end" shadow="md" width={280}>
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<Caret />}>
            Share
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy.mutate(undefined)}>
            Copy link
            <Text size="xs" c="dimmed">
              For people who can sign in.
            </Text>
          </Menu.Item>
          <Menu.Item disabled={whyNot !== null} onClick={() => setIsCreating(true)}>
            Create a read-only link …
            <Text size="xs" c="dimmed">
              {whyNot ?? 'For people without an account, until it expires.'}
            </Text>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isCreating && <CreateLink {...props} onClose={() => setIsCreating(false)} />}
    </>
  );
}

const lengths = ['1', '7', '30', '90'] as const;

function CreateLink({ page, chart = 'bars', question, today, onClose }: Props & { onClose: () => void }) {
  const [days, setDays] = useState<string>('7');
  const create = useChange({
    act: async () => {
      const query = sharedQueryOf(question, today);
      const body = { page, chart, query, valid_days: Number(days) };
      return (await api.POST('/api/v1/share-links', { body })).data!.data;
    },
    refresh: [['/api/v1/share-links']],
    isErrorShown: true,
  });
  const filters = filterTitles(question);
  if (create.data) return <Created link={create.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Create a read-only link"
      size="md"
      label="Create link"
      isBusy={create.isPending}
      error={create.error}
      fields={[]}
      onSubmit={() => create.mutate(undefined)}
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {titleOfQuestion(question)}, {datesTitle(datesOf(question.range, today))}
        </Text>
        {filters.map((filter) => (
          <Text key={filter} size="sm" c="dimmed">
            {filter}
          </Text>
        ))}
      </Stack>
      <Text size="sm">
        Whoever has the link sees these figures without an account, with your name and the name of your
        organization. They cannot change the view or see anything else.
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={500} id="link-length">
          The link works for
        </Text>
        <SegmentedControl
          aria-labelledby="link-length"
          value={days}
          onChange={setDays}
          data={lengths.map((value) => ({ value, label: value === '1' ? '1 day' : `${value} days` }))}
        />
      </Stack>
    </FormDialog>
  );
}

function Created({ link, onClose }: { link: { url: string; expires_at: string }; onClose: () => void }) {
  return (
    <Dialog title="Your read-only link" size="md" onClose={onClose}>
      <Stack>
        <CopyField label="Shown only once" what="the read-only link" value={link.url} />
        <Text size="sm" c="dimmed">
          It works until <When at={link.expires_at} full />. You can revoke it in Settings, Share links.
        </Text>
        <Button onClick={onClose} ms="auto">
          Done
        </Button>
      </Stack>
    </Dialog>
  );
}
