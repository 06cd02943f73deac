import { List, Text } from '@mantine/core';
import { Explained } from '../../../ui/Explained.tsx';
import { InText, Note, When } from '../../../ui/text.tsx';
import { issuesOf } from './dataQuality.ts';
import { qualityDays, useDataQuality } from './queries.ts';

/** The most important issue of the data; the others on a click. */
export function QualityLine() {
  const { data: quality, error } = useDataQuality();
  if (!quality) return error && 'Data quality failed to load';
  const issues = issuesOf(quality);
  const [first] = issues;
  const lastReport = (
    <>
      Last report from CI: <When at={quality.last_event_at} />.
    </>
  );
  if (!first)
    return (
      <>
        Nothing is missing or without a price in the last {qualityDays} days. {lastReport}
      </>
    );
  return (
    <>
      {first.what}. <InText href={first.link.href}>{first.link.label}</InText>
      {' · '}
      <Explained value={issues.length > 1 ? `${issues.length - 1} more` : 'Details'} label="Data quality">
        <List size="sm" spacing="xs" listStyleType="none">
          {issues.map(({ what, advice, link }) => (
            <List.Item key={what}>
              <Text span inherit fw={600}>
                {what}.
              </Text>{' '}
              {advice} <InText href={link.href}>{link.label}</InText>
            </List.Item>
          ))}
        </List>
        <Note>{lastReport}</Note>
      </Explained>
    </>
  );
}
