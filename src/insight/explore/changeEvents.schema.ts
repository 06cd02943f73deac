import { Type } from 'typebox';
import { eventKinds } from '../../ledger/costs/whatChanged/jobs.ts';
import { sentenceOfEvent } from '../../ledger/costs/whatChanged/schema.ts';
import { CalendarDay, nullableText, Usd, usdOf, words } from '../../platform/http/schemas.ts';

const NullableNumber = Type.Union([Type.Number(), Type.Null()]);

const eventFigures = {
  value: usdOf('what these jobs cost on these days'),
  usual_value: usdOf('what they usually cost on as many comparable days: the mean of the period before'),
  change: usdOf('`volume`, `duration`, `price` and `mix` add up to it'),
  volume: Usd,
  duration: Usd,
  price: Usd,
  mix: Usd,
};

const Runner = Type.Object({
  value: nullableText('macos_3_core'),
  name: Type.String({ examples: ['macOS 3-core'] }),
});

export const EventsSchema = Type.Array(
  Type.Object({
    kind: words(eventKinds, {
      description:
        '`new`: jobs that never ran before. `returned`: jobs that did not run in the previous period. `removed`: jobs that ran no more. `volume`: more or fewer jobs. ' +
        '`duration`: longer or shorter ones. `price`: other prices of the same runner kinds. `mix`: other runner kinds',
    }),
    from: CalendarDay,
    to: CalendarDay,
    is_drift: Type.Boolean({
      description: 'no day stands out by itself, but each costs a little more or less',
    }),
    over_since: Type.Union([CalendarDay, Type.Null()], {
      description: 'the first day that was as usual again',
    }),
    is_lasting: Type.Boolean({
      description:
        'lasted for days, until the last one that can be judged. It is neither over nor lasting while that is not clear',
    }),
    last_ran_on: Type.Union([CalendarDay, Type.Null()], {
      description: 'the last day on which `returned` jobs ran before, if known',
    }),
    ...eventFigures,
    workflow: Type.Union(
      [
        Type.Object({
          id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
          name: nullableText('CI'),
          repository: nullableText('acme/mobile'),
        }),
        Type.Null(),
      ],
      { description: 'null for prices, which concern all workflows' },
    ),
    job_count: Type.Integer({ description: 'names of jobs' }),
    jobs: Type.Array(
      Type.Object({ name: nullableText('test (ios)'), kind: words(eventKinds), ...eventFigures }),
      { description: 'the twenty names with the largest changes' },
    ),
    runner: Type.Union([Runner, Type.Null()], { description: 'where nine tenths of it ran' }),
    previous_runner: Type.Union([Runner, Type.Null()], {
      description: 'where they ran before, if elsewhere',
    }),
    minutes_per_job: NullableNumber,
    previous_minutes_per_job: NullableNumber,
    prices: Type.Array(
      Type.Object({ runner: Runner, usd_per_minute: Usd, previous_usd_per_minute: Usd, change: Usd }),
    ),
    origin: Type.Union([
      Type.Object({
        by: words(['first', 'most'], {
          description:
            '`first`: the first of these jobs has it. `most`: at least half of the jobs have it, and few had it before',
        }),
        date: CalendarDay,
        pull_request: Type.Union([Type.Integer(), Type.Null()]),
        branch: nullableText('main'),
        commit: nullableText('1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b'),
        actor: nullableText('octocat'),
        run_id: nullableText('run_gh_123'),
      }),
      Type.Null(),
    ]),
    explains_half: Type.Boolean({
      description: 'makes up half of the change or more; `sentence` then leaves out other causes',
    }),
    ...sentenceOfEvent,
    costs: Type.String({
      description: 'the question that has the jobs of these days',
      examples: ['/api/v1/costs?from=2026-11-10&to=2026-11-12&workflow=wf_e18db5f418965475a75a&group_by=job'],
    }),
  }),
  {
    description:
      'what happened on which days, the largest first: at most three, each at least a quarter of the change. Empty if no days stand ' +
      'out against comparable days of the previous period. If the cost fell, an event can be of the previous period: it cost more, and ' +
      'is over',
  },
);
