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
