import { Box, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import type { Kind, Preview, Scope } from '../../../parts/alerts/types.ts';
import { ruleInWords, thresholdInWords } from '../../../parts/alerts/words.ts';
import { Boundary } from '../../../ui/Boundary.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Failed, Loading } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note } from '../../../ui/text.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import { scopeError, settingsOf, thresholdError, thresholdOf, type AlertFields } from './alertFields.ts';
import { AlertValue } from './AlertParts.tsx';
import { ruleKeyOf, usePreview, type PreviewedRule } from './alertQueries.ts';
import { PreviewChart } from './PreviewChart.tsx';
import { lastDayBefore, noSuggestionInWords, suggestionInWords, valueInWords } from './words.ts';

const typingPauseMilliseconds = 250;
const chartHeight = 320;
const wordsHeight = 128;
const shownFirings = 5;

type Props = { fields: AlertFields; onThreshold: (threshold: number) => void };

export function AlertPreview({ fields, onThreshold }: Props) {
  const { alert_type, measure, check_frequency, period } = fields;
  const watched = scopeError(fields) === null ? JSON.stringify(settingsOf(fields, 0).scope) : null;
  const threshold = thresholdError(fields) === null ? thresholdOf(fields) : null;
  const typed = useMemo<PreviewedRule>(
    () => ({
      alert_type,
      measure,
      check_frequency,
      period,
      threshold_amount: threshold,
      scope: watched === null ? null : (JSON.parse(watched) as Scope),
    }),
    [alert_type, measure, check_frequency, period, threshold, watched],
  );
  const [asked] = useDebouncedValue(typed, typingPauseMilliseconds);
  const query = usePreview(asked);
  const isBehind = typed !== asked || query.isPlaceholderData;
  // An answer for another rule does not fit this one.
  const isOther = ruleKeyOf(typed).join() !== ruleKeyOf(asked).join();
  const preview = isOther ? undefined : query.data;
  return (
    <Panel title="Preview: last 90 days and today">
      {watched === null ? (
        <Text size="sm" mih={chartHeight + wordsHeight + 16}>
          Choose what to watch to see a preview.
        </Text>
      ) : query.error && !isBehind ? (
        <Box mih={chartHeight + wordsHeight + 16}>
          <PreviewError error={query.error} retry={() => void query.refetch()} />
        </Box>
      ) : (
        <Stack aria-busy={isBehind}>
          <Box mih={chartHeight} role="img" aria-label={preview ? chartInWords(typed, preview) : 'Loading'}>
            {preview ? (
              // A reload would lose the form, and the text below says the same.
              <Boundary fallback={() => <Text size="sm">The chart failed to load.</Text>}>
                <PreviewChart
                  kind={typed}
                  preview={preview}
                  threshold={threshold}
                  suggested={suggestedBeside(preview, threshold)}
                  height={chartHeight}
                />
              </Boundary>
            ) : (
              <Loading height={chartHeight} />
            )}
          </Box>
          {preview ? (
            <PreviewWords rule={typed} preview={preview} onThreshold={onThreshold} isBehind={isBehind} />
          ) : (
            <Loading height={wordsHeight} />
          )}
        </Stack>
      )}
    </Panel>
  );
}

function suggestedBeside({ suggested_threshold: suggested }: Preview, threshold: number | null) {
  return suggested === threshold ? null : suggested;
}

function PreviewError({ error, retry }: { error: Error; retry: () => void }) {
  const scopeProblem = errorOf(error, 'scope');
  if (scopeProblem) return <Text size="sm">No preview: the value {scopeProblem}.</Text>;
  const thresholdProblem = errorOf(error, 'threshold_amount');
  if (thresholdProblem) return <Text size="sm">No preview: the threshold {thresholdProblem}.</Text>;
  return <Failed error={error} retry={retry} />;
}

type WordsProps = {
  rule: PreviewedRule;
  preview: Preview;
  onThreshold: (threshold: number) => void;
  isBehind: boolean;
};

function PreviewWords({ rule, preview, onThreshold, isBehind }: WordsProps) {
  const { threshold_amount: threshold } = rule;
  return (
    <Stack gap="sm" className="preview-words">
      <Text fw={600} role="status" opacity={isBehind ? 0.6 : 1}>
        {threshold === null
          ? 'Enter a threshold to see when it would have triggered.'
          : firedInWords(preview)}
      </Text>
      {threshold !== null && (
        <Note>
          {checksInWords(preview.series)}, for {alertType(rule).in_short}{' '}
          {ruleInWords({ ...rule, threshold_amount: threshold })}. {farFrom(rule, preview, threshold)}
        </Note>
      )}
      <Suggested rule={rule} preview={preview} onThreshold={onThreshold} />
      {threshold !== null && <Firings kind={rule} firings={preview.firings} />}
    </Stack>
  );
}

type SuggestedProps = Pick<WordsProps, 'rule' | 'preview' | 'onThreshold'>;

function Suggested({ rule, preview, onThreshold }: SuggestedProps) {
  const { suggested_threshold: suggested, suggestion } = preview;
  if (suggested === null || suggestion === null) {
    return <Note>{noSuggestionInWords(rule)}</Note>;
  }
  const words = thresholdInWords(rule, suggested);
  return (
    <Group gap="sm" mih={30}>
      <Text size="sm">
        Suggested: <strong>{words}</strong>. {suggestionInWords(rule, suggestion)}
      </Text>
      {rule.threshold_amount === suggested ? (
        <Note>In use.</Note>
      ) : (
        rule.threshold_amount !== null && (
          <SmallButton onClick={() => onThreshold(suggested)}>Use {words}</SmallButton>
        )
      )}
    </Group>
  );
}

function Firings({ kind, firings }: { kind: Kind; firings: Preview['firings'] }) {
  if (firings.length === 0) return null;
  const earlier = firings.length - shownFirings;
  const dayBefore = (time: string) => longDay(lastDayBefore(time));
  return (
    <div>
      <DataTable
        label="Days on which it would have triggered"
        minWidth={0}
        maxRows={shownFirings}
        rows={firings.toReversed()}
        keyOf={({ at }) => at}
        columns={[
          {
            title: 'Would have triggered on',
            cell: ({ at, so_far: isSoFar }) => (isSoFar ? 'Today so far' : dayBefore(at)),
          },
          {
            title: alertType(kind).value_title,
            isNumber: true,
            cell: ({ current_value: value }) => <AlertValue kind={kind} value={value} />,
          },
          {
            title: 'Until',
            cell: ({ resolved_at: at }) => (at === null ? 'Still open' : dayBefore(at)),
          },
        ]}
      />
      {earlier > 0 && <Note mt={4}>and {countOf(earlier, 'time')} earlier.</Note>}
    </div>
  );
}

function checksInWords(series: Preview['series']): string {
  const scheduled = series.filter(({ so_far }) => !so_far).length;
  return `${countOf(scheduled, 'check')}${scheduled < series.length ? ' and today so far' : ''}`;
}

function firedInWords({ firings }: Preview): string {
  if (firings.length === 0) return 'It would not have triggered.';
  return `It would have triggered ${firings.length === 1 ? 'once' : countOf(firings.length, 'time')}.`;
}

/** Says that the threshold is above the chart if it is far above all values. */
function farFrom(kind: Kind, { series }: Preview, threshold: number): string {
  const highest = Math.max(0, ...series.map(({ current_value }) => current_value));
  return highest > 0 && threshold > 4 * highest
    ? `The highest was ${valueInWords(kind, highest)}. The threshold is above the chart.`
    : '';
}

function chartInWords(rule: PreviewedRule, preview: Preview): string {
  const { threshold_amount } = rule;
  const seen = preview.series.filter((check) => !check.insufficient_data);
  if (seen.length === 0) return 'No check had enough history.';
  const values = seen.map(({ current_value }) => current_value);
  const [lowest, peak] = [Math.min(...values), Math.max(...values)].map((value) => valueInWords(rule, value));
  const line =
    threshold_amount === null ? '' : ` The threshold is ${thresholdInWords(rule, threshold_amount)}.`;
  return `Values of ${checksInWords(seen)}, from ${lowest} to ${peak}.${line} ${firedInWords(preview)}`;
}
