import { Type } from 'typebox';
import { CalendarDay, defaulted, nullableText, sampleText, Usd, words } from '../../platform/http/schemas.ts';

export const HintsQuery = Type.Object({
  days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
});

export const RateHintsSchema = Type.Array(
  Type.Object({
    id: sampleText('blacksmith_2vcpu_ubuntu'),
    company: sampleText('Blacksmith'),
    name: sampleText('Blacksmith 2 vCPU Linux'),
    pattern: sampleText(String.raw`^blacksmith-2vcpu-ubuntu-\d{4}$`, 'a regular expression for labels'),
    usd_per_minute: Type.Unsafe<ReturnType<typeof JSON.rawJSON> | null>({
      ...Usd,
      type: ['number', 'null'],
      description: 'today; null if we know no rate',
    }),
    rates: Type.Array(Type.Object({ effective_from: CalendarDay, usd_per_minute: Usd }), {
      description: 'each from its first day; empty if we know none',
    }),
    rounding: words(['minute', 'second'] as const),
    confidence: words(['published', 'hint'] as const, {
      description:
        "`published`: from the company's own price list; `hint`: from another text, so compare it with your bill",
    }),
    source: sampleText('https://docs.blacksmith.sh/github-actions-runners/pricing'),
    checked_on: { ...CalendarDay, description: 'when somebody read the source' },
    note: sampleText('Other sizes are on its price list.'),
    labels: Type.Array(sampleText('blacksmith-2vcpu-ubuntu-2404'), {
      description: 'labels of your third-party jobs of these days that it is about',
    }),
    minutes: Type.Integer({ description: 'of these jobs' }),
    rule_id: nullableText('rule_3b7f1d9c5a2e8046b3f9', 'the rule that was made of it'),
  }),
);
