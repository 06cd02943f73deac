import { readdirSync, readFileSync } from 'node:fs';
import type { RateHint } from '../../../ledger/pricing/provider.ts';
import { parseUsd } from '../../../platform/lib/money.ts';

const folder = new URL('rateHints/', import.meta.url);

type HintFile = Pick<RateHint, 'company' | 'source' | 'checkedOn' | 'confidence' | 'rounding' | 'note'> & {
  /** Of a company without known rates. */
  label?: string;
  rates: { id: string; sizeOf: string; name: string; label: string; usdPerMinute: Record<string, number> }[];
};

/** What other companies' runners cost, a file each. Nothing applies them by itself. */
export const gitHubRateHints: readonly RateHint[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .flatMap((name) => {
    const { rates, label, ...about } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as HintFile;
    const id = name.replace('.json', '');
    const unknown = { id, sizeOf: null, name: about.company, label: label!, usdPerMinute: {} };
    return (rates.length > 0 ? rates : [unknown]).map(({ usdPerMinute, label: pattern, ...rate }) => ({
      ...about,
      ...rate,
      pattern,
      rates: Object.entries(usdPerMinute).map(([effectiveFrom, usd]) => ({
        effectiveFrom,
        nanosPerMinute: parseUsd(String(usd)),
      })),
    }));
  });
