import { Anchor, VisuallyHidden } from '@mantine/core';
import { dollars, exactDollars } from './figures.ts';
import { TextLink } from './TextLink.tsx';

type Props = {
  href: string;
  value: string;
  to: string;
  hint?: string;
};

export function FigureLink({ href, value, to, hint }: Props) {
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

export function MoneyLink({ amount, ...props }: Omit<Props, 'value' | 'hint'> & { amount: number }) {
  return (
    <FigureLink
      {...props}
      value={dollars(amount)}
      hint={`${exactDollars(amount)}. Click to see ${props.to}.`}
    />
  );
}
