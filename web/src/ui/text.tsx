import { Anchor, type AnchorProps, Badge, Text, type TextProps, VisuallyHidden } from '@mantine/core';
import type { AriaAttributes, MouseEventHandler, ReactNode } from 'react';
import { Link } from 'wouter';
import { clockIn } from '../api/calendar.ts';
import { viewersZone } from './browserState.ts';
import {
  dollars,
  exactDollars,
  longDay,
  rowTime,
  sentence,
  timeFrom,
  timeInFull,
  timeText,
} from './figures.ts';

type NoteProps = TextProps & { children?: ReactNode; role?: 'status'; id?: string; title?: string };

/** A remark, less prominent than the text around it. */
export function Note(props: NoteProps) {
  return <Text size="sm" c="dimmed" {...props} />;
}

/** Text of any length, such as an error of another system. It breaks anywhere, also in a table. */
export function LongText(props: NoteProps) {
  return <Text size="sm" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }} {...props} />;
}

type Props = AnchorProps &
  AriaAttributes & {
    href: string;
    onClick?: MouseEventHandler<HTMLAnchorElement>;
    children?: ReactNode;
  };

/** A link within the pages. */
export function TextLink(props: Props) {
  return <Anchor component={Link} {...props} />;
}

/** A link within a sentence. */
export function InText(props: Props) {
  return <TextLink inherit underline="always" {...props} />;
}

type LinkProps = { href: string; children: ReactNode };

/** The name of a row, or a link beside a title. */
export function RowLink(props: LinkProps) {
  return <TextLink size="sm" {...props} />;
}

/** A page of another site, in a tab of its own. */
export function OutsideLink(props: LinkProps) {
  return <Anchor target="_blank" rel="noreferrer" underline="always" inherit {...props} />;
}

/** Looks like a link within a sentence, but changes this page. */
export function TextButton(props: { onClick: () => void; children: ReactNode; 'aria-label'?: string }) {
  return <Anchor component="button" type="button" inherit underline="always" {...props} />;
}

export function Money({ amount }: { amount: number }) {
  return (
    <Text span inherit aria-description={exactDollars(amount)} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {dollars(amount)}
    </Text>
  );
}

/** A run in progress shows a dash while it has no cost, because jobs cost nothing until they end. */
export function RunCost({ cost, status }: { cost: number; status: string }) {
  return cost === 0 && status !== 'completed' ? '–' : <Money amount={cost} />;
}

type RepositoryNameProps = {
  name: string;
  /** The owner that all rows share, if any. Phones leave it out. */
  owner?: string | null;
};

/** `acme/api`, which may wrap after the owner but not within it. */
export function RepositoryName({ name, owner = null }: RepositoryNameProps) {
  const at = name.lastIndexOf('/') + 1;
  if (at === 0) return name;
  const isShared = owner !== null && name.slice(0, at - 1) === owner;
  return (
    <>
      <span className={isShared ? 'repository-owner mantine-visible-from-sm' : 'repository-owner'}>
        {name.slice(0, at)}
      </span>
      <wbr />
      {name.slice(at)}
    </>
  );
}

/** The owner of all these repositories, such as `acme`; null if they differ. */
export function sharedOwner(names: readonly string[]): string | null {
  const owners = new Set(names.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/')))));
  const [owner] = owners;
  return owners.size === 1 && owner ? owner : null;
}

/** `api` for `acme/api`, for narrow places where all repositories belong to `acme`. */
export function withoutOwner(name: string, owner: string | null): string {
  return owner !== null && name.startsWith(`${owner}/`) ? name.slice(owner.length + 1) : name;
}

const dayMilliseconds = 86_400_000;

type WhenProps = {
  at: string | null;
  full?: boolean;
  /** Whether it is in a column whose header names the zone. */
  inRow?: boolean;
  /** Whether it is a due time, so that now reads `any moment`. */
  isNext?: boolean;
  /** Whether the time of day does not matter, such as for an expiry in a year. */
  isRough?: boolean;
};

/** A time in the organization's zone or relative to now. Hovering shows it in full and in other zones. */
export function When({ at, full = false, inRow = false, isNext = false, isRough = false }: WhenProps) {
  const now = new Date();
  if (at === null) return <span>–</span>;
  const date = new Date(at);
  const distance = Math.abs(now.getTime() - date.getTime());
  const isNear = distance < 60_000;
  const isOld = distance > (isRough ? 45 : 7) * dayMilliseconds;
  return (
    <time dateTime={at} aria-description={timeInFull(date, viewersZone())}>
      {inRow
        ? rowTime(date, now)
        : full || isOld
          ? isRough
            ? longDay(clockIn(date).day)
            : timeText(date)
          : isNext && isNear
            ? 'any moment'
            : timeFrom(now, date)}
    </time>
  );
}

const colors: Record<string, string> = {
  success: 'green',
  active: 'green',
  OK: 'green',
  sent: 'green',
  written: 'green',
  done: 'green',
  receiving: 'green',
  failure: 'red',
  failed: 'red',
  timed_out: 'red',
  startup_failure: 'red',
  failing: 'red',
  triggered: 'red',
  open: 'red',
  'over budget': 'red',
  'over threshold': 'red',
  close: 'yellow',
  'no recipients': 'yellow',
  retrying: 'yellow',
  waiting: 'yellow',
  quiet: 'yellow',
  in_progress: 'blue',
  pending: 'blue',
  due: 'blue',
  running: 'blue',
};

export function statusInWords(status: string): string {
  return status === 'cancelled' ? 'canceled' : status.replaceAll('_', ' ');
}

export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge variant="dot" color={colors[status] ?? 'gray.6'} tt="none" fw={600} miw="max-content">
      {sentence(statusInWords(status))}
    </Badge>
  );
}

type FigureLinkProps = {
  href: string;
  value: string;
  to: string;
  hint?: string;
};

export function FigureLink({ href, value, to, hint }: FigureLinkProps) {
  const content = (
    <>
      {value}
      <VisuallyHidden>: {to}</VisuallyHidden>
    </>
  );
  const look = {
    inherit: true,
    c: 'inherit',
    underline: 'hover',
    'aria-description': hint ?? `Click to see ${to}.`,
  } as const;
  // The browser handles links within the page.
  if (href.startsWith('#'))
    return (
      <Anchor href={href} {...look}>
        {content}
      </Anchor>
    );
  return (
    <TextLink href={href} {...look}>
      {content}
    </TextLink>
  );
}

export function MoneyLink({
  amount,
  ...props
}: Omit<FigureLinkProps, 'value' | 'hint'> & { amount: number }) {
  return (
    <FigureLink
      {...props}
      value={dollars(amount)}
      hint={`${exactDollars(amount)}. Click to see ${props.to}.`}
    />
  );
}
