import { Anchor, Text } from '@mantine/core';
import type { Costs } from '../../../analysis/queries.ts';
import { peakOf, shortened, topSeries } from '../../../charts/series.ts';

export const scales = { linear: 'Linear', log: 'Log' };
export type Scale = keyof typeof scales;
export type ScaleProps = { scale: Scale; onScale: (scale: Scale) => void };

type Props = ScaleProps & { costs: Costs };

/** Explains an unexpected scale and offers the other one. */
export function ScaleNote({ costs, scale, onScale }: Props) {
  const { line, times } = peakOf(shortened(topSeries(costs)));
  const isLog = scale === 'log';
  return (
    <Text size="xs" mt={6}>
      {isLog ? 'Log scale' : 'Linear scale'}: {line?.title} peaks at {Math.round(times)} times the next line
      {isLog ? '.' : ', and flattens the others.'}{' '}
      <Anchor
        component="button"
        type="button"
        inherit
        underline="always"
        onClick={() => onScale(isLog ? 'linear' : 'log')}
      >
        {isLog ? 'Use a linear scale' : 'Use a log scale'}
      </Anchor>
    </Text>
  );
}
