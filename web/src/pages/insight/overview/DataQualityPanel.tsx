import { Group, List, Stack, Text } from '@mantine/core';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { InText, When } from '../../../ui/text.tsx';
import { issuesOf } from './dataQuality.ts';
import { qualityDays, useDataQuality } from './queries.ts';

export function DataQualityPanel() {
  const query = useDataQuality();
  return (
    <Panel title="Data quality">
      <Loaded query={query} height={44}>
        {(quality) => {
          const issues = issuesOf(quality);
          return (
            <Stack gap="xs" fz="sm">
              {issues.length > 0 && (
                <List size="sm" spacing={4} listStyleType="none">
                  {issues.map(({ what, advice, link }) => (
                    <List.Item key={what}>
                      {what}. <InText href={link.href}>{link.label}</InText>
                      {'. '}
                      <Text span inherit c="dimmed" className="quality-advice">
                        {advice}
                      </Text>
                    </List.Item>
                  ))}
                </List>
              )}
              <Group gap={4} c="dimmed">
                {issues.length === 0 && (
                  <span>
                    Last {qualityDays} days: all minutes have a price, all runs have completed, and no day is
                    missing.
                  </span>
                )}
                <span>
                  Last report from CI: <When at={quality.last_event_at} />.
                </span>
              </Group>
            </Stack>
          );
        }}
      </Loaded>
    </Panel>
  );
}
