import { Group, Text, useMantineStyleNonce } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScopeValues } from '../../../alerts/queries.ts';
import { Pick } from '../../../analysis/Pick.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { everything, frequencies } from './CreateDigest.tsx';
import { previewQuery, type Frequency } from './queries.ts';

/** The page's content security policy also applies inside the frame, so the email's style needs the nonce. */
function framed(html: string, nonce: string): string {
  return html.replace('<style>', `<style nonce="${nonce}">`);
}

/** Sets the height of the frame, which depends on its width because lines wrap. */
function fit(frame: HTMLIFrameElement): void {
  const resize = () => {
    const height = frame.contentDocument?.body.offsetHeight;
    if (height) frame.style.height = `${height + 2}px`;
  };
  resize();
  frame.contentWindow?.addEventListener('resize', resize);
}

export function DigestPreview() {
  const [frequency, setFrequency] = useState<Frequency>('weekly');
  const [team, setTeam] = useState<string | null>(null);
  const teams = useScopeValues('team').data ?? [];
  const nonce = useMantineStyleNonce()?.() ?? '';
  const preview = useQuery(previewQuery(frequency, team));
  return (
    <Panel title="What it looks like">
      <Group gap="xs">
        <Pick
          label="How often"
          value={frequency}
          options={frequencies.map(({ value, label }) => ({ value, title: label }))}
          onChange={setFrequency}
        />
        <Pick
          label="Costs of"
          value={team ?? ''}
          options={[{ value: '', label: everything }, ...teams].map(({ value, label }) => ({
            value,
            title: label,
          }))}
          onChange={(value) => setTeam(value || null)}
        />
      </Group>
      <Loaded query={preview} height={720}>
        {({ subject, html }) => (
          <>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              Subject: {subject}
            </Text>
            {/* Same origin, so that its height can be read. Scripts in it do not run. */}
            <iframe
              title="The email"
              className="digest-preview"
              sandbox="allow-same-origin"
              srcDoc={framed(html, nonce)}
              onLoad={(event) => fit(event.currentTarget)}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}
