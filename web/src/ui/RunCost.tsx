import { Money } from './Money.tsx';

/** Of a run under way, whose jobs cost nothing until they end. */
export function RunCost({ cost, status }: { cost: number; status: string }) {
  return cost === 0 && status !== 'completed' ? '–' : <Money amount={cost} />;
}
