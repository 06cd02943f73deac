import { List, Menu, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { copyText } from '../ui/CopyField.tsx';
import { Form } from '../ui/Form.tsx';
import type { TargetProps } from '../ui/LateMenu.tsx';
import { MenuChoice } from '../ui/MenuChoice.tsx';
import { MenuOpened } from '../ui/MenuOpened.tsx';
import { useWhyNot } from '../ui/rights.tsx';
import { Created } from '../ui/SecretOnce.tsx';
import { Note } from '../ui/text.tsx';
import { wordsIn } from '../ui/typed.ts';
import { useChange } from '../ui/useChange.ts';
import { CreateBadge, shareName } from './CreateBadge.tsx';
import type { Question } from './question.ts';
import { datesOf, datesTitle, rangeTitle } from './ranges.ts';
import {
  filterTitles,
  frameOf,
  movingRange,
  sharedQueryOf,
  titleOfQuestion,
  type charts,
} from './sharing.ts';

export type Props = {
  target: (props: TargetProps) => ReactElement;
  page: 'overview' | 'explore';
  chart?: (typeof charts)[number];
  question: Question;
  today: string;
};

const creations = [
  {
    kind: 'link',
    label: 'Create a share link …',
    about: 'For people without an account, until it expires.',
  },
  { kind: 'embed', label: 'Embed in a page …', about: 'For a wiki or a portal, on sites that you name.' },
  { kind: 'badge', label: 'Create a badge …', about: 'An image with what CI costs, for a README.' },
] as const;

export function ShareOpened({ target, ...props }: Props) {
  const [creating, setCreating] = useState<(typeof creations)[number]['kind'] | null>(null);
  const whyNot = useWhyNot()({ role: 'member', scope: 'shares:write' });
  const copy = useChange({
    act: async () => {
      if (!(await copyText(location.href))) throw new Error('The browser did not let us copy the link.');
    },
    done: 'Link copied.',
  });
  return (
    <>
      <MenuOpened target={target} width={310}>
        <MenuChoice
          label="Copy link"
          about="For people who can sign in."
          onClick={() => copy.mutate(undefined)}
        />
        {creations.map(({ kind, label, about }) => (
          <MenuChoice
            key={kind}
            label={label}
            about={whyNot ?? about}
            disabled={whyNot !== null}
            onClick={() => setCreating(kind)}
          />
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} href="/share-links">
          All share links
        </Menu.Item>
      </MenuOpened>
      {creating === 'badge' && <CreateBadge onClose={() => setCreating(null)} />}
      {(creating === 'link' || creating === 'embed') && (
        <CreateLink {...props} kind={creating} onClose={() => setCreating(null)} />
      )}
    </>
  );
}

const lengths = ['1', '7', '30', '90'] as const;

function LinkLength({ value, onChange }: { value: string; onChange: (days: string) => void }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id="link-length">
        The link works for
      </Text>
      <SegmentedControl
        aria-labelledby="link-length"
        value={value}
        onChange={onChange}
        data={lengths.map((days) => ({ value: days, label: days === '1' ? '1 day' : `${days} days` }))}
      />
    </Stack>
  );
}

type CreateProps = Omit<Props, 'target'> & { kind: 'link' | 'embed'; onClose: () => void };

const words = {
  link: {
    title: 'Create a share link',
    label: 'Create link',
    days: '7',
    created: 'Your share link',
    what: 'the share link',
  },
  embed: {
    title: 'Embed in a page',
    label: 'Create embed',
    days: '90',
    created: 'Your embed',
    what: 'the code of the embed',
  },
};

function CreateLink({ page, chart = 'bars', question, today, kind, onClose }: CreateProps) {
  const isEmbed = kind === 'embed';
  const { title, label, days, created, what } = words[kind];
  const moving = movingRange(question.range, today);
  const hasName = useSession().data?.member !== null;
  return (
    <Form
      title={title}
      size="md"
      label={label}
      initial={{ days: moving ? 'moving' : 'fixed', sites: '', valid_days: days, name: '' }}
      fields={({ input }) => [
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            {titleOfQuestion(question)}
          </Text>
          {filterTitles(question).map((filter) => (
            <Note key={filter}>{filter}</Note>
          ))}
        </Stack>,
        <List size="sm" spacing={4} aria-label="What others see">
          <List.Item>Anyone with the link sees this view, and nothing else. They need no account.</List.Item>
          <List.Item>It names your organization{hasName && ' and you'}.</List.Item>
        </List>,
        {
          name: 'days',
          kind: 'choice',
          label: 'Days',
          options: [
            ...(moving
              ? [{ value: 'moving', label: `Keep up to date: ${rangeTitle(moving).toLowerCase()}` }]
              : []),
            { value: 'fixed', label: `Always ${datesTitle(datesOf(question.range, today))}` },
          ],
        },
        isEmbed && {
          name: 'sites',
          label: 'Sites that may show it',
          description: 'Addresses without a path, separated by commas, such as https://wiki.example.com.',
          required: true,
        },
        <LinkLength {...input('valid_days')} />,
        shareName,
      ]}
      act={async ({ days: chosen, sites, name, valid_days }) => {
        const of = isEmbed ? { kind, sites: wordsIn(sites) } : {};
        const query = sharedQueryOf(question, today, { isMoving: chosen === 'moving' });
        const view = { page, chart, query };
        const body = { ...view, name: name || null, valid_days: Number(valid_days), ...of };
        return (await api.POST('/api/v1/share-links', { body })).data!.data;
      }}
      refresh={[['/api/v1/share-links']]}
      after={({ url, expires_at: at }) => (
        <Created title={created} what={what} value={isEmbed ? frameOf(url) : url} at={at} onClose={onClose} />
      )}
      onClose={onClose}
    />
  );
}
