import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, daysOf, windowBetween } from '../../platform/lib/days.ts';
import { coveredBy, coveragesOf, daysTaken, decideCoverage, type Coverage } from './coverage.ts';

const march = windowBetween('2026-03-01', '2026-03-31');

function coverage(
  reportId: string,
  firstDay: string,
  lastDay: string,
  fields: Partial<Coverage> = {},
): Coverage {
  return { reportId, organization: 'acme', product: 'actions', firstDay, lastDay, ...fields };
}

test('the latest report counts on its days, and the one before it on the others', () => {
  const decided = decideCoverage(
    [coverage('new', '2026-03-10', '2026-03-20'), coverage('old', '2026-02-15', '2026-03-25')],
    march,
  );
  assert.deepEqual(
    decided.map(({ reportId, firstDay, lastDay }) => [reportId, firstDay, lastDay]),
    [
      ['new', '2026-03-10', '2026-03-20'],
      ['old', '2026-03-01', '2026-03-09'],
      ['old', '2026-03-21', '2026-03-25'],
    ],
  );
});

test('reports of other organizations and products do not take days from each other', () => {
  const all = [
    coverage('storage', '2026-03-01', '2026-03-31', { product: 'copilot' }),
    coverage('other', '2026-03-01', '2026-03-31', { organization: 'beta' }),
    coverage('acme', '2026-03-01', '2026-03-31'),
  ];
  assert.equal(decideCoverage(all, march).length, 3);
});

test('a day of an organization and product counts once', () => {
  const day = fc.integer({ min: -5, max: 40 }).map((offset) => addDays(march.start, offset));
  const any = fc
    .tuple(day, day, fc.constantFrom('acme', 'beta'), fc.uuid())
    .map(([a, b, organization, id]) => coverage(id, a < b ? a : b, a < b ? b : a, { organization }));
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), (coverages) => {
      const decided = decideCoverage(coverages, march);
      for (const organization of ['acme', 'beta']) {
        for (const each of daysOf(march)) {
          const covers = (one: Coverage) =>
            one.organization === organization && one.firstDay <= each && each <= one.lastDay;
          const found = decided.filter(covers);
          assert.deepEqual(
            found.map(({ reportId }) => reportId),
            coverages
              .filter(covers)
              .slice(0, 1)
              .map(({ reportId }) => reportId),
          );
        }
      }
    }),
  );
});

test('a report without an organization covers owners without a report', () => {
  const { isCovered: covers } = coveredBy([
    coverage('mine', '2026-03-01', '2026-03-31', { organization: '' }),
    coverage('acme', '2026-03-01', '2026-03-05'),
  ]);
  assert.equal(covers('ada', '2026-03-20'), true);
  assert.equal(covers('acme', '2026-03-05'), true);
  assert.equal(covers('acme', '2026-03-20'), false);
});

test("a report covers each organization's products from their first to their last day", () => {
  const line = (organization: string, product: string, firstDay: string, lastDay: string) => ({
    organization,
    product,
    firstDay,
    lastDay,
  });
  const covered = coveragesOf('new', [
    line('acme', 'actions', '2026-03-05', '2026-03-06'),
    line('acme', 'actions', '2026-03-01', '2026-03-02'),
    line('acme', 'actions', '2026-03-03', '2026-03-09'),
    line('beta', 'actions', '2026-03-20', '2026-03-20'),
  ]);
  assert.deepEqual(
    covered.map(({ organization, firstDay, lastDay }) => [organization, firstDay, lastDay]),
    [
      ['acme', '2026-03-01', '2026-03-09'],
      ['beta', '2026-03-20', '2026-03-20'],
    ],
  );
});

test('a new report takes from each earlier one the days on which it counted, each once', () => {
  const earlier = [
    coverage('second', '2026-03-03', '2026-03-04'),
    coverage('first', '2026-03-01', '2026-03-05'),
    coverage('first', '2026-03-02', '2026-03-06', { product: 'copilot' }),
    coverage('other', '2026-03-01', '2026-03-05', { organization: 'beta' }),
    coverage('hidden', '2026-03-01', '2026-03-05'),
  ];
  const added = [
    coverage('new', '2026-03-02', '2026-03-31'),
    coverage('new', '2026-03-05', '2026-03-06', { product: 'copilot' }),
  ];
  assert.deepEqual(Object.fromEntries(daysTaken(earlier, added)), { second: 2, first: 3 });
  assert.deepEqual(daysTaken([], added).size, 0);
});
