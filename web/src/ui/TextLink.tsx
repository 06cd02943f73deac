import { Anchor, type AnchorProps } from '@mantine/core';
import type { AriaAttributes, MouseEventHandler, ReactNode } from 'react';
import { Link } from 'wouter';

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
