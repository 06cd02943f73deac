import { Anchor, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import { dollars, exactDollars } from './figures.ts';

type Props = {
  href: string;
  value: string;
  /** Where it leads, such as `the workflows by cost`. */
  to: string;
  /** What is told on hover and focus. */
  hint?: string;
};

/** A figure that leads on to what it is made of. */
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
    'aria-description': hint ?? `To ${to}`,
  } as const;
  // A part of the same page is the browser's to go to.
  if (href.startsWith('#'))
    return (
      <Anchor href={href} {...look}>
        {content}
      </Anchor>
    );
  return (
    <Anchor component={Link} href={href} {...look}>
      {content}
    </Anchor>
  );
}

/** The same of US dollars, exact on hover and focus. */
export function MoneyLink({ amount, ...props }: Omit<Props, 'value' | 'hint'> & { amount: number }) {
  return <FigureLink {...props} value={dollars(amount)} hint={`${exactDollars(amount)}, to ${props.to}`} />;
}
