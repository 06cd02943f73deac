import { Money } from './Money.tsx';

/** A run in progress shows a dash while it has no cost, because jobs cost nothing until they end. */
export function RunCost({ cost, status }: { cost: number; status: string }) {
  return cost === 0 && status !== 'completed' ? '–' : <Money amount={cost} />;
}
